#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_AVX512_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_AVX512_H

#include <immintrin.h>

#include "cpu_fallback/kernels/fast/simd/simd_x86_rows.h"

#if defined(HY_AVX512VBMI)
#define HY_SIMD_SET avx512vbmi
#elif defined(HY_AMX)
#define HY_SIMD_SET amx
#else
#define HY_SIMD_SET avx512
#endif
#define HY_LANES 16

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

static inline void vf_store(float *p, vf x)
{
    _mm512_storeu_ps(p, x);
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

/* from - a * b */
static inline vf vf_subtract_product(vf from, vf a, vf b)
{
    return _mm512_fnmadd_ps(a, b, from);
}

static inline vf vf_sqrt(vf x)
{
    return _mm512_sqrt_ps(x);
}

/* Half of a vector is a register of half the width. Half vectors take half the time on processors
 * that split wide registers in two. */
#define HY_HALF_VECTORS

static inline vf vf_set1_half(float x)
{
    return _mm512_castps256_ps512(_mm256_set1_ps(x));
}

static inline vf vf_multiply_add_half(vf a, vf b, vf sum)
{
    return _mm512_castps256_ps512(_mm256_fmadd_ps(
        _mm512_castps512_ps256(a), _mm512_castps512_ps256(b), _mm512_castps512_ps256(sum)));
}

static inline vf vf_min(vf a, vf b)
{
    return _mm512_min_ps(a, b);
}

static inline vf vf_max(vf a, vf b)
{
    return _mm512_max_ps(a, b);
}

/* As hy_flush(): operations on bits do not see the floating-point mode of the thread. */
static inline vf vf_flush(vf x)
{
    return vf_max(x, x);
}

static inline vf vf_abs(vf x)
{
    return _mm512_abs_ps(x);
}

/* The magnitude of x with the sign of `sign`. */
static inline vf vf_copy_sign(vf x, vf sign)
{
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
        _mm512_set1_epi32(INT32_MAX), _mm512_castps_si512(x), _mm512_castps_si512(sign), 0xca));
}

/* The first `count` lanes of a, the others of b. */
static inline vf vf_first_of(size_t count, vf a, vf b)
{
    return _mm512_mask_blend_ps(first_lanes(count), b, a);
}

/* Rounds to the nearest whole number, ties to even. */
static inline vf vf_round(vf x)
{
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* x * 2^n for a whole n in -252..254, rounded once where the product is subnormal. */
static inline vf vf_scale(vf x, vf n)
{
    return _mm512_scalef_ps(x, n);
}

/* `yes` in the lanes where a < b, `no` in the others. */
static inline vf vf_if_below(vf a, vf b, vf yes, vf no)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}

/* A bit for each lane, set if a and b are equal; bit 0 is lane 0. */
static inline unsigned vf_equal_lanes(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}

/* `yes` in the lanes where a == b, `no` in the others. */
static inline vf vf_if_equal(vf a, vf b, vf yes, vf no)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ), no, yes);
}

static inline bool vf_any_nan(vf x)
{
    return _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q) != 0;
}

/* The largest lane. */
static inline float vf_largest(vf x)
{
    return _mm512_reduce_max_ps(x);
}

/* The sum of all lanes. */
static inline float vf_sum(vf x)
{
    return _mm512_reduce_add_ps(x);
}

/* Loads halves and widens. */
static inline vf vf_load_half(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

/* Narrows to halves, to nearest, and stores. */
static inline void vf_store_half(uint16_t *p, vf x)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}

/* Converts integers to floats. */
static inline vf vf_from_vi(vi x)
{
    return _mm512_cvtepi32_ps(x);
}

/* The bits of the floats. */
static inline vi vi_of_bits(vf x)
{
    return _mm512_castps_si512(x);
}

static inline vf vf_of_bits(vi x)
{
    return _mm512_castsi512_ps(x);
}

