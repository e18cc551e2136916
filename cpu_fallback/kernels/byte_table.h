#ifndef HY_CPU_FALLBACK_KERNELS_BYTE_TABLE_H
#define HY_CPU_FALLBACK_KERNELS_BYTE_TABLE_H

#include <stdbool.h>

#include "cpu_fallback/kernels/reference/unary.h"

/*
 * An 8-bit value has 256 forms, so a function of one is a table. The index is the stored byte, seen
 * as unsigned, and so is the entry, whatever the signs of both types.
 */
#define HY_TABLE_SIZE 256

/* How the bytes of an 8-bit tensor stand for real numbers. */
struct hy_byte_quant {
    bool is_signed;
    float scale;
    int32_t zero_point;
};

/*
 * What an operation of 8-bit types gives for each byte:
 *   CLAMP       the integer, within q_min and q_max of `bounds` (else unused, may be NULL)
 *   HARD_SWISH  in the 16-bit steps of TensorFlow Lite, bit-exact; by the formula where the output
 *               is too fine for them
 *   LOGISTIC, RSQRT, TANH  zero_point + round_half_away(f(x) / scale), clamped; f in float32, NaN
 *               gives the largest value
 *   NOT         0 or 1
 */
void hy_table_fill(enum hy_unary op, const struct hy_byte_quant *in,
                   const struct hy_byte_quant *out, const struct hy_activation *bounds,
                   uint8_t table[HY_TABLE_SIZE]);

/* The same number in another quantisation: (q - z_in) * s_in / s_out + z_out, in double, rounded
 * half away from zero and clamped. */
void hy_table_requantise(const struct hy_byte_quant *in, const struct hy_byte_quant *out,
                         uint8_t table[HY_TABLE_SIZE]);

#endif
