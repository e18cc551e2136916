#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_AVX512_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_AVX512_H

#include <immintrin.h>

#define HY_SIMD_SET avx512
#define HY_LANES    16

typedef __m512 vf;
typedef __m512i vi;

static inline __mmask16 first_lanes(size_t count)
{
    return (__mmask16)((1u << count) - 1);
}

static inline vf vf_set1(float x)
{
    return _mm512_set1_ps(x);
}

static inline vf vf_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

static inline vf vf_load_part(const float *p, size_t count)
{
    return _mm512_maskz_loadu_ps(first_lanes(count), p);
}

static inline void vf_store_part(float *p, vf x, size_t count)
{
    _mm512_mask_storeu_ps(p, first_lanes(count), x);
}

static inline vf vf_add(vf a, vf b)
{
    return _mm512_add_ps(a, b);
}

static inline vf vf_sub(vf a, vf b)
{
    return _mm512_sub_ps(a, b);
}

static inline vf vf_multiply(vf a, vf b)
{
    return _mm512_mul_ps(a, b);
}

static inline vf vf_divide(vf a, vf b)
{
    return _mm512_div_ps(a, b);
}

static inline vf vf_multiply_add(vf a, vf b, vf sum)
{
    return _mm512_fmadd_ps(a, b, sum);
}

static inline vf vf_min(vf a, vf b)
{
    return _mm512_min_ps(a, b);
}

static inline vf vf_max(vf a, vf b)
{
    return _mm512_max_ps(a, b);
}

static inline vf vf_abs(vf x)
{
    return _mm512_abs_ps(x);
}

static inline bool vf_any_above(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) != 0;
}

/* The sum of all lanes. */
static inline float vf_sum(vf x)
{
    return _mm512_reduce_add_ps(x);
}

/* Halves, widened. */
static inline vf vf_load_half(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

/* The numbers as floats. */
static inline vf vf_from_vi(vi x)
{
    return _mm512_cvtepi32_ps(x);
}

/* The same bits. */
static inline vi vi_of_bits(vf x)
{
    return _mm512_castps_si512(x);
}

static inline vi vi_set1(int32_t x)
{
    return _mm512_set1_epi32(x);
}

static inline vi vi_load(const void *p)
{
    return _mm512_loadu_si512(p);
}

static inline void vi_store(void *p, vi x)
{
    _mm512_storeu_si512(p, x);
}

static inline vi vi_add(vi a, vi b)
{
    return _mm512_add_epi32(a, b);
}

static inline vi vi_sub(vi a, vi b)
{
    return _mm512_sub_epi32(a, b);
}

/* modulo 2^32 */
static inline vi vi_multiply(vi a, vi b)
{
    return _mm512_mullo_epi32(a, b);
}

static inline vi vi_min(vi a, vi b)
{
    return _mm512_min_epi32(a, b);
}

static inline vi vi_max(vi a, vi b)
{
    return _mm512_max_epi32(a, b);
}

static inline vi vi_shift_left(vi x, vi count)
{
    return _mm512_sllv_epi32(x, count);
}

/* Bounds of x that survive a left shift. */
static inline vi vi_clamp_for_shift(vi x, vi limit)
{
    return vi_min(vi_max(x, vi_sub(vi_set1(-1), limit)), limit);
}

/*
 * Both roundings in one 64-bit shift: with a = x * mantissa + 2^30,
 *     ((a >> 31) + half) >> right  =  (a + half * 2^31) >> (31 + right),
 * and a left shift just shortens it: (x * 2^left * mantissa + 2^30) >> 31 is
 * (x * mantissa + 2^(30 - left)) >> (31 - left). Even and odd lanes are worked on apart.
 */
struct vi_scale_half {
    __m512i mantissa, shift, round;
    __m512i round_negative; /* rounding away from zero: of negative products, 2^31 less */
};

struct vi_scale {
    struct vi_scale_half even, odd;
    vi limit; /* of x, so that results fit 32 bits */
    bool any_left;
};

/* From the lower halves of 64-bit lanes. */
static inline struct vi_scale_half scale_half_from(__m512i mantissa, __m512i exponent)
{
    const __m512i one = _mm512_set1_epi64(1), thirty = _mm512_set1_epi64(30);
    __m512i wide = _mm512_srai_epi64(_mm512_slli_epi64(exponent, 32), 32);
    __mmask8 right = _mm512_movepi64_mask(wide);
    __m512i up_to = _mm512_sub_epi64(thirty, wide);
    __m512i first = _mm512_sllv_epi64(one, _mm512_min_epi64(up_to, thirty));
    __m512i second = _mm512_maskz_sllv_epi64(right, one, up_to);

    __m512i round = _mm512_add_epi64(first, second);

    return (struct vi_scale_half){.mantissa = mantissa,
                                  .shift = _mm512_add_epi64(up_to, one),
                                  .round = round,
                                  .round_negative = _mm512_mask_sub_epi64(
                                      round, right, round, _mm512_set1_epi64(INT64_C(1) << 31))};
}

static inline struct vi_scale vi_scale_from(vi mantissa, vi exponent)
{
    vi left = vi_max(exponent, vi_set1(0));
    return (struct vi_scale){
        .even = scale_half_from(mantissa, exponent),
        .odd = scale_half_from(_mm512_srli_epi64(mantissa, 32), _mm512_srli_epi64(exponent, 32)),
        .limit = _mm512_srav_epi32(vi_set1(INT32_MAX), left),
        .any_left = _mm512_test_epi32_mask(left, left) != 0};
}

static inline __m512i scale_half_up(__m512i x, const struct vi_scale_half *scale)
{
    __m512i product = _mm512_add_epi64(_mm512_mul_epi32(x, scale->mantissa), scale->round);
    return _mm512_srav_epi64(product, scale->shift);
}

/*
 * Below zero, halves go down: half up of one less before the second rounding. Where the first
 * rounding ends at zero, less one still ends there: the product's own sign can decide.
 */
static inline __m512i scale_half_away(__m512i x, const struct vi_scale_half *scale)
{
    __m512i product = _mm512_mul_epi32(x, scale->mantissa);
    __m512i round =
        _mm512_mask_blend_epi64(_mm512_movepi64_mask(product), scale->round, scale->round_negative);
    return _mm512_srav_epi64(_mm512_add_epi64(product, round), scale->shift);
}

static inline vi interleave_lanes(__m512i even, __m512i odd)
{
    return _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}

static inline vi vi_scale_half_up(vi x, const struct vi_scale *scale)
{
    if (scale->any_left)
        x = vi_clamp_for_shift(x, scale->limit);
    return interleave_lanes(scale_half_up(x, &scale->even),
                            scale_half_up(_mm512_srli_epi64(x, 32), &scale->odd));
}

static inline vi vi_scale_half_away(vi x, const struct vi_scale *scale)
{
    if (scale->any_left)
        x = vi_clamp_for_shift(x, scale->limit);
    return interleave_lanes(scale_half_away(x, &scale->even),
                            scale_half_away(_mm512_srli_epi64(x, 32), &scale->odd));
}

/* Bytes widened to lanes. */
static inline vi vi_load_u8_part(const uint8_t *p, size_t count)
{
    return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(first_lanes(count), p));
}

