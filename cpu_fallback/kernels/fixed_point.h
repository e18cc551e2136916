#ifndef HY_CPU_FALLBACK_KERNELS_FIXED_POINT_H
#define HY_CPU_FALLBACK_KERNELS_FIXED_POINT_H

#include "driver_kit/fixed_point.h"

/*
 * The roundings of driver_kit/fixed_point.h for wide sums: the first rounding of a sum of up to 64
 * bits. For a sum of 32 bits the result equals hy_high_product. A wider sum saturates beyond 2^55
 * or if the multiplier is above 1; a 16-bit output is clamped in both cases anyway.
 */
static inline int64_t hy_high_product_of_sum(int64_t sum, struct hy_multiplier multiplier)
{
    const int64_t most = INT64_C(1) << 55;

    if (multiplier.exponent > 0 || (sum >= INT32_MIN && sum <= INT32_MAX))
        return hy_high_product(hy_clamp_int32(sum, INT32_MIN, INT32_MAX), multiplier);
    sum = sum < -most ? -most : sum > most ? most : sum;
    /* sum = upper * 2^31 + lower; the product of the upper part is exact. */
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
