#include "cpu_fallback/kernels/element.h"

#include <stdalign.h>
#include <stdlib.h>

#include "cpu_fallback/kernels/fast/conv/conv_filter.h"
#include "cpu_fallback/kernels/fast/conv/wide_sums.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * CONV_2D and FULLY_CONNECTED of int16 data and int8 weights: products of pairs of inputs and pairs
 * of weights. Weights are widened when used.
 *
 * A packed panel is the header of its channels (wide_sums.h), followed by the weights of its
 * channels, a byte each, for each step of two depths, line after line of the filter. A line is
 * rounded up to whole steps.
 */
#define STEP         2
#define STEP_WEIGHTS ((size_t)HY_LANES * STEP)

/* The most steps whose sum fits 32 bits for any weights: a product is at most 2^22. */
#define ANY_STEPS ((size_t)255)

#include "cpu_fallback/kernels/fast/conv/conv_plain_patches.h"

static inline size_t line_depth(const struct hy_conv_params *p)
{
    return (size_t)p->filter_w * p->in_c;
}

static inline size_t line_steps(const struct hy_conv_params *p)
{
    return (line_depth(p) + STEP - 1) / STEP;
}

/* Elements of a copied row. */
static inline size_t row_size(const struct hy_conv_params *p)
{
    return p->filter_h * line_steps(p) * STEP;
}

/* 32-bit words of a panel of `width` channels. */
static inline size_t panel_words(const struct hy_conv_params *p, size_t width)
{
    return wide_header_words(width) + p->filter_h * line_steps(p) * STEP * width / sizeof(int32_t);
}

size_t HY_SIMD_FN(conv_units)(const struct hy_conv_params *p)
{
    return conv_unit_count(p);
}

size_t HY_SIMD_FN(conv_packed_bytes)(const struct hy_conv_params *p)
{
    const size_t whole = p->out_c / HY_PANEL, rest = p->out_c % HY_PANEL;
    const size_t words = whole * panel_words(p, HY_PANEL) +
                         (rest > 0 ? panel_words(p, panel_width(p, p->out_c - rest)) : 0);

    return words * sizeof(int32_t);
}

