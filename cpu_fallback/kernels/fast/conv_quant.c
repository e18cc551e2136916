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

/* Bytes that are copied at once where runs are shorter. */
#define SHORT_RUN 16

/*
 * Patches of few channels, as in the first layer: each run is copied with what lies behind it,
 * which the next run covers again. False, and nothing is copied, where not all of that is there.
 */
static inline bool gather_short(const struct hy_conv_params *p, const struct patch_source *source,
                                const source_type *image, const source_type *end, uint32_t y,
                                uint32_t x, patch_type *to)
{
    const size_t run = (size_t)p->filter_w * p->in_c;
    const int64_t in_y = (int64_t)y * p->stride_h - p->pad_top;
    const int64_t in_x = (int64_t)x * p->stride_w - p->pad_left;
    const int64_t last_y = in_y + (int64_t)(p->filter_h - 1) * p->dilation_h;

    if (in_y < 0 || in_x < 0 || last_y >= p->in_h || in_x + p->filter_w > p->in_w ||
        (size_t)(end - image) < ((size_t)last_y * p->in_w + (size_t)in_x) * p->in_c + SHORT_RUN)
        return false;
    const source_type *from = image + ((size_t)in_y * p->in_w + (size_t)in_x) * p->in_c;
    for (uint32_t i = 0; i < p->filter_h; i++, to += run) {
        copy_run(source, SHORT_RUN, from, to);
        from += (size_t)p->dilation_h * p->in_w * p->in_c;
    }
    return true;
}

/* The patches of `rows` pixels from `pixel` on, `step` elements apart. */
static void gather_tile(const struct hy_conv_params *p, const struct patch_source *source,
                        const source_type *in, size_t pixel, size_t rows, size_t step,
                        patch_type *to)
{
    const size_t image_size = (size_t)p->in_h * p->in_w * p->in_c;
    const bool is_short = p->dilation_w == 1 && (size_t)p->filter_w * p->in_c <= SHORT_RUN;
    const source_type *end = in + p->batch * image_size;
    size_t row = pixel / p->out_w;
    uint32_t x = (uint32_t)(pixel % p->out_w), y = (uint32_t)(row % p->out_h);

    for (const source_type *image = in + hy_conv_image(p, row) * p->in_c; rows > 0; rows--) {
        if (!is_short || !gather_short(p, source, image, end, y, x, to))
            gather_patch(p, source, image, y, x, to);
        to += step;
        if (++x < p->out_w)
            continue;
        x = 0;
        if (++y < p->out_h)
            continue;
        y = 0;
        image += image_size;
    }
}

size_t HY_SIMD_FN(conv_units)(const struct hy_conv_params *p)
{
    return conv_unit_count(p);
}

size_t HY_SIMD_FN(conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return (HY_TILE_ROWS * conv_steps(p) * HY_DOT_GROUP + HY_BYTE_LANES) * sizeof(hy_dot_act);
}

/* One tile's operands. */
struct tile {
    const hy_dot_act *patches;
    vi flip;                    /* where inputs are used in place: simd_avx512.h */
    const int32_t *corrections; /* -zw * sum x of each row */
    const int32_t *panel;
    size_t steps; /* HY_DOT_GROUP times this is the distance between patches */
    HY_T *out;
    size_t out_step, columns; /* columns to write */
    const struct rescale *rescale;
    vi *sums; /* row after row; with room to be read four by four */
};

#if defined(HY_I8MM)
#include "cpu_fallback/kernels/fast/conv_quant_i8mm.h"
#else
static inline vi operand_at(const struct tile *t, size_t row, size_t k)
{
    const hy_dot_act *group = t->patches + (row * t->steps + k) * HY_DOT_GROUP;
#if defined(HY_DOT_IN_PLACE)
    return dot_operand(group, t->flip);
#else
    int32_t acts;
    memcpy(&acts, group, sizeof acts);
    return vi_set1(acts);
#endif
}

HY_ALWAYS_INLINE void multiply_tile(const struct tile *t, int rows, int vectors)
{
    vi sums[HY_TILE_ROWS][HY_PANEL_VECTORS], weights[HY_PANEL_VECTORS];
    const int32_t *panel = t->panel + HEADER_WORDS * vectors * HY_LANES;

#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            sums[r][v] = vi_add(vi_load(t->panel + v * HY_LANES), vi_set1(t->corrections[r]));

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
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            t->sums[r * vectors + v] = sums[r][v];
}

/* A single row would wait for its own sums: it gets SETS of them, added up at the end. */
#define SETS 4

HY_ALWAYS_INLINE void multiply_row(const struct tile *t, int vectors)
{
    vi sums[SETS][HY_PANEL_VECTORS];
    const int32_t *panel = t->panel + HEADER_WORDS * vectors * HY_LANES;
    size_t k = 0;

#pragma GCC unroll 16
    for (int s = 0; s < SETS; s++)
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++)
            sums[s][v] = s == 0
                             ? vi_add(vi_load(t->panel + v * HY_LANES), vi_set1(t->corrections[0]))
                             : vi_set1(0);

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
        t->sums[v] = vi_add(vi_add(sums[0][v], sums[1][v]), vi_add(sums[2][v], sums[3][v]));
}

