#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_CUMSUM_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_CUMSUM_H

#include <stdbool.h>

#include "cpu_fallback/kernels/lines.h"
#include "cpu_fallback/kernels/types.h"

/**
 * CUMSUM of org.halyard.operations.
 *   in, out  lines of floats or integers; an element of `out` is the sum of the elements of its
 *            line up to its place
 * Floats are summed in float32, or float64 where they are that; integers modulo 2^n.
 */
struct hy_cumsum_params {
    struct hy_lines lines;
    bool exclusive; /* without the element at the place itself */
    bool reverse;   /* from the end of the line on */
};

typedef void hy_cumsum_fn(const struct hy_cumsum_params *params, const void *in, void *out);

#endif
