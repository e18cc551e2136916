#ifndef HY_CPU_FALLBACK_KERNELS_BYTE_TABLE_H
#define HY_CPU_FALLBACK_KERNELS_BYTE_TABLE_H

#include <stdbool.h>

#include "cpu_fallback/kernels/reference/unary.h"

/*
 * A function of one 8-bit value is a table of 256 entries. Index and entry are stored bytes read as
 * unsigned numbers, even for a signed type.
 */
#define HY_TABLE_SIZE 256

/* How the bytes of an 8-bit tensor represent real numbers. */
struct hy_byte_quant {
    bool is_signed;
    float scale;
    int32_t zero_point;
};

/*
 * Fills the table of an operation on 8-bit types. The entry of each input byte is the output byte:
 *   CLAMP       the integer, within q_min and q_max of `bounds` (else unused, may be NULL)
 *   HARD_SWISH  in the 16-bit steps of TensorFlow Lite, bit-exact; by the formula if the output
 * scale is too fine for 16-bit steps LOGISTIC, RSQRT, TANH  zero_point + round_half_away(f(x) /
 * scale), clamped; f in float32, NaN gives the largest value NOT         0 or 1
 */
void hy_table_fill(enum hy_unary op, const struct hy_byte_quant *in,
                   const struct hy_byte_quant *out, const struct hy_activation *bounds,
                   uint8_t table[HY_TABLE_SIZE]);

/* Fills the table of a requantisation: (q - z_in) * s_in / s_out + z_out, in double, rounded half
 * away from zero and clamped. */
void hy_table_requantise(const struct hy_byte_quant *in, const struct hy_byte_quant *out,
                         uint8_t table[HY_TABLE_SIZE]);

#endif
