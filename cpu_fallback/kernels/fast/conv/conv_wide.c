#include "cpu_fallback/kernels/element.h"

#include <stdalign.h>

#include "cpu_fallback/kernels/fast/conv/conv_filter.h"
#include "cpu_fallback/kernels/fast/conv/wide_sums.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * CONV_2D and FULLY_CONNECTED of int16 data and int8 weights: pairs of inputs against pairs of
 * weights, which are widened where they are used.
 *
 * A packed panel: the headers of its channels (wide_sums.h); then for each step of two depths, line
 * after line of the filter, the weights of its channels, a byte each. A line ends with a whole
 * step.
 */
#define STEP         2
#define STEP_WEIGHTS ((size_t)HY_LANES * STEP)

/* Sums of so many steps fit 32 bits: a product is 2^22 at most. */
#define STEPS_AT_ONCE ((size_t)255)

typedef int16_t source_type, patch_type;

struct patch_source {
    int16_t zero; /* what stands for real zero */
};

static inline void copy_run(const struct patch_source *source, size_t count, const int16_t *from,
                            int16_t *to)
{
    (void)source;
    memcpy(to, from, count * sizeof *to);
}

static inline void fill_run(const struct patch_source *source, size_t count, int16_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = source->zero;
}

#include "cpu_fallback/kernels/fast/conv/conv_gather.h"

static inline size_t line_depth(const struct hy_conv_params *p)
{
    return (size_t)p->filter_w * p->in_c;
}

static inline size_t line_steps(const struct hy_conv_params *p)
{
    return (line_depth(p) + STEP - 1) / STEP;
}

/* Elements of a row that is copied. */
static inline size_t row_size(const struct hy_conv_params *p)
{
    return p->filter_h * line_steps(p) * STEP;
}

/* 64-bit words of a panel for each of its vectors. */
static inline size_t vector_words(const struct hy_conv_params *p)
{
    return HY_LANES * WIDE_HEADER + p->filter_h * line_steps(p) * STEP_WEIGHTS / sizeof(int64_t);
}

size_t HY_SIMD_FN(conv_units)(const struct hy_conv_params *p)
{
    return conv_unit_count(p);
}

size_t HY_SIMD_FN(conv_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) / HY_LANES * vector_words(p) * sizeof(int64_t);
}

size_t HY_SIMD_FN(conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return HY_TILE_ROWS * row_size(p) * sizeof(int16_t);
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* The weights of one channel, which is number `i` of `width` in its panel. */
static void pack_channel(const struct hy_conv_params *p, const struct filter *f, size_t channel,
                         size_t i, size_t width, int8_t *to)
{
    const filter_type *from = run_of(f, channel, 0);
    size_t run = 0, of_run = 0;

    for (size_t line = 0; line < p->filter_h; line++)
        for (size_t k = 0; k < line_depth(p); k++) {
            const size_t step = line * line_steps(p) + k / STEP;
            to[(step * width + i) * STEP + k % STEP] = from[of_run * f->depth_step];
            if (++of_run == f->run && ++run < f->rows * f->columns) {
                from = run_of(f, channel, run);
                of_run = 0;
            }
        }
}

void HY_SIMD_FN(conv_pack_filter)(const struct hy_conv_params *p, const struct filter *f,
                                  const void *bias, void *packed)
{
    int64_t *to = packed;

    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL) {
        const size_t width = panel_width(p, channel);
        int8_t *weights = (int8_t *)(to + WIDE_HEADER * width);
        memset(to, 0, width / HY_LANES * vector_words(p) * sizeof *to);
        for (size_t i = 0; i < width && channel + i < p->out_c; i++) {
            const size_t of_phase = (channel + i) % f->channels;
            wide_header_pack(((const bias_type *)bias)[of_phase], p->multipliers[of_phase], width,
                             to + i);
            pack_channel(p, f, channel + i, i, width, weights);
        }
        to += width / HY_LANES * vector_words(p);
    }
}

