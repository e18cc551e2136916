#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_BUCKETIZE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_BUCKETIZE_H

#include "cpu_fallback/kernels/types.h"

/**
 * BUCKETIZE of org.halyard.operations.
 *   in          [count]       floats or integers
 *   boundaries  [boundaries]  in ascending order, otherwise the bucket is unspecified
 *   out         [count]       number of boundaries that are not above the element, compared in
 *                             float64; `boundaries` for NaN
 */
struct hy_bucketize_params {
    size_t count, boundaries;
};

typedef void hy_bucketize_fn(const struct hy_bucketize_params *params, const void *in,
                             const float *boundaries, int32_t *out);

#endif