/* `yes` in the lanes where a < b, `no` in the others. */
static inline vf vf_if_less(vi a, vi b, vf yes, vf no)
{
    return _mm512_mask_blend_ps(_mm512_cmplt_epi32_mask(a, b), no, yes);
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

static inline vi vi_min_unsigned(vi a, vi b)
{
    return _mm512_min_epu32(a, b);
}

/* Whether each lane has at least one of the bits of the same lane of `bits` set. */
static inline bool vi_all_have(vi x, vi bits)
{
    return _mm512_test_epi32_mask(x, bits) == UINT16_MAX;
}

/* Between these two calls, vi_floor_multiply_add() rounds down; here it always does. */
static inline unsigned vi_begin_floor(void)
{
    return 0;
}

static inline void vi_end_floor(unsigned before)
{
    (void)before;
}

/* a * b + sum rounded down to an integer; unspecified beyond 32 bits. */
static inline vi vi_floor_multiply_add(vf a, vf b, vf sum)
{
    const vf down = _mm512_fmadd_round_ps(a, b, sum, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return _mm512_cvt_roundps_epi32(down, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

/* Each lane rounded down to a whole number. */
static inline vi vi_floor(vf x)
{
    return _mm512_cvt_roundps_epi32(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

/* The nearest whole number; for NaN a number with zeros in the lowest bits. */
static inline vi vi_round(vf x)
{
    return _mm512_cvtps_epi32(x);
}

/* Shifts all lanes by one count; shifts to the right are arithmetic. */
static inline vi vi_shift_left_by(vi x, int count)
{
    return _mm512_slli_epi32(x, (unsigned)count);
}

static inline vi vi_shift_right_by(vi x, int count)
{
    return _mm512_srai_epi32(x, (unsigned)count);
}

/* Shifts each lane by its own count; arithmetic. */
static inline vi vi_shift_right(vi x, vi count)
{
    return _mm512_srav_epi32(x, count);
}

/* Clamps x to [-1 - limit, limit], so that the left shift does not overflow. */
static inline vi vi_clamp_for_shift(vi x, vi limit)
{
    return vi_min(vi_max(x, vi_sub(vi_set1(-1), limit)), limit);
}

/*
 * Both roundings in one 64-bit shift: with a = x * mantissa + 2^30,
 *     ((a >> 31) + half) >> right  =  (a + half * 2^31) >> (31 + right),
 * and a left shift only reduces the shift count: (x * 2^left * mantissa + 2^30) >> 31 is (x *
 * mantissa + 2^(30 - left)) >> (31 - left). Even and odd lanes are computed separately.
 */
struct vi_scale_half {
    __m512i mantissa, shift, round;
    __m512i round_negative; /* for halves away from zero: 2^31 less for negative products */
};

struct vi_scale {
    struct vi_scale_half even, odd;
    vi limit; /* bound of x, so that results fit 32 bits */
    bool any_left;
};

/* `mantissa` and `exponent` are in the lower halves of 64-bit lanes. */
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
 * Negative numbers round halves down: 1 is subtracted before the second rounding, which is half up.
 * If the first rounding gives zero, the result with 1 subtracted is still zero, so the sign of the
 * product can decide.
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

/* Loads bytes and widens to 32 bits. */
static inline vi vi_load_u8_part(const uint8_t *p, size_t count)
{
    return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(first_lanes(count), p));
}

static inline vi vi_load_s8_part(const int8_t *p, size_t count)
{
    return _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(first_lanes(count), p));
}

/* Loads numbers of 16 bits and widens to 32 bits. */
static inline vi vi_load_u16_part(const uint16_t *p, size_t count)
{
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(first_lanes(count), p));
}

static inline vi vi_load_s16_part(const int16_t *p, size_t count)
{
    return _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(first_lanes(count), p));
}

/* Stores the lower half of every lane. */
static inline void vi_store_words_part(void *p, vi x, size_t count)
{
    _mm256_mask_storeu_epi16(p, first_lanes(count), _mm512_cvtepi32_epi16(x));
}

/* Stores the low byte of every lane. */
static inline void vi_store_bytes_part(void *p, vi x, size_t count)
{
    _mm_mask_storeu_epi8(p, first_lanes(count), _mm512_cvtepi32_epi8(x));
}

/* Vectors of 16 bits. */
static inline vi vs_set1(int x)
{
    return _mm512_set1_epi16((int16_t)x);
}

/* Loads bytes and widens. */
static inline vi vs_load_bytes(const void *p, bool is_signed)
{
    const __m256i bytes = _mm256_loadu_si256(p);
    return is_signed ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
}

static inline __mmask32 first_shorts(size_t count)
{
    return (__mmask32)((UINT64_C(1) << count) - 1);
}

static inline vi vs_load_bytes_part(const void *p, size_t count, bool is_signed)
{
    const __m256i bytes = _mm256_maskz_loadu_epi8(first_shorts(count), p);
    return is_signed ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
}

/* The first `count` lanes of a, the others of b. */
static inline vi vs_first_of(size_t count, vi a, vi b)
{
    return _mm512_mask_blend_epi16(first_shorts(count), b, a);
}

static inline vi vs_min_unsigned(vi a, vi b)
{
    return _mm512_min_epu16(a, b);
}

/* The smallest lane. */
static inline unsigned vs_smallest_unsigned(vi x)
{
    const __m256i half =
        _mm256_min_epu16(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
    const __m128i quarter =
        _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return (unsigned)_mm_cvtsi128_si32(_mm_minpos_epu16(quarter)) & UINT16_MAX;
}

static inline vi vs_add(vi a, vi b)
{
    return _mm512_add_epi16(a, b);
}

static inline vi vs_sub(vi a, vi b)
{
    return _mm512_sub_epi16(a, b);
}

static inline vi vs_shift_left_by(vi x, int count)
{
    return _mm512_slli_epi16(x, (unsigned)count);
}

/* sum + the products of both pairs in a lane, modulo 2^32. */
static inline vi vs_dot(vi sum, vi a, vi b)
{
    return _mm512_dpwssd_epi32(sum, a, b);
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

/* Loads blocks of 16 bytes: block i is at p + i * step bytes. */
static inline vi vb_load_blocks(const void *p, ptrdiff_t step)
{
    const uint8_t *from = p;
    vi x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)from));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(from + step)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(from + 2 * step)), 2);
    return _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(from + 3 * step)), 3);
}