void HY_SIMD_FN(conv_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                           void *packed)
{
    const struct filter f = plain_filter(p, filter, conv_depth(p), 1);
    HY_SIMD_FN(conv_pack_filter)(p, &f, bias, packed);
}

/* ---- Products -------------------------------------------------------------------------------- */

/* One tile's operands. */
struct tile {
    const struct hy_conv_params *p;
    const int16_t *const *rows; /* where each begins */
    size_t lines, steps;        /* of each line */
    size_t line_step;           /* elements, from line to line of a row */
    const int64_t *header;
    const int8_t *weights;
    int16_t *out;
    size_t out_step, columns; /* columns to write */
};

/* A place in the walk through the lines of a filter. */
struct place {
    size_t line, step;
    const int8_t *weights;
};

static inline vi pair_at(const int16_t *pair)
{
    int32_t values;
    memcpy(&values, pair, sizeof values);
    return vi_set1(values);
}

/* A single row would wait for its own sums: it gets several sets of them. */
#define SETS 4

/* Sums of up to STEPS_AT_ONCE steps from `at` on. */
HY_ALWAYS_INLINE void sum_steps(const struct tile *t, int rows, int vectors, struct place *at,
                                vi sums[][HY_PANEL_VECTORS])
{
    const int sets = rows == 1 ? SETS : rows;
    vi weights[HY_PANEL_VECTORS];

    HY_UNROLL(16)
    for (int r = 0; r < sets; r++) {
        HY_UNROLL(2)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = vi_set1(0);
    }
    for (size_t left = STEPS_AT_ONCE; left > 0 && at->line < t->lines;) {
        const size_t of_line = t->steps - at->step, count = left < of_line ? left : of_line;
        const size_t from = at->line * t->line_step + at->step * STEP;
        const int8_t *packed = at->weights;
        size_t k = 0;

        if (rows == 1) {
            const int16_t *row = t->rows[0] + from;
            for (; k + SETS <= count; k += SETS) {
                HY_UNROLL(4)
                for (int s = 0; s < SETS; s++, packed += (size_t)vectors * STEP_WEIGHTS) {
                    const vi pair = pair_at(row + (k + (size_t)s) * STEP);
                    HY_UNROLL(2)
                    for (int v = 0; v < vectors; v++)
                        sums[s][v] = vs_dot(sums[s][v], pair,
                                            vs_load_bytes(packed + (size_t)v * STEP_WEIGHTS, true));
                }
            }
        }
        for (; k < count; k++, packed += (size_t)vectors * STEP_WEIGHTS) {
            HY_UNROLL(2)
            for (int v = 0; v < vectors; v++)
                weights[v] = vs_load_bytes(packed + (size_t)v * STEP_WEIGHTS, true);
            HY_UNROLL(16)
            for (int r = 0; r < rows; r++) {
                const vi pair = pair_at(t->rows[r] + from + k * STEP);
                HY_UNROLL(2)
                for (int v = 0; v < vectors; v++)
                    sums[r][v] = vs_dot(sums[r][v], pair, weights[v]);
            }
        }
        left -= count;
        at->weights = packed;
        at->step += count;
        if (at->step == t->steps) {
            at->line++;
            at->step = 0;
        }
    }
    HY_UNROLL(4)
    for (int s = 1; rows == 1 && s < SETS; s++) {
        HY_UNROLL(2)
        for (int v = 0; v < vectors; v++)
            sums[0][v] = vi_add(sums[0][v], sums[s][v]);
    }
}

