#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_NEON_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_NEON_H

#include <arm_neon.h>

/*
 * arm64. A vector is a pair of registers. With as many lanes as AVX2, the tiles of convolutions
 * have the same shape, and their 24 sum registers fit a register file of 32.
 */
#define HY_LANES 8

#define HY_FIXED_POINT_IS_QUICK /* see rescale.h */

typedef struct {
    float32x4_t low, high;
} vf;

typedef struct {
    int32x4_t low, high;
} vi;

/* All ones in the first `count` lanes. */
static inline uint32x4_t first_of_four(int count)
{
    static const int32_t lanes[4] = {0, 1, 2, 3};
    return vcltq_s32(vld1q_s32(lanes), vdupq_n_s32(count));
}

static inline vf vf_set1(float x)
{
    return (vf){vdupq_n_f32(x), vdupq_n_f32(x)};
}

static inline vf vf_load(const float *p)
{
    return (vf){vld1q_f32(p), vld1q_f32(p + 4)};
}

/* `count` below 4. */
static inline float32x4_t load_few(const float *p, size_t count)
{
    float32x4_t x = vdupq_n_f32(0);

    if (count & 2)
        x = vcombine_f32(vld1_f32(p), vdup_n_f32(0));
    if (count == 1)
        x = vld1q_lane_f32(p, x, 0);
    else if (count == 3)
        x = vld1q_lane_f32(p + 2, x, 2);
    return x;
}

/* Parts of a vector are rare, but kernels load and store parts in a hundred places. Inlining these
 * functions would make most of the code and of the compile time serve vector tails. */
#define HY_RARE static __attribute__((noinline, unused))

HY_RARE vf load_rest(const float *p, size_t count)
{
    if (count >= 4)
        return (vf){vld1q_f32(p), load_few(p + 4, count - 4)};
    return (vf){load_few(p, count), vdupq_n_f32(0)};
}

static inline vf vf_load_part(const float *p, size_t count)
{
    return count == HY_LANES ? vf_load(p) : load_rest(p, count);
}

static inline void vf_store(float *p, vf x)
{
    vst1q_f32(p, x.low);
    vst1q_f32(p + 4, x.high);
}

static inline void store_few(float *p, float32x4_t x, size_t count)
{
    if (count & 2)
        vst1_f32(p, vget_low_f32(x));
    if (count == 1)
        vst1q_lane_f32(p, x, 0);
    else if (count == 3)
        vst1q_lane_f32(p + 2, x, 2);
}

HY_RARE void store_rest(float *p, vf x, size_t count)
{
    if (count >= 4) {
        vst1q_f32(p, x.low);
        store_few(p + 4, x.high, count - 4);
    } else {
        store_few(p, x.low, count);
    }
}

static inline void vf_store_part(float *p, vf x, size_t count)
{
    if (count == HY_LANES)
        vf_store(p, x);
    else
        store_rest(p, x, count);
}

static inline vf vf_add(vf a, vf b)
{
    return (vf){vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)};
}

static inline vf vf_sub(vf a, vf b)
{
    return (vf){vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)};
}

static inline vf vf_multiply(vf a, vf b)
{
    return (vf){vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)};
}

static inline vf vf_divide(vf a, vf b)
{
    return (vf){vdivq_f32(a.low, b.low), vdivq_f32(a.high, b.high)};
}

static inline vf vf_multiply_add(vf a, vf b, vf sum)
{
    return (vf){vfmaq_f32(sum.low, a.low, b.low), vfmaq_f32(sum.high, a.high, b.high)};
}

/* from - a * b */
static inline vf vf_subtract_product(vf from, vf a, vf b)
{
    return (vf){vfmsq_f32(from.low, a.low, b.low), vfmsq_f32(from.high, a.high, b.high)};
}

static inline vf vf_sqrt(vf x)
{
    return (vf){vsqrtq_f32(x.low), vsqrtq_f32(x.high)};
}

/* A vector is two registers, and half a vector is one. */
#define HY_HALF_VECTORS

static inline vf vf_set1_half(float x)
{
    return vf_set1(x);
}

static inline vf vf_multiply_add_half(vf a, vf b, vf sum)
{
    return (vf){vfmaq_f32(sum.low, a.low, b.low), sum.high};
}

