#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SHORTS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SHORTS_H

#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * Vector functions for kernels of 16-bit elements, besides simd.h: vectors of 2 * HY_LANES signed
 * numbers.
 *
 *     vs_load_part, vs_store_part    `count` elements, in 0..2 * HY_LANES, and zeros for the rest
 *     vs_min, vs_max
 *     vs_upper_bytes, vs_lower_bytes    x = 256 * upper + lower, with an unsigned lower byte
 *     vs_narrow(a, b)        in each block of 16 bytes the 32-bit lanes of a, then of b, saturated
 * to 16 bits: the inverse of vb_zip_low() and vb_zip_high() of shorts vs_high_product(a, b)  upper
 * halves of unsigned products NEON lacks the lower bytes and the product, because no NEON kernel
 * uses them.
 */
#if HY_LANES == 16
static inline vi vs_load_part(const int16_t *p, size_t count)
{
    return vb_load_part(p, count * sizeof *p);
}

static inline void vs_store_part(int16_t *p, vi x, size_t count)
{
    vb_store_part(p, x, count * sizeof *p);
}

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

static inline vi vs_upper_bytes(vi x)
{
    return _mm512_srai_epi16(x, 8);
}

static inline vi vs_lower_bytes(vi x)
{
    return _mm512_and_si512(x, _mm512_set1_epi16(UINT8_MAX));
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

HY_RARE vi vs_load_part(const int16_t *p, size_t count)
{
    int16_t shorts[2 * HY_LANES] = {0};
    memcpy(shorts, p, count * sizeof *p);
    return vi_load(shorts);
}

HY_RARE void vs_store_part(int16_t *p, vi x, size_t count)
{
    int16_t shorts[2 * HY_LANES];
    if (count >= 2 * HY_LANES) {
        vi_store(p, x);
        return;
    }
    vi_store(shorts, x);
    memcpy(p, shorts, count * sizeof *p);
}

static inline vi vs_min(vi a, vi b)
{
    return (vi){smaller_signed(a.low, b.low), smaller_signed(a.high, b.high)};
}

static inline vi vs_max(vi a, vi b)
{
    return (vi){larger_signed(a.low, b.low), larger_signed(a.high, b.high)};
}

static inline int32x4_t upper_bytes(int32x4_t x)
{
    return vreinterpretq_s32_s16(vshrq_n_s16(vreinterpretq_s16_s32(x), 8));
}

static inline vi vs_upper_bytes(vi x)
{
    return (vi){upper_bytes(x.low), upper_bytes(x.high)};
}

static inline vi vs_narrow(vi a, vi b)
{
    return (vi){vreinterpretq_s32_s16(vqmovn_high_s32(vqmovn_s32(a.low), b.low)),
                vreinterpretq_s32_s16(vqmovn_high_s32(vqmovn_s32(a.high), b.high))};
}
#else
/* Avoids loads of data that was just stored in smaller parts. */
static inline vi vs_load_part(const int16_t *p, size_t count)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i twos = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count / 2)), lanes);
    const __m256i x = _mm256_maskload_epi32((const void *)p, twos);

    if (count % 2 == 0)
        return x;
    const __m256i last = _mm256_cmpeq_epi32(_mm256_set1_epi32((int)(count / 2)), lanes);
    return _mm256_or_si256(x, _mm256_and_si256(last, _mm256_set1_epi32((uint16_t)p[count - 1])));
}

static __attribute__((noinline, unused)) void vs_store_part(int16_t *p, vi x, size_t count)
{
    __m128i half = _mm256_castsi256_si128(x);

    if (count >= 2 * HY_LANES) {
        vi_store(p, x);
        return;
    }
    if (count & 8) {
        _mm_storeu_si128((void *)p, half);
        half = _mm256_extracti128_si256(x, 1);
        p += 8;
    }
    if (count & 4) {
        _mm_storel_epi64((void *)p, half);
        half = _mm_srli_si128(half, 8);
        p += 4;
    }
    if (count & 2) {
        _mm_storeu_si32(p, half);
        half = _mm_srli_si128(half, 4);
        p += 2;
    }
    if (count & 1)
        *p = (int16_t)_mm_extract_epi16(half, 0);
}

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

static inline vi vs_upper_bytes(vi x)
{
    return _mm256_srai_epi16(x, 8);
}

static inline vi vs_lower_bytes(vi x)
{
    return _mm256_and_si256(x, _mm256_set1_epi16(UINT8_MAX));
}
#endif

#endif
