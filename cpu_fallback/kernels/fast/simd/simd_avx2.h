#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_AVX2_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_AVX2_H

#include <immintrin.h>

#define HY_LANES 8

typedef __m256 vf;
typedef __m256i vi;

static inline __m256i first_lanes(size_t count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline vf vf_set1(float x)
{
    return _mm256_set1_ps(x);
}

static inline vf vf_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

static inline vf vf_load_part(const float *p, size_t count)
{
    return count == HY_LANES ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, first_lanes(count));
}

static inline void vf_store(float *p, vf x)
{
    _mm256_storeu_ps(p, x);
}

static inline void vf_store_part(float *p, vf x, size_t count)
{
    if (count == HY_LANES)
        _mm256_storeu_ps(p, x);
    else
        _mm256_maskstore_ps(p, first_lanes(count), x);
}

static inline vf vf_add(vf a, vf b)
{
    return _mm256_add_ps(a, b);
}

static inline vf vf_sub(vf a, vf b)
{
    return _mm256_sub_ps(a, b);
}

static inline vf vf_multiply(vf a, vf b)
{
    return _mm256_mul_ps(a, b);
}

static inline vf vf_divide(vf a, vf b)
{
    return _mm256_div_ps(a, b);
}

static inline vf vf_multiply_add(vf a, vf b, vf sum)
{
    return _mm256_fmadd_ps(a, b, sum);
}

/* from - a * b */
static inline vf vf_subtract_product(vf from, vf a, vf b)
{
    return _mm256_fnmadd_ps(a, b, from);
}

static inline vf vf_sqrt(vf x)
{
    return _mm256_sqrt_ps(x);
}

static inline vf vf_min(vf a, vf b)
{
    return _mm256_min_ps(a, b);
}

static inline vf vf_max(vf a, vf b)
{
    return _mm256_max_ps(a, b);
}

/* As hy_flush(): operations on bits do not see the floating-point mode of the thread. */
static inline vf vf_flush(vf x)
{
    return vf_max(x, x);
}

static inline vf vf_abs(vf x)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
}

/* The magnitude of x with the sign of `sign`. */
static inline vf vf_copy_sign(vf x, vf sign)
{
    const vf bit = _mm256_set1_ps(-0.0f);
    return _mm256_or_ps(_mm256_andnot_ps(bit, x), _mm256_and_ps(bit, sign));
}

/* The first `count` lanes of a, the others of b. */
static inline vf vf_first_of(size_t count, vf a, vf b)
{
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(first_lanes(count)));
}

/* Rounds to the nearest whole number, ties to even. */
static inline vf vf_round(vf x)
{
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* x * 2^n for a whole n in -252..254, rounded once where the product is subnormal. */
static inline vf vf_scale(vf x, vf n)
{
    __m256i power = _mm256_cvtps_epi32(n), half = _mm256_srai_epi32(power, 1);
    __m256i rest = _mm256_sub_epi32(power, half), bias = _mm256_set1_epi32(127);

    x = _mm256_mul_ps(x, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(half, bias), 23)));
    return _mm256_mul_ps(x,
                         _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(rest, bias), 23)));
}

/* `yes` in the lanes where a < b, `no` in the others. */
static inline vf vf_if_below(vf a, vf b, vf yes, vf no)
{
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

/* A bit for each lane, set if a and b are equal; bit 0 is lane 0. */
static inline unsigned vf_equal_lanes(vf a, vf b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ));
}

/* `yes` in the lanes where a == b, `no` in the others. */
static inline vf vf_if_equal(vf a, vf b, vf yes, vf no)
{
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_EQ_OQ));
}

static inline bool vf_any_nan(vf x)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(x, x, _CMP_UNORD_Q)) != 0;
}