/* By comparison, as in the other sets: FMIN and FMAX return NaN if either operand is NaN. */
static inline vf vf_min(vf a, vf b)
{
    return (vf){vbslq_f32(vcltq_f32(a.low, b.low), a.low, b.low),
                vbslq_f32(vcltq_f32(a.high, b.high), a.high, b.high)};
}

static inline vf vf_max(vf a, vf b)
{
    return (vf){vbslq_f32(vcgtq_f32(a.low, b.low), a.low, b.low),
                vbslq_f32(vcgtq_f32(a.high, b.high), a.high, b.high)};
}

static inline float32x4_t flush_four(float32x4_t x)
{
    const float32x4_t zero =
        vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(x), vdupq_n_u32(UINT32_C(1) << 31)));
    return vbslq_f32(vceqzq_f32(x), zero, x);
}

/* As hy_flush(): operations on bits do not see the floating-point mode of the thread. */
static inline vf vf_flush(vf x)
{
    return (vf){flush_four(x.low), flush_four(x.high)};
}

static inline vf vf_abs(vf x)
{
    return (vf){vabsq_f32(x.low), vabsq_f32(x.high)};
}

/* The magnitude of x with the sign of `sign`. */
static inline vf vf_copy_sign(vf x, vf sign)
{
    const uint32x4_t bit = vdupq_n_u32(UINT32_C(1) << 31);
    return (vf){vbslq_f32(bit, sign.low, x.low), vbslq_f32(bit, sign.high, x.high)};
}

/* The first `count` lanes of a, the others of b. */
static inline vf vf_first_of(size_t count, vf a, vf b)
{
    return (vf){vbslq_f32(first_of_four((int)count), a.low, b.low),
                vbslq_f32(first_of_four((int)count - 4), a.high, b.high)};
}

/* Rounds to the nearest whole number, ties to even. */
static inline vf vf_round(vf x)
{
    return (vf){vrndnq_f32(x.low), vrndnq_f32(x.high)};
}

static inline float32x4_t scale_four(float32x4_t x, float32x4_t n)
{
    const int32x4_t power = vcvtq_s32_f32(n), half = vshrq_n_s32(power, 1);
    const int32x4_t rest = vsubq_s32(power, half), bias = vdupq_n_s32(127);

    x = vmulq_f32(x, vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(half, bias), 23)));
    return vmulq_f32(x, vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(rest, bias), 23)));
}

/* x * 2^n for a whole n in -252..254, rounded once where the product is subnormal. */
static inline vf vf_scale(vf x, vf n)
{
    return (vf){scale_four(x.low, n.low), scale_four(x.high, n.high)};
}

/* `yes` in the lanes where a < b, `no` in the others. */
static inline vf vf_if_below(vf a, vf b, vf yes, vf no)
{
    return (vf){vbslq_f32(vcltq_f32(a.low, b.low), yes.low, no.low),
                vbslq_f32(vcltq_f32(a.high, b.high), yes.high, no.high)};
}

/* A bit for each lane, set if a and b are equal; bit 0 is lane 0. */
static inline unsigned vf_equal_lanes(vf a, vf b)
{
    static const uint32_t bits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    const uint32x4_t low = vandq_u32(vceqq_f32(a.low, b.low), vld1q_u32(bits));
    return vaddvq_u32(vorrq_u32(low, vandq_u32(vceqq_f32(a.high, b.high), vld1q_u32(bits + 4))));
}

/* `yes` in the lanes where a == b, `no` in the others. */
static inline vf vf_if_equal(vf a, vf b, vf yes, vf no)
{
    return (vf){vbslq_f32(vceqq_f32(a.low, b.low), yes.low, no.low),
                vbslq_f32(vceqq_f32(a.high, b.high), yes.high, no.high)};
}

static inline bool vf_any_nan(vf x)
{
    return vminvq_u32(vandq_u32(vceqq_f32(x.low, x.low), vceqq_f32(x.high, x.high))) == 0;
}

/* The largest lane. */
static inline float vf_largest(vf x)
{
    return vmaxvq_f32(vmaxq_f32(x.low, x.high));
}

/* The sum of all lanes. */
static inline float vf_sum(vf x)
{
    return vaddvq_f32(vaddq_f32(x.low, x.high));
}

/* Loads halves and widens. */
static inline vf vf_load_half(const uint16_t *p)
{
    const uint16x8_t halves = vld1q_u16(p);
    return (vf){vcvt_f32_f16(vreinterpret_f16_u16(vget_low_u16(halves))),
                vcvt_f32_f16(vreinterpret_f16_u16(vget_high_u16(halves)))};
}

