#include "cpu_fallback/kernels/fast/conv/conv_quant.h"

/*
 * CONV_2D and FULLY_CONNECTED in 8 bits by products of tiles: up to 16 output pixels with 16 output
 * channels, 64 depths at once. Packed weights have the format of conv_quant.h, in lines rounded up
 * to whole tiles.
 *
 * Four tiles hold sums: of two tiles of pixels with a panel, or, if only one tile of pixels is
 * left, of one tile with two panels. The cost of products grows with the depth, and the cost of
 * rescaling sums to bytes does not. From PIPED_DEPTH on, the sums of one block are rescaled between
 * the products of the next block.
 */
#define PIPED_DEPTH 128

/* Rows rescaled at once, between products. */
#define ROWS_AT_ONCE ((size_t)8)

#include "cpu_fallback/kernels/fast/conv/conv_plain_patches.h"

#include "cpu_fallback/kernels/fast/conv/conv_amx_gather.h"

size_t HY_SIMD_FN(conv_units)(const struct hy_conv_params *p)
{
    return (walk_of(p).tiles + 1) / 2 * conv_blocks(p);
}

size_t HY_SIMD_FN(conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return scratch_bytes_of(p);
}

/* A tile of pixels with a panel, and its sums. */
struct tile {
    const int32_t *panel;  /* initial value of sums */
    const int32_t *header; /* the panel, or the words shared by all panels */
    const int8_t *weights;
    HY_T *out;
    size_t out_step, columns; /* columns to write */
    const struct rescale *rescale;
    vi *sums;    /* row after row, up to a multiple of four */
    size_t rows; /* rows left to rescale: `sums`, `out` and the following members point to the first
                    of them */
    const int32_t *corrections; /* -zw * sum x of each row */
};

#include "cpu_fallback/kernels/fast/conv/conv_quant_store.h"

#include "cpu_fallback/kernels/fast/conv/conv_quant_panels.h"

/* The tiles computed together, until their sums are bytes. */
struct block {
    vi sums[2][TILE_ROWS * HY_PANEL_VECTORS];
    int32_t corrections[2][TILE_ROWS];
    struct tile tiles[2];
    size_t count, at; /* tiles; the first tile with sums left to rescale */
};

/* One call of the kernel. */
struct job {
    const struct hy_conv_params *p;
    struct walk walk;
    struct gatherer gatherer;
    struct panels panels;
    struct rescale rescale;
    uint32_t zero_point; /* remaining zero point of the filter */
    HY_T *out;
    bool is_piped;
    struct block *current, *before; /* the block being multiplied, and the block before */
};

/* ---- Sums to bytes --------------------------------------------------------------------------- */

/* Number of steps of ROWS_AT_ONCE rows. */
static size_t row_batches_of(const struct block *block)
{
    size_t row_batches = 0;

    for (size_t i = 0; i < block->count; i++)
        row_batches += (block->tiles[i].rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    return row_batches;
}

static void correct(const struct tile *t, size_t rows, size_t vectors)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t v = 0; v < vectors; v++)
            t->sums[r * vectors + v] = vi_add(t->sums[r * vectors + v], vi_set1(t->corrections[r]));
}

/* Rescales the next rows of a block, at most `most`. */
static void rescale_rows(const struct job *job, struct block *block, size_t most)
{
    struct tile *t = &block->tiles[block->at];
    const size_t vectors = t->columns > HY_LANES ? 2 : 1;
    const size_t rows = t->rows < most ? t->rows : most;

    if (job->zero_point != 0)
        correct(t, rows, vectors);
    store_tile(t, rows, vectors == 2);
    t->rows -= rows;
    t->sums += rows * vectors;
    t->corrections += rows;
    t->out += rows * t->out_step;
    if (t->rows == 0)
        block->at++;
}

