#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_DOUBLES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_DOUBLES_H

#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * Vector functions for double. A `vd` has HY_LANES doubles, in the lane order of the floats given
 * to vd_widen.
 */
#if defined(HY_AVX512)
typedef struct {
    __m512d low, high;
} vd;

static inline vd vd_set1(double x)
{
    return (vd){_mm512_set1_pd(x), _mm512_set1_pd(x)};
}

static inline vd vd_widen(vf x)
{
    return (vd){_mm512_cvtps_pd(_mm512_castps512_ps256(x)),
                _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1))};
}

static inline vf vd_narrow(vd x)
{
    const __m512 low = _mm512_castps256_ps512(_mm512_cvtpd_ps(x.low));
    return _mm512_insertf32x8(low, _mm512_cvtpd_ps(x.high), 1);
}

static inline vd vd_add(vd a, vd b)
{
    return (vd){_mm512_add_pd(a.low, b.low), _mm512_add_pd(a.high, b.high)};
}

static inline vd vd_sub(vd a, vd b)
{
    return (vd){_mm512_sub_pd(a.low, b.low), _mm512_sub_pd(a.high, b.high)};
}

static inline vd vd_multiply(vd a, vd b)
{
    return (vd){_mm512_mul_pd(a.low, b.low), _mm512_mul_pd(a.high, b.high)};
}

static inline vd vd_multiply_add(vd a, vd b, vd sum)
{
    return (vd){_mm512_fmadd_pd(a.low, b.low, sum.low), _mm512_fmadd_pd(a.high, b.high, sum.high)};
}

static inline vd vd_divide(vd a, vd b)
{
    return (vd){_mm512_div_pd(a.low, b.low), _mm512_div_pd(a.high, b.high)};
}

static inline vd vd_sqrt(vd x)
{
    return (vd){_mm512_sqrt_pd(x.low), _mm512_sqrt_pd(x.high)};
}

static inline vd vd_from_vi(vi x)
{
    return (vd){_mm512_cvtepi32_pd(_mm512_castsi512_si256(x)),
                _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(x, 1))};
}

