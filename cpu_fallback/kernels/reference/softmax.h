#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_SOFTMAX_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_SOFTMAX_H

#include "cpu_fallback/kernels/types.h"

/**
 * SOFTMAX, NNAPI code 25, feature level 1.
 *   in, out  [outer, count, inner]   f32, f16, u8, s8; the softmax runs along `count`
 *   out[i] = exp(beta * (in[i] - max)) / sum over j of exp(beta * (in[j] - max))
 * Quantised output has scale 1/256 and zero point 0 (u8) or -128 (s8). Its exponentials come from a
 * table of the 256 possible differences, as in TensorFlow Lite, bit-exact.
 */
struct hy_softmax_params {
    size_t outer, count, inner;
    float beta;
    const float *exp_table; /* quantised only: hy_softmax_fill_table */
};

typedef void hy_softmax_fn(const struct hy_softmax_params *params, const void *in, void *out);

/* LOG_SOFTMAX, NNAPI code 64, feature level 3: the same for f32 and f16, with
 *   out[i] = beta * (in[i] - max) - log(sum over j of exp(beta * (in[j] - max))) */

#define HY_SOFTMAX_TABLE_SIZE 256

/* table[i] = exp(-in_scale * beta * (255 - i)), in float32 */
void hy_softmax_fill_table(float in_scale, float beta, float table[HY_SOFTMAX_TABLE_SIZE]);

#endif
