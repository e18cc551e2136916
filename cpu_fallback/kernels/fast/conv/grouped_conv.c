#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/conv/conv_filter.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * GROUPED_CONV_2D by the convolutions of the set, one for each group. The channels of a group are
 * copied next to each other, for the lines under a few output lines. All groups process the same
 * lines while the lines are cached.
 *
 * Packed weights are the packed weights of all groups. A unit is a group with a band of output
 * lines.
 */

/* Largest size of the copy of a band, unless a single output line needs more. */
#define BAND_BYTES 16384

/* Output lines computed together. */
struct bands {
    uint32_t lines; /* lines of a band; the last band of an image may have fewer */
    size_t count;   /* bands of an image */
    size_t bytes;   /* bytes of the copy of a band */
};

/* The number of input lines under `lines` output lines. */
static size_t lines_under(const struct hy_conv_params *p, size_t lines)
{
    return (lines - 1) * p->stride_h + (size_t)(p->filter_h - 1) * p->dilation_h + 1;
}

static struct bands bands_of(const struct hy_conv_params *p)
{
    const size_t line = (size_t)p->in_w * (p->in_c / p->groups) * sizeof(HY_T);
    const size_t fitting = line == 0 ? SIZE_MAX : BAND_BYTES / line;
    struct bands bands = {.lines = 1};

    if (p->out_h > 1 && fitting > lines_under(p, 1)) {
        const size_t further = (fitting - lines_under(p, 1)) / p->stride_h;
        bands.lines = further < p->out_h ? (uint32_t)further + 1 : p->out_h;
    }
    const size_t under = lines_under(p, bands.lines);
    bands.count = ((size_t)p->out_h + bands.lines - 1) / bands.lines;
    bands.bytes = (under < p->in_h ? under : p->in_h) * line;
    return bands;
}

/* The convolution of one group. */
static struct hy_conv_params convolution_of(const struct hy_conv_params *p)
{
    struct hy_conv_params conv = *p;

    conv.in_c = p->in_c / p->groups;
    conv.out_c = p->out_c / p->groups;
    conv.out_step = p->out_c;
    conv.groups = 1;
    return conv;
}

static size_t aligned(size_t bytes)
{
    return (bytes + HY_KERNEL_ALIGNMENT - 1) / HY_KERNEL_ALIGNMENT * HY_KERNEL_ALIGNMENT;
}

size_t HY_SIMD_FN(grouped_conv_units)(const struct hy_conv_params *p)
{
    return p->batch * bands_of(p).count * p->groups;
}

size_t HY_SIMD_FN(grouped_conv_packed_bytes)(const struct hy_conv_params *p)
{
    const struct hy_conv_params conv = convolution_of(p);

    return p->groups * aligned(HY_SIMD_FN(conv_packed_bytes)(&conv));
}

/* The scratch holds the copy of a band, followed by the scratch of the convolution. */
size_t HY_SIMD_FN(grouped_conv_scratch_bytes)(const struct hy_conv_params *p)
{
    struct hy_conv_params conv = convolution_of(p);

    conv.in_h = 0; /* the size must not depend on the lines of a band */
    return aligned(bands_of(p).bytes) + HY_SIMD_FN(conv_scratch_bytes)(&conv);
}

void HY_SIMD_FN(grouped_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                   const void *bias, void *packed)
{
    struct hy_conv_params conv = convolution_of(p);
    const size_t bytes = HY_SIMD_FN(conv_packed_bytes)(&conv), with_gap = aligned(bytes);
    const size_t weights = conv_depth(&conv) * conv.out_c;
    uint8_t *to = packed;

    for (size_t g = 0; g < p->groups; g++, to += with_gap) {
        const size_t channel = g * conv.out_c;
        if (p->multipliers)
            conv.multipliers = p->multipliers + channel;
        HY_SIMD_FN(conv_pack)
        (&conv, (const filter_type *)filter + g * weights, (const bias_type *)bias + channel, to);
        memset(to + bytes, 0, with_gap - bytes);
    }
}

/* The bytes of a few channels of a pixel. */
static inline void copy_channels(const uint8_t *from, size_t bytes, uint8_t *to)
{
    for (; bytes >= 32; bytes -= 32, from += 32, to += 32)
        memcpy(to, from, 32);
    for (size_t step = 16; step > 0; step /= 2)
        if (bytes & step) {
            memcpy(to, from, step);
            from += step;
            to += step;
        }
}

/* Copies the channels of a group, for `pixels` pixels of an image. */
static void copy_group(const struct hy_conv_params *p, const HY_T *from, size_t pixels, HY_T *to)
{
    const size_t depth = p->in_c / p->groups;

    for (size_t i = 0; i < pixels; i++, from += p->in_c, to += depth)
        copy_channels((const uint8_t *)from, depth * sizeof *from, (uint8_t *)to);
}

/* Restricts `conv` to `lines` output lines from line `y` on. Returns the first input line of the
 * restricted convolution. */
static size_t cut_band(struct hy_conv_params *conv, size_t y, uint32_t lines)
{
    const int64_t first = (int64_t)(y * conv->stride_h) - conv->pad_top;
    const int64_t last = first + (int64_t)lines_under(conv, lines), height = conv->in_h;
    const int64_t begin = first < 0 ? 0 : first < height ? first : height;
    const int64_t end = last < begin ? begin : last < height ? last : height;

    conv->batch = 1;
    conv->out_h = lines;
    conv->pad_top = (uint32_t)(begin - (first < height ? first : height));
    conv->in_h = (uint32_t)(end - begin);
    return (size_t)begin;
}

static void run_band(const struct hy_conv_params *p, const struct bands *bands, size_t band,
                     size_t group, const HY_T *in, const uint8_t *weights, HY_T *out,
                     uint8_t *scratch)
{
    struct hy_conv_params conv = convolution_of(p);
    const size_t image = band / bands->count, y = band % bands->count * bands->lines;
    const size_t left = p->out_h - y, lines = left < bands->lines ? left : bands->lines;
    const size_t begin = cut_band(&conv, y, (uint32_t)lines);
    const size_t pixel = (image * p->in_h + begin) * p->in_w;
    HY_T *const copy = (HY_T *)scratch;

    copy_group(p, in + pixel * p->in_c + group * conv.in_c, (size_t)conv.in_h * p->in_w, copy);
    HY_SIMD_FN(conv)
    (&conv, copy, weights, NULL,
     out + (image * p->out_h + y) * p->out_w * p->out_c + group * conv.out_c,
     scratch + aligned(bands->bytes), 0, HY_SIMD_FN(conv_units)(&conv));
}

void HY_SIMD_FN(grouped_conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                              const void *bias, void *out, void *scratch, size_t first, size_t end)
{
    const struct bands bands = bands_of(p);
    const struct hy_conv_params conv = convolution_of(p);
    const size_t group_bytes = aligned(HY_SIMD_FN(conv_packed_bytes)(&conv));

    (void)bias;
    for (; first < end; first++) {
        const size_t group = first % p->groups;
        run_band(p, &bands, first / p->groups, group, in,
                 (const uint8_t *)weights + group * group_bytes, out, scratch);
    }
}
