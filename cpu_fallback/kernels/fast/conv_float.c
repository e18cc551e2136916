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
    memset(to, 0, count * sizeof *to);
}

#include "cpu_fallback/kernels/fast/conv_gather.h"

size_t HY_SIMD_FN(conv_units)(const struct hy_conv_params *p)
{
    return conv_tiles(p) * units_per_tile(p);
}

size_t HY_SIMD_FN(conv_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * (1 + conv_depth(p)) * sizeof(float);
}

/* `channel_step` and `depth_step` are how far channels and depths lie apart in the filter. */
static void pack(const struct hy_conv_params *p, const float *filter, size_t channel_step,
                 size_t depth_step, const float *bias, float *to)
{
    size_t depth = conv_depth(p);

    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL) {
        size_t width = panel_width(p, channel);
        for (size_t i = 0; i < width; i++)
            *to++ = channel + i < p->out_c ? bias[channel + i] : 0;
        for (size_t k = 0; k < depth; k++)
            for (size_t i = 0; i < width; i++) {
                size_t at = (channel + i) * channel_step + k * depth_step;
                *to++ = channel + i < p->out_c ? filter[at] : 0;
            }
    }
}

void HY_SIMD_FN(conv_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                           void *packed)
{
    pack(p, filter, conv_depth(p), 1, bias, packed);
}

void HY_SIMD_FN(single_channel_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    pack(p, filter, 1, p->out_c, bias, packed);
}

size_t HY_SIMD_FN(conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return patches_are_contiguous(p) ? 0 : HY_TILE_ROWS * conv_depth(p) * sizeof(float);
}

/* One tile's operands. */
struct tile {
    const float *patches, *panel;
    size_t depth; /* also the distance between patches */
    float *out;
    size_t out_step, columns; /* columns to write */
    vf min, max;
};

HY_ALWAYS_INLINE void store_row(const struct tile *t, int vectors, const vf *sums, float *out)
{
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) {
        size_t left = t->columns - (size_t)v * HY_LANES;
        vf_store_part(out + v * HY_LANES, vf_clamp(sums[v], t->min, t->max),
                      left < HY_LANES ? left : HY_LANES);
    }
}

HY_ALWAYS_INLINE void multiply_tile(const struct tile *t, int rows, int vectors)
{
    vf sums[HY_TILE_ROWS][HY_PANEL_VECTORS], weights[HY_PANEL_VECTORS];
    const float *panel = t->panel + vectors * HY_LANES;

#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            sums[r][v] = vf_load(t->panel + v * HY_LANES);

    for (size_t k = 0; k < t->depth; k++, panel += vectors * HY_LANES) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            weights[v] = vf_load(panel + v * HY_LANES);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            vf value = vf_set1(t->patches[(size_t)r * t->depth + k]);
#pragma GCC unroll 16
            for (int v = 0; v < vectors; v++)
                sums[r][v] = vf_multiply_add(value, weights[v], sums[r][v]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
        store_row(t, vectors, sums[r], t->out + (size_t)r * t->out_step);
}

/* A single row would wait for its own sums: it gets SETS of them, added up at the end. */
#define SETS 4

HY_ALWAYS_INLINE void multiply_row(const struct tile *t, int vectors)
{
    vf sums[SETS][HY_PANEL_VECTORS];
    const float *panel = t->panel + vectors * HY_LANES;
    size_t k = 0;

#pragma GCC unroll 16
    for (int s = 0; s < SETS; s++)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            sums[s][v] = s == 0 ? vf_load(t->panel + v * HY_LANES) : vf_set1(0);

    for (; k + SETS <= t->depth; k += SETS)
#pragma GCC unroll 16
        for (int s = 0; s < SETS; s++, panel += vectors * HY_LANES) {
            vf value = vf_set1(t->patches[k + (size_t)s]);
#pragma GCC unroll 16
            for (int v = 0; v < vectors; v++)
                sums[s][v] = vf_multiply_add(value, vf_load(panel + v * HY_LANES), sums[s][v]);
        }
    for (; k < t->depth; k++, panel += vectors * HY_LANES)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            sums[0][v] =
                vf_multiply_add(vf_set1(t->patches[k]), vf_load(panel + v * HY_LANES), sums[0][v]);

#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++)
        sums[0][v] = vf_add(vf_add(sums[0][v], sums[1][v]), vf_add(sums[2][v], sums[3][v]));
    store_row(t, vectors, sums[0], t->out);
}

#include "cpu_fallback/kernels/fast/conv_dispatch.h"

/* One panel for all rows of a unit. */
static void multiply_panel(const struct hy_conv_params *p, struct tile t, size_t rows, bool wide)
{
    while (rows > 0) {
        size_t step = tile_step(rows);
        multiply(&t, step, wide);
        t.patches += step * t.depth;
        t.out += step * p->out_c;
        rows -= step;
    }
}

void HY_SIMD_FN(conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                      const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    struct patch_source source = {0};
    bool contiguous = patches_are_contiguous(p);
    size_t depth = conv_depth(p), gathered = SIZE_MAX;
    struct tile t = {.depth = depth,
                     .out_step = p->out_c,
                     .min = vf_set1(p->activation.min),
                     .max = vf_set1(p->activation.max)};
    (void)bias;

    for (; first < end; first++) {
        struct conv_unit u = conv_unit_at(p, first);
        if (!contiguous && u.tile != gathered)
            gather_tile(p, &source, in, u.pixel, u.rows, depth, scratch);
        gathered = u.tile;
        t.patches = contiguous ? (const float *)in + u.pixel * depth : scratch;

        for (size_t c = u.channel; c < u.channel_end; c += HY_PANEL) {
            t.panel = (const float *)weights + c * (1 + depth);
            t.out = (float *)out + u.pixel * p->out_c + c;
            t.columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
            multiply_panel(p, t, u.rows, t.columns > HY_LANES);
        }
    }
}
