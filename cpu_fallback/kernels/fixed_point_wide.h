#ifndef HY_CPU_FALLBACK_KERNELS_FIXED_POINT_WIDE_H
#define HY_CPU_FALLBACK_KERNELS_FIXED_POINT_WIDE_H

#include <stdint.h>

#include "cpu_fallback/kernels/types.h"

/*
 * Products of 64-bit sums (of int16 data) and real multipliers. TensorFlow Lite shortens the
 * mantissa to 15 bits and rounds once, half up. Every function is defined for any operand: sums
 * saturate to 48 bits, and multipliers to 2^14.
 */
struct hy_wide_multiplier {
    int32_t mantissa; /* below 2^15 */
    int32_t shift;    /* 1..46 */
};

static inline struct hy_wide_multiplier hy_shorten_multiplier(struct hy_multiplier multiplier)
{
    const int32_t mantissa =
        multiplier.mantissa < 0x7fff0000 ? (multiplier.mantissa + (1 << 15)) >> 16 : INT16_MAX;
    const int32_t shift = 15 - multiplier.exponent;

    return (struct hy_wide_multiplier){mantissa, shift > 1 ? shift : 1};
}

static inline int64_t hy_saturate_48(int64_t sum)
{
    const int64_t most = (INT64_C(1) << 47) - 1;

    return sum < -most ? -most : sum > most ? most : sum;
}

/* `sum` is already saturated to 48 bits. */
static inline int64_t hy_scale_saturated(int64_t sum, struct hy_wide_multiplier multiplier)
{
    return (sum * multiplier.mantissa + (INT64_C(1) << (multiplier.shift - 1))) >> multiplier.shift;
}

static inline int64_t hy_scale_wide(int64_t sum, struct hy_multiplier multiplier)
{
    return hy_scale_saturated(hy_saturate_48(sum), hy_shorten_multiplier(multiplier));
}

#endif