/* Stores the first block. */
static inline void vb_store_block(void *p, vi x)
{
    _mm_storeu_si128(p, _mm512_castsi512_si128(x));
}

/* Interleaves, in each block, elements of 1, 2, 4 or 8 bytes of the lower halves of a and b. */
static inline vi vb_zip_low(vi a, vi b, size_t size)
{
    return size == 1   ? _mm512_unpacklo_epi8(a, b)
           : size == 2 ? _mm512_unpacklo_epi16(a, b)
           : size == 4 ? _mm512_unpacklo_epi32(a, b)
                       : _mm512_unpacklo_epi64(a, b);
}

/* Interleaves the upper halves. */
static inline vi vb_zip_high(vi a, vi b, size_t size)
{
    return size == 1   ? _mm512_unpackhi_epi8(a, b)
           : size == 2 ? _mm512_unpackhi_epi16(a, b)
           : size == 4 ? _mm512_unpackhi_epi32(a, b)
                       : _mm512_unpackhi_epi64(a, b);
}

/* Exchanges the four lanes of each quarter of a vector with lanes of the other quarters. */
static inline vi vb_exchange_quarters(vi x)
{
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), x);
}

/* The second half of a, followed by the first half of b. */
static inline vi vb_halves_between(vi a, vi b)
{
    return _mm512_shuffle_i64x2(a, b, 0x4e);
}

/* Saturates to bytes: in each quarter the lanes of the same quarter of a, b, c and d, in order. */
static inline vi vb_narrow_quarters(vi a, vi b, vi c, vi d, bool is_signed)
{
    const __m512i ab = _mm512_packs_epi32(a, b), cd = _mm512_packs_epi32(c, d);
    return is_signed ? _mm512_packs_epi16(ab, cd) : _mm512_packus_epi16(ab, cd);
}

/* The lanes of a, b, c and d in turn, saturated to bytes. */
static inline vi vb_narrow(vi a, vi b, vi c, vi d, bool is_signed)
{
    return vb_exchange_quarters(vb_narrow_quarters(a, b, c, d, is_signed));
}

/* `yes` where a byte of `condition` is not 0, `no` elsewhere. */
static inline vi vb_choose(vi condition, vi yes, vi no)
{
    return _mm512_mask_blend_epi8(_mm512_test_epi8_mask(condition, condition), no, yes);
}

static inline vi upper_halves(vi a, vi b)
{
    static const uint16_t odd[] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                                   33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    return _mm512_permutex2var_epi16(a, vi_load(odd), b);
}