size_t HY_SIMD_FN(conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return (HY_TILE_ROWS * row_size(p) + STEP) * sizeof(int16_t); /* a step may end behind a row */
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* Packs the weights of one channel, number `place` of `width` in its panel. Returns the sum of
 * their magnitudes. */
static int64_t pack_channel(const struct hy_conv_params *p, const struct filter *f, size_t channel,
                            size_t position, size_t width, int8_t *to)
{
    const filter_type *from = run_of(f, channel, 0);
    size_t run = 0, of_run = 0;
    int64_t magnitudes = 0;

    for (size_t line = 0; line < p->filter_h; line++)
        for (size_t k = 0; k < line_depth(p); k++) {
            const size_t step = line * line_steps(p) + k / STEP;
            const int8_t weight = from[of_run * f->depth_step];
            to[(step * width + position) * STEP + k % STEP] = weight;
            magnitudes += abs(weight);
            if (++of_run == f->run && ++run < f->rows * f->columns) {
                from = run_of(f, channel, run);
                of_run = 0;
            }
        }
    return magnitudes;
}

/* Whether the sums of all pieces of `count` steps fit 32 bits for any inputs. */
static bool pieces_fit(const struct hy_conv_params *p, const int8_t *weights, size_t width,
                       size_t count)
{
    const int32_t most = INT32_MAX / -INT16_MIN;

    for (size_t line = 0; line < p->filter_h; line++, weights += line_steps(p) * width * STEP)
        for (size_t begin = 0; begin < line_steps(p); begin += count) {
            const size_t left = line_steps(p) - begin, end = begin + (left < count ? left : count);
            for (size_t i = 0; i < width * STEP; i += STEP) {
                int32_t magnitudes = 0;
                for (size_t step = begin; step < end && magnitudes <= most; step++)
                    magnitudes += abs(weights[step * width * STEP + i]) +
                                  abs(weights[step * width * STEP + i + 1]);
                if (magnitudes > most)
                    return false;
            }
        }
    return true;
}

/* The number of steps of a line added up in 32 bits at a time: the fewest pieces that fit. */
static size_t find_piece(const struct hy_conv_params *p, const int8_t *weights, size_t width)
{
    for (size_t pieces = 1;; pieces++) {
        const size_t count = (line_steps(p) + pieces - 1) / pieces;
        if (count <= ANY_STEPS || pieces_fit(p, weights, width, count))
            return count;
    }
}

void HY_SIMD_FN(conv_pack_filter)(const struct hy_conv_params *p, const struct filter *f,
                                  const void *bias, void *packed)
{
    int32_t *to = packed;

    for (size_t channel = 0; channel < p->out_c; channel += HY_PANEL) {
        const size_t width = panel_width(p, channel), left = p->out_c - channel;
        const size_t count = left < width ? left : width;
        struct wide_channel channels[HY_PANEL];
        memset(to, 0, panel_words(p, width) * sizeof *to);
        for (size_t i = 0; i < count; i++) {
            const size_t of_phase = (channel + i) % f->channels;
            const int64_t magnitudes = pack_channel(p, f, channel + i, wide_index(i, width), width,
                                                    (int8_t *)(to + wide_header_words(width)));
            channels[i] =
                (struct wide_channel){((const bias_type *)bias)[of_phase], p->multipliers[of_phase],
                                      magnitudes * -(int64_t)INT16_MIN};
        }
        wide_header_pack(channels, count, width, to);
        if (!wide_header_at(to, width).is_narrow)
            to[WIDE_PIECE] =
                (int32_t)find_piece(p, (int8_t *)(to + wide_header_words(width)), width);
        to += panel_words(p, width);
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
    const int16_t *const *rows; /* start of each row */
    size_t lines, steps;        /* lines of the filter, and steps of each line */
    size_t piece;               /* steps whose sums fit 32 bits, for wide panels */
    size_t line_step;           /* distance of the lines of a row, in elements */
    struct wide_header header;
    const int8_t *weights;
    int16_t *out;
    size_t out_step, columns; /* columns to write */
};

static inline vi pair_at(const int16_t *pair)
{
    int32_t values;
    memcpy(&values, pair, sizeof values);
    return vi_set1(values);
}

/* A few rows would wait for their own sums, so they have several sets of sums. Half a tile of a
 * wide panel is rare. */
#define MOST_SETS 4

static inline int sets_of(int rows, bool is_narrow)
{
    return rows == 1 ? MOST_SETS : is_narrow && rows <= HY_TILE_ROWS / 2 ? 2 : 1;
}

/* Adds the products of one step; the elements start at `from` in each row. */
HY_ALWAYS_INLINE void add_step(const int16_t *const *rows_at, size_t from, const int8_t *packed,
                               int rows, int vectors, vi sums[][HY_PANEL_VECTORS])
{
    vi weights[HY_PANEL_VECTORS];

    HY_UNROLL(2)
    for (int v = 0; v < vectors; v++)
        weights[v] = vs_load_bytes(packed + (size_t)v * STEP_WEIGHTS, true);
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        const vi pair = pair_at(rows_at[r] + from);
        HY_UNROLL(2)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = dot_in_place(sums[r][v], pair, weights[v]);
    }
}

/* Adds `count` steps; successive steps go to successive sets of `sets` sets. */
HY_ALWAYS_INLINE void add_steps(const int16_t *const *rows_at, size_t from, const int8_t *packed,
                                size_t count, int rows, int sets, int vectors,
                                vi sums[][HY_PANEL_VECTORS])
{
    const size_t step_weights = (size_t)vectors * STEP_WEIGHTS;

    for (; sets > 1 && count >= (size_t)sets; count -= (size_t)sets) {
        HY_UNROLL(4)
        for (int s = 0; s < sets; s++, from += STEP, packed += step_weights)
            add_step(rows_at, from, packed, rows, vectors, sums + s * rows);
    }
    for (; count > 0; count--, from += STEP, packed += step_weights)
        add_step(rows_at, from, packed, rows, vectors, sums);
}

/* Adds all sets of all rows to the first set. */
HY_ALWAYS_INLINE void join_sets(int rows, int sets, int vectors, vi sums[][HY_PANEL_VECTORS])
{
    HY_UNROLL(16)
    for (int r = rows; r < sets * rows; r++) {
        HY_UNROLL(2)
        for (int v = 0; v < vectors; v++)
            sums[r % rows][v] = vi_add(sums[r % rows][v], sums[r][v]);
    }
}

#define SUM_ROWS (HY_TILE_ROWS > MOST_SETS ? HY_TILE_ROWS : MOST_SETS)

HY_ALWAYS_INLINE void clear_sums(int rows, int vectors, vi sums[][HY_PANEL_VECTORS])
{
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        HY_UNROLL(2)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = vi_set1(0);
    }
}

