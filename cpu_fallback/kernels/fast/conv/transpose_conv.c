#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/conv/conv_filter.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * TRANSPOSE_CONV_2D by the convolutions of the set.
 *
 * Along one axis, let q = (o + pad) / stride for output o, with remainder r. Input q reaches output
 * o through tap r of the filter, input q - 1 through tap r + stride, and so on. Outputs with the
 * same remainder are a phase. A phase is a convolution with stride 1 whose filter has every
 * stride-th tap, in reverse order.
 *
 * Each output line belongs to one phase of lines. Phases of columns with neighbouring outputs and
 * the same inputs are one convolution: the outputs of a phase count as further channels. The
 * outputs of a pixel in such a convolution are out_step before those of the next pixel.
 *
 * Packed weights are stored by phase of lines (in the order of first taps), with the weights of all
 * groups of columns in each phase. With `block` a unit is an output line with one block of
 * channels.
 */

#if HY_IS_FLOAT || defined(HY_S16) /* one rounding for all */
#define CONVOLVE HY_SIMD_FN(conv)
#else
#define CONVOLVE HY_SIMD_FN(conv_half_away)
#endif

/* A layout has 8 bits for a stride. */
#define LARGEST_STRIDE 255

/* Largest number of groups: along a line, the input, the number of taps and the number of pixels
 * each change at one position. */
#define MOST_GROUPS 4

/* Phases of columns computed together. */
struct group {
    uint32_t first, phases; /* first output column of the first pixel; number of phases */
    uint32_t tap, taps;     /* first tap of phase `first`; number of taps of each phase */
    uint32_t nearest;       /* input column under the first taps of the first pixel */
    uint32_t pixels;        /* pixels of a line */
};

/* How the outputs of a line are computed. */
struct plan {
    uint32_t count;
    struct group groups[MOST_GROUPS];
    /* Phases of lines: the first `long_lines` phases have `long_taps` taps, the others one less. */
    uint32_t long_lines, long_taps;
    size_t long_bytes, short_bytes; /* bytes of the packed weights of a phase */
};

/* The number of taps from `tap` on, `stride` apart. */
static uint32_t taps_from(uint32_t tap, uint32_t stride, uint32_t filter)
{
    return (filter - tap + stride - 1) / stride;
}

static struct group group_of(const struct hy_conv_params *p, uint32_t column)
{
    const uint32_t position = column + p->pad_left, tap = position % p->stride_w;

    return (struct group){
        .first = column,
        .phases = 1,
        .tap = tap,
        .taps = taps_from(tap, p->stride_w, p->filter_w),
        .nearest = position / p->stride_w,
        .pixels = column < p->out_w ? (p->out_w - column - 1) / p->stride_w + 1 : 0,
    };
}

/* The convolution of a group, for a line with `taps` rows of taps. */
static struct hy_conv_params convolution_of(const struct hy_conv_params *p, const struct group *g,
                                            uint32_t taps)
{
    struct hy_conv_params conv = *p;

    conv.batch = conv.out_h = 1;
    conv.out_w = g->pixels;
    conv.out_c = p->out_c * g->phases;
    conv.out_step = (size_t)p->out_c * p->stride_w;
    conv.block = p->block * g->phases;
    conv.filter_h = taps;
    conv.filter_w = g->taps;
    conv.stride_h = conv.stride_w = 1;
    conv.pad_left = g->taps - 1 - g->nearest;
    return conv;
}

/* Packed weights of a group start on an aligned address. */
static size_t group_bytes(const struct hy_conv_params *p, const struct group *g, uint32_t taps)
{
    const struct hy_conv_params conv = convolution_of(p, g, taps);
    const size_t bytes = HY_SIMD_FN(conv_packed_bytes)(&conv);

    return (bytes + HY_KERNEL_ALIGNMENT - 1) / HY_KERNEL_ALIGNMENT * HY_KERNEL_ALIGNMENT;
}

static size_t line_bytes(const struct hy_conv_params *p, const struct plan *plan, uint32_t taps)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < plan->count; i++)
        bytes += group_bytes(p, &plan->groups[i], taps);
    return bytes;
}

