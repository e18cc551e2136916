#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_X86_ROWS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_X86_ROWS_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Interleaves the bytes of four rows for dot products of four bytes. Fast shuffles work within
 * halves of 128 bits, so a last step joins the halves.
 */
#define HY_ROWS_BYTES 32 /* bytes of each row */

static inline __m256i row_bytes(const uint8_t *row, __m256i minus)
{
    return _mm256_add_epi8(_mm256_loadu_si256((const void *)row), minus);
}

static inline void interleave_rows(const uint8_t *const rows[4], size_t at, __m256i minus,
                                   __m256i to[4])
{
    const __m256i a = row_bytes(rows[0] + at, minus), b = row_bytes(rows[1] + at, minus);
    const __m256i c = row_bytes(rows[2] + at, minus), d = row_bytes(rows[3] + at, minus);
    const __m256i ab_low = _mm256_unpacklo_epi8(a, b), ab_high = _mm256_unpackhi_epi8(a, b);
    const __m256i cd_low = _mm256_unpacklo_epi8(c, d), cd_high = _mm256_unpackhi_epi8(c, d);
    const __m256i first = _mm256_unpacklo_epi16(ab_low, cd_low);
    const __m256i second = _mm256_unpackhi_epi16(ab_low, cd_low);
    const __m256i third = _mm256_unpacklo_epi16(ab_high, cd_high);
    const __m256i fourth = _mm256_unpackhi_epi16(ab_high, cd_high);

    _mm256_storeu_si256(&to[0], _mm256_permute2x128_si256(first, second, 0x20));
    _mm256_storeu_si256(&to[1], _mm256_permute2x128_si256(third, fourth, 0x20));
    _mm256_storeu_si256(&to[2], _mm256_permute2x128_si256(first, second, 0x31));
    _mm256_storeu_si256(&to[3], _mm256_permute2x128_si256(third, fourth, 0x31));
}

#endif