HY_ALWAYS_INLINE void multiply_narrow(const struct tile *t, int rows, int vectors)
{
    const int32_t min = t->p->activation.q_min, max = t->p->activation.q_max;
    const size_t line_weights = t->steps * (size_t)vectors * STEP_WEIGHTS;
    const int sets = sets_of(rows, true);
    const int16_t *rows_at[HY_TILE_ROWS];
    vi sums[SUM_ROWS][HY_PANEL_VECTORS];

    clear_sums(sets * rows, vectors, sums);
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        rows_at[r] = t->rows[r];
        HY_UNROLL(2)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = vi_load(t->header.biases + v * HY_LANES);
    }
    for (size_t line = 0; line < t->lines; line++)
        add_steps(rows_at, line * t->line_step, t->weights + line * line_weights, t->steps, rows,
                  sets, vectors, sums);
    join_sets(rows, sets, vectors, sums);
    const struct wide_scale first = wide_scale_at(&t->header, 0);
    const struct wide_scale second = wide_scale_at(&t->header, vectors == 2 ? HY_LANES : 0);
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        int16_t *out = t->out + (size_t)r * t->out_step;
        const vi scaled = wide_rescale(sums[r][0], &first);
        if (vectors == 2)
            wide_store_two(scaled, wide_rescale(sums[r][1], &second), min, max, t->columns, out);
        else
            wide_store_one(scaled, min, max, t->columns, out);
    }
}

/* The sums of `count` steps of one line; the sums fit 32 bits. */
HY_ALWAYS_INLINE void sum_steps(const struct tile *t, size_t from, const int8_t *packed,
                                size_t count, int rows, int vectors, int32_t narrow[][HY_PANEL])
{
    const int sets = sets_of(rows, false);
    const int16_t *rows_at[HY_TILE_ROWS];
    vi sums[SUM_ROWS][HY_PANEL_VECTORS];

    clear_sums(sets * rows, vectors, sums);
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++)
        rows_at[r] = t->rows[r];
    add_steps(rows_at, from, packed, count, rows, sets, vectors, sums);
    join_sets(rows, sets, vectors, sums);
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        HY_UNROLL(2)
        for (int v = 0; v < vectors; v++)
            vi_store(narrow[r] + v * HY_LANES, sums[r][v]);
    }
}

HY_ALWAYS_INLINE void multiply_wide(const struct tile *t, int rows, int vectors)
{
    const size_t width = (size_t)vectors * HY_LANES;
    alignas(64) int64_t wide[HY_TILE_ROWS][HY_PANEL];
    alignas(64) int32_t narrow[HY_TILE_ROWS][HY_PANEL];
    const int8_t *packed = t->weights;

    for (int r = 0; r < rows; r++)
        memcpy(wide[r], t->header.biases, width * sizeof wide[r][0]);
    for (size_t line = 0; line < t->lines; line++)
        for (size_t step = 0, count; step < t->steps; step += count) {
            count = t->steps - step < t->piece ? t->steps - step : t->piece;
            sum_steps(t, line * t->line_step + step * STEP, packed, count, rows, vectors, narrow);
            for (int r = 0; r < rows; r++)
                wide_add(narrow[r], width, wide[r]);
            packed += count * width * STEP;
        }
    for (int r = 0; r < rows; r++)
        wide_store(t->p, wide[r], &t->header, t->columns, t->out + (size_t)r * t->out_step);
}

