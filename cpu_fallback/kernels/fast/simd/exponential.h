#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_EXPONENTIAL_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_EXPONENTIAL_H

#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * Exponential functions of vectors, without branches: within 2 ulp of the exact value over all of
 * float32. NaN gives NaN, infinities give the limits. EXP may return subnormal numbers; LOGISTIC
 * returns zero instead.
 *
 * All functions start with x = n * ln 2 + r, with a whole n and |r| <= ln 2 / 2, followed by a
 * polynomial for e^r - 1. The coefficients are minimax: the error of the polynomial is 2^-28 of
 * e^r.
 */
struct vf_reduced {
    vf n, r;
    vf power; /* 2^n for n of -126 to 127; 0 for n = -127 */
    vf curve; /* (e^r - 1 - r) / r^2 */
};

/*
 * Reduces `sign` * x, with a magnitude below 2^21. `sign` is 1 or -1; with -1 the sign of r is
 * reversed. Adding a large constant of 24 bits rounds to a whole number whose lowest bits are the
 * bits of n plus the exponent bias.
 */
static inline struct vf_reduced vf_reduce(vf x, float sign)
{
    const vf whole = vf_set1(0x1.8p+23f + 127);
    const vf shifted = vf_multiply_add(x, vf_set1(sign * 0x1.715476p+0f), whole);
    const vf n = vf_sub(shifted, whole);
    const vf near = vf_multiply_add(n, vf_set1(sign * -0x1.62e43p-1f), x); /* exact */
    const vf r = vf_multiply_add(n, vf_set1(sign * 0x1.05c61p-29f), near);
    vf curve = vf_set1(0x1.6a23cep-10f);

    curve = vf_multiply_add(curve, r, vf_set1(sign * 0x1.123a2p-7f));
    curve = vf_multiply_add(curve, r, vf_set1(0x1.5558f2p-5f));
    curve = vf_multiply_add(curve, r, vf_set1(sign * 0x1.555492p-3f));
    curve = vf_multiply_add(curve, r, vf_set1(0x1.fffffcp-2f));
    return (struct vf_reduced){n, r, vf_of_bits(vi_shift_left_by(vi_of_bits(shifted), 23)), curve};
}

/* e^x */
static inline vf vf_exp(vf x)
{
    /* Beyond these bounds all results are zero or infinite. */
    const struct vf_reduced p = vf_reduce(vf_clamp(x, vf_set1(-104), vf_set1(89)), 1);
    const vf line = vf_add(vf_set1(1), p.r);
    const vf lost = vf_add(vf_sub(vf_set1(1), line), p.r); /* the rounding error of `line` */
    const vf rest = vf_multiply_add(vf_multiply(p.r, p.r), p.curve, lost);

    return vf_scale(vf_add(line, rest), p.n);
}

/* e^x - 1 for x <= 0; -0 gives +0 */
static inline vf vf_expm1_below(vf x)
{
    /* Below -40 all results are -1. */
    const struct vf_reduced p = vf_reduce(vf_max(vf_set1(-40), x), 1);
    const vf rest = vf_multiply_add(vf_multiply(p.r, p.r), p.curve, p.r);

    return vf_multiply_add(p.power, rest, vf_sub(p.power, vf_set1(1)));
}

/*
 * 1 / (1 + e^-x), with e^-x = power - power * rest. For a large power, 1 is added to the smaller
 * product.
 */
static inline vf vf_logistic(vf x)
{
    const vf one = vf_set1(1);
    /* Above 88 all results are 1. */
    const struct vf_reduced p = vf_reduce(vf_min(vf_set1(88), x), -1);
    const vf rest = vf_subtract_product(p.r, vf_multiply(p.r, p.r), p.curve);
    const vf sum = vf_add(vf_subtract_product(one, p.power, rest), p.power);

    /* Below this bound all results are subnormal. */
    return vf_if_below(x, vf_set1(-0x1.5d589ep+6f), vf_set1(0), vf_divide(one, sum));
}

/*
 * -q with the sign of x, from q = m / (2 + m) with m = e^-2|x| - 1. The quotient is corrected as in
 * the logistic function.
 */
static inline vf vf_tanh(vf x)
{
    const vf two = vf_set1(2), m = vf_expm1_below(vf_multiply(vf_set1(-2), vf_abs(x)));
    const vf sum = vf_add(two, m), q = vf_divide(m, sum);
    const vf rest = vf_subtract_product(vf_subtract_product(m, q, two), q, m);
    const vf inverse = vf_multiply_add(sum, vf_set1(-0.5f), vf_set1(1.457f)); /* nearly 1 / sum */

    return vf_copy_sign(vf_multiply_add(rest, inverse, q), x);
}

#endif
