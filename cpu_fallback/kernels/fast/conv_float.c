#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/conv_tiles.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * CONV_2D and FULLY_CONNECTED in float32; also DEPTHWISE_CONV_2D of one input channel, which is the
 * same product with its filter stored the other way round.
 *
 * A packed panel: its bias, then for each step of the depth the weights of its channels.
 */

struct patch_source {
    char unused;
};
typedef float source_type, patch_type;

static inline void copy_run(const struct patch_source *source, size_t count, const float *from,
                            float *to)
{
    (void)source;
    for (; count >= HY_LANES; count -= HY_LANES, from += HY_LANES, to += HY_LANES)
        vf_store_part(to, vf_load(from), HY_LANES);
    vf_store_part(to, vf_load_part(from, count), count);
}

static inline void fill_run(const struct patch_source *source, size_t count, float *to)
{
    (void)source;
    for (; count >= HY_LANES; count -= HY_LANES, to += HY_LANES)
        vf_store_part(to, vf_set1(0), HY_LANES);
    vf_store_part(to, vf_set1(0), count);
}

#include "cpu_fallback/kernels/fast/conv_gather.h"

#include "cpu_fallback/kernels/fast/conv_float_rows.h"

size_t HY_SIMD_FN(conv_units)(const struct hy_conv_params *p)
{
    return conv_unit_count(p);
}

size_t HY_SIMD_FN(conv_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * (1 + conv_depth(p)) * sizeof(float);
}

/* A filter, and how far its channels and its depths lie apart. */
struct filter {
    const float *values;
    size_t channel_step, depth_step;
};

/* Depths of a channel that are read at once: filters often lie apart by a power of two, and few
 * such lines stay in the first cache. */
#define PACKED_AT_ONCE 16

HY_ALWAYS_INLINE void pack_channel(const float *from, size_t depth_step, size_t count, size_t width,
                                   float *to)
{
    HY_UNROLL(16)
    for (size_t k = 0; k < count; k++)
        to[k * width] = from[k * depth_step];
}

/* `depths` of them from `first` on, of a panel of `width` channels, `count` of which exist. */
static void pack_depths(const struct filter *f, size_t channel, size_t count, size_t width,
                        size_t first, size_t depths, float *to)
{
    const bool usual = f->depth_step == 1 && depths == PACKED_AT_ONCE && width == HY_PANEL;
    const float *from = f->values + channel * f->channel_step + first * f->depth_step;

    for (size_t i = 0; i < count; i++, from += f->channel_step)
        if (usual)
            pack_channel(from, 1, PACKED_AT_ONCE, HY_PANEL, to + i);
        else
            pack_channel(from, f->depth_step, depths, width, to + i);
    for (size_t i = count; i < width; i++)
        for (size_t k = 0; k < depths; k++)
            to[k * width + i] = 0;
}

static void pack(const struct hy_conv_params *p, const struct filter *f, const float *bias,
                 float *to)
{
    const size_t depth = conv_depth(p);

    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL) {
        const size_t width = panel_width(p, channel), left = p->out_c - channel;
        const size_t count = width < left ? width : left;
        for (size_t i = 0; i < width; i++)
            *to++ = i < count ? bias[channel + i] : 0;
        for (size_t k = 0, depths; k < depth; k += depths) {
            depths = depth - k < PACKED_AT_ONCE ? depth - k : PACKED_AT_ONCE;
            pack_depths(f, channel, count, width, k, depths, to);
            to += depths * width;
        }
    }
}

void HY_SIMD_FN(conv_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                           void *packed)
{
    pack(p, &(struct filter){filter, conv_depth(p), 1}, bias, packed);
}

void HY_SIMD_FN(single_channel_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    pack(p, &(struct filter){filter, 1, p->out_c}, bias, packed);
}

size_t HY_SIMD_FN(conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return patches_are_contiguous(p) ? 0 : HY_TILE_ROWS * conv_depth(p) * sizeof(float);
}

/* One tile's operands. */
struct tile {
    struct patches patches;
    const float *panel;
    float *out;
    size_t out_step, columns; /* columns to write */
    vf min, max;
};

HY_ALWAYS_INLINE void store_row(const struct tile *t, int vectors, const vf *sums, float *out)
{
    HY_UNROLL(16)
    for (int v = 0; v < vectors; v++) {
        const size_t left = t->columns - (size_t)v * HY_LANES;
        const vf result = vf_clamp(sums[v], t->min, t->max);
        if (left >= HY_LANES) /* what was stored in part is late for the next operation */
            vf_store(out + v * HY_LANES, result);
        else
            vf_store_part(out + v * HY_LANES, result, left);
    }
}

#define MOST_PHASES 4

/* One depth: of each row its value, against the weights of the panel. */
HY_ALWAYS_INLINE void add_depth(const float *const *at, size_t k, const float *panel, int rows,
                                int vectors, vf sums[HY_TILE_ROWS][HY_PANEL_VECTORS])
{
    vf weights[HY_PANEL_VECTORS];

    HY_UNROLL(16)
    for (int v = 0; v < vectors; v++)
        weights[v] = vf_load(panel + v * HY_LANES);
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        vf value = vf_set1(at[r][k]);
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = vf_multiply_add(value, weights[v], sums[r][v]);
    }
}

