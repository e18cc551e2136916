#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SHORTS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SHORTS_H

#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * What kernels of 16-bit elements need of each set beside simd.h: vectors of 2 * HY_LANES signed
 * numbers.
 *
 *     vs_min, vs_max
 *     vs_narrow(a, b)        in each block of 16 bytes its lanes of 32 bits of a, then of b,
 *                            saturated to 16: it undoes vb_zip_low() and vb_zip_high() of shorts
 *     vs_high_product(a, b)  upper halves of products of numbers without a sign; not of NEON
 */
#if HY_LANES == 16
static inline vi vs_min(vi a, vi b)
{
    return _mm512_min_epi16(a, b);
}

static inline vi vs_max(vi a, vi b)
{
    return _mm512_max_epi16(a, b);
}

static inline vi vs_narrow(vi a, vi b)
{
    return _mm512_packs_epi32(a, b);
}

static inline vi vs_high_product(vi a, vi b)
{
    return _mm512_mulhi_epu16(a, b);
}
#elif defined(HY_NEON)
static inline int32x4_t smaller_signed(int32x4_t a, int32x4_t b)
{
    return vreinterpretq_s32_s16(vminq_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)));
}

static inline int32x4_t larger_signed(int32x4_t a, int32x4_t b)
{
    return vreinterpretq_s32_s16(vmaxq_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)));
}

static inline vi vs_min(vi a, vi b)
{
    return (vi){smaller_signed(a.low, b.low), smaller_signed(a.high, b.high)};
}

static inline vi vs_max(vi a, vi b)
{
    return (vi){larger_signed(a.low, b.low), larger_signed(a.high, b.high)};
}

static inline vi vs_narrow(vi a, vi b)
{
    return (vi){vreinterpretq_s32_s16(vqmovn_high_s32(vqmovn_s32(a.low), b.low)),
                vreinterpretq_s32_s16(vqmovn_high_s32(vqmovn_s32(a.high), b.high))};
}
#else
static inline vi vs_min(vi a, vi b)
{
    return _mm256_min_epi16(a, b);
}

static inline vi vs_max(vi a, vi b)
{
    return _mm256_max_epi16(a, b);
}

static inline vi vs_narrow(vi a, vi b)
{
    return _mm256_packs_epi32(a, b);
}

static inline vi vs_high_product(vi a, vi b)
{
    return _mm256_mulhi_epu16(a, b);
}
#endif

#endif
