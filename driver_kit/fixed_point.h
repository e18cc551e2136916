/*
 * Fixed-point multiplication of integers by real multipliers, for quantised operations, with the
 * two roundings of TensorFlow Lite: first the doubled high product (half up), then the right shift,
 * half up or half away from zero. Every operand is defined: the left shift saturates.
 */
#ifndef HY_DRIVER_KIT_FIXED_POINT_H
#define HY_DRIVER_KIT_FIXED_POINT_H

#include <stdint.h>

/*
 * A real multiplier m >= 0 as m = mantissa * 2^(exponent - 31), mantissa in [2^30, 2^31), or both
 * zero when m is zero or too small to matter (exponent below -31).
 */
struct hy_multiplier {
    int32_t mantissa;
    int32_t exponent;
};

/*
 * Saturates at (2^31 - 1, 30) for m >= 2^30, infinity and NaN. Returns zero for m < 0. Any input
 * gives a multiplier without undefined behaviour in kernels.
 */
struct hy_multiplier hy_multiplier_from_double(double m);

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

/* The second rounding of all other operations: half away from zero. */
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

#endif
