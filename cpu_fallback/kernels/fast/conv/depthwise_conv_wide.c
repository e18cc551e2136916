#include "cpu_fallback/kernels/element.h"

#include <stdalign.h>

#include "cpu_fallback/kernels/fast/conv/wide_sums.h"
#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/reference/conv_walk.h"

/*
 * DEPTHWISE_CONV_2D of int16 data and int8 weights, with as many outputs as inputs: a block of
 * channels of one output pixel at a time, whose sums stay in the first cache.
 *
 * A packed block: the headers of its channels (wide_sums.h), then the weights of each tap, widened.
 */
#define BLOCK 64

/* Sums of so many taps fit 32 bits. */
#define MOST_TAPS 511

static size_t taps_of(const struct hy_conv_params *p)
{
    return (size_t)p->filter_h * p->filter_w;
}

static size_t blocks_of(const struct hy_conv_params *p)
{
    return ((size_t)p->out_c + BLOCK - 1) / BLOCK;
}

/* 64-bit words. */
static size_t block_words(const struct hy_conv_params *p)
{
    return BLOCK * WIDE_HEADER + taps_of(p) * BLOCK * sizeof(int16_t) / sizeof(int64_t);
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
    return blocks_of(p) * block_words(p) * sizeof(int64_t);
}

void HY_SIMD_FN(depthwise_conv_pack)(const struct hy_conv_params *p, const void *filter,
                                     const void *bias, void *packed)
{
    const int8_t *weights = filter;

    memset(packed, 0, HY_SIMD_FN(depthwise_conv_packed_bytes)(p));
    for (size_t c = 0; c < p->out_c; c++) {
        int64_t *header = (int64_t *)packed + c / BLOCK * block_words(p);
        int16_t *taps = (int16_t *)(header + BLOCK * WIDE_HEADER) + c % BLOCK;
        wide_header_pack(((const int64_t *)bias)[c], p->multipliers[c], BLOCK, header + c % BLOCK);
        for (size_t tap = 0; tap < taps_of(p); tap++)
            taps[tap * BLOCK] = weights[tap * p->out_c + c];
    }
}

/* The sums of `count` channels under the taps that fall inside. */
static inline void add_taps(const struct hy_conv_params *p, const struct hy_taps *inside,
                            const int16_t *image, uint32_t y, uint32_t x, const int16_t *taps,
                            size_t count, int32_t sums[BLOCK])
{
    for (size_t i = inside->rows.begin; i < inside->rows.end; i++)
        for (size_t j = inside->columns.begin; j < inside->columns.end; j++) {
            const int16_t *from = image + hy_conv_tap_pixel(p, y, x, i, j) * p->in_c;
            const int16_t *tap = taps + (i * p->filter_w + j) * BLOCK;
            for (size_t c = 0; c < count; c++)
                sums[c] += from[c] * tap[c];
        }
}

/* One output pixel. */
static void convolve(const struct hy_conv_params *p, const int16_t *image, const int64_t *packed,
                     uint32_t y, uint32_t x, int16_t *out)
{
    const struct hy_taps inside = hy_conv_taps(p, y, x);

    for (size_t c = 0; c < p->out_c; c += BLOCK, packed += block_words(p)) {
        const size_t count = p->out_c - c < BLOCK ? p->out_c - c : BLOCK;
        const int16_t *taps = (const int16_t *)(packed + BLOCK * WIDE_HEADER);
        alignas(64) int32_t sums[BLOCK] = {0};
        alignas(64) int64_t wide[BLOCK];
        if (count == BLOCK) /* known to the compiler */
            add_taps(p, &inside, image + c, y, x, taps, BLOCK, sums);
        else
            add_taps(p, &inside, image + c, y, x, taps, count, sums);
        for (size_t i = 0; i < BLOCK; i++)
            wide[i] = packed[i] + sums[i];
        wide_store(p, wide, packed, BLOCK, count, out + c);
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
        int16_t *pixel = (int16_t *)out + row * p->out_w * p->out_c;
        for (uint32_t x = 0; x < p->out_w; x++, pixel += p->out_c)
            convolve(p, image, weights, (uint32_t)(row % p->out_h), x, pixel);
    }
}