/* Narrows to halves, to nearest, and stores. */
static inline void vf_store_half(uint16_t *p, vf x)
{
    vst1q_u16(p, vcombine_u16(vreinterpret_u16_f16(vcvt_f16_f32(x.low)),
                              vreinterpret_u16_f16(vcvt_f16_f32(x.high))));
}

/* Converts integers to floats. */
static inline vf vf_from_vi(vi x)
{
    return (vf){vcvtq_f32_s32(x.low), vcvtq_f32_s32(x.high)};
}

/* The bits of the floats. */
static inline vi vi_of_bits(vf x)
{
    return (vi){vreinterpretq_s32_f32(x.low), vreinterpretq_s32_f32(x.high)};
}

static inline vf vf_of_bits(vi x)
{
    return (vf){vreinterpretq_f32_s32(x.low), vreinterpretq_f32_s32(x.high)};
}

/* `yes` in the lanes where a < b, `no` in the others. */
static inline vf vf_if_less(vi a, vi b, vf yes, vf no)
{
    return (vf){vbslq_f32(vcltq_s32(a.low, b.low), yes.low, no.low),
                vbslq_f32(vcltq_s32(a.high, b.high), yes.high, no.high)};
}

static inline vi vi_set1(int32_t x)
{
    return (vi){vdupq_n_s32(x), vdupq_n_s32(x)};
}

/* Loads bytes, because `p` may have any alignment. */
static inline vi vi_load(const void *p)
{
    const uint8_t *bytes = p;
    return (vi){vreinterpretq_s32_u8(vld1q_u8(bytes)), vreinterpretq_s32_u8(vld1q_u8(bytes + 16))};
}

static inline void vi_store(void *p, vi x)
{
    uint8_t *bytes = p;
    vst1q_u8(bytes, vreinterpretq_u8_s32(x.low));
    vst1q_u8(bytes + 16, vreinterpretq_u8_s32(x.high));
}

static inline vi vi_add(vi a, vi b)
{
    return (vi){vaddq_s32(a.low, b.low), vaddq_s32(a.high, b.high)};
}

static inline vi vi_sub(vi a, vi b)
{
    return (vi){vsubq_s32(a.low, b.low), vsubq_s32(a.high, b.high)};
}

/* modulo 2^32 */
static inline vi vi_multiply(vi a, vi b)
{
    return (vi){vmulq_s32(a.low, b.low), vmulq_s32(a.high, b.high)};
}

static inline vi vi_min(vi a, vi b)
{
    return (vi){vminq_s32(a.low, b.low), vminq_s32(a.high, b.high)};
}

static inline vi vi_max(vi a, vi b)
{
    return (vi){vmaxq_s32(a.low, b.low), vmaxq_s32(a.high, b.high)};
}

/* Whether each lane has at least one of the bits of the same lane of `bits` set. */
static inline bool vi_all_have(vi x, vi bits)
{
    return vminvq_u32(vandq_u32(vtstq_s32(x.low, bits.low), vtstq_s32(x.high, bits.high))) != 0;
}

/* No rounding down is needed, see rescale_fixed.h. */
static inline unsigned vi_begin_floor(void)
{
    return 0;
}

static inline void vi_end_floor(unsigned before)
{
    (void)before;
}

/* Each lane rounded down to a whole number. */
static inline vi vi_floor(vf x)
{
    return (vi){vcvtmq_s32_f32(x.low), vcvtmq_s32_f32(x.high)};
}

/* The nearest whole number; for NaN a number with zeros in the lowest bits. */
static inline vi vi_round(vf x)
{
    return (vi){vcvtnq_s32_f32(x.low), vcvtnq_s32_f32(x.high)};
}

static inline vi vi_shift_left(vi x, vi count)
{
    return (vi){vshlq_s32(x.low, count.low), vshlq_s32(x.high, count.high)};
}

/* Shifts all lanes by one count; shifts to the right are arithmetic. */
static inline vi vi_shift_left_by(vi x, int count)
{
    return vi_shift_left(x, vi_set1(count));
}

static inline vi vi_shift_right_by(vi x, int count)
{
    return vi_shift_left(x, vi_set1(-count));
}

/* Shifts each lane by its own count; arithmetic. */
static inline vi vi_shift_right(vi x, vi count)
{
    return (vi){vshlq_s32(x.low, vnegq_s32(count.low)), vshlq_s32(x.high, vnegq_s32(count.high))};
}