/* The upper halves of the lanes of a, b, c and d in turn, saturated to bytes. */
static inline vi vb_narrow_upper(vi a, vi b, vi c, vi d, bool is_signed)
{
    const __m512i ab = upper_halves(a, b), cd = upper_halves(c, d);
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7),
                                    is_signed ? _mm512_packs_epi16(ab, cd)
                                              : _mm512_packus_epi16(ab, cd));
}

/* The numbers of the form in pairs of 16 bits, one pair per lane. */
struct vb_form {
    vi high, low, c_high, c_low;
};

static inline vi pair_of(int16_t a, int16_t b)
{
    return vi_set1((int32_t)((uint32_t)(uint16_t)a | (uint32_t)(uint16_t)b << 16));
}

static inline struct vb_form vb_form_of(const struct hy_sum_form *form)
{
    return (struct vb_form){.high = pair_of(form->a_high, form->b_high),
                            .low = pair_of(form->a_low, form->b_low),
                            .c_high = _mm512_set1_epi16(form->c_high),
                            .c_low = vi_set1(form->c_low)};
}

/* Each lane of `pairs` holds an a and a b, each times 256. The result, less c_high, is in the upper
 * half. */
static inline vi sum_pairs(const struct vb_form *form, vi pairs)
{
    const vi low = _mm512_dpwssd_epi32(form->c_low, pairs, form->low);
    return _mm512_dpwssd_epi32(_mm512_srai_epi32(low, HY_SUM_FORM_LOW_BITS), pairs, form->high);
}

/* The sums of lanes with two a's below two b's. */
static inline vi sum_twos(const struct vb_form *form, vi twos)
{
    const vi even = sum_pairs(form, _mm512_slli_epi16(twos, 8));
    const vi odd = sum_pairs(form, _mm512_and_si512(twos, _mm512_set1_epi16((short)0xff00)));
    const vi sums = _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(even, 16), odd);
    return _mm512_add_epi16(sums, form->c_high);
}

/* Halves of 128 bits are split and joined again in the same order. */
static inline vi vb_sum(const struct vb_form *form, vi a, vi b, bool is_signed)
{
    const vi flip = vb_set1(is_signed ? 0 : INT8_MIN);
    a = _mm512_xor_si512(a, flip);
    b = _mm512_xor_si512(b, flip);
    const vi first = sum_twos(form, _mm512_unpacklo_epi16(a, b));
    const vi second = sum_twos(form, _mm512_unpackhi_epi16(a, b));
    return is_signed ? _mm512_packs_epi16(first, second) : _mm512_packus_epi16(first, second);
}

/* Stores the first `count` bytes of a quarter of x, or of a half of x with `quarters` 2. */
static inline void vb_store_part_of(void *p, vi x, int quarters, int part, size_t count)
{
    const int first = part * quarters;
    const __m256i half = first < 2 ? _mm512_castsi512_si256(x) : _mm512_extracti64x4_epi64(x, 1);
    const __m128i quarter =
        first % 2 == 0 ? _mm256_castsi256_si128(half) : _mm256_extracti128_si256(half, 1);

    if (quarters == 2 && count == 2 * HY_LANES)
        _mm256_storeu_si256(p, half);
    else if (quarters == 2)
        _mm256_mask_storeu_epi8(p, (__mmask32)((UINT64_C(1) << count) - 1), half);
    else if (count == HY_LANES)
        _mm_storeu_si128(p, quarter);
    else
        _mm_mask_storeu_epi8(p, first_lanes(count), quarter);
}

/* Adds 128 to each byte, modulo 256. */
static inline vi vb_flip(vi x)
{
    return _mm512_xor_si512(x, _mm512_set1_epi8(INT8_MIN));
}

/* Of four vectors: each quarter has the sums of the same quarter of each vector. */
static inline vi sum_within_quarters(const vi x[4])
{
    const vi a =
        _mm512_add_epi32(_mm512_unpacklo_epi32(x[0], x[1]), _mm512_unpackhi_epi32(x[0], x[1]));
    const vi b =
        _mm512_add_epi32(_mm512_unpacklo_epi32(x[2], x[3]), _mm512_unpackhi_epi32(x[2], x[3]));

    return _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}

