/*
 * Depthwise convolution with several outputs per input channel, computed as a convolution with one
 * output per input channel. Bands of input lines are copied, with each channel repeated once per
 * output. A template, included by each depthwise convolution after the definition of
 *   plain_units(p), plain_scratch_bytes(p), plain_conv(p, in, weights, out, scratch, first, end)
 * for equal numbers of inputs and outputs.
 */

/* The copy and the output fit the second-level cache. Bands of few lines leave work for several
 * threads. */
#define SPREAD_BYTES      ((size_t)128 << 10)
#define MOST_SPREAD_LINES 16

static inline bool is_spread(const struct hy_conv_params *p)
{
    return p->in_c != p->out_c;
}

/* Elements of an input line of the copy. */
static inline size_t spread_line(const struct hy_conv_params *p)
{
    return (size_t)p->in_w * p->out_c;
}

/* Number of input lines under the taps of `lines` output lines. */
static inline size_t spread_reach(const struct hy_conv_params *p, size_t lines)
{
    return (lines - 1) * p->stride_h + (size_t)(p->filter_h - 1) * p->dilation_h + 1;
}

/* Output lines of a band. */
static inline size_t spread_lines(const struct hy_conv_params *p)
{
    const size_t most = p->out_h < MOST_SPREAD_LINES ? p->out_h : MOST_SPREAD_LINES;
    size_t lines = 1;

    while (lines < most &&
           spread_reach(p, lines + 1) * spread_line(p) * sizeof(HY_T) <= SPREAD_BYTES)
        lines++;
    return lines;
}

static inline size_t spread_bands_of_image(const struct hy_conv_params *p)
{
    const size_t lines = spread_lines(p);

    return (p->out_h + lines - 1) / lines;
}

static inline size_t spread_units(const struct hy_conv_params *p)
{
    return p->out_w == 0 ? 0 : p->batch * spread_bands_of_image(p);
}

/* Size of the copy of a band; the scratch of the band's convolution follows the copy. */
static inline size_t spread_copy_bytes(const struct hy_conv_params *p)
{
    const size_t reach = spread_reach(p, spread_lines(p));
    const size_t lines = reach < p->in_h ? reach : p->in_h;
    const size_t bytes = lines * spread_line(p) * sizeof(HY_T);

    return (bytes + HY_KERNEL_ALIGNMENT - 1) / HY_KERNEL_ALIGNMENT * HY_KERNEL_ALIGNMENT;
}

/* A band is a convolution of its own, with the copy as its image. */
struct spread_band {
    struct hy_conv_params p;
    size_t in_line, out_line; /* first lines of the band, counted through the batch */
};

static inline struct spread_band spread_band_at(const struct hy_conv_params *p, size_t unit)
{
    const size_t most = spread_lines(p), bands = spread_bands_of_image(p);
    const size_t image = unit / bands, y = unit % bands * most;
    const size_t lines = p->out_h - y < most ? p->out_h - y : most;
    const int64_t top = (int64_t)(y * p->stride_h) - p->pad_top;
    const int64_t bottom = top + (int64_t)spread_reach(p, lines);
    const int64_t begin = top < 0 ? 0 : top < p->in_h ? top : p->in_h;
    const int64_t end = bottom < begin ? begin : bottom < p->in_h ? bottom : p->in_h;
    struct spread_band band = {
        .p = *p,
        .in_line = image * p->in_h + (size_t)begin,
        .out_line = image * p->out_h + y,
    };

    band.p.batch = 1;
    band.p.in_h = (uint32_t)(end - begin);
    band.p.in_c = p->out_c;
    band.p.out_h = (uint32_t)lines;
    band.p.pad_top = top < 0 ? (uint32_t)-top : 0;
    return band;
}

HY_ALWAYS_INLINE void spread_times(const HY_T *restrict from, size_t count, size_t times,
                                   HY_T *restrict to)
{
    for (size_t i = 0; i < count; i++, to += times) {
        HY_UNROLL_IF_KNOWN(8)
        for (size_t k = 0; k < times; k++)
            to[k] = from[i];
    }
}

/* Writes each of `count` elements `times` times; vectorised for common values of `times`. */
static __attribute__((noinline)) void spread(const HY_T *from, size_t count, size_t times, HY_T *to)
{
    if (times == 2)
        spread_times(from, count, 2, to);
    else if (times == 4)
        spread_times(from, count, 4, to);
    else if (times == 8)
        spread_times(from, count, 8, to);
    else
        spread_times(from, count, times, to);
}

static inline size_t spread_scratch_bytes(const struct hy_conv_params *p)
{
    struct hy_conv_params plain = *p;

    plain.in_c = p->out_c;
    return spread_copy_bytes(p) + plain_scratch_bytes(&plain);
}

static void spread_conv(const struct hy_conv_params *p, const HY_T *in, const void *weights,
                        HY_T *out, uint8_t *scratch, size_t first, size_t end)
{
    HY_T *copy = (HY_T *)scratch;

    for (; first < end; first++) {
        const struct spread_band band = spread_band_at(p, first);
        const size_t pixels = (size_t)band.p.in_h * p->in_w;
        spread(in + band.in_line * p->in_w * p->in_c, pixels * p->in_c, p->out_c / p->in_c, copy);
        plain_conv(&band.p, copy, weights, out + band.out_line * p->out_w * p->out_c,
                   scratch + spread_copy_bytes(p), 0, plain_units(&band.p));
    }
}

size_t HY_SIMD_FN(depthwise_conv_units)(const struct hy_conv_params *p)
{
    if (p->in_c == 1)
        return HY_SIMD_FN(conv_units)(p);
    return is_spread(p) ? spread_units(p) : plain_units(p);
}

size_t HY_SIMD_FN(depthwise_conv_scratch_bytes)(const struct hy_conv_params *p)
{
    if (p->in_c == 1)
        return HY_SIMD_FN(conv_scratch_bytes)(p);
    return is_spread(p) ? spread_scratch_bytes(p) : plain_scratch_bytes(p);
}
