#ifndef HY_CPU_FALLBACK_KERNELS_FAST_EXPONENTIAL_H
#define HY_CPU_FALLBACK_KERNELS_FAST_EXPONENTIAL_H

#include "cpu_fallback/kernels/fast/simd.h"

/*
 * Exponential functions of vectors, without branches: within 2 ulp of the exact value over all of
 * float32, subnormal results included. NaN gives NaN, infinities give the limits.
 *
 * All of them begin alike: x = n * ln 2 + r with a whole n and |r| <= ln 2 / 2, then a polynomial
 * for e^r - 1. Its coefficients are minimax: together they are off by 2^-28.7 of the result.
 */
struct vf_reduced {
    vf n, r;
    vf lost;  /* when r was rounded */
    vf curve; /* (e^r - 1 - r) / r^2 */
};

static inline struct vf_reduced vf_reduce(vf x)
{
    const vf n = vf_round(vf_multiply(x, vf_set1(0x1.715476p+0f)));
    const vf near = vf_multiply_add(n, vf_set1(-0x1.62e43p-1f), x); /* exact */
    const vf r = vf_multiply_add(n, vf_set1(0x1.05c61p-29f), near);
    const vf lost = vf_multiply_add(n, vf_set1(0x1.05c61p-29f), vf_sub(near, r));
    vf curve = vf_set1(0x1.a032c4p-13f);

    curve = vf_multiply_add(curve, r, vf_set1(0x1.6d724cp-10f));
    curve = vf_multiply_add(curve, r, vf_set1(0x1.11118ap-7f));
    curve = vf_multiply_add(curve, r, vf_set1(0x1.5554b0p-5f));
    curve = vf_multiply_add(curve, r, vf_set1(0x1.555554p-3f));
    curve = vf_multiply_add(curve, r, vf_set1(0.5f));
    return (struct vf_reduced){n, r, lost, curve};
}

/* e^x */
static inline vf vf_exp(vf x)
{
    /* Beyond these all results are zero or infinite. */
    const struct vf_reduced p = vf_reduce(vf_clamp(x, vf_set1(-104), vf_set1(89)));
    const vf line = vf_add(vf_set1(1), p.r);
    const vf lost = vf_add(vf_sub(vf_set1(1), line), p.r); /* when the line was rounded */
    const vf rest = vf_multiply_add(vf_multiply(p.r, p.r), p.curve, lost);

    return vf_scale(vf_add(line, rest), p.n);
}

/* e^x - 1 for x that are not above zero; +0 for -0 */
static inline vf vf_expm1_below(vf x)
{
    /* Below it all results are -1. */
    const struct vf_reduced p = vf_reduce(vf_max(vf_set1(-40), x));
    const vf rest = vf_add(vf_multiply_add(vf_multiply(p.r, p.r), p.curve, p.lost), p.r);
    const vf power = vf_scale(vf_set1(1), p.n);

    return vf_multiply_add(power, rest, vf_sub(power, vf_set1(1)));
}

/* a / (whole + b), where the sum is in 1..2 and `whole` the greater: rounded almost once. */
static inline vf vf_divide_by_sum(vf a, vf whole, vf b)
{
    const vf zero = vf_set1(0);
    const vf sum = vf_add(whole, b), lost = vf_sub(b, vf_sub(sum, whole));
    const vf quotient = vf_divide(a, sum), minus = vf_sub(zero, quotient);
    const vf rest = vf_multiply_add(minus, lost, vf_multiply_add(minus, sum, a));
    const vf inverse = vf_multiply_add(sum, vf_set1(-0.5f), vf_set1(1.457f)); /* nearly */

    return vf_multiply_add(rest, inverse, quotient);
}

/* 1 / (1 + e^-x), from e^-|x|, which cannot overflow */
static inline vf vf_logistic(vf x)
{
    const vf one = vf_set1(1), zero = vf_set1(0);
    const vf power = vf_exp(vf_sub(zero, vf_abs(x)));

    return vf_divide_by_sum(vf_if_below(x, zero, power, one), one, power);
}

/* (1 - e^-2|x|) / (1 + e^-2|x|) with the sign of x */
static inline vf vf_tanh(vf x)
{
    const vf power = vf_expm1_below(vf_multiply(vf_set1(-2), vf_abs(x)));

    return vf_copy_sign(vf_divide_by_sum(power, vf_set1(2), power), x);
}

#endif