static struct plan plan_of(const struct hy_conv_params *p)
{
    struct plan plan = {.long_taps = taps_from(0, p->stride_h, p->filter_h),
                        .long_lines = (p->filter_h - 1) % p->stride_h + 1};
    struct group *last = NULL;

    for (uint32_t column = 0; column < p->stride_w; column++) {
        const struct group g = group_of(p, column);
        if (last && g.taps == last->taps && g.nearest == last->nearest &&
            g.pixels == last->pixels) {
            last->phases++;
        } else {
            last = &plan.groups[plan.count++];
            *last = g;
        }
    }
    plan.long_bytes = line_bytes(p, &plan, plan.long_taps);
    plan.short_bytes = line_bytes(p, &plan, plan.long_taps - 1);
    return plan;
}

/* The number of taps of the phase of lines with first tap `tap`. */
static uint32_t line_taps(const struct plan *plan, uint32_t tap)
{
    return tap < plan->long_lines ? plan->long_taps : plan->long_taps - 1;
}

/* The offset of the packed weights of the phase. */
static size_t line_offset(const struct plan *plan, uint32_t tap)
{
    const uint32_t long_lines = tap < plan->long_lines ? tap : plan->long_lines;

    return long_lines * plan->long_bytes + (tap - long_lines) * plan->short_bytes;
}

/* Whether no group starts inside the image: padding may cut off whole pixels. */
static bool begins_outside(const struct hy_conv_params *p)
{
    const struct plan plan = plan_of(p);
    bool all = true;

    for (uint32_t i = 0; i < plan.count; i++)
        all = all && plan.groups[i].nearest < plan.groups[i].taps;
    return all;
}

/* Each phase must have a tap, and the channels of a group must fit their type. */
int HY_SIMD_FN(transpose_conv_suits)(const struct hy_conv_params *p)
{
    return p->stride_h <= p->filter_h && p->stride_w <= p->filter_w &&
           p->stride_h <= LARGEST_STRIDE && p->stride_w <= LARGEST_STRIDE &&
           (uint64_t)p->out_c * p->stride_w <= INT32_MAX && begins_outside(p);
}

/* A number for the set of phases and their groups. */
uint32_t HY_SIMD_FN(transpose_conv_layout)(const struct hy_conv_params *p)
{
    return p->stride_h | p->stride_w << 8 | p->pad_left % p->stride_w << 16 |
           p->out_w % p->stride_w << 24;
}

size_t HY_SIMD_FN(transpose_conv_units)(const struct hy_conv_params *p)
{
    return (size_t)p->batch * p->out_h * conv_blocks(p);
}

size_t HY_SIMD_FN(transpose_conv_packed_bytes)(const struct hy_conv_params *p)
{
    const struct plan plan = plan_of(p);

    return line_offset(&plan, p->stride_h);
}

size_t HY_SIMD_FN(transpose_conv_scratch_bytes)(const struct hy_conv_params *p)
{
    const struct plan plan = plan_of(p);
    size_t most = 0;

    for (uint32_t i = 0; i < plan.count; i++)
        for (uint32_t taps = plan.long_taps - 1; taps <= plan.long_taps; taps++) {
            const struct hy_conv_params conv = convolution_of(p, &plan.groups[i], taps);
            const size_t bytes = HY_SIMD_FN(conv_scratch_bytes)(&conv);
            most = bytes > most ? bytes : most;
        }
    return most;
}

/* The filter of a group in the order of its inputs: the last tap first. */
static struct filter filter_of(const struct hy_conv_params *p, const struct group *g,
                               uint32_t line_tap, uint32_t taps, const filter_type *filter)
{
    const size_t column = p->in_c, row = column * p->filter_w;
    const size_t last_row = line_tap + (size_t)(taps - 1) * p->stride_h;
    const size_t last_column = g->tap + (size_t)(g->taps - 1) * p->stride_w;

    return (struct filter){
        .values = filter + last_row * row + last_column * column,
        .run = p->in_c,
        .depth_step = 1,
        .rows = taps,
        .columns = g->taps,
        .row_step = -(ptrdiff_t)(p->stride_h * row),
        .column_step = -(ptrdiff_t)(p->stride_w * column),
        .channels = p->out_c,
        .channel_step = p->filter_h * row,
        .phase_step = column,
    };
}

