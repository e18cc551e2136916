#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_ARC_TANGENT_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_ARC_TANGENT_H

#include <float.h>
#include <math.h>

#include "cpu_fallback/kernels/fast/simd/simd.h"

/* atan(q) / q as a polynomial in z = q^2, for q from 0 to 1, within 2e-7. The coefficients are a
 * least squares fit, reweighted until the largest error is minimal. */
static inline vf vf_arc_tangent_factor(vf z)
{
    static const float c[] = {0.9999999847646414f,   -0.3333307333044354f,  0.19992619082664237f,
                              -0.14203641981037043f, 0.1064092421901531f,   -0.07504273546327722f,
                              0.04269127046844834f,  -0.01606847548451787f, 0.002849851173885337f};
    vf sum = vf_set1(c[8]);

    HY_UNROLL(8)
    for (int i = 7; i >= 0; i--)
        sum = vf_multiply_add(sum, z, vf_set1(c[i]));
    return sum;
}

/* The angle of the point (x, y): computed in the first octant, then reflected if |y| > |x|, if x is
 * negative, and if y is negative. A quotient of infinities counts as 1; NaN gives NaN. */
static inline vf vf_atan2(vf y, vf x)
{
    const vf x_size = vf_abs(x), y_size = vf_abs(y), one = vf_set1(1);
    const vf least = vf_min(y_size, x_size), most = vf_max(y_size, x_size);
    const vf divisor = vf_if_below(most, vf_set1(FLT_MIN), vf_set1(FLT_MIN), most);
    const vf ratio = vf_if_equal(least, vf_set1(INFINITY), one, vf_divide(least, divisor));
    vf angle = vf_multiply(ratio, vf_arc_tangent_factor(vf_multiply(ratio, ratio)));

    angle = vf_if_below(x_size, y_size, vf_sub(vf_set1(1.57079633f), angle), angle);
    const vf turned = vf_sub(vf_set1(3.14159265f), angle);
    angle = vf_if_below(vf_copy_sign(one, x), vf_set1(0), turned, angle);
    angle = vf_copy_sign(angle, y);
    return vf_if_equal(x, x, vf_if_equal(y, y, angle, y), x);
}

#endif