#endif

#include "cpu_fallback/kernels/fast/conv_dispatch.h"

/* The sums of a tile, four vectors at a time: two rows, or four that are one vector wide. */
HY_ALWAYS_INLINE void store_sums(const struct tile *t, size_t rows, int vectors)
{
    const size_t rows_of_four = 4 / (size_t)vectors, columns = t->columns, step = t->out_step;
    const struct rescale *to_bytes = t->rescale;
    const vi *sums = t->sums;
    struct rescale_headers headers = {.step = (size_t)vectors * HY_LANES};
    HY_T *out = t->out;

#pragma GCC unroll 4
    for (int k = 0; k < 4; k++)
        headers.of[k] = t->panel + k % vectors * HY_LANES;
    const struct rescale_numbers numbers = rescale_numbers_of(to_bytes, &headers);
    for (size_t r = 0; r < rows; r += rows_of_four, out += rows_of_four * step) {
        const vi bytes =
            rescale(&numbers, to_bytes, &headers, sums + r * (size_t)vectors, HY_IN_IS_SIGNED);
#pragma GCC unroll 4
        for (size_t k = 0; k < 4; k++)
            if (k < rows_of_four && r + k < rows)
                vb_store_part_of(out + k * step, bytes, vectors, (int)k, columns);
    }
}

static __attribute__((noinline)) void store_tile(const struct tile *t, size_t rows, bool wide)
{
    if (wide)
        store_sums(t, rows, 2);
    else
        store_sums(t, rows, 1);
}

/*
 * One panel for all rows of a unit. A tile is not copied: it would be read in vectors, and wait for
 * the words just written to it.
 */
static void multiply_panel(const struct hy_conv_params *p, struct tile *t, size_t rows, bool wide)
{
    while (rows > 0) {
        size_t step = tile_step(rows);
        multiply(t, step, wide);
        store_tile(t, step, wide);
        t->patches += step * t->steps * HY_DOT_GROUP;
        t->corrections += step;
        t->out += step * p->out_c;
        rows -= step;
    }
}

/* -zw * sum x of each row. */
static void correct_unit(const struct hy_conv_params *p, const hy_dot_act *patches, uint32_t zw,
                         const struct conv_unit *u, int32_t corrections[HY_TILE_ROWS])
{
    size_t depth = conv_depth(p), step = conv_steps(p) * HY_DOT_GROUP;

    for (size_t r = 0; r < u->rows; r++, patches += step) {
        uint32_t sum = 0;
        for (size_t k = 0; k < depth; k++)
            sum += (uint32_t)patches[k];
        corrections[r] = (int32_t)(0 - zw * sum);
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
    for (size_t r = 0; step > depth && r < u->rows; r++)
        memset(patches + r * step + depth, 0, (step - depth) * sizeof *patches);
    if (zw != 0)
        correct_unit(p, patches, zw, u, corrections);
}

/* Whether patches are the input as it is, and need no corrections. */
static bool is_in_place(const struct hy_conv_params *p)
{
#if defined(HY_DOT_IN_PLACE)
    return p->in_c % HY_DOT_GROUP == 0 && patches_are_contiguous(p) &&
           p->filter_zero_point == dot_weight_offset(p->filter_zero_point, HY_FILTER_IS_SIGNED);
#else
    (void)p;
    return false;
#endif
}

static void run(const struct hy_conv_params *p, const void *in, const int32_t *weights, HY_T *out,
                void *scratch, size_t first, size_t end, bool halves_away)
{
    int32_t corrections[HY_TILE_ROWS] = {0},
            offset = dot_act_offset(p->in_zero_point, HY_IN_IS_SIGNED);
    struct patch_source source = {offset, (hy_dot_act)(p->in_zero_point - offset)};
    const struct rescale to_bytes =
        rescale_of(halves_away, p->activation.q_min, p->activation.q_max, p->out_zero_point);
    vi sums[HY_TILE_ROWS * HY_PANEL_VECTORS + 3];
    const bool in_place = is_in_place(p);
    struct tile t = {.flip = vi_set1(0),
                     .sums = sums,
                     .steps = conv_steps(p),
                     .out_step = p->out_c,
                     .rescale = &to_bytes};

    memset(sums, 0, sizeof sums);
#if defined(HY_DOT_IN_PLACE)
    if (in_place)
        t.flip = dot_flip(HY_IN_IS_SIGNED);
#endif
    for (size_t gathered = SIZE_MAX; first < end; first++) {
        struct conv_unit u = conv_unit_at(p, first);
        const hy_dot_act *patches = scratch;
        if (in_place)
            patches = (const hy_dot_act *)in + u.pixel * conv_depth(p);
        else if (u.tile != gathered)
            prepare_unit(p, &source, in, &u, scratch, corrections);
        gathered = u.tile;

        for (size_t c = u.channel; c < u.channel_end; c += HY_PANEL) {
            t.patches = patches;
            t.corrections = corrections;
            t.panel = weights + c * (HEADER_WORDS + t.steps * STEP_WORDS);
            t.out = out + u.pixel * p->out_c + c;
            t.columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
            multiply_panel(p, &t, u.rows, t.columns > HY_LANES);
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
