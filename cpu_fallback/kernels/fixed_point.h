#ifndef HY_CPU_FALLBACK_KERNELS_FIXED_POINT_H
#define HY_CPU_FALLBACK_KERNELS_FIXED_POINT_H

#include <stdint.h>

#include "cpu_fallback/kernels/types.h"

/*
 * Integers times real multipliers, with the two roundings of TensorFlow Lite: first the doubled
 * high product (half up), then the right shift, half up or half away from zero. Everything is
 * defined for any operand: the left shift saturates.
 */

static inline int32_t hy_clamp_int32(int64_t value, int32_t min, int32_t max)
{
    return value < min ? min : value > max ? max : (int32_t)value;
}

/* (value * 2^max(exponent, 0) * mantissa + 2^30) / 2^31, rounded down */
static inline int64_t hy_high_product(int32_t value, struct hy_multiplier multiplier)
{
    int left = multiplier.exponent > 0 ? multiplier.exponent : 0;
    int64_t shifted = hy_clamp_int32(value * (INT64_C(1) << left), INT32_MIN, INT32_MAX);
    return (shifted * multiplier.mantissa + (INT64_C(1) << 30)) >> 31;
}

/* CONV_2D, FULLY_CONNECTED, BATCH_MATMUL: the second rounding is half up. */
static inline int32_t hy_scale_half_up(int32_t value, struct hy_multiplier multiplier)
{
    int right = multiplier.exponent < 0 ? -multiplier.exponent : 0;
    int64_t half = right ? INT64_C(1) << (right - 1) : 0;
    return (int32_t)((hy_high_product(value, multiplier) + half) >> right);
}

/* Everywhere else: the second rounding is half away from zero. */
static inline int32_t hy_scale_half_away(int32_t value, struct hy_multiplier multiplier)
{
    int right = multiplier.exponent < 0 ? -multiplier.exponent : 0;
    int64_t high = hy_high_product(value, multiplier);
    int64_t half = right ? (INT64_C(1) << (right - 1)) - (high < 0) : 0;
    return (int32_t)((high + half) >> right);
}

#endif
