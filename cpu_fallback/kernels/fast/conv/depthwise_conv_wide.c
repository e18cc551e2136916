#include "cpu_fallback/kernels/element.h"

#include <stdlib.h>

#include "cpu_fallback/kernels/fast/conv/wide_sums.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/reference/conv_walk.h"

/*
 * DEPTHWISE_CONV_2D of int16 data and int8 weights, with as many outputs as inputs: a vector of
 * channels of one output pixel at a time.
 *
 * A packed vector: the header of its channels (wide_sums.h), then the weights of each tap, widened
 * to 32 bits.
 */

/* Sums of so many taps fit 32 bits. */
#define MOST_TAPS 511

static size_t taps_of(const struct hy_conv_params *p)
{
    return (size_t)p->filter_h * p->filter_w;
}

/* 32-bit words. */
static size_t vector_words(const struct hy_conv_params *p)
{
    return wide_header_words(HY_LANES) + taps_of(p) * HY_LANES;
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
    return ((size_t)p->out_c + HY_LANES - 1) / HY_LANES * vector_words(p) * sizeof(int32_t);
}

void HY_SIMD_FN(depthwise_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    const int8_t *weights = filter;
    int32_t *to = packed;

    memset(packed, 0, HY_SIMD_FN(depthwise_conv_packed_bytes)(p));
    for (size_t first = 0; first < p->out_c; first += HY_LANES, to += vector_words(p)) {
        const size_t count = p->out_c - first < HY_LANES ? p->out_c - first : HY_LANES;
        int32_t *taps = to + wide_header_words(HY_LANES);
        struct wide_channel channels[HY_LANES];
        for (size_t i = 0; i < count; i++) {
            const size_t c = first + i;
            channels[i] = (struct wide_channel){((const int64_t *)bias)[c], p->multipliers[c], 0};
            for (size_t tap = 0; tap < taps_of(p); tap++) {
                const int8_t weight = weights[tap * p->out_c + c];
                taps[tap * HY_LANES + i] = weight;
                channels[i].reach += abs(weight) * -(int64_t)INT16_MIN;
            }
        }
        wide_header_pack(channels, count, HY_LANES, to);
    }
}

/* One output pixel's vector of `count` channels, from `sums` on. */
static inline vi add_taps(const struct hy_conv_params *p, const struct hy_taps *inside,
                          const int16_t *pixel, const int32_t *taps, size_t count, vi sums)
{
    const size_t line = (size_t)p->dilation_h * p->in_w * p->in_c;
    const size_t column = (size_t)p->dilation_w * p->in_c;

    for (size_t i = inside->rows.begin; i < inside->rows.end; i++, pixel += line) {
        const int16_t *from = pixel;
        for (size_t j = inside->columns.begin; j < inside->columns.end; j++, from += column)
            sums = vi_add(sums, vi_multiply(vi_load_s16_part(from, count),
                                            vi_load(taps + (i * p->filter_w + j) * HY_LANES)));
    }
    return sums;
}

/* One output pixel; `pixel` is under the first tap that falls inside. */
static void convolve(const struct hy_conv_params *p, const struct hy_taps *inside,
                     const int16_t *pixel, const int32_t *packed, int16_t *out)
{
    for (size_t c = 0; c < p->out_c; c += HY_LANES, packed += vector_words(p)) {
        const size_t count = p->out_c - c < HY_LANES ? p->out_c - c : HY_LANES;
        const struct wide_header h = wide_header_at(packed, HY_LANES);
        const int32_t *taps = packed + wide_header_words(HY_LANES);
        if (h.is_narrow) {
            const struct wide_scale scale = wide_scale_at(&h, 0);
            const vi sums = add_taps(p, inside, pixel + c, taps, count, vi_load(h.biases));
            wide_store_narrow(wide_rescale(sums, &scale), p->activation.q_min, p->activation.q_max,
                              count, out + c);
        } else {
            int32_t narrow[HY_LANES];
            int64_t wide[HY_LANES];
            vi_store(narrow, add_taps(p, inside, pixel + c, taps, count, vi_set1(0)));
            memcpy(wide, h.biases, sizeof wide);
            for (size_t i = 0; i < HY_LANES; i++)
                wide[i] += narrow[i];
            wide_store(p, wide, &h, count, out + c);
        }
    }
}

void HY_SIMD_FN(depthwise_conv)(const struct hy_conv_params *p, const void *in, const void *weights,
                                const void *bias, void *out, void *scratch, size_t first,
                                size_t end)
{
    (void)bias;
    (void)scratch;
    for (size_t row = first; row < end; row++) {
        const int16_t *image = (const int16_t *)in + hy_conv_image(p, row) * p->in_c;
        const uint32_t y = (uint32_t)(row % p->out_h);
        int16_t *to = (int16_t *)out + row * p->out_w * p->out_c;
        for (uint32_t x = 0; x < p->out_w; x++, to += p->out_c) {
            const struct hy_taps inside = hy_conv_taps(p, y, x);
            const bool is_any =
                inside.rows.begin < inside.rows.end && inside.columns.begin < inside.columns.end;
            const size_t pixel =
                is_any ? hy_conv_tap_pixel(p, y, x, inside.rows.begin, inside.columns.begin) : 0;
            convolve(p, &inside, image + pixel * p->in_c, weights, to);
        }
    }
}