/* The largest lane. */
static inline float vf_largest(vf x)
{
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

/* The sum of all lanes. */
static inline float vf_sum(vf x)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

#ifdef __F16C__
/* Loads halves and widens. */
static inline vf vf_load_half(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

/* Narrows to halves, to nearest, and stores. */
static inline void vf_store_half(uint16_t *p, vf x)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
#endif

/* Converts integers to floats. */
static inline vf vf_from_vi(vi x)
{
    return _mm256_cvtepi32_ps(x);
}

/* The bits of the floats. */
static inline vi vi_of_bits(vf x)
{
    return _mm256_castps_si256(x);
}

static inline vf vf_of_bits(vi x)
{
    return _mm256_castsi256_ps(x);
}

/* `yes` in the lanes where a < b, `no` in the others. */
static inline vf vf_if_less(vi a, vi b, vf yes, vf no)
{
    return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a)));
}

static inline vi vi_set1(int32_t x)
{
    return _mm256_set1_epi32(x);
}

static inline vi vi_load(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

static inline void vi_store(void *p, vi x)
{
    _mm256_storeu_si256((__m256i *)p, x);
}

static inline vi vi_add(vi a, vi b)
{
    return _mm256_add_epi32(a, b);
}

static inline vi vi_sub(vi a, vi b)
{
    return _mm256_sub_epi32(a, b);
}

/* modulo 2^32 */
static inline vi vi_multiply(vi a, vi b)
{
    return _mm256_mullo_epi32(a, b);
}

static inline vi vi_and(vi a, vi b)
{
    return _mm256_and_si256(a, b);
}

static inline vi vi_min(vi a, vi b)
{
    return _mm256_min_epi32(a, b);
}

static inline vi vi_max(vi a, vi b)
{
    return _mm256_max_epi32(a, b);
}

static inline vi vi_min_unsigned(vi a, vi b)
{
    return _mm256_min_epu32(a, b);
}

/* Whether each lane has at least one of the bits of the same lane of `bits` set. */
static inline bool vi_all_have(vi x, vi bits)
{
    const vi none = _mm256_cmpeq_epi32(vi_and(x, bits), vi_set1(0));
    return _mm256_testz_si256(none, none);
}

/*
 * Between these two calls, floats are rounded down. The caller must not be inlined, because
 * compilers move arithmetic across the calls.
 */
static inline unsigned vi_begin_floor(void)
{
    const unsigned before = _mm_getcsr();
    _mm_setcsr((before & ~(unsigned)_MM_ROUND_MASK) | _MM_ROUND_DOWN);
    return before;
}

static inline void vi_end_floor(unsigned before)
{
    _mm_setcsr(before);
}

/* a * b + sum rounded down to an integer; unspecified beyond 32 bits. */
static inline vi vi_floor_multiply_add(vf a, vf b, vf sum)
{
    return _mm256_cvtps_epi32(_mm256_fmadd_ps(a, b, sum));
}

/* Each lane rounded down to a whole number. */
static inline vi vi_floor(vf x)
{
    return _mm256_cvttps_epi32(_mm256_floor_ps(x));
}

/* The nearest whole number; for NaN a number with zeros in the lowest bits. */
static inline vi vi_round(vf x)
{
    return _mm256_cvtps_epi32(x);
}

static inline vi vi_shift_left(vi x, vi count)
{
    return _mm256_sllv_epi32(x, count);
}

static inline vi vi_shift_right(vi x, vi count)
{
    return _mm256_srav_epi32(x, count);
}

/* Shifts all lanes by one count; shifts to the right are arithmetic. */
static inline vi vi_shift_left_by(vi x, int count)
{
    return _mm256_slli_epi32(x, count);
}

static inline vi vi_shift_right_by(vi x, int count)
{
    return _mm256_srai_epi32(x, count);
}

/* Vectors of 16 bits. */
static inline vi vs_set1(int x)
{
    return _mm256_set1_epi16((int16_t)x);
}

/* Loads bytes and widens. */
static inline vi vs_load_bytes(const void *p, bool is_signed)
{
    const __m128i bytes = _mm_loadu_si128(p);
    return is_signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
}

static inline vi vs_load_bytes_part(const void *p, size_t count, bool is_signed)
{
    uint8_t bytes[2 * HY_LANES] = {0};
    memcpy(bytes, p, count);
    return vs_load_bytes(bytes, is_signed);
}

/* The first `count` lanes of a, the others of b. */
static inline vi vs_first_of(size_t count, vi a, vi b)
{
    const __m256i lanes = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi16(vs_set1((int)count), lanes));
}

