#ifndef HY_CPU_FALLBACK_KERNELS_SUM_FORM_H
#define HY_CPU_FALLBACK_KERNELS_SUM_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu_fallback/kernels/reference/binary.h"

/*
 * A linear form of integers that has, for every pair of bytes, the result of a quantised ADD or SUB
 * in its three roundings. With a and b as signed bytes (unsigned ones less 128) times 256, and
 * shifts that round down:
 *     low    = a * a_low + b * b_low + c_low
 *     high   = a * a_high + b * b_high + (low >> 15)     modulo 2^32
 *     result = (high >> 16) + c_high                     modulo 2^16
 * before the activation. `low` fits 32 bits, the result 16. In steps of the output, the
 * coefficients are in units of 2^-8 and 2^-23, the constants of 1 and 2^-31.
 */
struct hy_sum_form {
    int16_t a_high, a_low, b_high, b_low, c_high;
    int32_t c_low;
};

#define HY_SUM_FORM_LOW_BITS 15

/**
 * Finds the form for the multipliers, zero points and activation of `params`, which are those of
 * `op` (ADD or SUB). False: there is none, or more than `most` pairs of bytes would have to be
 * tested. Of scales that have little to do with each other these are some 300, in 2 us; where all
 * sums are halves or whole there are up to 65536, at 10 ns each.
 */
bool hy_sum_form_find(const struct hy_binary_params *params, enum hy_binary op, bool is_signed,
                      size_t most, struct hy_sum_form *form);

#endif
