#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_LOG_SIN_POW_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_LOG_SIN_POW_H

#include <float.h>
#include <math.h>

#include "cpu_fallback/kernels/fast/simd/doubles.h"
#include "cpu_fallback/kernels/flush.h"

/*
 * LOG, SIN, COS and POW of vectors, computed in double and narrowed: within 0.6 ulp of the exact
 * value. Polynomials are minimax. Rare arguments (a power of zero, angles too large for the
 * reduction) are computed by the C library, lane by lane, so the result of a lane does not depend
 * on the other lanes.
 */

/* NaN in the lanes with x outside [least, most] or NaN, 0 in the other lanes. */
static inline vf vf_guard(vf x, float least, float most)
{
    const vf zero = vf_set1(0), no = vf_set1(NAN);
    const vf below = vf_if_below(vf_set1(most), x, no, zero);
    return vf_if_below(x, vf_set1(least), no, vf_add(below, vf_multiply(x, zero)));
}

/* Returns `result`, with the C library's `function` of x in the lanes with a NaN in `guard`. */
static __attribute__((noinline, unused)) vf vf_by_library(vf guard, vf x, float (*function)(float),
                                                          vf result)
{
    float guards[HY_LANES], values[HY_LANES], results[HY_LANES];

    vf_store(guards, guard);
    vf_store(values, x);
    vf_store(results, result);
    for (int i = 0; i < HY_LANES; i++)
        if (isnan(guards[i]))
            results[i] = function(hy_flush(values[i]));
    return vf_load(results);
}

/* Returns `result`, with the C library's `function` of a and b in the lanes with a NaN in
 * `guard`. */
static __attribute__((noinline, unused)) vf
vf_pair_by_library(vf guard, vf a, vf b, float (*function)(float, float), vf result)
{
    float guards[HY_LANES], firsts[HY_LANES], seconds[HY_LANES], results[HY_LANES];

    vf_store(guards, guard);
    vf_store(firsts, a);
    vf_store(seconds, b);
    vf_store(results, result);
    for (int i = 0; i < HY_LANES; i++)
        if (isnan(guards[i]))
            results[i] = function(hy_flush(firsts[i]), hy_flush(seconds[i]));
    return vf_load(results);
}

/* c[0] + c[1] x + ... + c[count - 1] x^(count - 1) */
HY_ALWAYS_INLINE vd vd_polynomial(vd x, const double *c, int count)
{
    vd sum = vd_set1(c[count - 1]);

    HY_UNROLL_IF_KNOWN(8)
    for (int i = count - 2; i >= 0; i--)
        sum = vd_multiply_add(sum, x, vd_set1(c[i]));
    return sum;
}

/*
 * For positive normal numbers x = 2^k m with m in [sqrt(1/2), sqrt(2)). log2 m is s times a
 * polynomial in s^2, with s = (m - 1) / (m + 1), within 2^-37.
 */
static inline vd vd_log2(vf x)
{
    static const double c[] = {0x1.71547652beea7p+1, 0x1.ec709d11d69a7p-1, 0x1.277780b0b6605p-1,
                               0x1.a58d2539ec7b4p-2, 0x1.5cefe47facc73p-2};
    const vd one = vd_set1(1);
    const vi k = vi_shift_right_by(vi_sub(vi_of_bits(x), vi_of_bits(vf_set1(0x1.6a09e6p-1f))), 23);
    const vd m = vd_widen(vf_of_bits(vi_sub(vi_of_bits(x), vi_shift_left_by(k, 23))));
    const vd s = vd_divide(vd_sub(m, one), vd_add(m, one));

    return vd_multiply_add(s, vd_polynomial(vd_multiply(s, s), c, 5), vd_widen(vf_from_vi(k)));
}

/* Only positive subnormal numbers are left to the library, if the thread does not flush subnormal
 * numbers to zero. */
static inline vf vf_log(vf x)
{
    const vf zero = vf_set1(0), nan = vf_set1(NAN);
    const vf guard = vf_if_below(zero, x, vf_if_below(x, vf_set1(FLT_MIN), nan, zero), zero);
    vf result = vd_narrow(vd_multiply(vd_log2(x), vd_set1(0x1.62e42fefa39efp-1)));

    result = vf_if_below(x, zero, nan, result);
    result = vf_if_equal(x, zero, vf_set1(-INFINITY), result);
    result = vf_if_below(x, vf_set1(INFINITY), result, x); /* infinity and NaN stay */
    return vf_any_nan(guard) ? vf_by_library(guard, x, logf, result) : result;
}