static inline vi vs_min_unsigned(vi a, vi b)
{
    return _mm256_min_epu16(a, b);
}

/* The smallest lane. */
static inline unsigned vs_smallest_unsigned(vi x)
{
    const __m128i half = _mm_min_epu16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return (unsigned)_mm_cvtsi128_si32(_mm_minpos_epu16(half)) & UINT16_MAX;
}

static inline vi vs_add(vi a, vi b)
{
    return _mm256_add_epi16(a, b);
}

static inline vi vs_sub(vi a, vi b)
{
    return _mm256_sub_epi16(a, b);
}

static inline vi vs_shift_left_by(vi x, int count)
{
    return _mm256_slli_epi16(x, count);
}

/* sum + the products of both pairs in a lane, modulo 2^32. */
static inline vi vs_dot(vi sum, vi a, vi b)
{
#if defined(HY_AVXVNNI)
    return _mm256_dpwssd_avx_epi32(sum, a, b);
#elif defined(HY_VNNI256)
    return _mm256_dpwssd_epi32(sum, a, b);
#else
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
#endif
}

/* Clamps x to [-1 - limit, limit], so that the left shift does not overflow. */
static inline vi vi_clamp_for_shift(vi x, vi limit)
{
    return vi_min(vi_max(x, vi_sub(vi_set1(-1), limit)), limit);
}

struct vi_scale {
    vi mantissa, mantissa_odd; /* odd lanes moved to even lanes */
    vi left, limit;
    vi right, below, any_right; /* below: right less one; any_right: 1 where right > 0 */
    bool any_left;
};

static inline struct vi_scale vi_scale_from(vi mantissa, vi exponent)
{
    vi zero = vi_set1(0), one = vi_set1(1);
    vi left = vi_max(exponent, zero), right = vi_max(vi_sub(zero, exponent), zero);

    return (struct vi_scale){.mantissa = mantissa,
                             .mantissa_odd = _mm256_srli_epi64(mantissa, 32),
                             .left = left,
                             .limit = vi_shift_right(vi_set1(INT32_MAX), left),
                             .right = right,
                             .below = vi_max(vi_sub(right, one), zero),
                             .any_right = vi_min(right, one),
                             .any_left = !_mm256_testz_si256(left, left)};
}

/* (x * 2^left * mantissa + 2^30) >> 31 in 64 bits */
static inline vi high_product(vi x, const struct vi_scale *scale)
{
    __m256i half = _mm256_set1_epi64x(INT64_C(1) << 30);

    if (scale->any_left)
        x = vi_shift_left(vi_clamp_for_shift(x, scale->limit), scale->left);
    __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, scale->mantissa), half);
    __m256i odd =
        _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), scale->mantissa_odd), half);
    return _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
}

/* x / 2^right, halves up, without overflow: the highest dropped bit is added after the shift. */
static inline vi round_shift(vi x, const struct vi_scale *scale)
{
    vi carry = vi_and(vi_shift_right(x, scale->below), scale->any_right);
    return vi_add(vi_shift_right(x, scale->right), carry);
}

static inline vi vi_scale_half_up(vi x, const struct vi_scale *scale)
{
    return round_shift(high_product(x, scale), scale);
}

/* Negative numbers round halves down: round x - 1 half up. */
static inline vi vi_scale_half_away(vi x, const struct vi_scale *scale)
{
    vi high = high_product(x, scale);
    vi less = vi_and(_mm256_srli_epi32(high, 31), scale->any_right);
    return round_shift(vi_sub(high, less), scale);
}

static inline __m128i load_bytes(const void *p, size_t count)
{
    uint64_t bytes = 0;
    if (count == HY_LANES)
        return _mm_loadl_epi64((const __m128i *)p);
    memcpy(&bytes, p, count);
    return _mm_cvtsi64_si128((long long)bytes);
}

/* Loads bytes and widens to 32 bits. */
static inline vi vi_load_u8_part(const uint8_t *p, size_t count)
{
    return _mm256_cvtepu8_epi32(load_bytes(p, count));
}

static inline vi vi_load_s8_part(const int8_t *p, size_t count)
{
    return _mm256_cvtepi8_epi32(load_bytes(p, count));
}

