#include "cpu_fallback/kernels/element.h"

#include <stdalign.h>
#include <stdlib.h>

#include "cpu_fallback/kernels/fast/conv/wide_sums.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/reference/conv_walk.h"

/*
 * DEPTHWISE_CONV_2D of int16 data and int8 weights, with as many outputs as inputs: a group of two
 * vectors of channels at a time. Taps are taken in pairs, whose inputs are zipped, so that each
 * lane of 32 bits has two inputs of one channel. A tap outside the image reads zeros.
 *
 * Where a group has room for several pixels, it has them if their inputs lie beside each other.
 * Channels that do not fill groups then have several groups, whose channels go round.
 *
 * A packed group: the header of its channels (wide_sums.h), then for each pair of taps the weights
 * of its channels in pairs of 16 bits.
 */
#define GROUP ((size_t)2 * HY_LANES)

/* Sums of so many taps fit 32 bits. */
#define MOST_TAPS 510 /* an even number: the last pair may have one tap */

/* Groups after which channels begin at the first again. */
#define MOST_ROUND 8

static size_t taps_of(const struct hy_conv_params *p)
{
    return (size_t)p->filter_h * p->filter_w;
}

static size_t pairs_of(const struct hy_conv_params *p)
{
    return (taps_of(p) + 1) / 2;
}

/* 32-bit words. */
static size_t group_words(const struct hy_conv_params *p)
{
    return wide_header_words(GROUP) + pairs_of(p) * GROUP;
}

/* Elements of a line after which a group begins with the first channel again: a pixel, or, where
 * that is short, as many as fill groups. */
static size_t round_of(const struct hy_conv_params *p)
{
    const size_t channels = p->out_c;
    size_t groups = 1;

    if (channels >= GROUP)
        return channels;
    while (groups <= MOST_ROUND && groups * GROUP % channels != 0)
        groups++;
    return groups <= MOST_ROUND ? groups * GROUP : channels;
}

static size_t groups_of(const struct hy_conv_params *p)
{
    return (round_of(p) + GROUP - 1) / GROUP;
}

int HY_SIMD_FN(depthwise_conv_suits)(const struct hy_conv_params *p)
{
    return p->in_c == p->out_c && taps_of(p) <= MOST_TAPS;
}

size_t HY_SIMD_FN(depthwise_conv_units)(const struct hy_conv_params *p)
{
    return (size_t)p->batch * p->out_h;
}

size_t HY_SIMD_FN(depthwise_conv_packed_bytes)(const struct hy_conv_params *p)
{
    return groups_of(p) * group_words(p) * sizeof(int32_t);
}