void HY_SIMD_FN(transpose_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    const struct plan plan = plan_of(p);
    uint8_t *to = packed;

    for (uint32_t tap = 0; tap < p->stride_h; tap++)
        for (uint32_t i = 0; i < plan.count; i++) {
            const uint32_t taps = line_taps(&plan, tap);
            const struct group *g = &plan.groups[i];
            const struct hy_conv_params conv = convolution_of(p, g, taps);
            const struct filter f = filter_of(p, g, tap, taps, filter);
            const size_t bytes = HY_SIMD_FN(conv_packed_bytes)(&conv);
            const size_t with_gap = group_bytes(p, g, taps);
            HY_SIMD_FN(conv_pack_filter)(&conv, &f, bias, to);
            memset(to + bytes, 0, with_gap - bytes);
            to += with_gap;
        }
}

/* Restricts the image of `conv` to the lines under the taps of an output line; the nearest is input
 * line `nearest`. Returns the start of the lines. */
static const HY_T *cut_lines(struct hy_conv_params *conv, size_t nearest, const HY_T *image)
{
    const size_t end = nearest + 1 < conv->in_h ? nearest + 1 : conv->in_h;
    const size_t above = nearest + 1 < conv->filter_h ? conv->filter_h - nearest - 1 : 0;
    size_t begin = nearest + 1 - conv->filter_h + above;

    begin = begin < end ? begin : end;
    conv->pad_top = (uint32_t)above;
    conv->in_h = (uint32_t)(end - begin);
    return image + begin * conv->in_w * conv->in_c;
}

/* Products between two checks of the stop object: a line of a large filter has more products. */
#define PRODUCTS_AT_ONCE ((size_t)1 << 22)

/* Computes the tiles of one block of channels of a line. */
static void run_tiles(const struct hy_conv_params *conv, const HY_T *from, const uint8_t *weights,
                      HY_T *out, void *scratch, size_t block)
{
    const size_t tiles = HY_SIMD_FN(conv_units)(conv) / conv_blocks(conv);
    const size_t products = conv_pixels(conv) * conv_depth(conv) * conv->out_c;
    const size_t step =
        products <= PRODUCTS_AT_ONCE ? tiles : PRODUCTS_AT_ONCE / (products / tiles) + 1;

    for (size_t tile = 0, end; tile < tiles; tile = end) {
        if (tile > 0 && hy_stop_after(hy_stop_here(), HY_STOP_UNITS))
            return;
        end = tiles - tile < step ? tiles : tile + step;
        CONVOLVE(conv, from, weights, NULL, out, scratch, block * tiles + tile,
                 block * tiles + end);
    }
}

/* Computes an output line with one block of channels. */
static void run_line(const struct hy_conv_params *p, const struct plan *plan, size_t line,
                     size_t block, const HY_T *in, const uint8_t *weights, HY_T *out, void *scratch)
{
    const size_t position = line % p->out_h + p->pad_top;
    const uint32_t tap = (uint32_t)(position % p->stride_h), taps = line_taps(plan, tap);
    const HY_T *image = in + line / p->out_h * p->in_h * p->in_w * p->in_c;

    out += line * p->out_w * p->out_c;
    weights += line_offset(plan, tap);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct group *g = &plan->groups[i];
        struct hy_conv_params conv = convolution_of(p, g, taps);
        const HY_T *from = cut_lines(&conv, position / p->stride_h, image);
        run_tiles(&conv, from, weights, out + (size_t)g->first * p->out_c, scratch, block);
        weights += group_bytes(p, g, taps);
    }
}

void HY_SIMD_FN(transpose_conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                                const void *bias, void *out, void *scratch, size_t first,
                                size_t end)
{
    const struct plan plan = plan_of(p);
    const size_t lines = (size_t)p->batch * p->out_h;

    (void)bias;
    for (; first < end; first++)
        run_line(p, &plan, first % lines, first / lines, in, weights, out, scratch);
}