static inline __m128i load_words(const void *p, size_t count)
{
    uint16_t words[HY_LANES] = {0};
    if (count == HY_LANES)
        return _mm_loadu_si128((const __m128i *)p);
    memcpy(words, p, count * sizeof *words);
    return _mm_loadu_si128((const __m128i *)words);
}

/* Loads numbers of 16 bits and widens to 32 bits. */
static inline vi vi_load_u16_part(const uint16_t *p, size_t count)
{
    return _mm256_cvtepu16_epi32(load_words(p, count));
}

static inline vi vi_load_s16_part(const int16_t *p, size_t count)
{
    return _mm256_cvtepi16_epi32(load_words(p, count));
}

/* Stores the lower half of every lane. */
static inline void vi_store_words_part(void *p, vi x, size_t count)
{
    const __m256i halves = _mm256_blend_epi16(x, _mm256_setzero_si256(), 0xaa);
    const __m128i packed =
        _mm_packus_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
    uint16_t words[HY_LANES];
    if (count == HY_LANES) {
        _mm_storeu_si128((__m128i *)p, packed);
    } else {
        _mm_storeu_si128((__m128i *)words, packed);
        memcpy(p, words, count * sizeof *words);
    }
}

/* Stores the low byte of every lane. */
static inline void vi_store_bytes_part(void *p, vi x, size_t count)
{
    const __m256i low_bytes =
        _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12,
                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    __m256i packed = _mm256_shuffle_epi8(x, low_bytes);
    __m128i bytes =
        _mm_unpacklo_epi32(_mm256_castsi256_si128(packed), _mm256_extracti128_si256(packed, 1));
    if (count == HY_LANES) {
        _mm_storel_epi64((__m128i *)p, bytes);
    } else {
        uint64_t low = (uint64_t)_mm_cvtsi128_si64(bytes);
        memcpy(p, &low, count);
    }
}

/* Vectors of bytes. */
#define HY_BYTE_LANES 32

static inline vi vb_set1(int x)
{
    return _mm256_set1_epi8((char)x);
}

static inline vi vb_load_part(const void *p, size_t count)
{
    uint8_t bytes[HY_BYTE_LANES] = {0};
    if (count == HY_BYTE_LANES)
        return vi_load(p);
    memcpy(bytes, p, count);
    return vi_load(bytes);
}

static inline void vb_store_part(void *p, vi x, size_t count)
{
    uint8_t bytes[HY_BYTE_LANES];
    if (count == HY_BYTE_LANES) {
        vi_store(p, x);
    } else {
        vi_store(bytes, x);
        memcpy(p, bytes, count);
    }
}

static inline vi vb_max(vi a, vi b, bool is_signed)
{
    return is_signed ? _mm256_max_epi8(a, b) : _mm256_max_epu8(a, b);
}

static inline vi vb_min(vi a, vi b, bool is_signed)
{
    return is_signed ? _mm256_min_epi8(a, b) : _mm256_min_epu8(a, b);
}

/* Loads blocks of 16 bytes: block i is at p + i * step bytes. */
static inline vi vb_load_blocks(const void *p, ptrdiff_t step)
{
    const uint8_t *second = (const uint8_t *)p + step;
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(p)),
                                   _mm_loadu_si128((const void *)second), 1);
}

/* Stores the first block. */
static inline void vb_store_block(void *p, vi x)
{
    _mm_storeu_si128(p, _mm256_castsi256_si128(x));
}

/* Interleaves, in each block, elements of 1, 2, 4 or 8 bytes of the lower halves of a and b. */
static inline vi vb_zip_low(vi a, vi b, size_t size)
{
    return size == 1   ? _mm256_unpacklo_epi8(a, b)
           : size == 2 ? _mm256_unpacklo_epi16(a, b)
           : size == 4 ? _mm256_unpacklo_epi32(a, b)
                       : _mm256_unpacklo_epi64(a, b);
}