/* Each lane rounded down to an integer, if the integer fits 32 bits; INT32_MIN for 2^31. */
static inline vi vi_floor_doubles(vd x)
{
    const __m256i low = _mm512_cvt_roundpd_epi32(x.low, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    const __m256i high =
        _mm512_cvt_roundpd_epi32(x.high, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* The sum of all lanes. */
static inline double vd_sum(vd x)
{
    return _mm512_reduce_add_pd(_mm512_add_pd(x.low, x.high));
}

/* The sum of the two halves of a, followed by the sum of the two halves of b. */
static inline __m512d sum_halves(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
}

/* The sums of the quarters within each half of a, followed by those of b. */
static inline __m512d sum_quarters(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}

/* The sums of x[0], x[2], x[4] and x[6], with two partial sums left to add for each. */
static inline __m512d sum_four(const vd *x)
{
    __m512d wide[4];

    HY_UNROLL(4)
    for (int i = 0; i < 4; i++)
        wide[i] = _mm512_add_pd(x[2 * i].low, x[2 * i].high);
    return sum_quarters(sum_halves(wide[0], wide[1]), sum_halves(wide[2], wide[3]));
}

static inline __m512d sum_eight(const vd *x)
{
    const __m512d even = sum_four(x), odd = sum_four(x + 1);
    return _mm512_add_pd(_mm512_unpacklo_pd(even, odd), _mm512_unpackhi_pd(even, odd));
}

/* Lane i is the sum of all lanes of x[i], for HY_LANES vectors, with the same bits as vd_sum(). */
static inline vd vd_sum_each(const vd *x)
{
    return (vd){sum_eight(x), sum_eight(x + 8)};
}
#elif defined(HY_AVX2)
typedef struct {
    __m256d low, high;
} vd;

static inline vd vd_set1(double x)
{
    return (vd){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}

static inline vd vd_widen(vf x)
{
    return (vd){_mm256_cvtps_pd(_mm256_castps256_ps128(x)),
                _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))};
}

static inline vf vd_narrow(vd x)
{
    const __m256 low = _mm256_castps128_ps256(_mm256_cvtpd_ps(x.low));
    return _mm256_insertf128_ps(low, _mm256_cvtpd_ps(x.high), 1);
}

static inline vd vd_add(vd a, vd b)
{
    return (vd){_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
}

static inline vd vd_sub(vd a, vd b)
{
    return (vd){_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)};
}

static inline vd vd_multiply(vd a, vd b)
{
    return (vd){_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
}

static inline vd vd_multiply_add(vd a, vd b, vd sum)
{
    return (vd){_mm256_fmadd_pd(a.low, b.low, sum.low), _mm256_fmadd_pd(a.high, b.high, sum.high)};
}

static inline vd vd_divide(vd a, vd b)
{
    return (vd){_mm256_div_pd(a.low, b.low), _mm256_div_pd(a.high, b.high)};
}

static inline vd vd_sqrt(vd x)
{
    return (vd){_mm256_sqrt_pd(x.low), _mm256_sqrt_pd(x.high)};
}

static inline vd vd_from_vi(vi x)
{
    return (vd){_mm256_cvtepi32_pd(_mm256_castsi256_si128(x)),
                _mm256_cvtepi32_pd(_mm256_extracti128_si256(x, 1))};
}

/* Each lane rounded down to an integer, if the integer fits 32 bits; INT32_MIN for 2^31. */
static inline vi vi_floor_doubles(vd x)
{
    return _mm256_set_m128i(_mm256_cvttpd_epi32(_mm256_floor_pd(x.high)),
                            _mm256_cvttpd_epi32(_mm256_floor_pd(x.low)));
}

/* The sum of all lanes. */
static inline double vd_sum(vd x)
{
    const __m256d four = _mm256_add_pd(x.low, x.high);
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/* The sum of the halves of x[0], followed by the sum of the halves of x[2]. */
static inline __m256d sum_halves(const vd *x)
{
    const __m256d a = _mm256_add_pd(x[0].low, x[0].high);
    const __m256d b = _mm256_add_pd(x[2].low, x[2].high);
    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
}

static inline __m256d sum_four(const vd *x)
{
    const __m256d even = sum_halves(x), odd = sum_halves(x + 1);
    return _mm256_add_pd(_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd));
}

/* Lane i is the sum of all lanes of x[i], for HY_LANES vectors, with the same bits as vd_sum(). */
static inline vd vd_sum_each(const vd *x)
{
    return (vd){sum_four(x), sum_four(x + 4)};
}
#elif defined(HY_NEON)
typedef struct {
    float64x2_t two[4];
} vd;

static inline vd vd_set1(double x)
{
    const float64x2_t two = vdupq_n_f64(x);
    return (vd){{two, two, two, two}};
}

static inline vd vd_widen(vf x)
{
    return (vd){{vcvt_f64_f32(vget_low_f32(x.low)), vcvt_high_f64_f32(x.low),
                 vcvt_f64_f32(vget_low_f32(x.high)), vcvt_high_f64_f32(x.high)}};
}

static inline vf vd_narrow(vd x)
{
    return (vf){vcvt_high_f32_f64(vcvt_f32_f64(x.two[0]), x.two[1]),
                vcvt_high_f32_f64(vcvt_f32_f64(x.two[2]), x.two[3])};
}

static inline vd vd_add(vd a, vd b)
{
    return (vd){{vaddq_f64(a.two[0], b.two[0]), vaddq_f64(a.two[1], b.two[1]),
                 vaddq_f64(a.two[2], b.two[2]), vaddq_f64(a.two[3], b.two[3])}};
}

static inline vd vd_sub(vd a, vd b)
{
    return (vd){{vsubq_f64(a.two[0], b.two[0]), vsubq_f64(a.two[1], b.two[1]),
                 vsubq_f64(a.two[2], b.two[2]), vsubq_f64(a.two[3], b.two[3])}};
}

static inline vd vd_multiply(vd a, vd b)
{
    return (vd){{vmulq_f64(a.two[0], b.two[0]), vmulq_f64(a.two[1], b.two[1]),
                 vmulq_f64(a.two[2], b.two[2]), vmulq_f64(a.two[3], b.two[3])}};
}

static inline vd vd_multiply_add(vd a, vd b, vd sum)
{
    return (vd){
        {vfmaq_f64(sum.two[0], a.two[0], b.two[0]), vfmaq_f64(sum.two[1], a.two[1], b.two[1]),
         vfmaq_f64(sum.two[2], a.two[2], b.two[2]), vfmaq_f64(sum.two[3], a.two[3], b.two[3])}};
}

static inline vd vd_divide(vd a, vd b)
{
    return (vd){{vdivq_f64(a.two[0], b.two[0]), vdivq_f64(a.two[1], b.two[1]),
                 vdivq_f64(a.two[2], b.two[2]), vdivq_f64(a.two[3], b.two[3])}};
}

static inline vd vd_sqrt(vd x)
{
    return (vd){
        {vsqrtq_f64(x.two[0]), vsqrtq_f64(x.two[1]), vsqrtq_f64(x.two[2]), vsqrtq_f64(x.two[3])}};
}

static inline float64x2_t sum_twos(vd x)
{
    return vaddq_f64(vaddq_f64(x.two[0], x.two[1]), vaddq_f64(x.two[2], x.two[3]));
}

static inline vd vd_from_vi(vi x)
{
    return (vd){
        {vcvtq_f64_s64(vmovl_s32(vget_low_s32(x.low))), vcvtq_f64_s64(vmovl_high_s32(x.low)),
         vcvtq_f64_s64(vmovl_s32(vget_low_s32(x.high))), vcvtq_f64_s64(vmovl_high_s32(x.high))}};
}

/* Each lane rounded down to an integer, if the integer fits 32 bits; INT32_MIN for 2^31. */
static inline vi vi_floor_doubles(vd x)
{
    return (vi){vmovn_high_s64(vmovn_s64(vcvtmq_s64_f64(x.two[0])), vcvtmq_s64_f64(x.two[1])),
                vmovn_high_s64(vmovn_s64(vcvtmq_s64_f64(x.two[2])), vcvtmq_s64_f64(x.two[3]))};
}

/* The sum of all lanes. */
static inline double vd_sum(vd x)
{
    return vaddvq_f64(sum_twos(x));
}

/* Lane i is the sum of all lanes of x[i], for HY_LANES vectors, with the same bits as vd_sum(). */
static inline vd vd_sum_each(const vd *x)
{
    vd sums;

    for (int i = 0; i < 4; i++)
        sums.two[i] = vpaddq_f64(sum_twos(x[2 * i]), sum_twos(x[2 * i + 1]));
    return sums;
}
#endif

#endif
