#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_WINOGRAD_SHORTS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_CONV_WINOGRAD_SHORTS_H

#include "cpu_fallback/kernels/fast/conv/conv_quant_winograd_transform.h"

#include "cpu_fallback/kernels/fast/conv/conv_tiles.h"
#include "cpu_fallback/kernels/fast/conv/conv_winograd_tiles.h"

/*
 * Minimal filtering in products of 16 bits: the common part of convolutions of bytes and of int16
 * data. Each of the 36 positions of a tile of 4x4 outputs is a matrix product of its own: rows are
 * tiles, the depth is in_c, columns are output channels.
 *
 * A packed panel is the headers of its channels, followed by the transformed filter. The filter is
 * stored position by position; each position has, for every two depths, a pair of 16 bits for each
 * channel.
 *
 * The including file first defines
 *     PLANES          rows of the products of a tile
 *     HEADER_WORDS    words of a channel's header
 * and afterwards transform_tile(), struct finish and finish_chunk().
 */

/* Rows multiplied by one call; missing rows of a strip are computed and ignored. */
#define ROWS_AT_LEAST (HY_TILE_ROWS / 2)

/* Input channels of a vector of 16 bits; in_c is a multiple. */
#define CHANNELS (2 * HY_LANES)

/* The words of a channel. */
static size_t steps_of(const struct hy_conv_params *p)
{
    return p->in_c / 2;
}

static size_t channel_words(const struct hy_conv_params *p)
{
    return HEADER_WORDS + WINOGRAD_POSITIONS * steps_of(p);
}

/* Transforms FILTER_RUN depths of a channel, from depth k on. */
static void transform_run(const struct hy_conv_params *p, const HY_FILTER_T *filter, size_t k,
                          int16_t u[WINOGRAD_POSITIONS][FILTER_RUN])
{
    int16_t g[9][FILTER_RUN];

    for (size_t tap = 0; tap < 9; tap++)
        for (size_t i = 0; i < FILTER_RUN; i++)
            g[tap][i] = (int16_t)(filter[tap * p->in_c + k + i] - p->filter_zero_point);
    transform_filter(g, u);
}

/* Transforms and packs FILTER_RUN depths of a vector of channels, of which `count` exist, into the
 * words of their lanes. */
static void pack_run(const struct hy_conv_params *p, const HY_FILTER_T *filter, size_t count,
                     size_t k, size_t width, int32_t *lanes)
{
    int16_t u[HY_LANES][WINOGRAD_POSITIONS][FILTER_RUN];

    for (size_t lane = 0; lane < count; lane++)
        transform_run(p, filter + lane * conv_depth(p), k, u[lane]);
    memset(u + count, 0, (HY_LANES - count) * sizeof *u);
    for (size_t position = 0; position < WINOGRAD_POSITIONS; position++)
        for (size_t i = 0; i < FILTER_RUN; i += 2) {
            int32_t *to = lanes + (position * steps_of(p) + (k + i) / 2) * width;
            for (size_t lane = 0; lane < HY_LANES; lane++)
                memcpy(to + lane, &u[lane][position][i], sizeof *to);
        }
}

static void pack_vector(const struct hy_conv_params *p, const HY_FILTER_T *filter, size_t channel,
                        size_t width, int32_t *lanes)
{
    const size_t left = p->out_c - channel, count = left < HY_LANES ? left : HY_LANES;

    for (size_t k = 0; k < p->in_c; k += FILTER_RUN)
        pack_run(p, filter + channel * conv_depth(p), count, k, width, lanes);
}

/* ---- Scratch --------------------------------------------------------------------------------- */

/* Successive tiles that are computed together, and their buffers. Neighbouring positions are one
 * cache line more than whole pages apart, because whole pages would use few sets of a cache. */
struct tile_chunk {
    struct tile_position first;
    size_t tiles, rows; /* including ignored rows */
    int16_t *inputs;    /* [position][row][in_c], transformed */
    int32_t *sums;      /* [position][row][panel] */
    HY_T *patch;        /* 6x6 inputs */
    size_t inputs_step, sums_step;
};

