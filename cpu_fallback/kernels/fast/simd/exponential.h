#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_EXPONENTIAL_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_EXPONENTIAL_H

#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * Exponential functions of vectors, without branches: within 2 ulp of the exact value over all of
 * float32. NaN gives NaN, infinities give the limits. Results of EXP include subnormal numbers;
 * those of LOGISTIC are zero there.
 *
 * All of them begin alike: x = n * ln 2 + r with a whole n and |r| <= ln 2 / 2, then a polynomial
 * for e^r - 1. Its coefficients are minimax: together they are off by 2^-28 of e^r.
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
    vf curve = vf_set1(0x1.6a23cep-10f);

    curve = vf_multiply_add(curve, r, vf_set1(0x1.123a2p-7f));
    curve = vf_multiply_add(curve, r, vf_set1(0x1.5558f2p-5f));
    curve = vf_multiply_add(curve, r, vf_set1(0x1.555492p-3f));
    curve = vf_multiply_add(curve, r, vf_set1(0x1.fffffcp-2f));
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

/*
 * 1 / (1 + e^-x), from q = e / (1 + e) with e = e^-|x|: q below zero, 1 - q above. The sum is
 * rounded and q with it, so q gets a step of division by hand: what is left of e over q (1 + e),
 * times 1 / (1 + e), which is 1 - q.
 */
static inline vf vf_logistic(vf x)
{
    const vf zero = vf_set1(0), one = vf_set1(1), minus = vf_copy_sign(x, vf_set1(-0.0f));
    const struct vf_reduced p = vf_reduce(minus);
    const vf power = vf_add(one, vf_multiply_add(vf_multiply(p.r, p.r), p.curve, p.r));
    /* Where e is a normal number its exponent is a plain sum. */
    const vf scaled = vf_of_bits(vi_add(vi_of_bits(power), vi_shift_left_by(vi_round(p.n), 23)));
    const vf e = vf_if_below(minus, vf_set1(-0x1.5d589ep+6f), zero, scaled);

    const vf q = vf_divide(e, vf_add(one, e)), other = vf_sub(one, q);
    const vf rest = vf_subtract_product(vf_sub(e, q), q, e); /* the difference is exact */
    return vf_subtract_product(vf_if_below(x, zero, q, other), rest, vf_copy_sign(other, x));
}

/*
 * -q with the sign of x, from q = m / (2 + m) with m = e^-2|x| - 1; the quotient is corrected as
 * that of the logistic function.
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