/* The doubled high product and the two shifts are one instruction each. */
struct vi_scale {
    vi mantissa;
    vi left, right; /* right as a negative left shift */
    vi any_right;   /* -1 in lanes with a right shift */
};

static inline struct vi_scale vi_scale_from(vi mantissa, vi exponent)
{
    const vi zero = vi_set1(0), right = vi_min(exponent, zero);

    return (struct vi_scale){
        .mantissa = mantissa,
        .left = vi_max(exponent, zero),
        .right = right,
        .any_right = {vshrq_n_s32(right.low, 31), vshrq_n_s32(right.high, 31)}};
}

static inline int32x4_t high_product(int32x4_t x, int32x4_t left, int32x4_t mantissa)
{
    return vqrdmulhq_s32(vqshlq_s32(x, left), mantissa);
}

static inline vi vi_scale_half_up(vi x, const struct vi_scale *scale)
{
    const int32x4_t low = high_product(x.low, scale->left.low, scale->mantissa.low);
    const int32x4_t high = high_product(x.high, scale->left.high, scale->mantissa.high);

    return (vi){vrshlq_s32(low, scale->right.low), vrshlq_s32(high, scale->right.high)};
}

/* Negative numbers round halves down: returns x - 1 if x is negative and a second rounding
 * follows. */
static inline int32x4_t one_less_below(int32x4_t x, int32x4_t any_right)
{
    return vsraq_n_s32(x, vandq_s32(x, any_right), 31);
}

static inline vi vi_scale_half_away(vi x, const struct vi_scale *scale)
{
    const int32x4_t low = high_product(x.low, scale->left.low, scale->mantissa.low);
    const int32x4_t high = high_product(x.high, scale->left.high, scale->mantissa.high);

    return (vi){vrshlq_s32(one_less_below(low, scale->any_right.low), scale->right.low),
                vrshlq_s32(one_less_below(high, scale->any_right.high), scale->right.high)};
}

static inline uint8x8_t load_bytes(const void *p, size_t count)
{
    uint64_t bytes = 0;
    if (count == HY_LANES)
        return vld1_u8(p);
    memcpy(&bytes, p, count);
    return vcreate_u8(bytes);
}

/* Loads bytes and widens to 32 bits. */
static inline vi vi_load_u8_part(const uint8_t *p, size_t count)
{
    const uint16x8_t wide = vmovl_u8(load_bytes(p, count));
    return (vi){vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(wide))),
                vreinterpretq_s32_u32(vmovl_u16(vget_high_u16(wide)))};
}

static inline vi vi_load_s8_part(const int8_t *p, size_t count)
{
    const int16x8_t wide = vmovl_s8(vreinterpret_s8_u8(load_bytes(p, count)));
    return (vi){vmovl_s16(vget_low_s16(wide)), vmovl_s16(vget_high_s16(wide))};
}

static inline uint16x8_t load_words(const void *p, size_t count)
{
    uint16_t words[HY_LANES] = {0};
    if (count == HY_LANES)
        return vld1q_u16(p);
    memcpy(words, p, count * sizeof *words);
    return vld1q_u16(words);
}

/* Loads numbers of 16 bits and widens to 32 bits. */
static inline vi vi_load_u16_part(const uint16_t *p, size_t count)
{
    const uint16x8_t words = load_words(p, count);
    return (vi){vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(words))),
                vreinterpretq_s32_u32(vmovl_u16(vget_high_u16(words)))};
}

static inline vi vi_load_s16_part(const int16_t *p, size_t count)
{
    const int16x8_t words = vreinterpretq_s16_u16(load_words(p, count));
    return (vi){vmovl_s16(vget_low_s16(words)), vmovl_s16(vget_high_s16(words))};
}

/* Stores the lower half of every lane. */
static inline int16x8_t low_halves(vi x)
{
    return vuzp1q_s16(vreinterpretq_s16_s32(x.low), vreinterpretq_s16_s32(x.high));
}

static inline void vi_store_words_part(void *p, vi x, size_t count)
{
    int16_t words[HY_LANES];
    if (count == HY_LANES) {
        vst1q_s16(p, low_halves(x));
    } else {
        vst1q_s16(words, low_halves(x));
        memcpy(p, words, count * sizeof *words);
    }
}

