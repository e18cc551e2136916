#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_CUMSUM_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_CUMSUM_H

#include <stdbool.h>

#include "cpu_fallback/kernels/lines.h"
#include "cpu_fallback/kernels/types.h"

/**
 * CUMSUM of org.halyard.operations.
 *   in, out  lines of floats or integers; out[i] is the sum of in[0] to in[i] along the line
 * Floats are summed in float32 (float64 for f64 tensors), integers modulo 2^n.
 */
struct hy_cumsum_params {
    struct hy_lines lines;
    bool exclusive; /* out[i] excludes in[i] */
    bool reverse;   /* sums from the end of the line */
};

typedef void hy_cumsum_fn(const struct hy_cumsum_params *params, const void *in, void *out);

#endif
