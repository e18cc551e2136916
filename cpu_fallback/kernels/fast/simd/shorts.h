#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SHORTS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SHORTS_H

#include "cpu_fallback/kernels/fast/simd/simd.h"

/* Elements of 16 bits in lanes of 32, HY_LANES at most. */

#if defined(HY_AVX512)
static inline vi vi_load_s16_part(const int16_t *p, size_t count)
{
    return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(first_lanes(count), p));
}

/* The lower half of every lane. */
static inline void vi_store_shorts_part(void *p, vi x, size_t count)
{
    _mm256_mask_storeu_epi16(p, first_lanes(count), _mm512_cvtepi32_epi16(x));
}
#elif defined(HY_AVX2)
static inline vi vi_load_s16_part(const int16_t *p, size_t count)
{
    int16_t part[HY_LANES] = {0};

    if (count < HY_LANES)
        p = memcpy(part, p, count * sizeof *p);
    return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}

/* The lower half of every lane, of numbers that fit. */
static inline void vi_store_shorts_part(void *p, vi x, size_t count)
{
    const __m128i shorts =
        _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    int16_t part[HY_LANES];

    if (count == HY_LANES) {
        _mm_storeu_si128(p, shorts);
        return;
    }
    _mm_storeu_si128((__m128i *)(void *)part, shorts);
    memcpy(p, part, count * sizeof *part);
}
#else
static inline vi vi_load_s16_part(const int16_t *p, size_t count)
{
    int16_t part[HY_LANES] = {0};

    if (count < HY_LANES)
        p = memcpy(part, p, count * sizeof *p);
    const int16x8_t shorts = vld1q_s16(p);
    return (vi){vmovl_s16(vget_low_s16(shorts)), vmovl_s16(vget_high_s16(shorts))};
}

static inline void vi_store_shorts_part(void *p, vi x, size_t count)
{
    int16_t part[HY_LANES];

    if (count == HY_LANES) {
        vst1q_s16(p, low_halves(x));
        return;
    }
    vst1q_s16(part, low_halves(x));
    memcpy(p, part, count * sizeof *part);
}
#endif

#endif