/* Zeros for a pixel. */
size_t HY_SIMD_FN(depthwise_conv_scratch_bytes)(const struct hy_conv_params *p)
{
    return p->in_c * sizeof(int16_t);
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* Packs the weights of channel `c`, which is at `place` in its group; gives the sum of their
 * magnitudes. */
static int64_t pack_channel(const struct hy_conv_params *p, const int8_t *filter, size_t c,
                            size_t place, int16_t *to)
{
    int64_t magnitudes = 0;

    for (size_t tap = 0; tap < taps_of(p); tap++) {
        const int8_t weight = filter[tap * p->out_c + c];
        to[(tap / 2 * GROUP + place) * 2 + tap % 2] = weight;
        magnitudes += abs(weight);
    }
    return magnitudes;
}

void HY_SIMD_FN(depthwise_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    const size_t round = round_of(p);
    int32_t *to = packed;

    memset(packed, 0, HY_SIMD_FN(depthwise_conv_packed_bytes)(p));
    for (size_t first = 0; first < round; first += GROUP, to += group_words(p)) {
        const size_t count = round - first < GROUP ? round - first : GROUP;
        int16_t *weights = (int16_t *)(to + wide_header_words(GROUP));
        struct wide_channel channels[GROUP];
        for (size_t i = 0; i < count; i++) {
            const size_t c = (first + i) % p->out_c;
            const int64_t magnitudes = pack_channel(p, filter, c, wide_place(i, GROUP), weights);
            channels[i] = (struct wide_channel){((const int64_t *)bias)[c], p->multipliers[c],
                                                magnitudes * -(int64_t)INT16_MIN};
        }
        wide_header_pack(channels, count, GROUP, to);
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* The inputs of a pixel, and what all pixels have alike. */
struct taps {
    const struct hy_conv_params *p;
    const int32_t *packed;
    const int16_t *zeros;
    size_t pairs, round;
    const int16_t *at[MOST_TAPS];
};

struct sums {
    vi first, second; /* of channels in the order of a narrow group */
};

static inline vi load_some(const int16_t *from, size_t count)
{
    return count == GROUP ? vi_load(from) : vb_load_part(from, count * sizeof *from);
}

/* Adds the products of `count` channels from element `from` of the taps on. */
HY_ALWAYS_INLINE struct sums add_taps(const struct taps *t, size_t from, size_t count, size_t pairs,
                                      const int32_t *weights, struct sums sums)
{
    for (size_t k = 0; k < pairs; k++, weights += GROUP) {
        const vi a = load_some(t->at[2 * k] + from, count);
        const vi b = load_some(t->at[2 * k + 1] + from, count);
        sums.first = vs_dot(sums.first, vb_zip_low(a, b, 2), vi_load(weights));
        sums.second = vs_dot(sums.second, vb_zip_high(a, b, 2), vi_load(weights + HY_LANES));
    }
    return sums;
}

/* The outputs of one group. */
HY_ALWAYS_INLINE void convolve_group(const struct taps *t, size_t from, size_t count, size_t pairs,
                                     const int32_t *packed, int16_t *out)
{
    const int32_t min = t->p->activation.q_min, max = t->p->activation.q_max;
    const struct wide_header h = wide_header_at(packed, GROUP);
    const int32_t *weights = packed + wide_header_words(GROUP);
    struct sums sums = {vi_set1(0), vi_set1(0)};
    alignas(64) int32_t narrow[GROUP];
    int64_t wide[GROUP];

    if (h.is_narrow) {
        const struct wide_scale first = wide_scale_at(&h, 0);
        const struct wide_scale second = wide_scale_at(&h, HY_LANES);
        sums = (struct sums){vi_load(h.biases), vi_load(h.biases + HY_LANES)};
        sums = add_taps(t, from, count, pairs, weights, sums);
        wide_store_two(wide_rescale(sums.first, &first), wide_rescale(sums.second, &second), min,
                       max, count, out);
        return;
    }
    sums = add_taps(t, from, count, pairs, weights, sums);
    vi_store(narrow, sums.first);
    vi_store(narrow + HY_LANES, sums.second);
    memcpy(wide, h.biases, sizeof wide);
    wide_add(narrow, GROUP, wide);
    wide_store(t->p, wide, &h, count, out);
}

/* `count` outputs from element `from` of the taps on, the first of them of the first channel. */
HY_ALWAYS_INLINE void convolve_run(const struct taps *t, size_t from, size_t count, size_t pairs,
                                   int16_t *out)
{
    const size_t words = wide_header_words(GROUP) + pairs * GROUP;

    for (size_t begin = 0; begin < count; begin += t->round) {
        const size_t left = count - begin, round = left < t->round ? left : t->round;
        const int32_t *packed = t->packed;
        size_t i = begin;
        for (; i + GROUP <= begin + round; i += GROUP, packed += words)
            convolve_group(t, from + i, GROUP, pairs, packed, out + i);
        if (i < begin + round)
            convolve_group(t, from + i, begin + round - i, pairs, packed, out + i);
    }
}

/* Filters of 3x3 are compiled by themselves. */
static void convolve_pixels(const struct taps *t, size_t from, size_t count, int16_t *out)
{
    if (t->pairs == 5)
        convolve_run(t, from, count, 5, out);
    else
        convolve_run(t, from, count, t->pairs, out);
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* Finds the taps of output (y, x). */
static void find_taps(const struct hy_conv_params *p, const int16_t *image, uint32_t y, uint32_t x,
                      struct taps *t)
{
    const struct hy_taps inside = hy_conv_taps(p, y, x);
    const size_t column = (size_t)p->dilation_w * p->in_c;
    size_t tap = 0;

    for (size_t i = 0; i < p->filter_h; i++) {
        const bool is_line = i >= inside.rows.begin && i < inside.rows.end;
        const size_t begin = is_line ? inside.columns.begin : p->filter_w;
        const size_t end = is_line ? inside.columns.end : p->filter_w;
        for (size_t j = 0; j < begin; j++)
            t->at[tap++] = t->zeros;
        if (begin < end) {
            const int16_t *from = image + hy_conv_tap_pixel(p, y, x, i, begin) * p->in_c;
            for (size_t j = begin; j < end; j++, from += column)
                t->at[tap++] = from;
        }
        for (size_t j = end; j < p->filter_w; j++)
            t->at[tap++] = t->zeros;
    }
    if (tap % 2 != 0)
        t->at[tap] = t->at[tap - 1]; /* with weights of 0 */
}

/* The output columns under which every tap column is inside. */
static struct hy_window inner_columns(const struct hy_conv_params *p)
{
    const int64_t reach = (int64_t)(p->filter_w - 1) * p->dilation_w;
    const int64_t last = (int64_t)p->in_w - 1 - reach + p->pad_left;
    const size_t begin = ((size_t)p->pad_left + p->stride_w - 1) / p->stride_w;
    size_t end = last < 0 ? 0 : (size_t)last / p->stride_w + 1;

    end = end < p->out_w ? end : p->out_w;
    return (struct hy_window){begin < end ? begin : end, end};
}

/* `count` pixels from (y, x) on, of which no tap is outside. */
static void convolve_inside(const int16_t *image, uint32_t y, uint32_t x, size_t count,
                            struct taps *t, int16_t *out)
{
    const struct hy_conv_params *p = t->p;
    const size_t step = (size_t)p->stride_w * p->in_c;

    find_taps(p, image, y, x, t);
    if (p->stride_w == 1)
        convolve_pixels(t, 0, count * p->out_c, out);
    else
        for (size_t i = 0; i < count; i++)
            convolve_pixels(t, i * step, p->out_c, out + i * p->out_c);
}

static void convolve_line(const int16_t *image, uint32_t y, struct taps *t, int16_t *out)
{
    const struct hy_conv_params *p = t->p;
    const struct hy_taps first = hy_conv_taps(p, y, 0);
    const bool is_inside = first.rows.end - first.rows.begin == p->filter_h;
    const struct hy_window inner = is_inside ? inner_columns(p) : (struct hy_window){0, 0};

    for (uint32_t x = 0; x < p->out_w; x++)
        if (x == inner.begin && inner.begin < inner.end) {
            convolve_inside(image, y, x, inner.end - inner.begin, t, out + (size_t)x * p->out_c);
            x = (uint32_t)inner.end - 1;
        } else {
            find_taps(p, image, y, x, t);
            convolve_pixels(t, 0, p->out_c, out + (size_t)x * p->out_c);
        }
}

void HY_SIMD_FN(depthwise_conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                                const void *bias, void *out, void *scratch, size_t first,
                                size_t end)
{
    struct taps taps;

    taps.p = p;
    taps.packed = weights;
    taps.zeros = memset(scratch, 0, p->in_c * sizeof(int16_t));
    taps.pairs = pairs_of(p);
    taps.round = round_of(p);
    (void)bias;
    for (size_t row = first; row < end; row++)
        convolve_line((const int16_t *)in + hy_conv_image(p, row) * p->in_c,
                      (uint32_t)(row % p->out_h), &taps, (int16_t *)out + row * p->out_w * p->out_c);
}
