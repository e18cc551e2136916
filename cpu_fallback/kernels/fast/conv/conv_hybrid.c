#include "cpu_fallback/kernels/element.h"

#define HY_BYTE_WEIGHTS

#include "cpu_fallback/kernels/fast/conv/conv_float_tile.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * CONV_2D and FULLY_CONNECTED of float32 with a filter of int8: weights stay bytes, a quarter of
 * the size of floats.
 *
 * A packed panel is its biases and its scales in float32, followed by the weights of its channels
 * for each step of the depth.
 */
#define HEADER_FLOATS 2

size_t HY_SIMD_FN(hybrid_conv_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * (HEADER_FLOATS * sizeof(float) + conv_depth(p));
}

/* Depths of a channel that are read at once, see conv_float_pack.h. */
#define PACKED_AT_ONCE 64

/* `from` points to each channel. Packs the next `count` depths of each. */
static void pack_depths(const int8_t *const *from, size_t channels, size_t width, size_t first,
                        size_t count, int8_t *to)
{
    memset(to, 0, count * width);
    for (size_t i = 0; i < channels; i++)
        for (size_t k = 0; k < count; k++)
            to[k * width + i] = from[i][first + k];
}

/* Packs the panel of `width` channels from `channel` on. Returns the end of the panel. */
static char *pack_panel(const struct hy_conv_params *p, const int8_t *filter, const float *bias,
                        size_t channel, size_t width, char *to)
{
    const size_t left = p->out_c - channel, count = width < left ? width : left;
    const size_t depth = conv_depth(p);
    float *header = (float *)to;
    int8_t *weights = (int8_t *)(header + HEADER_FLOATS * width);
    const int8_t *from[HY_PANEL];

    for (size_t i = 0; i < width; i++) {
        header[i] = i < count ? bias[channel + i] : 0;
        header[width + i] = i < count ? p->filter_scales[channel + i] : 0;
        from[i] = filter + (channel + i) * depth;
    }
    for (size_t k = 0, depths; k < depth; k += depths) {
        depths = depth - k < PACKED_AT_ONCE ? depth - k : PACKED_AT_ONCE;
        pack_depths(from, count, width, k, depths, weights + k * width);
    }
    return (char *)(weights + depth * width);
}

void HY_SIMD_FN(hybrid_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                  const void *bias, void *packed)
{
    char *to = packed;

    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL)
        to = pack_panel(p, filter, bias, channel, panel_width(p, channel), to);
}

HY_ALWAYS_INLINE void store_row(const struct tile *t, int vectors, const vf *sums, float *out)
{
    HY_UNROLL(16)
    for (int v = 0; v < vectors; v++) {
        const size_t left = t->columns - (size_t)v * HY_LANES;
        const vf result = vf_clamp(sums[v], t->min, t->max);
        if (left >= HY_LANES)
            vf_store(out + v * HY_LANES, result);
        else
            vf_store_part(out + v * HY_LANES, result, left);
    }
}

#include "cpu_fallback/kernels/fast/conv/conv_float_panel.h"

#include "cpu_fallback/kernels/fast/conv/conv_float_units.h"

/* ---- Several tiles: the first converts the bytes to floats for the others -------------------- */

/* Size of the floats of a group: the first-level cache also holds the other operands of a tile. */
#define GROUP_BYTES 32768u

/* Channels of the panels converted to floats together: at least one panel. */
static size_t group_of(const struct hy_conv_params *p)
{
    const size_t channels = GROUP_BYTES / sizeof(float) / (1 + conv_depth(p));

    return channels < HY_PANEL ? HY_PANEL : channels / HY_PANEL * HY_PANEL;
}

/* Bytes of the floats of a group. */
static size_t group_bytes(const struct hy_conv_params *p)
{
    const size_t columns = conv_columns(p), group = group_of(p);

    return (columns < group ? columns : group) * (1 + conv_depth(p)) * sizeof(float);
}

size_t HY_SIMD_FN(hybrid_conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return group_bytes(p) + HY_SIMD_FN(conv_scratch_bytes)(p);
}

/* A tile of all rows. The converted weights are stored in `floats`, in the format of
 * conv_float_pack.h. */
