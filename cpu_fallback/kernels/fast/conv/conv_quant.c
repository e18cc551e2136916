#include "cpu_fallback/kernels/fast/conv/conv_quant.h"

typedef HY_T source_type;
typedef hy_dot_act patch_type;

struct patch_source {
    int32_t offset;
    hy_dot_act zero; /* stored value of real zero in a patch */
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

#if defined(HY_DOT_FLIPS)
#define DOT_CAN_FLIP 1
#else
#define DOT_CAN_FLIP 0
static inline vi dot_flip(vi acts)
{
    return acts;
}
#endif

#include "cpu_fallback/kernels/fast/conv/conv_gather.h"

#include "cpu_fallback/kernels/fast/conv/conv_tile_group.h"

size_t HY_SIMD_FN(conv_units)(const struct hy_conv_params *p)
{
    return conv_unit_count(p);
}

size_t HY_SIMD_FN(conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return (tile_group_tiles(p) * HY_TILE_ROWS * row_size(p) + HY_BYTE_LANES) * sizeof(hy_dot_act);
}

/* One tile's operands. */
struct tile {
    const hy_dot_act *const *rows; /* start of each row */
    size_t lines, steps;           /* lines of the filter, and steps of each line */
    size_t line_step;              /* distance of the lines of a row, in elements */
    bool is_flipped;               /* see struct strip */
    const int32_t *corrections;    /* -zw * sum x of each row */
    const int32_t *panel;          /* initial value of sums */
    const int32_t *header;         /* the panel, or the words shared by all panels */
    const int8_t *weights;
    HY_T *out;
    size_t out_step, columns; /* columns to write */
    const struct rescale *rescale;
    vi *sums; /* row after row, up to a multiple of four */
};

#include "cpu_fallback/kernels/fast/conv/conv_quant_store.h"

#if defined(HY_I8MM)
#include "cpu_fallback/kernels/fast/conv/conv_quant_i8mm.h"
#else
/* Loads a group of depths into every lane. */
HY_ALWAYS_INLINE vi operand_at(const hy_dot_act *group, bool flip)
{
    int32_t acts;
    memcpy(&acts, group, sizeof acts);
    return flip ? dot_flip(vi_set1(acts)) : vi_set1(acts);
}

HY_ALWAYS_INLINE void sum_tile(const struct tile *t, int rows, int vectors, bool half, bool flip,
                               vi sums[][HY_PANEL_VECTORS])
{
    vi weights[HY_PANEL_VECTORS];
    const int8_t *packed = t->weights;
    const size_t step = (size_t)vectors * STEP_WEIGHTS;
    const size_t gap = t->line_step - t->steps * HY_DOT_GROUP; /* may wrap */
    const hy_dot_act *rows_at[HY_TILE_ROWS];
    size_t at = 0;

    HY_UNROLL(16)
    for (int r = 0; r < rows; r++)
        rows_at[r] = t->rows[r];
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = vi_add(vi_load(t->panel + v * HY_LANES), vi_set1(t->corrections[r]));
    }

    for (size_t line = 0; line < t->lines; line++, at += gap)
        for (size_t k = 0; k < t->steps; k++, at += HY_DOT_GROUP, packed += step) {
            HY_UNROLL(16)
            for (int v = 0; v < vectors; v++)
                weights[v] = dot_load(packed + (size_t)v * STEP_WEIGHTS);
            HY_UNROLL(16)
            for (int r = 0; r < rows; r++) {
                const vi operand = operand_at(rows_at[r] + at, flip);
                HY_UNROLL(16)
                for (int v = 0; v < vectors; v++)
                    sums[r][v] = half && v == vectors - 1
                                     ? vi_dot_half(sums[r][v], operand, weights[v])
                                     : vi_dot(sums[r][v], operand, weights[v]);
            }
        }
}

HY_ALWAYS_INLINE void multiply_tile(const struct tile *t, int rows, int vectors, bool half)
{
    vi sums[HY_TILE_ROWS][HY_PANEL_VECTORS];

    if (DOT_CAN_FLIP && t->is_flipped)
        sum_tile(t, rows, vectors, half, true, sums);
    else
        sum_tile(t, rows, vectors, half, false, sums);
    finish_tile(t, rows, vectors, sums);
}

