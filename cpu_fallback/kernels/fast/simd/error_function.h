#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_ERROR_FUNCTION_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_ERROR_FUNCTION_H

#include "cpu_fallback/kernels/fast/simd/exponential.h"

/*
 * The error function and GELU, without branches. Polynomials are minimax. If an argument range is
 * split in two, both polynomials are computed and each lane selects the valid result.
 */

/* c[0] + c[1] x + ... + c[count - 1] x^(count - 1) */
HY_ALWAYS_INLINE vf vf_polynomial(vf x, const float *c, int count)
{
    vf sum = vf_set1(c[count - 1]);

    HY_UNROLL_IF_KNOWN(16)
    for (int i = count - 2; i >= 0; i--)
        sum = vf_multiply_add(sum, x, vf_set1(c[i]));
    return sum;
}

/* Within 2 ulp. Below 1 the result is x + x p(x^2). From 1 to 4 the logarithm of 1 - erf(x) is a
 * polynomial. From 4 on the result is 1. */
static inline vf vf_erf(vf x)
{
    static const float near[] = {0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2cf8p-4f, -0x1.b7f90cp-6f,
                                 0x1.5405b2p-8f, -0x1.a3f6fap-11f, 0x1.496a1ep-14f};
    static const float far[] = {0x1.8a5b08p-13f, -0x1.212c0ep+0f, -0x1.443564p-1f,
                                -0x1.bc1526p-4f, 0x1.9d0308p-6f,  -0x1.138cf0p-8f,
                                0x1.cec6a0p-12f, -0x1.6bd8b2p-16f};
    const vf one = vf_set1(1), size = vf_abs(x);
    const vf small = vf_multiply_add(size, vf_polynomial(vf_multiply(x, x), near, 7), size);
    const vf power = vf_exp(vf_polynomial(vf_min(vf_set1(4), size), far, 8));

    return vf_copy_sign(vf_if_below(size, one, small, vf_sub(one, power)), x);
}

/*
 * x times the normal distribution function of x, within 4 ulp if the result is not subnormal. Below
 * 1.25 the distribution function is 1/2 + x p(x^2). Beyond, its tail is e^(-x^2 / 2) q(t) with t =
 * 1 / (1 + 0.3 |x|), and the rounding error of the square is corrected. From 20 on the tail is 0.
 */
static inline vf vf_gelu(vf x)
{
    static const float near[] = {0x1.988454p-2f,   -0x1.105836p-4f, 0x1.46cfc8p-7f,
                                 -0x1.373192p-10f, 0x1.e27ad6p-14f, -0x1.2ff36ap-17f,
                                 0x1.ff2e6ap-22f};
    static const float far[] = {0x1.017ac2p-17f, 0x1.e96d2ep-4f,  0x1.f2deeap-4f,
                                0x1.88d63ap-4f,  0x1.18968ap-3f,  -0x1.00e6cap-4f,
                                0x1.ac61cep-3f,  -0x1.3c7832p-3f, 0x1.153368p-5f};
    const vf zero = vf_set1(0), half = vf_set1(0.5f), one = vf_set1(1);
    const vf size = vf_min(vf_set1(20), vf_abs(x)), square = vf_multiply(size, size);
    const vf small = vf_multiply(x, vf_multiply_add(x, vf_polynomial(square, near, 7), half));

    const vf lost = vf_subtract_product(square, size, size); /* negative; halved below */
    const vf power = vf_exp(vf_multiply(square, vf_set1(-0.5f)));
    const vf exact = vf_multiply_add(power, vf_multiply(lost, half), power);
    const vf t = vf_divide(one, vf_multiply_add(size, vf_set1(0.3f), one));
    const vf tail = vf_multiply(vf_multiply(size, vf_polynomial(t, far, 9)), exact);
    const vf large = vf_sub(vf_if_below(x, zero, vf_set1(-0.0f), x), tail);

    return vf_if_below(size, vf_set1(1.25f), small, large);
}

/* x / (1 + e^-2u) with u = sqrt(2 / pi) (x + 0.044715 x^3). The error is the error of u in float32.
 * Results below 2^-122 may be zero. */
static inline vf vf_gelu_tanh(vf x)
{
    const vf size = vf_max(vf_set1(-40), x); /* results below -40 are 0 */
    const vf curve =
        vf_multiply_add(vf_multiply(size, size), vf_set1(0x1.2444f2p-4f), vf_set1(0x1.988454p+0f));

    return vf_multiply(size, vf_logistic(vf_multiply(size, curve)));
}

#endif
