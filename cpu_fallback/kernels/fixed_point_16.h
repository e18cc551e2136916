#ifndef HY_CPU_FALLBACK_KERNELS_FIXED_POINT_16_H
#define HY_CPU_FALLBACK_KERNELS_FIXED_POINT_16_H

#include <stdint.h>

#include "cpu_fallback/kernels/types.h"

/*
 * 16-bit fixed-point numbers with the roundings of the quantised LSTM operations, bit for bit. Qm
 * is a number with m integer bits: raw / 2^(15 - m). Every function is defined for any operand.
 */

static inline int16_t hy_saturate_16(int64_t value)
{
    return (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

/* value / 2^shift to nearest, halves away from zero; shift in 0..31 */
static inline int32_t hy_round_shift(int32_t value, int shift)
{
    int64_t half = shift ? (INT64_C(1) << (shift - 1)) - (value < 0) : 0;
    return (int32_t)((value + half) >> shift);
}

/* The product of a Qm and a Qk is a Q(m + k): (a * b + 2^14) / 2^15 rounded down, saturated. */
static inline int16_t hy_product_16(int16_t a, int16_t b)
{
    return hy_saturate_16((a * b + (1 << 14)) >> 15);
}

/* The argument is a Qm, m in 0..6; the result is a Q0. */
int16_t hy_tanh_16(int16_t x, int integer_bits);
int16_t hy_logistic_16(int16_t x, int integer_bits);

/* 1 / sqrt(value) as a multiplier; the result for 0 is the result for 1. */
struct hy_multiplier hy_inverse_sqrt(uint32_t value);

#endif
