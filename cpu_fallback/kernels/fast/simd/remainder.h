#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_REMAINDER_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_REMAINDER_H

#include "cpu_fallback/kernels/fast/simd/log_sin_pow.h"

static inline float floor_mod_of_library(float a, float b)
{
    const float rest = fmodf(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/*
 * The remainder with the sign of b, exact. Below 2^28, the double nearest to a quotient that is not
 * whole lies between the same two whole numbers as the quotient. The product of the whole part and
 * b fits a double. Not inlined, because kernels of pairs call the function in many places.
 */
static __attribute__((noinline, unused)) vf vf_floor_mod(vf a, vf b)
{
    const vf a_size = vf_abs(a), b_size = vf_abs(b), zero = vf_set1(0);
    const vf guard =
        vf_add(vf_guard(b_size, 0, FLT_MAX), vf_guard(vf_divide(a_size, b_size), 0, 0x1p28f));
    const vd wide_a = vd_widen(a_size), wide_b = vd_widen(b_size);
    const vd whole = vd_from_vi(vi_floor_doubles(vd_divide(wide_a, wide_b)));
    const vf rest = vf_copy_sign(vd_narrow(vd_sub(wide_a, vd_multiply(whole, wide_b))), a);
    const vf sign = vf_copy_sign(vf_set1(1), b);
    const vf result = vf_if_below(vf_multiply(rest, sign), zero, vf_add(rest, b), rest);

    return vf_any_nan(guard) ? vf_pair_by_library(guard, a, b, floor_mod_of_library, result)
                             : result;
}

#endif