static inline vi vi_load_s8_part(const int8_t *p, size_t count)
{
    return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(first_lanes(count), p));
}

/* The low byte of every lane. */
static inline void vi_store_bytes_part(void *p, vi x, size_t count)
{
    _mm_mask_storeu_epi8(p, first_lanes(count), _mm512_cvtepi32_epi8(x));
}

/* Vectors of bytes. */
#define HY_BYTE_LANES 64

static inline __mmask64 first_bytes(size_t count)
{
    return count == HY_BYTE_LANES ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

static inline vi vb_set1(int x)
{
    return _mm512_set1_epi8((char)x);
}

static inline vi vb_load_part(const void *p, size_t count)
{
    return _mm512_maskz_loadu_epi8(first_bytes(count), p);
}

static inline void vb_store_part(void *p, vi x, size_t count)
{
    _mm512_mask_storeu_epi8(p, first_bytes(count), x);
}

static inline vi vb_max(vi a, vi b, bool is_signed)
{
    return is_signed ? _mm512_max_epi8(a, b) : _mm512_max_epu8(a, b);
}

static inline vi vb_min(vi a, vi b, bool is_signed)
{
    return is_signed ? _mm512_min_epi8(a, b) : _mm512_min_epu8(a, b);
}

/* sum + a * b for lanes that fit 16 bits, b with zero upper halves */
static inline vi vi_multiply_add_16(vi a, vi b, vi sum)
{
    return _mm512_dpwssd_epi32(sum, a, b);
}

/*
 * Four unsigned bytes against four signed ones: int8 inputs move up by 128, uint8 filters down, and
 * what is left of the zero points is the caller's to correct.
 */
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
    __m512i minus = _mm512_set1_epi8((char)-offset);
    (void)is_signed;

    for (; count >= 64; count -= 64, bytes += 64, to += 64)
        _mm512_storeu_si512(to, _mm512_add_epi8(_mm512_loadu_si512(bytes), minus));
    __mmask64 rest = ((__mmask64)1 << count) - 1;
    _mm512_mask_storeu_epi8(to, rest, _mm512_add_epi8(_mm512_maskz_loadu_epi8(rest, bytes), minus));
}

static inline vi vi_dot(vi sum, vi activations, vi weights)
{
    return _mm512_dpbusd_epi32(sum, activations, weights);
}

#endif
