#ifndef HY_CPU_FALLBACK_KERNELS_INTEGER_SVDF_H
#define HY_CPU_FALLBACK_KERNELS_INTEGER_SVDF_H

#include <stddef.h>

#include "cpu_fallback/kernels/types.h"

/**
 * SVDF of org.halyard.operations.
 *   in     [batch, inputs]             weights  [filters, inputs]
 *   times  [filters, memory]           bias     [filters / rank] or NULL
 *   state  [batch, filters, memory]    out      [batch, filters / rank]
 * `new_state` is `state` without the oldest value of each filter and with the newest value
 * appended. `new_state` may be `state`. Sums wrap around in 32 bits.
 */
struct hy_integer_svdf_params {
    size_t batch, inputs, filters, memory, rank;
    int32_t in_zero_point, out_zero_point;
    struct hy_multiplier feature; /* from a sum of products to a step of the state */
    struct hy_multiplier output;  /* from a sum over time to a step of the output */
    const int8_t *weights;
    const int16_t *times;
    const int32_t *bias;
};

void hy_integer_svdf(const struct hy_integer_svdf_params *params, const int8_t *in,
                     const int16_t *state, int16_t *new_state, int8_t *out);

#endif