static void rescale_rest(const struct job *job, struct block *block)
{
    while (block->at < block->count)
        rescale_rows(job, block, TILE_ROWS);
    block->count = block->at = 0;
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Tiles 0 to 3: sums; 4 and 5: pixels; 6 and 7: weights. */
static struct tile_config config_of(const struct walk *w)
{
    struct tile_config config = {.palette = 1};

    for (int i = 0; i < TILE_COUNT; i++) {
        config.rows[i] = (uint8_t)(i < 6 ? w->rows : w->tile_depth / HY_DOT_GROUP);
        config.row_bytes[i] = (uint16_t)(i == 4 || i == 5 ? w->tile_depth : TILE_ROW_BYTES);
    }
    return config;
}

#if defined(HY_S8)
#define tile_dot tile_dot_ss
#else
#define tile_dot tile_dot_us
#endif

#define VECTOR_BYTES ((size_t)HY_LANES * HY_DOT_GROUP) /* weights of a step */

/* Multiplies `pixels` tiles of pixels by `vectors` vectors of channels, at most 4 products in all.
 * With one tile of pixels, channels from the third vector on belong to the second panel. */
HY_ALWAYS_INLINE void multiply(struct job *job, const struct operand a[2], int pixels, int vectors)
{
    const struct walk *w = &job->walk;
    struct block *block = job->current, *before = job->before;
    const struct tile *t = block->tiles;
    const size_t width = (vectors == 1 ? 1 : 2) * VECTOR_BYTES;
    const size_t tile_bytes = w->tile_depth / HY_DOT_GROUP * width;
    const size_t row_batches = row_batches_of(before),
                 steps = w->filter_rows * w->columns * w->depth_tiles;
    const int8_t *weights = t[0].weights, *more = vectors > 2 ? t[1].weights : NULL;
    size_t due = 0;

    tile_load(0, t[0].panel, 0);
    if (vectors > 1)
        tile_load(1, t[0].panel + HY_LANES, 0);
    if (pixels > 1)
        tile_load(2, t[0].panel, 0);
    if (pixels > 1 && vectors > 1)
        tile_load(3, t[0].panel + HY_LANES, 0);
    if (vectors > 2) {
        tile_load(2, t[1].panel, 0);
        tile_load(3, t[1].panel + HY_LANES, 0);
    }
    for (size_t i = 0; i < w->filter_rows; i++)
        for (size_t j = 0; j < w->columns; j++) {
            const HY_T *first = a[0].at + i * a[0].row_step + j * a[0].column_step;
            const HY_T *second =
                pixels > 1 ? a[1].at + i * a[1].row_step + j * a[1].column_step : NULL;
            for (size_t k = 0; k < w->depth_tiles; k++) {
                tile_load(6, weights, width);
                tile_load(4, first + k * w->tile_depth, a[0].stride);
                tile_dot(0, 4, 6);
                if (pixels > 1) {
                    tile_load(5, second + k * w->tile_depth, a[1].stride);
                    tile_dot(2, 5, 6);
                }
                if (vectors > 1) {
                    tile_load(7, weights + VECTOR_BYTES, width);
                    tile_dot(1, 4, 7);
                }
                if (pixels > 1 && vectors > 1)
                    tile_dot(3, 5, 7);
                if (vectors > 2) {
                    tile_load(6, more, width);
                    tile_dot(2, 4, 6);
                    tile_load(7, more + VECTOR_BYTES, width);
                    tile_dot(3, 4, 7);
                    more += tile_bytes;
                }
                weights += tile_bytes;
                for (due += row_batches; due >= steps; due -= steps)
                    if (before->at < before->count)
                        rescale_rows(job, before, ROWS_AT_ONCE);
            }
        }

    int32_t *sums = (int32_t *)block->sums[0], *others = (int32_t *)block->sums[1];
    const size_t row = (vectors == 1 ? 1 : 2) * HY_LANES * sizeof *sums;
    tile_store(0, sums, row);
    if (vectors > 1)
        tile_store(1, sums + HY_LANES, row);
    if (pixels > 1)
        tile_store(2, others, row);
    if (pixels > 1 && vectors > 1)
        tile_store(3, others + HY_LANES, row);
    if (vectors > 2) {
        tile_store(2, others, row);
        tile_store(3, others + HY_LANES, row);
    }
}

static __attribute__((noinline)) void multiply_pair_wide(struct job *job, const struct operand a[2])
{
    multiply(job, a, 2, 2);
}

static __attribute__((noinline)) void multiply_pair(struct job *job, const struct operand a[2])
{
    multiply(job, a, 2, 1);
}

static __attribute__((noinline)) void multiply_two_panels(struct job *job,
                                                          const struct operand a[2])
{
    multiply(job, a, 1, 4);
}

static __attribute__((noinline)) void multiply_wide(struct job *job, const struct operand a[2])
{
    multiply(job, a, 1, 2);
}

static __attribute__((noinline)) void multiply_one(struct job *job, const struct operand a[2])
{
    multiply(job, a, 1, 1);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* -zw * sum x of each row of a tile. */
static void set_corrections(const struct job *job, const struct operand *a, size_t pixels,
                            int32_t *corrections)
{
    const struct walk *w = &job->walk;

    for (size_t r = 0; r < pixels; r++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < w->filter_rows; i++)
            for (size_t j = 0; j < w->columns; j++) {
                const HY_T *run = a->at + r * a->stride + i * a->row_step + j * a->column_step;
                for (size_t k = 0; k < w->depth; k++)
                    sum += (uint32_t)run[k];
            }
        corrections[r] = (int32_t)(0 - job->zero_point * sum);
    }
}

/* One or two tiles of pixels, and the address of their outputs. */
struct pixels {
    size_t count;
    struct operand at[2];
    struct spot spots[2];
    int32_t corrections[2][TILE_ROWS];
};

/* Tile `i` of the current block: tile `index` of the pixels, with the panel from `channel` on. */
static void set_tile(struct job *job, const struct pixels *pixels, size_t index, size_t channel,
                     size_t i)
{
    struct block *block = job->current;
    const struct spot *spot = &pixels->spots[index];
    struct tile *t = &block->tiles[i];

    set_panel(&job->panels, channel, t);
    t->out_step = conv_out_step(job->p);
    t->out = job->out + (spot->line * job->walk.width + spot->x) * t->out_step + channel;
    t->rescale = &job->rescale;
    t->sums = block->sums[i];
    t->rows = spot->pixels;
    t->corrections = block->corrections[i];
    if (job->zero_point != 0)
        memcpy(block->corrections[i], pixels->corrections[index], sizeof block->corrections[i]);
    block->count = i + 1;
}

/* Rescales the rest of the block before; the current block becomes the block before. */
static void finish_block(struct job *job)
{
    struct block *last = job->before;

    rescale_rest(job, last);
    job->before = job->current;
    job->current = last;
    if (!job->is_piped)
        rescale_rest(job, job->before);
}

static void multiply_panels(struct job *job, const struct pixels *pixels, size_t channel,
                            size_t end)
{
    for (size_t step; channel < end; channel += step) {
        const bool is_wide = end - channel > HY_LANES;
        const bool has_two = pixels->count == 1 && end - channel > HY_PANEL + HY_LANES;
        set_tile(job, pixels, 0, channel, 0);
        if (pixels->count == 2)
            set_tile(job, pixels, 1, channel, 1);
        else if (has_two)
            set_tile(job, pixels, 0, channel + HY_PANEL, 1);
        if (pixels->count == 2 && is_wide)
            multiply_pair_wide(job, pixels->at);
        else if (pixels->count == 2)
            multiply_pair(job, pixels->at);
        else if (has_two)
            multiply_two_panels(job, pixels->at);
        else if (is_wide)
            multiply_wide(job, pixels->at);
        else
            multiply_one(job, pixels->at);
        finish_block(job);
        step = has_two ? 2 * HY_PANEL : HY_PANEL;
    }
}

/* Computes the tiles [tile, end) with the channels [channel, channel_end). */
static void multiply_tiles(struct job *job, size_t tile, size_t end, size_t channel,
                           size_t channel_end)
{
    const struct walk *w = &job->walk;
    struct pixels pixels;

    for (; tile < end; tile += pixels.count) {
        const size_t ready = gather_tiles(w, tile, end, &job->gatherer);
        pixels.count = ready - tile < 2 ? 1 : 2;
        for (size_t i = 0; i < pixels.count; i++) {
            pixels.at[i] = operand_of(&job->gatherer, w, tile + i, i);
            pixels.spots[i] = spot_of(w, tile + i);
            if (job->zero_point != 0)
                set_corrections(job, &pixels.at[i], pixels.spots[i].pixels, pixels.corrections[i]);
        }
        multiply_panels(job, &pixels, channel, channel_end);
    }
}

static void run_units(struct job *job, size_t first, size_t end)
{
    const struct hy_conv_params *p = job->p;
    const size_t tiles = job->walk.tiles, pairs = (tiles + 1) / 2;
    const size_t block = p->block == 0 ? p->out_c : p->block;

    for (size_t next; first < end; first = next) {
        const size_t index = first / pairs, pair = first % pairs, left = pairs - pair;
        const size_t count = end - first < left ? end - first : left;
        const size_t channel = index * block, rest = p->out_c - channel;
        next = first + count;
        multiply_tiles(job, 2 * pair, 2 * (pair + count) < tiles ? 2 * (pair + count) : tiles,
                       channel, channel + (rest < block ? rest : block));
    }
    rescale_rest(job, job->before);
}

static void run(const struct hy_conv_params *p, const void *in, const int32_t *weights, HY_T *out,
                void *scratch, size_t first, size_t end, bool halves_away)
{
    struct block blocks[2];
    struct job job = {
        .p = p,
        .walk = walk_of(p),
        .gatherer = {.p = p,
                     .source = {(HY_T)p->in_zero_point},
                     .in = in,
                     .end = (const HY_T *)in + (size_t)p->batch * p->in_h * p->in_w * p->in_c,
                     .scratch = scratch},
        .panels = panels_of(p, weights),
        .rescale =
            rescale_of(halves_away, p->activation.q_min, p->activation.q_max, p->out_zero_point),
        .zero_point = (uint32_t)(p->filter_zero_point - WEIGHT_OFFSET),
        .out = out,
        .is_piped = conv_depth(p) >= PIPED_DEPTH,
        .current = &blocks[0],
        .before = &blocks[1]};
    const struct tile_config config = config_of(&job.walk);
    struct tile_config before;

    for (size_t i = 0; i < 2; i++)
        blocks[i].count = blocks[i].at = 0;
    const unsigned mode = vi_begin_floor();
    tiles_hold(&config, &before);
    run_units(&job, first, end);
    tiles_give_back(&before);
    vi_end_floor(mode);
}

void HY_SIMD_FN(conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                      const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    (void)bias;
    run(p, in, weights, out, scratch, first, end, false);
}

void HY_SIMD_FN(conv_half_away)(const struct hy_conv_params *p, const void *in, const void *weights,
                                const void *bias, void *out, void *scratch, size_t first,
                                size_t end)
{
    (void)bias;
    run(p, in, weights, out, scratch, first, end, true);
}