#define INPUTS_GAP 32
#define SUMS_GAP   16

size_t HY_SIMD_FN(winograd_units)(const struct hy_conv_params *p)
{
    return winograd_unit_count(p);
}

static size_t groups_at_once(const struct hy_conv_params *p)
{
    return groups_of_chunk(p, WINOGRAD_POSITIONS * PLANES *
                                  (p->in_c * sizeof(int16_t) + HY_PANEL * sizeof(int32_t)));
}

/* The sizes of the longest strip. */
static struct tile_chunk tile_chunk_of(const struct hy_conv_params *p)
{
    const size_t rows = groups_at_once(p) * HY_TILE_ROWS * PLANES;

    return (struct tile_chunk){.inputs_step = rows * p->in_c + INPUTS_GAP,
                               .sums_step = rows * HY_PANEL + SUMS_GAP};
}

static void bind_scratch(struct tile_chunk *s, void *scratch)
{
    s->sums = scratch;
    s->inputs = (int16_t *)(s->sums + WINOGRAD_POSITIONS * s->sums_step);
    s->patch = (HY_T *)(s->inputs + WINOGRAD_POSITIONS * s->inputs_step);
}

size_t HY_SIMD_FN(winograd_scratch_bytes)(const struct hy_conv_params *p)
{
    const struct tile_chunk s = tile_chunk_of(p);

    return WINOGRAD_POSITIONS * (s.sums_step * sizeof *s.sums + s.inputs_step * sizeof *s.inputs +
                                 p->in_c * sizeof *s.patch);
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

static bool is_inside(const struct hy_conv_params *p, const struct tile_position *at)
{
    return at->y >= p->pad_top && at->x >= p->pad_left &&
           (uint64_t)at->y + WINOGRAD_IN <= (uint64_t)p->in_h + p->pad_top &&
           (uint64_t)at->x + WINOGRAD_IN <= (uint64_t)p->in_w + p->pad_left;
}

#include "cpu_fallback/kernels/fast/conv/conv_plain_patches.h"

/* Transforms a tile to rows. Input lines are `line` elements apart, and positions of the result
 * `step`. */
static void transform_tile(const struct hy_conv_params *p, const HY_T *from, size_t line,
                           int16_t *to, size_t step);

/* Tiles inside the image are read in the input. Other tiles are gathered, with real zeros for the
 * padding: the gathering functions treat a tile as the patch of a filter of 6x6. */
static void transform_chunk(const struct hy_conv_params *p, const struct tile_chunk *s,
                            const HY_T *in)
{
    const struct patch_source source = {(HY_T)p->in_zero_point};
    struct hy_conv_params window = *p;
    struct tile_position at = s->first;

    window.filter_h = window.filter_w = WINOGRAD_IN;
    for (size_t tile = 0; tile < s->tiles; tile++, go_on(p, &at)) {
        const HY_T *image = in + at.image * p->in_h * p->in_w * p->in_c, *from = s->patch;
        int16_t *to = s->inputs + tile * PLANES * p->in_c;
        size_t line = (size_t)WINOGRAD_IN * p->in_c;
        if (is_inside(p, &at)) {
            from = image + hy_conv_tap_pixel(p, at.y, at.x, 0, 0) * p->in_c;
            line = (size_t)p->in_w * p->in_c;
        } else {
            gather_patch(&window, &source, image, at.y, at.x, line, s->patch);
        }
        transform_tile(p, from, line, to, s->inputs_step);
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Some rows of one position, times a panel. */
struct product {
    const int16_t *inputs;
    size_t depth; /* depth of a row */
    const int32_t *weights;
    int32_t *sums;
};

HY_ALWAYS_INLINE void multiply_rows(const struct product *x, int rows, int vectors)
{
    const int32_t *weights = x->weights;
    vi sums[HY_TILE_ROWS][HY_PANEL_VECTORS];

    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = vi_set1(0);
    }
    for (size_t k = 0; k < x->depth; k += 2, weights += vectors * HY_LANES) {
        vi w[HY_PANEL_VECTORS];
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            w[v] = vi_load(weights + v * HY_LANES);
        HY_UNROLL(16)
        for (int r = 0; r < rows; r++) {
            int32_t pair;
            memcpy(&pair, x->inputs + (size_t)r * x->depth + k, sizeof pair);
            HY_UNROLL(16)
            for (int v = 0; v < vectors; v++)
                sums[r][v] = vs_dot(sums[r][v], vi_set1(pair), w[v]);
        }
    }
    HY_UNROLL(16)
    for (int r = 0; r < rows; r++) {
        HY_UNROLL(16)
        for (int v = 0; v < vectors; v++)
            vi_store(x->sums + (r * vectors + v) * HY_LANES, sums[r][v]);
    }
}

static __attribute__((noinline)) void multiply_wide(const struct product *x, size_t rows)
{
    if (rows == HY_TILE_ROWS)
        multiply_rows(x, HY_TILE_ROWS, 2);
    else
        multiply_rows(x, ROWS_AT_LEAST, 2);
}

static __attribute__((noinline)) void multiply_narrow(const struct product *x, size_t rows)
{
    if (rows == HY_TILE_ROWS)
        multiply_rows(x, HY_TILE_ROWS, 1);
    else
        multiply_rows(x, ROWS_AT_LEAST, 1);
}

/* Computes the products of all positions with a panel of `width` columns; `words` points behind the
 * header of the panel. */
static void multiply_chunk(const struct hy_conv_params *p, const struct tile_chunk *s,
                           const int32_t *words, size_t width)
{
    for (size_t i = 0; i < WINOGRAD_POSITIONS; i++) {
        struct product x = {.inputs = s->inputs + i * s->inputs_step,
                            .depth = p->in_c,
                            .weights = words + i * steps_of(p) * width,
                            .sums = s->sums + i * s->sums_step};
        for (size_t left = s->rows, rows; left > 0; left -= rows) {
            rows = left < HY_TILE_ROWS ? ROWS_AT_LEAST : HY_TILE_ROWS;
            if (width == HY_PANEL)
                multiply_wide(&x, rows);
            else
                multiply_narrow(&x, rows);
            x.inputs += rows * p->in_c;
            x.sums += rows * width;
        }
    }
}

/* ---- All together ---------------------------------------------------------------------------- */

/* Constants of finishing for all strips. */
struct finish;

/* Converts sums to the outputs of a panel; the panel starts with its headers. */
static void finish_chunk(const struct hy_conv_params *p, const struct tile_chunk *s,
                         const struct finish *finish, const int32_t *panel, size_t channel,
                         HY_T *out);

static void run(const struct hy_conv_params *p, const HY_T *in, const int32_t *weights, HY_T *out,
                void *scratch, const struct finish *finish, const struct partition *partition)
{
    const size_t at_once = groups_at_once(p);
    struct tile_chunk s = tile_chunk_of(p);

    bind_scratch(&s, scratch);
    for (size_t group = partition->group, groups; group < partition->group_end; group += groups) {
        groups = partition->group_end - group < at_once ? partition->group_end - group : at_once;
        s.first = tile_position_of(p, group * HY_TILE_ROWS);
        s.tiles = tiles_in(p, group, groups);
        s.rows = (s.tiles * PLANES + ROWS_AT_LEAST - 1) / ROWS_AT_LEAST * ROWS_AT_LEAST;
        transform_chunk(p, &s, in);

        for (size_t c = partition->channel; c < partition->channel_end; c += HY_PANEL) {
            const int32_t *panel = weights + c * channel_words(p);
            const size_t width = panel_width(p, c);
            multiply_chunk(p, &s, panel + HEADER_WORDS * width, width);
            finish_chunk(p, &s, finish, panel, c, out);
        }
    }
}

#endif
