#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/conv/conv_float_pack.h"
#include "cpu_fallback/kernels/fast/conv/conv_float_tile.h"
#include "cpu_fallback/kernels/fast/conv/conv_winograd_transform.h"

#include "cpu_fallback/kernels/fast/conv/conv_winograd_tiles.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * CONV_2D in float32 with filters of 3x3, by minimal filtering: 4 products replace 9.
 *
 * Outputs are cut into tiles of 2x2, numbered through the whole batch; the last tiles of a line or
 * column may be half. Each of the 16 positions of a tile is a matrix product of its own: rows are
 * tiles, the depth is in_c, columns are output channels. The result of a tile does not depend on
 * the number of tiles that share a reading of the weights.
 *
 * A packed panel is biases, the filter in the order of the direct convolution, tap after tap, and
 * the positions of the transformed filter. Four positions are corners of the filter, and are stored
 * only once.
 *
 * An output depends on its own 3x3 inputs only. But the transforms give a NaN or infinity if
 * infinities meet or a difference exceeds the largest float. Tiles with a result that is not finite
 * are therefore computed again, directly.
 */
#define TAPS   9
#define BLOCKS (TAPS + WINOGRAD_POSITIONS - 4) /* blocks of in_c by the width of the panel */

/* The block of a position in a panel. */
static const uint8_t block_of[WINOGRAD_POSITIONS] = {0,  9,  10, 2,  11, 12, 13, 14,
                                                     15, 16, 17, 18, 6,  19, 20, 8};

/* The position that is added unchanged to all four outputs: its sums start with the bias. */
#define BIAS_POSITION 5

