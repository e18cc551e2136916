#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_SEGMENT_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_SEGMENT_H

#include "cpu_fallback/kernels/types.h"

/**
 * SEGMENT_SUM and UNSORTED_SEGMENT_* of org.halyard.operations.
 *   ids  [rows]              below `segments`; rows with a negative id are ignored
 *   in   [rows, length]      floats or integers
 *   out  [segments, length]  the sum, product, largest or smallest of the rows of each segment; for
 *                            a segment without rows 0, 1, or the least or largest number of the
 * type Floats are summed and multiplied in float32 (float64 for f64 tensors), integers modulo 2^n.
 * `results` holds the segments in the computing type: a separate tensor for f16 and bf16, otherwise
 * `out`.
 */
enum hy_segment { HY_SEGMENT_SUM, HY_SEGMENT_PROD, HY_SEGMENT_MAX, HY_SEGMENT_MIN };

struct hy_segment_params {
    enum hy_segment kind;
    size_t rows, length, segments;
};

typedef void hy_segment_fn(const struct hy_segment_params *params, const int32_t *ids,
                           const void *in, void *results, void *out);

#endif