/* Interleaves the upper halves. */
static inline vi vb_zip_high(vi a, vi b, size_t size)
{
    return size == 1   ? _mm256_unpackhi_epi8(a, b)
           : size == 2 ? _mm256_unpackhi_epi16(a, b)
           : size == 4 ? _mm256_unpackhi_epi32(a, b)
                       : _mm256_unpackhi_epi64(a, b);
}

/* The lanes of a, b, c and d in turn, saturated to bytes. */
static inline vi vb_narrow(vi a, vi b, vi c, vi d, bool is_signed)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i ab = _mm256_packs_epi32(a, b), cd = _mm256_packs_epi32(c, d);
    return _mm256_permutevar8x32_epi32(
        is_signed ? _mm256_packs_epi16(ab, cd) : _mm256_packus_epi16(ab, cd), order);
}

/* `yes` where a byte of `condition` is not 0, `no` elsewhere. */
static inline vi vb_choose(vi condition, vi yes, vi no)
{
    return _mm256_blendv_epi8(yes, no, _mm256_cmpeq_epi8(condition, _mm256_setzero_si256()));
}

/* The upper halves of the lanes of a, b, c and d in turn, saturated to bytes. */
static inline vi vb_narrow_upper(vi a, vi b, vi c, vi d, bool is_signed)
{
    return vb_narrow(vi_shift_right_by(a, 16), vi_shift_right_by(b, 16), vi_shift_right_by(c, 16),
                     vi_shift_right_by(d, 16), is_signed);
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
                            .c_high = _mm256_set1_epi16(form->c_high),
                            .c_low = vi_set1(form->c_low)};
}

/* Each lane of `pairs` holds an a and a b, each times 256. The result, less c_high, is in the upper
 * half. */
static inline vi sum_pairs(const struct vb_form *form, vi pairs)
{
    const vi low = vi_add(form->c_low, _mm256_madd_epi16(pairs, form->low));
    const vi high = _mm256_madd_epi16(pairs, form->high);
    return vi_add(high, _mm256_srai_epi32(low, HY_SUM_FORM_LOW_BITS));
}

/* The sums of lanes with two a's below two b's. */
static inline vi sum_twos(const struct vb_form *form, vi twos)
{
    const vi even = sum_pairs(form, _mm256_slli_epi16(twos, 8));
    const vi odd = sum_pairs(form, _mm256_and_si256(twos, _mm256_set1_epi16((short)0xff00)));
    const vi sums = _mm256_blend_epi16(_mm256_srli_epi32(even, 16), odd, 0xaa);
    return _mm256_add_epi16(sums, form->c_high);
}

/* Halves of 128 bits are split and joined again in the same order. */
static inline vi vb_sum(const struct vb_form *form, vi a, vi b, bool is_signed)
{
    const vi flip = vb_set1(is_signed ? 0 : INT8_MIN);
    a = _mm256_xor_si256(a, flip);
    b = _mm256_xor_si256(b, flip);
    const vi first = sum_twos(form, _mm256_unpacklo_epi16(a, b));
    const vi second = sum_twos(form, _mm256_unpackhi_epi16(a, b));
    return is_signed ? _mm256_packs_epi16(first, second) : _mm256_packus_epi16(first, second);
}

/* Stores the first `count` bytes of a quarter of x, or of a half of x with `quarters` 2. */
static inline void vb_store_part_of(void *p, vi x, int quarters, int part, size_t count)
{
    const int first = part * quarters;
    const __m128i half = first < 2 ? _mm256_castsi256_si128(x) : _mm256_extracti128_si256(x, 1);
    const __m128i start = first % 2 == 0 ? half : _mm_unpackhi_epi64(half, half);

    if (quarters == 2 && count == 2 * HY_LANES) {
        _mm_storeu_si128(p, half);
    } else if (quarters == 1 && count == HY_LANES) {
        _mm_storel_epi64(p, start);
    } else {
        uint8_t bytes[2 * HY_LANES];
        _mm_storeu_si128((void *)bytes, start);
        memcpy(p, bytes, count);
    }
}

#if defined(HY_AVXVNNI) || defined(HY_VNNI256)
#include "cpu_fallback/kernels/fast/simd/simd_avx2_bytes.h"
#else
#include "cpu_fallback/kernels/fast/simd/simd_avx2_pairs.h"
#endif

#endif
