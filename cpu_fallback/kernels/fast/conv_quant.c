#include "cpu_fallback/kernels/fast/conv_quant.h"

typedef HY_T source_type;
typedef hy_dot_act patch_type;

struct patch_source {
    int32_t offset;
    hy_dot_act zero; /* what stands for real zero in a patch */
};

static inline void copy_run(const struct patch_source *source, size_t count, const HY_T *from,
                            hy_dot_act *to)
{
    dot_copy(count, from, HY_IN_IS_SIGNED, source->offset, to);
}

static inline void fill_run(const struct patch_source *source, size_t count, hy_dot_act *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = source->zero;
}

#include "cpu_fallback/kernels/fast/conv_gather.h"

/* The patches of `rows` pixels from `pixel` on, `step` elements apart. */
static void gather_tile(const struct hy_conv_params *p, const struct patch_source *source,
                        const source_type *in, size_t pixel, size_t rows, size_t step,
                        patch_type *to)
{
    size_t row = pixel / p->out_w;
    uint32_t x = (uint32_t)(pixel % p->out_w), y = (uint32_t)(row % p->out_h);

    for (const source_type *image = in + hy_conv_image(p, row) * p->in_c; rows > 0; rows--) {
        gather_patch(p, source, image, y, x, to);
        to += step;
        if (++x < p->out_w)
            continue;
        x = 0;
        if (++y < p->out_h)
            continue;
        y = 0;
        image += (size_t)p->in_h * p->in_w * p->in_c;
    }
}

size_t HY_SIMD_FN(conv_units)(const struct hy_conv_params *p)
{
    return conv_unit_count(p);
}

size_t HY_SIMD_FN(conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return HY_TILE_ROWS * conv_steps(p) * HY_DOT_GROUP * sizeof(hy_dot_act);
}

/* One tile's operands. */
struct tile {
    const hy_dot_act *patches;
    const int32_t *corrections; /* -zw * sum x of each row */
    const int32_t *panel;
    size_t steps; /* HY_DOT_GROUP times this is the distance between patches */
    HY_T *out;
    size_t out_step, columns; /* columns to write */
    bool halves_away;         /* depthwise rounding */
    vi min, max, zero_point;  /* bounds before the zero point is added */
};

static inline vi operand_at(const struct tile *t, size_t row, size_t k)
{
    int32_t group;
    memcpy(&group, t->patches + (row * t->steps + k) * HY_DOT_GROUP, sizeof group);
    return vi_set1(group);
}

/* Scales and stores column `v` of the tile's sums. Locals spare reloads after each byte stored. */
HY_ALWAYS_INLINE void store_vector(const struct tile *t, int rows, int vectors, int v,
                                   vi sums[][HY_PANEL_VECTORS])
{
    const int32_t *header = t->panel + v * HY_LANES;
    const struct vi_scale scale = vi_scale_from(vi_load(header + vectors * HY_LANES),
                                                vi_load(header + 2 * vectors * HY_LANES));
    const vi min = t->min, max = t->max, zero_point = t->zero_point;
    size_t left = t->columns - (size_t)v * HY_LANES, step = t->out_step;
    size_t count = left < HY_LANES ? left : HY_LANES;
    const bool halves_away = t->halves_away;
    HY_T *out = t->out + v * HY_LANES;

#pragma GCC unroll 16
    for (int r = 0; r < rows; r++, out += step) {
        vi sum = vi_add(sums[r][v], vi_set1(t->corrections[r]));
        sum = halves_away ? vi_scale_half_away(sum, &scale) : vi_scale_half_up(sum, &scale);
        vi_store_bytes_part(out, vi_add(vi_clamp(sum, min, max), zero_point), count);
    }
}

HY_ALWAYS_INLINE void store_tile(const struct tile *t, int rows, int vectors,
                                 vi sums[][HY_PANEL_VECTORS])
{
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++)
        store_vector(t, rows, vectors, v, sums);
}

HY_ALWAYS_INLINE void multiply_tile(const struct tile *t, int rows, int vectors)
{
    vi sums[HY_TILE_ROWS][HY_PANEL_VECTORS], weights[HY_PANEL_VECTORS];
    const int32_t *panel = t->panel + HY_HEADER_WORDS * vectors * HY_LANES;

#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            sums[r][v] = vi_load(t->panel + v * HY_LANES);

    for (size_t k = 0; k < t->steps; k++, panel += vectors * HY_LANES) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            weights[v] = vi_load(panel + v * HY_LANES);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            vi operand = operand_at(t, (size_t)r, k);
#pragma GCC unroll 16
            for (int v = 0; v < vectors; v++)
                sums[r][v] = vi_dot(sums[r][v], operand, weights[v]);
        }
    }
    store_tile(t, rows, vectors, sums);
}

