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

/* The second rounding of CONV_2D, FULLY_CONNECTED and BATCH_MATMUL: half up. */
static inline int64_t hy_shift_half_up(int64_t high, struct hy_multiplier multiplier)
{
    int right = multiplier.exponent < 0 ? -multiplier.exponent : 0;
    int64_t half = right ? INT64_C(1) << (right - 1) : 0;
    return (high + half) >> right;
}

/* The second rounding of all else: half away from zero. */
static inline int64_t hy_shift_half_away(int64_t high, struct hy_multiplier multiplier)
{
    int right = multiplier.exponent < 0 ? -multiplier.exponent : 0;
    int64_t half = right ? (INT64_C(1) << (right - 1)) - (high < 0) : 0;
    return (high + half) >> right;
}

static inline int32_t hy_scale_half_up(int32_t value, struct hy_multiplier multiplier)
{
    return (int32_t)hy_shift_half_up(hy_high_product(value, multiplier), multiplier);
}

static inline int32_t hy_scale_half_away(int32_t value, struct hy_multiplier multiplier)
{
    return (int32_t)hy_shift_half_away(hy_high_product(value, multiplier), multiplier);
}

/*
 * The first rounding of a sum that need not fit 32 bits. A sum that fits gives what hy_high_product
 * gives. Another one saturates only where no output of 16 bits can tell: beyond 2^55, and where the
 * multiplier is above 1.
 */
static inline int64_t hy_high_product_of_sum(int64_t sum, struct hy_multiplier multiplier)
{
    const int64_t most = INT64_C(1) << 55;

    if (multiplier.exponent > 0 || (sum >= INT32_MIN && sum <= INT32_MAX))
        return hy_high_product(hy_clamp_int32(sum, INT32_MIN, INT32_MAX), multiplier);
    sum = sum < -most ? -most : sum > most ? most : sum;
    /* Of sum = upper * 2^31 + lower, the product of the upper part is whole. */
    const int64_t upper = sum >> 31, lower = sum & INT32_MAX;
    return upper * multiplier.mantissa + ((lower * multiplier.mantissa + (INT64_C(1) << 30)) >> 31);
}

static inline int64_t hy_scale_sum_half_up(int64_t sum, struct hy_multiplier multiplier)
{
    return hy_shift_half_up(hy_high_product_of_sum(sum, multiplier), multiplier);
}

static inline int64_t hy_scale_sum_half_away(int64_t sum, struct hy_multiplier multiplier)
{
    return hy_shift_half_away(hy_high_product_of_sum(sum, multiplier), multiplier);
}

#endif