/* A single function for all wide panels, because few panels are wide. */
static __attribute__((noinline)) void multiply_any_wide(const struct tile *t, int rows, int vectors)
{
    if (rows == HY_TILE_ROWS && vectors == 2)
        multiply_wide(t, HY_TILE_ROWS, 2);
    else if (rows > 1 && vectors == 2)
        multiply_wide(t, HY_TILE_ROWS / 2, 2);
    else if (rows > 1)
        multiply_wide(t, HY_TILE_ROWS / 2, 1);
    else if (vectors == 2)
        multiply_wide(t, 1, 2);
    else
        multiply_wide(t, 1, 1);
}

HY_ALWAYS_INLINE void multiply_tile(const struct tile *t, int rows, int vectors, bool half)
{
    (void)half;
    if (t->header.is_narrow) {
        multiply_narrow(t, rows, vectors);
        return;
    }
    multiply_any_wide(t, rows, vectors);
    if (rows == HY_TILE_ROWS && vectors == 1) {
        struct tile second = *t;
        second.rows += HY_TILE_ROWS / 2;
        second.out += HY_TILE_ROWS / 2 * t->out_step;
        multiply_any_wide(&second, rows, vectors);
    }
}

HY_ALWAYS_INLINE void multiply_row(const struct tile *t, int vectors)
{
    multiply_tile(t, 1, vectors, false);
}

#include "cpu_fallback/kernels/fast/conv/conv_dispatch.h"

/* Multiplies one panel by all rows of a tile. */
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

/* Whether all rows are inputs without a copy, and no load reaches behind a row. */
static bool rows_are_inputs(const struct hy_conv_params *p)
{
    const uint64_t height = (uint64_t)(p->out_h - 1) * p->stride_h;
    const uint64_t width = (uint64_t)(p->out_w - 1) * p->stride_w;

    return line_depth(p) % STEP == 0 && p->pad_top == 0 && p->pad_left == 0 &&
           (p->dilation_w == 1 || p->filter_w == 1) &&
           height + (uint64_t)(p->filter_h - 1) * p->dilation_h < p->in_h &&
           width + p->filter_w <= p->in_w;
}

/* Whether neighbours share inputs. Shared inputs are copied once. */
static bool rows_overlap(const struct hy_conv_params *p)
{
    return (p->dilation_w == 1 || p->filter_w == 1) && p->stride_w <= p->filter_w;
}

/* Pixels of a unit on one output line: `count` of the `left` pixels from (y, x) on. */
struct piece {
    const int16_t *image;
    uint32_t y, x, count;
    size_t left;
};

static struct piece piece_at(const struct hy_conv_params *p, const int16_t *in, size_t pixel,
                             size_t left)
{
    const size_t line = pixel / p->out_w;
    const uint32_t x = (uint32_t)(pixel % p->out_w), of_line = p->out_w - x;

    return (struct piece){in + hy_conv_image(p, line) * p->in_c, (uint32_t)(line % p->out_h), x,
                          left < of_line ? (uint32_t)left : of_line, left};
}

/* The inputs under a piece, from the first tap of the first pixel to the last tap of the last
 * pixel. */
static struct run run_under(const struct hy_conv_params *p, const struct piece *piece)
{
    return run_at(p, (int64_t)piece->x * p->stride_w - p->pad_left,
                  (size_t)(piece->count - 1) * p->stride_w + p->filter_w);
}

