#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_REDUCE_WINDOW_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_REDUCE_WINDOW_H

#include "cpu_fallback/kernels/types.h"
#include "halyard/driver.h"

/**
 * REDUCE_WINDOW of org.halyard.operations.
 *   in     a tensor
 *   start  one element, with which every window begins
 *   out    for every place of the window what it holds together, in the order of the places
 * Floats are summed and multiplied in float32, or float64 where they are that; integers modulo 2^n.
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
    struct hy_loops places, window;
};

typedef void hy_reduce_window_fn(const struct hy_reduce_window_params *params, const void *in,
                                 const void *start, void *out);

#endif