int HY_SIMD_FN(winograd_suits)(const struct hy_conv_params *p)
{
    return winograd_supports(p);
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* Floats of a panel of one column. */
static size_t panel_floats(const struct hy_conv_params *p)
{
    return 1 + (size_t)BLOCKS * p->in_c;
}

size_t HY_SIMD_FN(winograd_packed_bytes)(const struct hy_conv_params *p)
{
    return conv_columns(p) * panel_floats(p) * sizeof(float);
}

/* Transforms the taps of a panel to its positions. */
static void transform_panel(const struct hy_conv_params *p, float *panel, size_t width)
{
    const size_t block = p->in_c * width;

    for (size_t at = 0; at < block; at += HY_LANES) {
        vf u[WINOGRAD_POSITIONS];
        transform_filter(panel + at, block, u);
        HY_UNROLL(16)
        for (size_t i = 0; i < WINOGRAD_POSITIONS; i++)
            if (block_of[i] >= TAPS)
                vf_store(panel + block_of[i] * block + at, u[i]);
    }
}

void HY_SIMD_FN(winograd_pack)(const struct hy_conv_params *p, const void *filter, const void *bias,
                               void *packed)
{
    const struct filter f = plain_filter(p, filter, conv_depth(p), 1);

    for (size_t c = 0; c < p->out_c; c += HY_PANEL) {
        const size_t width = panel_width(p, c);
        float *panel = (float *)packed + c * panel_floats(p);
        pack_panel(p, &f, bias, c, width, panel);
        transform_panel(p, panel + width, width);
    }
}

size_t HY_SIMD_FN(winograd_units)(const struct hy_conv_params *p)
{
    return winograd_unit_count(p);
}

/* ---- Scratch --------------------------------------------------------------------------------- */

/* Successive tiles that are computed together, and their buffers. Neighbouring positions are one
 * cache line more than whole pages apart, because whole pages would use few sets of a cache. */
struct tile_chunk {
    struct tile_position first;
    size_t tiles;
    float *inputs; /* [position][tile][depth], transformed */
    float *sums;   /* [position][tile][panel] */
    float *patch;  /* 4x4 inputs, or the 3x3 of a filter */
    size_t depth, inputs_step, sums_step;
};

#define POSITION_GAP 16

/* The channels of a tile, in whole vectors. */
static size_t depth_of(const struct hy_conv_params *p)
{
    return ((size_t)p->in_c + HY_LANES - 1) / HY_LANES * HY_LANES;
}

static size_t groups_at_once(const struct hy_conv_params *p)
{
    return groups_of_chunk(p, WINOGRAD_POSITIONS * (depth_of(p) + HY_PANEL) * sizeof(float));
}

/* The sizes of the longest strip. */
static struct tile_chunk tile_chunk_of(const struct hy_conv_params *p)
{
    const size_t tiles = groups_at_once(p) * HY_TILE_ROWS, depth = depth_of(p);

    return (struct tile_chunk){.depth = depth,
                               .inputs_step = tiles * depth + POSITION_GAP,
                               .sums_step = tiles * HY_PANEL + POSITION_GAP};
}

static void bind_scratch(struct tile_chunk *s, float *scratch)
{
    s->inputs = scratch;
    s->sums = s->inputs + WINOGRAD_POSITIONS * s->inputs_step;
    s->patch = s->sums + WINOGRAD_POSITIONS * s->sums_step;
}

size_t HY_SIMD_FN(winograd_scratch_bytes)(const struct hy_conv_params *p)
{
    const struct tile_chunk s = tile_chunk_of(p);

    return WINOGRAD_POSITIONS * (s.inputs_step + s.sums_step + p->in_c) * sizeof(float);
}

/* ---- The three steps ------------------------------------------------------------------------- */

static void transform_tile(const struct tile_chunk *s, const float *from, size_t line, size_t in_c,
                           float *to)
{
    size_t c = 0;

    for (; c + HY_LANES <= in_c; c += HY_LANES)
        transform_inputs(from + c, line, in_c, HY_LANES, to + c, s->inputs_step);
    if (c < in_c)
        transform_inputs(from + c, line, in_c, in_c - c, to + c, s->inputs_step);
}

/* Tiles inside the image are read in the input. Other tiles are gathered, with zeros for the
 * padding: the gathering functions treat a tile as the patch of a filter of 4x4. */
static void transform_chunk(const struct hy_conv_params *p, const struct tile_chunk *s,
                            const float *in)
{
    const struct patch_source source = {0};
    struct hy_conv_params window = *p;
    struct tile_position at = s->first;

    window.filter_h = window.filter_w = WINOGRAD_IN;
    for (size_t tile = 0; tile < s->tiles; tile++, go_on(p, &at)) {
        const float *image = in + at.image * p->in_h * p->in_w * p->in_c;
        const float *from = s->patch;
        size_t line = (size_t)WINOGRAD_IN * p->in_c;
        if (are_direct(&window, at.y, at.x, 1)) {
            from = image + hy_conv_tap_pixel(p, at.y, at.x, 0, 0) * p->in_c;
            line = (size_t)p->in_w * p->in_c;
        } else {
            gather_patch(&window, &source, image, at.y, at.x, line, s->patch);
        }
        transform_tile(s, from, line, p->in_c, s->inputs + tile * s->depth);
    }
}

HY_ALWAYS_INLINE void store_row(const struct tile *t, int vectors, const vf *sums, float *out)
{
    (void)t;
    HY_UNROLL(16)
    for (int v = 0; v < vectors; v++)
        vf_store(out + v * HY_LANES, sums[v]);
}

/* Not inlined: inlined copies would spill a register in every step of the depth on sets with 16
 * registers. */
#define TILE_FUNCTION static __attribute__((noinline))

#include "cpu_fallback/kernels/fast/conv/conv_float_panel.h"

/* Computes the products of all positions with a panel of `width` columns; the panel starts with its
 * biases. */
static void multiply_chunk(const struct hy_conv_params *p, const struct tile_chunk *s,
                           const float *panel, size_t width)
{
    static const float zeros[HY_PANEL];
    const float *blocks = panel + width;

    for (size_t i = 0; i < WINOGRAD_POSITIONS; i++) {
        const struct tile t = {.patches = {.lines = 1,
                                           .run = p->in_c,
                                           .from = s->inputs + i * s->inputs_step,
                                           .row_step = s->depth},
                               .start = i == BIAS_POSITION ? panel : zeros,
                               .panel = blocks + block_of[i] * width * p->in_c,
                               .out = s->sums + i * s->sums_step,
                               .out_step = width,
                               .columns = width};
        multiply_panel(t, s->tiles);
    }
}

/* The outputs of a tile from channel `channel` on: `columns` of each pixel. */
struct target {
    float *out;
    size_t line, pixel, columns; /* distances of lines and of pixels */
    size_t lines, pixels;        /* existing ones */
    vf min, max;
};

static inline void set_target(const struct hy_conv_params *p, const struct tile_position *at,
                              float *out, struct target *target)
{
    const size_t pixel = (at->image * p->out_h + at->y) * p->out_w + at->x;

    target->out = out + pixel * p->out_c;
    target->lines = outputs_from(at->y, p->out_h);
    target->pixels = outputs_from(at->x, p->out_w);
}

static inline void store_tile(const struct target *t, size_t channel,
                              vf y[WINOGRAD_OUT][WINOGRAD_OUT])
{
    const size_t left = t->columns - channel, count = left < HY_LANES ? left : HY_LANES;

    HY_UNROLL(16)
    for (size_t i = 0; i < WINOGRAD_OUT; i++) {
        HY_UNROLL(16)
        for (size_t j = 0; j < WINOGRAD_OUT; j++)
            if (i < t->lines && j < t->pixels)
                vf_store_part(t->out + i * t->line + j * t->pixel + channel,
                              vf_clamp(y[i][j], t->min, t->max), count);
    }
}

/* Converts the sums of a tile to its outputs. Returns false if an output is not finite. */
static __attribute__((noinline)) bool finish_tile(const struct tile_chunk *s, const float *sums,
                                                  const struct target *t)
{
    const vf zero = vf_set1(0);
    vf none = zero; /* 0 times a finite number */

    for (size_t channel = 0; channel < t->columns; channel += HY_LANES) {
        vf y[WINOGRAD_OUT][WINOGRAD_OUT];
        transform_sums(sums + channel, s->sums_step, y);
        HY_UNROLL(16)
        for (size_t i = 0; i < WINOGRAD_OUT; i++) {
            HY_UNROLL(16)
            for (size_t j = 0; j < WINOGRAD_OUT; j++)
                none = vf_multiply_add(y[i][j], zero, none);
        }
        store_tile(t, channel, y);
    }
    return !vf_any_nan(none);
}

/* Computes the outputs from the inputs and the filter; the panel starts with its biases. */
static __attribute__((noinline)) void
compute_directly(const struct hy_conv_params *p, const struct tile_chunk *s, const float *in,
                 const struct tile_position *at, const float *panel, const struct target *target)
{
    const struct patch_source source = {0};
    const float *image = in + at->image * p->in_h * p->in_w * p->in_c;
    const int vectors = target->columns > HY_LANES ? 2 : 1;
    float sums[WINOGRAD_OUT][WINOGRAD_OUT][HY_PANEL] = {0};
    struct tile t = {.patches = {.lines = 1, .run = conv_depth(p), .from = s->patch},
                     .start = panel,
                     .panel = panel + vectors * HY_LANES};

    for (uint32_t i = 0; i < target->lines; i++) {
        for (uint32_t j = 0; j < target->pixels; j++) {
            gather_patch(p, &source, image, at->y + i, at->x + j, (size_t)3 * p->in_c, s->patch);
            t.out = sums[i][j];
            multiply(&t, 1, panel_part(target->columns));
        }
    }
    for (size_t c = 0; c < target->columns; c += HY_LANES) {
        vf y[][WINOGRAD_OUT] = {{vf_load(sums[0][0] + c), vf_load(sums[0][1] + c)},
                                {vf_load(sums[1][0] + c), vf_load(sums[1][1] + c)}};
        store_tile(target, c, y);
    }
}

/* Finishes all tiles of a strip for the panel from channel `channel` on. */
static void finish_chunk(const struct hy_conv_params *p, const struct tile_chunk *s,
                         const float *in, const float *panel, size_t channel, float *out)
{
    const size_t width = panel_width(p, channel), left = p->out_c - channel;
    struct tile_position at = s->first;
    struct target target = {.line = (size_t)p->out_w * p->out_c,
                            .pixel = p->out_c,
                            .columns = left < HY_PANEL ? left : HY_PANEL,
                            .min = vf_set1(p->activation.min),
                            .max = vf_set1(p->activation.max)};

    for (size_t i = 0; i < s->tiles; i++, go_on(p, &at)) {
        set_target(p, &at, out + channel, &target);
        if (!finish_tile(s, s->sums + i * width, &target))
            compute_directly(p, s, in, &at, panel, &target);
    }
}

void HY_SIMD_FN(winograd)(const struct hy_conv_params *p, const void *in, const void *weights,
                          const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    const struct partition partition = partition_of(p, first, end);
    const size_t at_once = groups_at_once(p);
    struct tile_chunk s = tile_chunk_of(p);
    (void)bias;

    bind_scratch(&s, scratch);
    for (size_t group = partition.group, groups; group < partition.group_end; group += groups) {
        groups = partition.group_end - group < at_once ? partition.group_end - group : at_once;
        s.first = tile_position_of(p, group * HY_TILE_ROWS);
        s.tiles = tiles_in(p, group, groups);
        transform_chunk(p, &s, in);

        for (size_t c = partition.channel; c < partition.channel_end; c += HY_PANEL) {
            const float *panel = (const float *)weights + c * panel_floats(p);
            multiply_chunk(p, &s, panel, panel_width(p, c));
            finish_chunk(p, &s, in, panel, c, out);
        }
    }
}
