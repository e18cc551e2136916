#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_RANDOM_MULTINOMIAL_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_RANDOM_MULTINOMIAL_H

#include "cpu_fallback/kernels/types.h"

/**
 * RANDOM_MULTINOMIAL, NNAPI code 74, feature level 3.
 *   logits  [rows, classes]  f32, f16; a logit that is not finite has a probability of 0
 *   out     [rows, samples]  int32: class j with a probability of exp(logit j) / sum of all; the
 *                            last class if no logit is finite
 * The random numbers come from Philox4x32-10 with the first seed as the key and the second seed in
 * the counter: one stream for all rows, the same on every machine. `scratch` has capacity for
 * `classes` doubles.
 */
struct hy_random_params {
    size_t rows, classes, samples;
};

typedef void hy_random_fn(const struct hy_random_params *params, const int32_t seeds[2],
                          const void *logits, int32_t *out, double *scratch);

#endif