/* Copies lines one after the other, each with all pieces of the unit. */
static size_t copy_shared_rows(const struct hy_conv_params *p, const struct conv_unit *u,
                               const int16_t *in, int16_t *scratch,
                               const int16_t *rows[HY_TILE_ROWS])
{
    size_t line_step = 0;

    for (size_t r = 0; r < u->rows;) {
        const struct piece piece = piece_at(p, in, u->pixel + r, u->rows - r);
        const struct run run = run_under(p, &piece);
        for (uint32_t x = 0; x < piece.count; x++)
            rows[r + x] = scratch + line_step + (size_t)x * p->stride_w * p->in_c;
        line_step += run.size;
        r += piece.count;
    }
    for (size_t r = 0, from = 0; r < u->rows;) {
        const struct piece piece = piece_at(p, in, u->pixel + r, u->rows - r);
        const struct run run = run_under(p, &piece);
        for (uint32_t i = 0; i < p->filter_h; i++)
            gather_run(&(struct patch_source){0}, line_under(p, piece.image, piece.y, i), &run,
                       scratch + i * line_step + from);
        from += run.size;
        r += piece.count;
    }
    return line_step;
}

/* Copies each row separately. */
static size_t copy_own_rows(const struct hy_conv_params *p, const struct conv_unit *u,
                            const int16_t *in, int16_t *scratch, const int16_t *rows[HY_TILE_ROWS])
{
    const size_t line_step = line_steps(p) * STEP;

    for (size_t r = 0; r < u->rows; r++, scratch += row_size(p)) {
        const struct piece piece = piece_at(p, in, u->pixel + r, 1);
        rows[r] = scratch;
        gather_patch(p, &(struct patch_source){0}, piece.image, piece.y, piece.x, line_step,
                     scratch);
    }
    return line_step;
}

static size_t use_input_rows(const struct hy_conv_params *p, const struct conv_unit *u,
                             const int16_t *in, const int16_t *rows[HY_TILE_ROWS])
{
    const size_t step = (size_t)p->stride_w * p->in_c;

    for (size_t r = 0; patches_are_contiguous(p) && r < u->rows; r++)
        rows[r] = in + (u->pixel + r) * step;
    for (size_t r = 0; !patches_are_contiguous(p) && r < u->rows;) {
        const struct piece piece = piece_at(p, in, u->pixel + r, u->rows - r);
        const int16_t *line = line_under(p, piece.image, piece.y, 0);
        for (uint32_t x = 0; x < piece.count; x++, r++)
            rows[r] = line + (piece.x + x) * step;
    }
    return (size_t)p->dilation_h * p->in_w * p->in_c;
}

/* Places the rows of a unit, copied to `scratch` if necessary. Returns the distance of the lines of
 * a row. */
static size_t gather_rows(const struct hy_conv_params *p, const struct conv_unit *u,
                          const int16_t *in, int16_t *scratch, const int16_t *rows[HY_TILE_ROWS])
{
    return rows_are_inputs(p) ? use_input_rows(p, u, in, rows)
           : rows_overlap(p)  ? copy_shared_rows(p, u, in, scratch, rows)
                              : copy_own_rows(p, u, in, scratch, rows);
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
                         .line_step = gather_rows(p, &u, in, scratch, rows),
                         .out_step = conv_out_step(p)};
        for (size_t c = u.channel; c < u.channel_end; c += HY_PANEL) {
            t.rows = rows;
            t.columns = p->out_c - c < HY_PANEL ? p->out_c - c : HY_PANEL;
            const size_t width = panel_width(p, c);
            const int32_t *panel =
                (const int32_t *)weights + c / HY_PANEL * panel_words(p, HY_PANEL);
            t.header = wide_header_at(panel, width);
            t.piece = panel[WIDE_PIECE] > 0 ? (size_t)panel[WIDE_PIECE] : ANY_STEPS;
            t.weights = (const int8_t *)(panel + wide_header_words(width));
            t.out = (int16_t *)out + u.pixel * t.out_step + c;
            multiply_panel(&t, u.rows);
        }
    }
}