/* Adds quarters 0 and 1, and quarters 2 and 3: sums of a first, then sums of b. */
static inline vi add_quarters(vi a, vi b)
{
    return _mm512_add_epi32(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd));
}

/* Lane i is the sum of the lanes of x[i], modulo 2^32. */
static inline vi vi_sums(const vi x[HY_LANES])
{
    const vi low = add_quarters(sum_within_quarters(x), sum_within_quarters(x + 4));
    const vi high = add_quarters(sum_within_quarters(x + 8), sum_within_quarters(x + 12));

    return add_quarters(low, high);
}

/*
 * Dot products of four unsigned bytes and four signed bytes. int8 inputs are raised by 128, and
 * uint8 filters are lowered by 128. The caller corrects sums for the rest of the zero points. AMX
 * tile products take inputs unchanged.
 */
#define HY_DOT_GROUP 4
typedef uint8_t hy_dot_act;
typedef int8_t hy_dot_weight;

static inline int32_t dot_act_offset(int32_t zero_point, bool is_signed)
{
    (void)zero_point;
#if defined(HY_AMX)
    (void)is_signed;
    return 0;
#else
    return is_signed ? -128 : 0;
#endif
}

static inline int32_t dot_weight_offset(int32_t zero_point, bool is_signed)
{
    (void)zero_point;
    return is_signed ? 0 : 128;
}

/* Inputs can also stay in the caller's memory; the offset of int8 is then added at each use. */
#define HY_DOT_FLIPS 1

static inline vi dot_flip(vi activations)
{
    return vb_flip(activations);
}

/* Loads at most HY_LANES bytes. */
static inline __m128i bytes_of(const uint8_t *from, size_t count)
{
    return count >= HY_LANES ? _mm_loadu_si128((const void *)from)
                             : _mm_maskz_loadu_epi8(first_lanes(count), from);
}

/*
 * to = from - offset, modulo 256, for signed and unsigned bytes. May write up to HY_BYTE_LANES
 * bytes behind the end: whole stores, because loads soon after a masked store cannot forward its
 * data.
 */
static inline void dot_copy(size_t count, const void *from, bool is_signed, int32_t offset,
                            hy_dot_act *to)
{
    const uint8_t *bytes = from;
    __m512i minus = _mm512_set1_epi8((char)-offset);
    (void)is_signed;

    for (; count >= 64; count -= 64, bytes += 64, to += 64)
        _mm512_storeu_si512(to, _mm512_add_epi8(_mm512_loadu_si512(bytes), minus));
    if (count > HY_LANES)
        _mm512_storeu_si512(
            to, _mm512_add_epi8(_mm512_maskz_loadu_epi8(first_bytes(count), bytes), minus));
    else if (count > 0)
        _mm_storeu_si128((void *)to,
                         _mm_add_epi8(bytes_of(bytes, count), _mm512_castsi512_si128(minus)));
}

/*
 * Interleaves the bytes of HY_DOT_GROUP rows, in an order that vb_narrow_quarters() reverses:
 * vector v of `to` has, in quarter q, the bytes from index 16 * q + 4 * v on.
 */
static inline void dot_weave(const vi rows[HY_DOT_GROUP], vi to[4])
{
    const __m512i ab_low = _mm512_unpacklo_epi8(rows[0], rows[1]);
    const __m512i ab_high = _mm512_unpackhi_epi8(rows[0], rows[1]);
    const __m512i cd_low = _mm512_unpacklo_epi8(rows[2], rows[3]);
    const __m512i cd_high = _mm512_unpackhi_epi8(rows[2], rows[3]);

    to[0] = _mm512_unpacklo_epi16(ab_low, cd_low);
    to[1] = _mm512_unpackhi_epi16(ab_low, cd_low);
    to[2] = _mm512_unpacklo_epi16(ab_high, cd_high);
    to[3] = _mm512_unpackhi_epi16(ab_high, cd_high);
}

/*
 * Interleaves the bytes of HY_DOT_GROUP rows: element c * HY_DOT_GROUP + g of `to` is element c of
 * row g, converted as by dot_copy. `to` has capacity for HY_DOT_GROUP times `count`, with `count`
 * rounded up to a multiple of HY_LANES.
 */
