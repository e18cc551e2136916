#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_AVX2_BYTES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_AVX2_BYTES_H

/*
 * VNNI in vectors of 256 bits: products of four unsigned bytes and four signed bytes, as in
 * simd_avx512.h. The instruction has two encodings, AVX-VNNI and AVX-512, and a processor may have
 * either. Included by simd_avx2.h.
 */
#if defined(HY_AVXVNNI)
#define HY_SIMD_SET avxvnni
#else
#define HY_SIMD_SET vnni256
#endif

#include "cpu_fallback/kernels/fast/simd/simd_x86_rows.h"

#define HY_DOT_GROUP 4
typedef uint8_t hy_dot_act;
typedef int8_t hy_dot_weight;

static inline int32_t dot_act_offset(int32_t zero_point, bool is_signed)
{
    (void)zero_point;
    return is_signed ? -128 : 0;
}

static inline int32_t dot_weight_offset(int32_t zero_point, bool is_signed)
{
    (void)zero_point;
    return is_signed ? 0 : 128;
}

/* to = from - offset, modulo 256: signedness does not matter. */
static inline void dot_copy(size_t count, const void *from, bool is_signed, int32_t offset,
                            hy_dot_act *to)
{
    const uint8_t *bytes = from;
    const __m256i minus = _mm256_set1_epi8((char)-offset);
    (void)is_signed;

    for (; count >= HY_BYTE_LANES; count -= HY_BYTE_LANES, bytes += HY_BYTE_LANES)
        vi_store(to, _mm256_add_epi8(vi_load(bytes), minus)), to += HY_BYTE_LANES;
    for (; count >= HY_LANES; count -= HY_LANES, bytes += HY_LANES, to += HY_LANES)
        _mm_storel_epi64((void *)to, _mm_add_epi8(_mm_loadl_epi64((const void *)bytes),
                                                  _mm256_castsi256_si128(minus)));
    for (size_t i = 0; i < count; i++)
        to[i] = (hy_dot_act)(bytes[i] - offset);
}

/*
 * Interleaves the bytes of HY_DOT_GROUP rows: element c * HY_DOT_GROUP + g of `to` is element c of
 * row g, converted as by dot_copy. `to` has capacity for HY_DOT_GROUP times `count`, with `count`
 * rounded up to a multiple of HY_LANES.
 */
static inline void dot_interleave(size_t count, const uint8_t *const rows[], bool is_signed,
                                  int32_t offset, hy_dot_act *to)
{
    const __m256i minus = _mm256_set1_epi8((char)-offset);
    size_t c = 0;
    (void)is_signed;

    for (; c + HY_ROWS_BYTES <= count; c += HY_ROWS_BYTES, to += HY_ROWS_BYTES * HY_DOT_GROUP)
        interleave_rows(rows, c, minus, (void *)to);
    for (; c < count; c += HY_LANES, to += HY_LANES * HY_DOT_GROUP) {
        const size_t part = count - c < HY_LANES ? count - c : HY_LANES;
        const __m128i ab =
            _mm_unpacklo_epi8(load_bytes(rows[0] + c, part), load_bytes(rows[1] + c, part));
        const __m128i xy =
            _mm_unpacklo_epi8(load_bytes(rows[2] + c, part), load_bytes(rows[3] + c, part));
        const __m256i all =
            _mm256_set_m128i(_mm_unpackhi_epi16(ab, xy), _mm_unpacklo_epi16(ab, xy));
        vi_store(to, _mm256_add_epi8(all, minus));
    }
}

/* Adds 128 to each byte, modulo 256. */
static inline vi vb_flip(vi x)
{
    return _mm256_xor_si256(x, _mm256_set1_epi8(INT8_MIN));
}

/* Of four vectors: each half has the sums of the same half of each vector. */
static inline vi sum_within_halves(const vi x[4])
{
    return _mm256_hadd_epi32(_mm256_hadd_epi32(x[0], x[1]), _mm256_hadd_epi32(x[2], x[3]));
}

/* Lane i is the sum of the lanes of x[i], modulo 2^32. */
static inline vi vi_sums(const vi x[HY_LANES])
{
    const vi low = sum_within_halves(x), high = sum_within_halves(x + 4);

    return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                            _mm256_permute2x128_si256(low, high, 0x31));
}

static inline vi vi_dot(vi sum, vi activations, vi weights)
{
#if defined(HY_AVXVNNI)
    return _mm256_dpbusd_avx_epi32(sum, activations, weights);
#else
    return _mm256_dpbusd_epi32(sum, activations, weights);
#endif
}

#endif