/*
 * The sums of a tile in `phases` sets, between which depths take turns; the caller adds them up.
 * Where a tile has few rows and vectors, one set would wait for itself.
 */
HY_ALWAYS_INLINE void sum_tile(const struct tile *t, int rows, int vectors, int phases,
                               vf sums[][HY_TILE_ROWS][HY_PANEL_VECTORS])
{
    const float *panel = t->panel + vectors * HY_LANES, *at[HY_TILE_ROWS];

    HY_UNROLL(16)
    for (int s = 0; s < phases; s++) {
        HY_UNROLL(16)
        for (int r = 0; r < rows; r++) {
            HY_UNROLL(16)
            for (int v = 0; v < vectors; v++)
                sums[s][r][v] = s == 0 ? vf_load(t->panel + v * HY_LANES) : vf_set1(0);
        }
    }
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++)
        at[r] = t->patches.rows ? t->patches.rows[r].from
                                : t->patches.from + (size_t)r * t->patches.row_step;

    for (size_t line = 1;; line++) {
        size_t k = 0;
        for (; k + (size_t)phases <= t->patches.run; k += (size_t)phases) {
            HY_UNROLL(16)
            for (int s = 0; s < phases; s++, panel += vectors * HY_LANES)
                add_depth(at, k + (size_t)s, panel, rows, vectors, sums[s]);
        }
        for (; phases > 1 && k < t->patches.run; k++, panel += vectors * HY_LANES)
            add_depth(at, k, panel, rows, vectors, sums[0]);
        if (line >= t->patches.lines)
            break;
        HY_UNROLL(16)
        for (int r = 0; r < rows; r++)
            at[r] += t->patches.rows ? t->patches.rows[r].step : t->patches.step;
    }
}

HY_ALWAYS_INLINE void multiply_phases(const struct tile *t, int rows, int vectors, int phases)
{
    vf sums[MOST_PHASES][HY_TILE_ROWS][HY_PANEL_VECTORS];

    sum_tile(t, rows, vectors, phases, sums);
    HY_UNROLL(16)
    for (int apart = phases / 2; apart > 0; apart /= 2) {
        HY_UNROLL(16)
        for (int s = 0; s < apart; s++) {
            HY_UNROLL(16)
            for (int r = 0; r < rows; r++) {
                HY_UNROLL(16)
                for (int v = 0; v < vectors; v++)
                    sums[s][r][v] = vf_add(sums[s][r][v], sums[s + apart][r][v]);
            }
        }
    }
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++)
        store_row(t, vectors, sums[0][r], t->out + (size_t)r * t->out_step);
}

HY_ALWAYS_INLINE void multiply_tile(const struct tile *t, int rows, int vectors)
{
    multiply_phases(t, rows, vectors, 1);
}

HY_ALWAYS_INLINE void multiply_row(const struct tile *t, int vectors)
{
    multiply_phases(t, 1, vectors, MOST_PHASES);
}

#include "cpu_fallback/kernels/fast/conv_dispatch.h"

/* One panel for all rows of a unit. */
static inline void multiply_panel(struct tile t, size_t rows)
{
    while (rows > 0) {
        size_t step = tile_step(rows);
        multiply(&t, step, t.columns > HY_LANES);
        skip_rows(&t.patches, step);
        t.out += step * t.out_step;
        rows -= step;
    }
}

/* A single row has nothing to be placed or gone through: small networks are made of such. */
static __attribute__((noinline)) void run_row(const struct hy_conv_params *p, const float *in,
                                              const float *weights, float *out,
                                              struct hy_window channels)
{
    const size_t depth = conv_depth(p);
    struct tile t = {.patches = {.lines = 1, .run = depth, .from = in},
                     .min = vf_set1(p->activation.min),
                     .max = vf_set1(p->activation.max)};

    for (size_t c = channels.begin; c < channels.end; c += HY_PANEL) {
        t.panel = weights + c * (1 + depth);
        t.out = out + c;
        t.columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
        if (t.columns > HY_LANES)
            multiply_row(&t, 2);
        else
            multiply_row(&t, 1);
    }
}

static __attribute__((noinline)) void run_units(const struct hy_conv_params *p, const float *in,
                                                const float *weights, float *out, float *scratch,
                                                size_t first, size_t end)
{
    const size_t depth = conv_depth(p);
    struct patch_row rows[HY_TILE_ROWS];
    size_t placed = SIZE_MAX;
    struct tile t = {.patches = patches_of(p),
                     .out_step = p->out_c,
                     .min = vf_set1(p->activation.min),
                     .max = vf_set1(p->activation.max)};

    for (; first < end; first++) {
        const struct conv_unit u = conv_unit_at(p, first);
        if (u.tile != placed)
            place_patches(p, in, &u, scratch, rows, &t.patches);
        placed = u.tile;

        for (size_t c = u.channel; c < u.channel_end; c += HY_PANEL) {
            t.panel = weights + c * (1 + depth);
            t.out = out + u.pixel * p->out_c + c;
            t.columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
            multiply_panel(t, u.rows);
        }
    }
}

void HY_SIMD_FN(conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                      const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    (void)bias;
    if (is_single_row(p))
        run_row(p, in, weights, out, row_channels(p, first, end));
    else
        run_units(p, in, weights, out, scratch, first, end);
}