static inline void dot_interleave(size_t count, const uint8_t *const rows[], bool is_signed,
                                  int32_t offset, hy_dot_act *to)
{
    const __m512i minus = _mm512_set1_epi8((char)-offset);
    const __m512i words = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i bytes =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    size_t c = 0;
    (void)is_signed;

    for (; c + HY_ROWS_BYTES <= count; c += HY_ROWS_BYTES, to += HY_ROWS_BYTES * HY_DOT_GROUP)
        interleave_rows(rows, c, _mm512_castsi512_si256(minus), (void *)to);
    for (; c < count; c += HY_LANES, to += HY_LANES * HY_DOT_GROUP) {
        __m512i x = _mm512_castsi128_si512(bytes_of(rows[0] + c, count - c));
        x = _mm512_inserti32x4(x, bytes_of(rows[1] + c, count - c), 1);
        x = _mm512_inserti32x4(x, bytes_of(rows[2] + c, count - c), 2);
        x = _mm512_inserti32x4(x, bytes_of(rows[3] + c, count - c), 3);
        x = _mm512_shuffle_epi8(_mm512_permutexvar_epi32(words, x), bytes);
        _mm512_storeu_si512(to, _mm512_add_epi8(x, minus));
    }
}

/*
 * Converts DOT_TRANSPOSED_STEPS steps of HY_LANES channels: subtracts `offset` and transposes. In
 * `from`, the bytes of a channel are `apart` from those of the channel before. In `to`, each step
 * is a vector, and steps are `step` bytes apart.
 */
#define DOT_TRANSPOSED_STEPS 16

static inline void dot_transpose(const void *from, size_t apart, int32_t offset, int8_t *to,
                                 size_t step)
{
    const __m512i minus = _mm512_set1_epi8((char)-offset);
    vi x[HY_LANES]; /* four channels, four steps of each: quarter q of vector i has step 4 * q + i %
                       4 */

    HY_UNROLL(4)
    for (int i = 0; i < HY_LANES; i += 4) {
        vi rows[4];
        HY_UNROLL(4)
        for (int r = 0; r < 4; r++)
            rows[r] = _mm512_add_epi8(
                _mm512_loadu_si512((const int8_t *)from + (size_t)(i + r) * apart), minus);
        const vi a = _mm512_unpacklo_epi32(rows[0], rows[1]);
        const vi b = _mm512_unpackhi_epi32(rows[0], rows[1]);
        const vi c = _mm512_unpacklo_epi32(rows[2], rows[3]);
        const vi d = _mm512_unpackhi_epi32(rows[2], rows[3]);
        x[i] = _mm512_unpacklo_epi64(a, c);
        x[i + 1] = _mm512_unpackhi_epi64(a, c);
        x[i + 2] = _mm512_unpacklo_epi64(b, d);
        x[i + 3] = _mm512_unpackhi_epi64(b, d);
    }
    HY_UNROLL(4)
    for (int i = 0; i < 4; i++, to += step) {
        const vi even = _mm512_shuffle_i32x4(x[i], x[4 + i], 0x88);
        const vi odd = _mm512_shuffle_i32x4(x[i], x[4 + i], 0xdd);
        const vi more_even = _mm512_shuffle_i32x4(x[8 + i], x[12 + i], 0x88);
        const vi more_odd = _mm512_shuffle_i32x4(x[8 + i], x[12 + i], 0xdd);
        _mm512_storeu_si512(to, _mm512_shuffle_i32x4(even, more_even, 0x88));
        _mm512_storeu_si512(to + 4 * step, _mm512_shuffle_i32x4(odd, more_odd, 0x88));
        _mm512_storeu_si512(to + 8 * step, _mm512_shuffle_i32x4(even, more_even, 0xdd));
        _mm512_storeu_si512(to + 12 * step, _mm512_shuffle_i32x4(odd, more_odd, 0xdd));
    }
}

static inline vi vi_dot(vi sum, vi activations, vi weights)
{
    return _mm512_dpbusd_epi32(sum, activations, weights);
}

static inline vi vi_dot_half(vi sum, vi activations, vi weights)
{
    return _mm512_castsi256_si512(_mm256_dpbusd_epi32(_mm512_castsi512_si256(sum),
                                                      _mm512_castsi512_si256(activations),
                                                      _mm512_castsi512_si256(weights)));
}

#endif
