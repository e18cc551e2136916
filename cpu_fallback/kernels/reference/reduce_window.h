#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_REDUCE_WINDOW_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_REDUCE_WINDOW_H

#include "cpu_fallback/kernels/types.h"
#include "halyard/driver.h"

/**
 * REDUCE_WINDOW of org.halyard.operations.
 *   in     a tensor
 *   start  one element, the initial value of every window
 *   out    the reduction of the window at each position, in the order of the positions
 * Floats are summed and multiplied in float32 (float64 for f64 tensors), integers modulo 2^n.
 */
enum hy_window_function {
    HY_WINDOW_ADD,
    HY_WINDOW_MUL,
    HY_WINDOW_MIN,
    HY_WINDOW_MAX,
    HY_WINDOW_ALL, /* bool */
    HY_WINDOW_ANY, /* bool */
    HY_WINDOW_FUNCTION_COUNT
};

/* Nested loops over a tensor, the first one outermost; strides in elements. */
struct hy_loops {
    size_t dims[HY_MAX_RANK], strides[HY_MAX_RANK];
};

struct hy_reduce_window_params {
    enum hy_window_function function;
    uint32_t rank;
    struct hy_loops positions, window;
};

typedef void hy_reduce_window_fn(const struct hy_reduce_window_params *params, const void *in,
                                 const void *start, void *out);

#endif