/* Stores the low byte of every lane. */
static inline void vi_store_bytes_part(void *p, vi x, size_t count)
{
    const int8x8_t bytes = vmovn_s16(low_halves(x));
    if (count == HY_LANES) {
        vst1_s8(p, bytes);
    } else {
        const uint64_t low = vget_lane_u64(vreinterpret_u64_s8(bytes), 0);
        memcpy(p, &low, count);
    }
}

/* Vectors of 16 bits. */
static inline int16x8_t widen_bytes(uint8x8_t bytes, bool is_signed)
{
    return is_signed ? vmovl_s8(vreinterpret_s8_u8(bytes)) : vreinterpretq_s16_u16(vmovl_u8(bytes));
}

static inline vi vs_set1(int x)
{
    const int32x4_t shorts = vreinterpretq_s32_s16(vdupq_n_s16((int16_t)x));
    return (vi){shorts, shorts};
}

/* Loads bytes and widens. */
static inline vi vs_load_bytes(const void *p, bool is_signed)
{
    const uint8x16_t bytes = vld1q_u8(p);
    return (vi){vreinterpretq_s32_s16(widen_bytes(vget_low_u8(bytes), is_signed)),
                vreinterpretq_s32_s16(widen_bytes(vget_high_u8(bytes), is_signed))};
}

static inline vi vs_load_bytes_part(const void *p, size_t count, bool is_signed)
{
    uint8_t bytes[2 * HY_LANES] = {0};
    memcpy(bytes, p, count);
    return vs_load_bytes(bytes, is_signed);
}

static inline int32x4_t first_of_eight(int count, int32x4_t a, int32x4_t b)
{
    static const int16_t lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint16x8_t first = vcltq_s16(vld1q_s16(lanes), vdupq_n_s16((int16_t)count));
    return vreinterpretq_s32_u16(
        vbslq_u16(first, vreinterpretq_u16_s32(a), vreinterpretq_u16_s32(b)));
}

/* The first `count` lanes of a, the others of b. */
static inline vi vs_first_of(size_t count, vi a, vi b)
{
    return (vi){first_of_eight((int)count, a.low, b.low),
                first_of_eight((int)count - 8, a.high, b.high)};
}

static inline int32x4_t smaller_shorts(int32x4_t a, int32x4_t b)
{
    return vreinterpretq_s32_u16(vminq_u16(vreinterpretq_u16_s32(a), vreinterpretq_u16_s32(b)));
}

static inline vi vs_min_unsigned(vi a, vi b)
{
    return (vi){smaller_shorts(a.low, b.low), smaller_shorts(a.high, b.high)};
}

/* The smallest lane. */
static inline unsigned vs_smallest_unsigned(vi x)
{
    return vminvq_u16(vreinterpretq_u16_s32(smaller_shorts(x.low, x.high)));
}

static inline int32x4_t sub_shorts(int32x4_t a, int32x4_t b)
{
    return vreinterpretq_s32_s16(vsubq_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)));
}

static inline vi vs_sub(vi a, vi b)
{
    return (vi){sub_shorts(a.low, b.low), sub_shorts(a.high, b.high)};
}

static inline int32x4_t shift_shorts(int32x4_t x, int count)
{
    return vreinterpretq_s32_s16(vshlq_s16(vreinterpretq_s16_s32(x), vdupq_n_s16((int16_t)count)));
}

static inline vi vs_shift_left_by(vi x, int count)
{
    return (vi){shift_shorts(x.low, count), shift_shorts(x.high, count)};
}

static inline int32x4_t add_shorts(int32x4_t a, int32x4_t b)
{
    return vreinterpretq_s32_s16(vaddq_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)));
}

static inline vi vs_add(vi a, vi b)
{
    return (vi){add_shorts(a.low, b.low), add_shorts(a.high, b.high)};
}

/* Vectors of bytes. */
#define HY_BYTE_LANES 32

static inline vi vb_set1(int x)
{
    const int32x4_t bytes = vreinterpretq_s32_s8(vdupq_n_s8((int8_t)x));
    return (vi){bytes, bytes};
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

static inline int32x4_t larger_bytes(int32x4_t a, int32x4_t b, bool is_signed)
{
    return is_signed
               ? vreinterpretq_s32_s8(vmaxq_s8(vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b)))
               : vreinterpretq_s32_u8(vmaxq_u8(vreinterpretq_u8_s32(a), vreinterpretq_u8_s32(b)));
}