/* 2^r within 2^-28, for |r| <= 1/2 */
static inline vd vd_exp2_near_zero(vd r)
{
    static const double c[] = {1,
                               0x1.62e430af601e1p-1,
                               0x1.ebfbdc3b0a60ap-3,
                               0x1.c6aee839f04b6p-5,
                               0x1.3b2d4d7a6dceap-7,
                               0x1.5f3e7f46ffa50p-10,
                               0x1.41fb9f5d64e80p-13};
    return vd_polynomial(r, c, 7);
}

/* a^b = 2^(b log2 a). Not inlined, because kernels of pairs call the function in many places. */
static __attribute__((noinline, unused)) vf vf_pow(vf a, vf b)
{
    const vf size = vf_abs(a), half = vf_multiply(b, vf_set1(0.5f));
    const vd t = vd_multiply(vd_widen(b), vd_log2(size));
    const vf near = vd_narrow(t), n = vf_round(near);
    const vf guard = vf_add(vf_guard(size, FLT_MIN, FLT_MAX), vf_guard(near, -125, 127));
    const vf power = vf_scale(vd_narrow(vd_exp2_near_zero(vd_sub(t, vd_widen(n)))), n);
    /* Negative a: an odd exponent keeps the sign, and an exponent that is not whole gives NaN. */
    const vf whole = vf_if_equal(vf_round(half), half, power, vf_copy_sign(power, a));
    const vf below = vf_if_equal(vf_round(b), b, whole, vf_set1(NAN));
    const vf result = vf_if_below(a, vf_set1(0), below, power);

    return vf_any_nan(guard) ? vf_pair_by_library(guard, a, b, powf, result) : result;
}

/* sin r for |r| <= pi / 2, with r = size - turns pi */
static inline vf vf_sine_between(vf size, vd half_turns)
{
    static const double c[] = {0x1.ffffffffd141bp-1,  -0x1.555555415f082p-3,
                               0x1.11110b6f88df5p-7,  -0x1.a017a76120580p-13,
                               0x1.716b70a990000p-19, -0x1.9a097de000000p-26};
    const vd near = vd_multiply_add(half_turns, vd_set1(-0x1.921fb54442d18p+1), vd_widen(size));
    const vd r = vd_multiply_add(half_turns, vd_set1(-0x1.1a62633145c07p-53), near);

    return vd_narrow(vd_multiply(r, vd_polynomial(vd_multiply(r, r), c, 6)));
}

/* |x| = n pi + r with a whole n. The result is sin r with the sign of x, negated if n is odd. */
static inline vf vf_sin(vf x)
{
    const vf size = vf_abs(x), guard = vf_guard(size, 0, 0x1p15f);
    const vf n = vf_round(vf_multiply(size, vf_set1(0x1.45f306p-2f)));
    const vf sine = vf_sine_between(size, vd_widen(n));
    const vi signs =
        vi_add(vi_of_bits(vf_copy_sign(vf_set1(0), x)), vi_shift_left_by(vi_round(n), 31));
    const vf result = vf_of_bits(vi_add(vi_of_bits(sine), signs));

    return vf_any_nan(guard) ? vf_by_library(guard, x, sinf, result) : result;
}

/* |x| = (n + 1/2) pi + r with a whole n. The result is sin r, negated if n is even. */
static inline vf vf_cos(vf x)
{
    const vf size = vf_abs(x), guard = vf_guard(size, 0, 0x1p15f), half = vf_set1(0.5f);
    const vf n = vf_round(vf_sub(vf_multiply(size, vf_set1(0x1.45f306p-2f)), half));
    const vf sine = vf_sine_between(size, vd_add(vd_widen(n), vd_set1(0.5)));
    const vi signs = vi_shift_left_by(vi_add(vi_round(n), vi_set1(1)), 31);
    const vf result = vf_of_bits(vi_add(vi_of_bits(sine), signs));

    return vf_any_nan(guard) ? vf_by_library(guard, x, cosf, result) : result;
}

#endif