/* A single row would wait for its own sums, so it has SETS of sums, added up at the end. With
 * separate product and add instructions, only the addition waits. */
#define ROW_STEPS 4 /* steps at once */
#if defined(HY_WIDENS_WEIGHTS)
#define SETS 2
#else
#define SETS 4
#endif

HY_ALWAYS_INLINE void sum_row(const struct tile *t, int vectors, bool flip,
                              vi sums[SETS][HY_PANEL_VECTORS])
{
    const int8_t *packed = t->weights;
    const size_t step = (size_t)vectors * STEP_WEIGHTS;
    const hy_dot_act *row = t->rows[0];

    HY_UNROLL(16)
    for (int s = 0; s < SETS; s++) {
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            sums[s][v] = s == 0
                             ? vi_add(vi_load(t->panel + v * HY_LANES), vi_set1(t->corrections[0]))
                             : vi_set1(0);
    }

    for (size_t line = 0; line < t->lines; line++, row += t->line_step) {
        size_t k = 0;
        for (; k + ROW_STEPS <= t->steps; k += ROW_STEPS) {
            HY_UNROLL(16)
            for (int s = 0; s < ROW_STEPS; s++, packed += step) {
                const vi operand = operand_at(row + (k + (size_t)s) * HY_DOT_GROUP, flip);
                HY_UNROLL(16)
                for (int v = 0; v < vectors; v++)
                    sums[s % SETS][v] = vi_dot(sums[s % SETS][v], operand,
                                               dot_load(packed + (size_t)v * STEP_WEIGHTS));
            }
        }
        for (; k < t->steps; k++, packed += step) {
            const vi operand = operand_at(row + k * HY_DOT_GROUP, flip);
            HY_UNROLL(16)
            for (int v = 0; v < vectors; v++)
                sums[0][v] =
                    vi_dot(sums[0][v], operand, dot_load(packed + (size_t)v * STEP_WEIGHTS));
        }
    }

    HY_UNROLL(16)
    for (int s = 1; s < SETS; s++) {
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            sums[0][v] = vi_add(sums[0][v], sums[s][v]);
    }
}

HY_ALWAYS_INLINE void multiply_row(const struct tile *t, int vectors)
{
    vi sums[SETS][HY_PANEL_VECTORS];

    if (DOT_CAN_FLIP && t->is_flipped)
        sum_row(t, vectors, true, sums);
    else
        sum_row(t, vectors, false, sums);
    finish_tile(t, 1, vectors, sums);
}

#endif

#include "cpu_fallback/kernels/fast/conv/conv_dispatch.h"

#include "cpu_fallback/kernels/fast/conv/conv_quant_panels.h"

/*
 * Multiplies one panel by all rows of a strip. The tile struct is not copied: the copy would be
 * read in vectors and wait for the words just written.
 */
static void multiply_panel(struct tile *t, size_t rows)
{
    const enum panel_part part = panel_part(t->columns);

    while (rows > 0) {
        size_t step = tile_step(rows);
        multiply(t, step, part);
        t->rows += step;
        t->corrections += step;
        t->out += step * t->out_step;
        rows -= step;
    }
}

/* The number of tiles of the strip from unit `first` on; the caller needs units up to `end`. */
static size_t tile_group_at(const struct hy_conv_params *p, const struct conv_unit *u, size_t units,
                            struct tile_group *tile_group)
{
    const size_t most = tile_group_tiles(p), left = conv_tiles(p) - u->tile;
    const size_t tiles = units < left ? units : left, pixels = conv_pixels(p) - u->pixel;

    tile_group->pixel = u->pixel;
    tile_group->count = (tiles < most ? tiles : most) * HY_TILE_ROWS;
    if (tile_group->count > pixels)
        tile_group->count = pixels;
    return tiles < most ? tiles : most;
}