static inline vi vb_max(vi a, vi b, bool is_signed)
{
    return (vi){larger_bytes(a.low, b.low, is_signed), larger_bytes(a.high, b.high, is_signed)};
}

static inline int32x4_t smaller_bytes(int32x4_t a, int32x4_t b, bool is_signed)
{
    return is_signed
               ? vreinterpretq_s32_s8(vminq_s8(vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b)))
               : vreinterpretq_s32_u8(vminq_u8(vreinterpretq_u8_s32(a), vreinterpretq_u8_s32(b)));
}

static inline vi vb_min(vi a, vi b, bool is_signed)
{
    return (vi){smaller_bytes(a.low, b.low, is_signed), smaller_bytes(a.high, b.high, is_signed)};
}

/* Loads blocks of 16 bytes: block i is at p + i * step bytes. */
static inline vi vb_load_blocks(const void *p, ptrdiff_t step)
{
    const uint8_t *from = p;
    return (vi){vreinterpretq_s32_u8(vld1q_u8(from)), vreinterpretq_s32_u8(vld1q_u8(from + step))};
}

/* Stores the first block. */
static inline void vb_store_block(void *p, vi x)
{
    vst1q_u8(p, vreinterpretq_u8_s32(x.low));
}

static inline int32x4_t zip_low(int32x4_t a, int32x4_t b, size_t size)
{
    return size == 1
               ? vreinterpretq_s32_u8(vzip1q_u8(vreinterpretq_u8_s32(a), vreinterpretq_u8_s32(b)))
           : size == 2 ? vreinterpretq_s32_s16(
                             vzip1q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)))
           : size == 4 ? vzip1q_s32(a, b)
                       : vreinterpretq_s32_s64(
                             vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

static inline int32x4_t zip_high(int32x4_t a, int32x4_t b, size_t size)
{
    return size == 1
               ? vreinterpretq_s32_u8(vzip2q_u8(vreinterpretq_u8_s32(a), vreinterpretq_u8_s32(b)))
           : size == 2 ? vreinterpretq_s32_s16(
                             vzip2q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)))
           : size == 4 ? vzip2q_s32(a, b)
                       : vreinterpretq_s32_s64(
                             vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

/* Interleaves, in each block, elements of 1, 2, 4 or 8 bytes of the lower halves of a and b. */
static inline vi vb_zip_low(vi a, vi b, size_t size)
{
    return (vi){zip_low(a.low, b.low, size), zip_low(a.high, b.high, size)};
}

/* Interleaves the upper halves. */
static inline vi vb_zip_high(vi a, vi b, size_t size)
{
    return (vi){zip_high(a.low, b.low, size), zip_high(a.high, b.high, size)};
}

static inline int16x8_t narrow_and_add(vi x, int16x8_t plus)
{
    return vqaddq_s16(vqmovn_high_s32(vqmovn_s32(x.low), x.high), plus);
}

static inline int32x4_t narrow_to_bytes(int16x8_t a, int16x8_t b, bool is_signed)
{
    return is_signed ? vreinterpretq_s32_s8(vqmovn_high_s16(vqmovn_s16(a), b))
                     : vreinterpretq_s32_u8(vqmovun_high_s16(vqmovun_s16(a), b));
}

/* Bytes of a, b, c and d in order. Lanes are saturated to 16 bits, increased by `plus` and
 * saturated to bytes. */
static inline vi vb_narrow(vi a, vi b, vi c, vi d, int32_t plus, bool is_signed)
{
    const int16x8_t wide = vdupq_n_s16((int16_t)plus);
    return (vi){
        narrow_to_bytes(narrow_and_add(a, wide), narrow_and_add(b, wide), is_signed),
        narrow_to_bytes(narrow_and_add(c, wide), narrow_and_add(d, wide), is_signed),
    };
}

static inline int32x4_t choose_bytes(int32x4_t condition, int32x4_t yes, int32x4_t no)
{
    const uint8x16_t is_set =
        vtstq_u8(vreinterpretq_u8_s32(condition), vreinterpretq_u8_s32(condition));
    return vreinterpretq_s32_u8(
        vbslq_u8(is_set, vreinterpretq_u8_s32(yes), vreinterpretq_u8_s32(no)));
}

/* `yes` where a byte of `condition` is not 0, `no` elsewhere. */
static inline vi vb_choose(vi condition, vi yes, vi no)
{
    return (vi){choose_bytes(condition.low, yes.low, no.low),
                choose_bytes(condition.high, yes.high, no.high)};
}

static inline int16x8_t upper_halves(vi x)
{
    return vuzp2q_s16(vreinterpretq_s16_s32(x.low), vreinterpretq_s16_s32(x.high));
}

/* The upper halves of the lanes of a, b, c and d in turn, saturated to bytes. */
static inline vi vb_narrow_upper(vi a, vi b, vi c, vi d, bool is_signed)
{
    return (vi){narrow_to_bytes(upper_halves(a), upper_halves(b), is_signed),
                narrow_to_bytes(upper_halves(c), upper_halves(d), is_signed)};
}

/* The numbers of the form for lanes of 16 and of 32 bits. */
struct vb_form {
    int16x4_t a_high, a_low, b_high, b_low;
    int16x8_t c_high;
    int32x4_t c_low;
};

static inline struct vb_form vb_form_of(const struct hy_sum_form *form)
{
    return (struct vb_form){.a_high = vdup_n_s16(form->a_high),
                            .a_low = vdup_n_s16(form->a_low),
                            .b_high = vdup_n_s16(form->b_high),
                            .b_low = vdup_n_s16(form->b_low),
                            .c_high = vdupq_n_s16(form->c_high),
                            .c_low = vdupq_n_s32(form->c_low)};
}

/* Bytes times 256. The result, less c_high, is in the upper half. */
static inline int32x4_t sum_four(const struct vb_form *form, int16x4_t a, int16x4_t b)
{
    const int32x4_t low = vmlal_s16(vmlal_s16(form->c_low, a, form->a_low), b, form->b_low);
    const int32x4_t rest = vshrq_n_s32(low, HY_SUM_FORM_LOW_BITS);
    return vmlal_s16(vmlal_s16(rest, a, form->a_high), b, form->b_high);
}

static inline int16x8_t sum_eight(const struct vb_form *form, uint8x16_t a, uint8x16_t b)
{
    const int16x8_t x = vreinterpretq_s16_u8(a), y = vreinterpretq_s16_u8(b);
    const int32x4_t first = sum_four(form, vget_low_s16(x), vget_low_s16(y));
    const int32x4_t second = sum_four(form, vget_high_s16(x), vget_high_s16(y));
    return vaddq_s16(vshrn_high_n_s32(vshrn_n_s32(first, 16), second, 16), form->c_high);
}

static inline int32x4_t sum_sixteen(const struct vb_form *form, int32x4_t a, int32x4_t b,
                                    bool is_signed)
{
    const uint8x16_t zero = vdupq_n_u8(0), flip = vdupq_n_u8(is_signed ? 0 : 0x80);
    const uint8x16_t x = veorq_u8(vreinterpretq_u8_s32(a), flip);
    const uint8x16_t y = veorq_u8(vreinterpretq_u8_s32(b), flip);
    const int16x8_t first = sum_eight(form, vzip1q_u8(zero, x), vzip1q_u8(zero, y));
    const int16x8_t second = sum_eight(form, vzip2q_u8(zero, x), vzip2q_u8(zero, y));
    return narrow_to_bytes(first, second, is_signed);
}

static inline vi vb_sum(const struct vb_form *form, vi a, vi b, bool is_signed)
{
    return (vi){sum_sixteen(form, a.low, b.low, is_signed),
                sum_sixteen(form, a.high, b.high, is_signed)};
}

/* Stores the first `count` bytes of a quarter of x, or of a half of x with `quarters` 2. */
static inline void vb_store_part_of(void *p, vi x, int quarters, int part, size_t count)
{
    const int first = part * quarters;
    const uint8x16_t half = vreinterpretq_u8_s32(first < 2 ? x.low : x.high);
    const uint8x8_t start = first % 2 == 0 ? vget_low_u8(half) : vget_high_u8(half);

    if (quarters == 2 && count == 2 * HY_LANES) {
        vst1q_u8(p, half);
    } else if (quarters == 1 && count == HY_LANES) {
        vst1_u8(p, start);
    } else {
        uint8_t bytes[2 * HY_LANES];
        vst1q_u8(bytes, vcombine_u8(start, vget_high_u8(half)));
        memcpy(p, bytes, count);
    }
}

#if defined(HY_NEON)
#include "cpu_fallback/kernels/fast/simd/simd_neon_pairs.h"
#else
#include "cpu_fallback/kernels/fast/simd/simd_neon_bytes.h"
#endif

#endif
