#ifndef HY_CPU_FALLBACK_KERNELS_SUM_FORM_H
#define HY_CPU_FALLBACK_KERNELS_SUM_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu_fallback/kernels/reference/binary.h"

/*
 * A linear form of integers with the same result, for every pair of bytes, as a quantised ADD or
 * SUB with three roundings. a and b are signed bytes (unsigned bytes less 128) times 256. Shifts
 * round down:
 *     low    = a * a_low + b * b_low + c_low
 *     high   = a * a_high + b * b_high + (low >> 15)     modulo 2^32
 *     result = (high >> 16) + c_high                     modulo 2^16
 * The activation follows. `low` fits 32 bits, the result 16. In steps of the output, the units of
 * a_high and b_high are 2^-8, of a_low and b_low 2^-23, of c_high 1 and of c_low 2^-31.
 */
struct hy_sum_form {
    int16_t a_high, a_low, b_high, b_low, c_high;
    int32_t c_low;
};

#define HY_SUM_FORM_LOW_BITS 15

/**
 * Finds the form for the multipliers, zero points and activation of `params` for `op` (ADD or SUB).
 * False if no form exists or the search would have to test more than `most` pairs of bytes.
 * Unrelated scales need about 300 pairs in 2 us. If all sums are whole or halves, up to 65536 pairs
 * are tested, at 10 ns each.
 */
bool hy_sum_form_find(const struct hy_binary_params *params, enum hy_binary op, bool is_signed,
                      size_t most, struct hy_sum_form *form);

#endif