/* A single row, as in small networks, needs no strip. */
static __attribute__((noinline)) void run_row(const struct hy_conv_params *p, const void *in,
                                              const int32_t *weights, HY_T *out, void *scratch,
                                              struct hy_window channels)
{
    const int32_t offset = dot_act_offset(p->in_zero_point, HY_IN_IS_SIGNED);
    const bool in_place = are_inputs_usable(p, offset);
    const hy_dot_act *row = in_place ? in : scratch;
    const struct rescale to_bytes =
        rescale_of(false, p->activation.q_min, p->activation.q_max, p->out_zero_point);
    const size_t depth = conv_depth(p);
    const struct panels panels = panels_of(p, weights);
    vi sums[HY_PANEL_VECTORS + 3];
    struct tile t = {.rows = &row,
                     .lines = 1,
                     .steps = steps_of(depth),
                     .is_flipped = in_place && !are_as_copied(offset),
                     .rescale = &to_bytes,
                     .sums = sums};

    if (!in_place)
        dot_copy(depth, in, HY_IN_IS_SIGNED, offset, scratch);
    const int32_t correction =
        rest_of_zero_point(p) == 0 ? 0 : correction_of(p, row, 1, depth, depth);
    t.corrections = &correction;
    for (size_t c = channels.begin; c < channels.end; c += HY_PANEL) {
        set_panel(&panels, c, &t);
        t.out = out + c;
        if (t.columns > HY_LANES)
            multiply_row(&t, 2);
        else
            multiply_row(&t, 1);
    }
}

static __attribute__((noinline)) void run(const struct hy_conv_params *p, const void *in,
                                          const int32_t *weights, HY_T *out, void *scratch,
                                          size_t first, size_t end, bool halves_away)
{
    const int32_t offset = dot_act_offset(p->in_zero_point, HY_IN_IS_SIGNED);
    const struct patch_source source = {offset, (hy_dot_act)(p->in_zero_point - offset)};
    const struct rescale to_bytes =
        rescale_of(halves_away, p->activation.q_min, p->activation.q_max, p->out_zero_point);
    const struct panels panels = panels_of(p, weights);
    vi sums[HY_TILE_ROWS * HY_PANEL_VECTORS + 3];
    struct tile_group tile_group;
    struct tile t = {.sums = sums,
                     .lines = conv_lines(p),
                     .steps = conv_line_steps(p),
                     .out_step = conv_out_step(p),
                     .rescale = &to_bytes};
    size_t tiles;

    /* The other members are set before use; zeroing them costs more than a small network. */
    tile_group.pixel = tile_group.count = tile_group.line_step = 0;
    tile_group.is_flipped = false;
    memset(tile_group.corrections, 0, sizeof tile_group.corrections);
    for (; first < end; first += tiles) {
        const struct conv_unit u = conv_unit_at(p, first);
        const size_t last_count = tile_group.count, pixel = tile_group.pixel;
        tiles = tile_group_at(p, &u, end - first, &tile_group);
        if (tile_group.count != last_count || tile_group.pixel != pixel)
            gather_tile_group(p, &source, in, &tile_group, scratch);
        t.line_step = tile_group.line_step;
        t.is_flipped = tile_group.is_flipped;

        for (size_t c = u.channel; c < u.channel_end; c += HY_PANEL) {
            t.rows = tile_group.rows;
            t.corrections = tile_group.corrections;
            set_panel(&panels, c, &t);
            t.out = out + u.pixel * t.out_step + c;
            multiply_panel(&t, tile_group.count);
        }
    }
}

void HY_SIMD_FN(conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                      const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    const unsigned before = vi_begin_floor();

    (void)bias;
    if (is_single_row(p))
        run_row(p, in, weights, out, scratch, row_channels(p, first, end));
    else
        run(p, in, weights, out, scratch, first, end, false);
    vi_end_floor(before);
}

void HY_SIMD_FN(conv_half_away)(const struct hy_conv_params *p, const void *in, const void *weights,
                                const void *bias, void *out, void *scratch, size_t first,
                                size_t end)
{
    const unsigned before = vi_begin_floor();

    (void)bias;
    run(p, in, weights, out, scratch, first, end, true);
    vi_end_floor(before);
}