/* A single row would wait for its own sums: it gets SETS of them, added up at the end. */
#define SETS 4

HY_ALWAYS_INLINE void multiply_row(const struct tile *t, int vectors)
{
    vi sums[SETS][HY_PANEL_VECTORS];
    const int32_t *panel = t->panel + HY_HEADER_WORDS * vectors * HY_LANES;
    size_t k = 0;

#pragma GCC unroll 16
    for (int s = 0; s < SETS; s++)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            sums[s][v] = s == 0 ? vi_load(t->panel + v * HY_LANES) : vi_set1(0);

    for (; k + SETS <= t->steps; k += SETS)
#pragma GCC unroll 16
        for (int s = 0; s < SETS; s++, panel += vectors * HY_LANES) {
            vi operand = operand_at(t, 0, k + (size_t)s);
#pragma GCC unroll 16
            for (int v = 0; v < vectors; v++)
                sums[s][v] = vi_dot(sums[s][v], operand, vi_load(panel + v * HY_LANES));
        }
    for (; k < t->steps; k++, panel += vectors * HY_LANES)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            sums[0][v] = vi_dot(sums[0][v], operand_at(t, 0, k), vi_load(panel + v * HY_LANES));

#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++)
        sums[0][v] = vi_add(vi_add(sums[0][v], sums[1][v]), vi_add(sums[2][v], sums[3][v]));
    store_tile(t, 1, vectors, sums);
}

#include "cpu_fallback/kernels/fast/conv_dispatch.h"

/* One panel for all rows of a unit. */
static void multiply_panel(const struct hy_conv_params *p, struct tile t, size_t rows, bool wide)
{
    while (rows > 0) {
        size_t step = tile_step(rows);
        multiply(&t, step, wide);
        t.patches += step * t.steps * HY_DOT_GROUP;
        t.corrections += step;
        t.out += step * p->out_c;
        rows -= step;
    }
}

/* Gathers the patches of a unit, padded with zeros to whole steps, and corrects for zw. */
static void prepare_unit(const struct hy_conv_params *p, const struct patch_source *source,
                         const void *in, const struct conv_unit *u, hy_dot_act *patches,
                         int32_t corrections[HY_TILE_ROWS])
{
    size_t depth = conv_depth(p), step = conv_steps(p) * HY_DOT_GROUP;
    uint32_t zw = (uint32_t)(p->filter_zero_point -
                             dot_weight_offset(p->filter_zero_point, HY_FILTER_IS_SIGNED));

    if (step == depth && patches_are_contiguous(p))
        copy_run(source, u->rows * depth, (const HY_T *)in + u->pixel * depth, patches);
    else
        gather_tile(p, source, in, u->pixel, u->rows, step, patches);
    for (size_t r = 0; r < u->rows; r++, patches += step) {
        uint32_t sum = 0;
        for (size_t k = depth; k < step; k++)
            patches[k] = 0;
        for (size_t k = 0; zw && k < depth; k++)
            sum += (uint32_t)patches[k];
        corrections[r] = (int32_t)(0 - zw * sum);
    }
}

static void run(const struct hy_conv_params *p, const void *in, const int32_t *weights, HY_T *out,
                void *scratch, size_t first, size_t end, bool halves_away)
{
    int32_t corrections[HY_TILE_ROWS], offset = dot_act_offset(p->in_zero_point, HY_IN_IS_SIGNED);
    struct patch_source source = {offset, (hy_dot_act)(p->in_zero_point - offset)};
    struct tile t = {.patches = scratch,
                     .corrections = corrections,
                     .steps = conv_steps(p),
                     .out_step = p->out_c,
                     .halves_away = halves_away,
                     .min = vi_set1(p->activation.q_min - p->out_zero_point),
                     .max = vi_set1(p->activation.q_max - p->out_zero_point),
                     .zero_point = vi_set1(p->out_zero_point)};

    for (size_t gathered = SIZE_MAX; first < end; first++) {
        struct conv_unit u = conv_unit_at(p, first);
        if (u.tile != gathered)
            prepare_unit(p, &source, in, &u, scratch, corrections);
        gathered = u.tile;

        for (size_t c = u.channel; c < u.channel_end; c += HY_PANEL) {
            t.panel = weights + c * (HY_HEADER_WORDS + t.steps);
            t.out = out + u.pixel * p->out_c + c;
            t.columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
            multiply_panel(p, t, u.rows, t.columns > HY_LANES);
        }
    }
}

void HY_SIMD_FN(conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                      const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    (void)bias;
    run(p, in, weights, out, scratch, first, end, false);
}

void HY_SIMD_FN(single_channel)(const struct hy_conv_params *p, const void *in, const void *weights,
                                const void *bias, void *out, void *scratch, size_t first,
                                size_t end)
{
    (void)bias;
    run(p, in, weights, out, scratch, first, end, true);
}