HY_ALWAYS_INLINE void multiply_and_store_weights(const struct tile *t, int vectors, float *floats)
{
    vf sums[MOST_PHASES][HY_TILE_ROWS][HY_PANEL_VECTORS], scales[HY_PANEL_VECTORS];
    vf weights[HY_PANEL_VECTORS];
    const panel_weight *panel = t->panel;
    const float *at[HY_TILE_ROWS];

    start_sums(t, HY_TILE_ROWS, vectors, 1, sums);
    HY_UNROLL(16)
    for (int v = 0; v < vectors; v++) {
        scales[v] = vf_load(scales_of(t, vectors) + v * HY_LANES);
        vf_store(floats + v * HY_LANES, vf_load(t->start + v * HY_LANES));
    }
    floats += vectors * HY_LANES;
    HY_UNROLL(16)
    for (int r = 0; r < HY_TILE_ROWS; r++)
        at[r] = t->patches.rows ? t->patches.rows[r].from
                                : t->patches.from + (size_t)r * t->patches.row_step;

    for (size_t line = 1;; line++) {
        for (size_t k = 0; k < t->patches.run; k++) {
            HY_UNROLL(16)
            for (int v = 0; v < vectors; v++) {
                const vi bytes = vi_load_s8_part(panel + v * HY_LANES, HY_LANES);
                weights[v] = vf_multiply(vf_from_vi(bytes), scales[v]);
                vf_store(floats + v * HY_LANES, weights[v]);
            }
            HY_UNROLL(16)
            for (int r = 0; r < HY_TILE_ROWS; r++) {
                const vf value = vf_set1(at[r][k]);
                HY_UNROLL(16)
                for (int v = 0; v < vectors; v++)
                    sums[0][r][v] = vf_multiply_add(value, weights[v], sums[0][r][v]);
            }
            panel += vectors * HY_LANES;
            floats += vectors * HY_LANES;
        }
        if (line >= t->patches.lines)
            break;
        HY_UNROLL(16)
        for (int r = 0; r < HY_TILE_ROWS; r++)
            at[r] += t->patches.rows ? t->patches.rows[r].step : t->patches.step;
    }
    finish_phases(t, HY_TILE_ROWS, vectors, 1, sums);
}

/* The first of several tiles, with all channels of `p`. */
static __attribute__((noinline)) void run_first_tile(const struct hy_conv_params *p,
                                                     const float *in, const char *weights,
                                                     float *out, float *floats, float *patches,
                                                     size_t tile)
{
    const struct conv_unit u = conv_unit_at(p, tile);
    struct patch_row rows[HY_TILE_ROWS];
    struct tile t = {.patches = patches_of(p),
                     .out_step = conv_out_step(p),
                     .min = vf_set1(p->activation.min),
                     .max = vf_set1(p->activation.max)};

    if (t.patches.contiguous)
        t.patches.from = in + u.pixel * t.patches.row_step;
    else
        gather_patches(p, position_at(p, in, u.pixel), u.rows, patches, rows, &t.patches);
    for (size_t c = 0; c < p->out_c; c += HY_PANEL) {
        select_panel(p, weights, c, out + u.pixel * t.out_step, &t);
        if (t.columns > HY_LANES)
            multiply_and_store_weights(&t, 2, floats + c * (1 + conv_depth(p)));
        else
            multiply_and_store_weights(&t, 1, floats + c * (1 + conv_depth(p)));
    }
}

/* Computes the tiles [first, end), not empty, with all channels of `p`. */
static void run_tiles(const struct hy_conv_params *p, const float *in, const char *weights,
                      float *out, float *floats, float *patches, size_t first, size_t end)
{
    if (first + 1 == end) {
        run_units(p, in, weights, out, patches, first, end);
        return;
    }
    run_first_tile(p, in, weights, out, floats, patches, first);
    HY_SIMD_FN(conv)(p, in, floats, NULL, out, patches, first + 1, end);
}

/* Finds units from `first` on that can be computed together: tiles of one block, or all tiles of
 * some blocks. Returns their number. */
static size_t common_units(const struct hy_conv_params *p, size_t first, size_t end,
                           struct conv_unit *u)
{
    const size_t tiles = conv_tiles(p), left = end - first;

    *u = conv_unit_at(p, first);
    if (u->tile > 0 || left < tiles)
        return left < tiles - u->tile ? left : tiles - u->tile;
    /* A block has tiles. NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    const size_t blocks = left / tiles;
    if (blocks > 1)
        u->channel_end = conv_unit_at(p, first + (blocks - 1) * tiles).channel_end;
    return blocks * tiles;
}

/* Computes the units [first, end), group after group of panels. */
static void run_groups(const struct hy_conv_params *p, const float *in, const char *weights,
                       float *out, float *scratch, size_t first, size_t end)
{
    const size_t tiles = conv_tiles(p), channel = channel_bytes(conv_depth(p)), step = group_of(p);
    float *patches = scratch + group_bytes(p) / sizeof *scratch;
    struct hy_conv_params group = *p;

    group.out_step = conv_out_step(p);
    group.block = 0;
    for (size_t count; first < end; first += count) {
        struct conv_unit u;
        count = common_units(p, first, end, &u);
        const size_t last = u.tile + count < tiles ? u.tile + count : tiles;
        for (size_t c = u.channel; c < u.channel_end; c += step) {
            group.out_c = (uint32_t)(u.channel_end - c < step ? u.channel_end - c : step);
            run_tiles(&group, in, weights + c * channel, out + c, scratch, patches, u.tile, last);
        }
    }
}

void HY_SIMD_FN(hybrid_conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                             const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    (void)bias;
    if (is_single_row(p))
        run_row(p, in, weights, out, row_channels(p, first, end));
    else
        run_groups(p, in, weights, out, scratch, first, end);
}