HY_ALWAYS_INLINE void multiply_tile(const struct tile *t, int rows, int vectors, bool half)
{
    const size_t width = (size_t)vectors * HY_LANES;
    alignas(64) int64_t wide[HY_TILE_ROWS][HY_PANEL];
    struct place at = {.weights = t->weights};

    (void)half;
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++)
        memcpy(wide[r], t->header, width * sizeof wide[r][0]);
    while (at.line < t->lines) {
        alignas(64) int32_t narrow[HY_TILE_ROWS][HY_PANEL];
        vi sums[HY_TILE_ROWS > SETS ? HY_TILE_ROWS : SETS][HY_PANEL_VECTORS];
        sum_steps(t, rows, vectors, &at, sums);
        HY_UNROLL(16)
        for (int r = 0; r < rows; r++) {
            HY_UNROLL(2)
            for (int v = 0; v < vectors; v++)
                vi_store(narrow[r] + v * HY_LANES, sums[r][v]);
        }
        for (int r = 0; r < rows; r++)
            for (size_t i = 0; i < width; i++)
                wide[r][i] += narrow[r][i];
    }
    for (int r = 0; r < rows; r++)
        wide_store(t->p, wide[r], t->header, width, t->columns, t->out + (size_t)r * t->out_step);
}

HY_ALWAYS_INLINE void multiply_row(const struct tile *t, int vectors)
{
    multiply_tile(t, 1, vectors, false);
}

#include "cpu_fallback/kernels/fast/conv/conv_dispatch.h"

/* One panel for all rows of a tile. */
static void multiply_panel(struct tile *t, size_t rows)
{
    const enum panel_part part = t->columns > HY_LANES ? TWO_VECTORS : ONE_VECTOR;

    while (rows > 0) {
        const size_t step = tile_step(rows);
        multiply(t, step, part);
        t->rows += step;
        t->out += step * t->out_step;
        rows -= step;
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Whether all rows are inputs where they are, and nothing is read behind a row. */
static bool rows_are_inputs(const struct hy_conv_params *p)
{
    const uint64_t height = (uint64_t)(p->out_h - 1) * p->stride_h;
    const uint64_t width = (uint64_t)(p->out_w - 1) * p->stride_w;

    return line_depth(p) % STEP == 0 && p->pad_top == 0 && p->pad_left == 0 &&
           (p->dilation_w == 1 || p->filter_w == 1) &&
           height + (uint64_t)(p->filter_h - 1) * p->dilation_h < p->in_h &&
           width + p->filter_w <= p->in_w;
}

/* The rows of a unit, copied to `scratch` where they are not inputs; gives the step from line to
 * line. */
static size_t place_rows(const struct hy_conv_params *p, const struct conv_unit *u,
                         const int16_t *in, int16_t *scratch, const int16_t *rows[HY_TILE_ROWS])
{
    const bool in_place = rows_are_inputs(p);
    const size_t line_step =
        in_place ? (size_t)p->dilation_h * p->in_w * p->in_c : line_steps(p) * STEP;
    size_t line = u->pixel / p->out_w;
    uint32_t x = (uint32_t)(u->pixel % p->out_w);

    for (size_t r = 0; r < u->rows; r++) {
        const int16_t *image = in + hy_conv_image(p, line) * p->in_c;
        const uint32_t y = (uint32_t)(line % p->out_h);
        if (in_place) {
            rows[r] = line_under(p, image, y, 0) + (size_t)x * p->stride_w * p->in_c;
        } else {
            rows[r] = scratch;
            gather_patch(p, &(struct patch_source){0}, image, y, x, line_step, scratch);
            scratch += row_size(p);
        }
        if (++x == p->out_w) {
            x = 0;
            line++;
        }
    }
    return line_step;
}

void HY_SIMD_FN(conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                      const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    const int16_t *rows[HY_TILE_ROWS];

    (void)bias;
    for (; first < end; first++) {
        const struct conv_unit u = conv_unit_at(p, first);
        struct tile t = {.p = p,
                         .lines = p->filter_h,
                         .steps = line_steps(p),
                         .line_step = place_rows(p, &u, in, scratch, rows),
                         .out_step = conv_out_step(p)};
        for (size_t c = u.channel; c < u.channel_end; c += HY_PANEL) {
            t.rows = rows;
            t.columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
            t.header = (const int64_t *)weights + c / HY_LANES * vector_words(p);
            t.weights = (const int8_t *)(t.header + WIDE_HEADER * panel_width(p, c));
            t.out = (int16_t *)out + u.pixel * t.out_step + c;
            multiply_panel(&t, u.rows);
        }
    }
}
