#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_WALK_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_WALK_H

#include "cpu_fallback/kernels/reference/binary.h"

/* Combines `count` pairs of elements; a step of 0 repeats the one element of a side. */
typedef void hy_binary_row_fn(const struct hy_binary_params *params, const void *a, size_t a_step,
                              const void *b, size_t b_step, size_t count, void *out);

/* Gives `row` the rows of two tensors that broadcast, whose elements have these sizes. */
void hy_binary_walk(const struct hy_binary_params *params, const void *a, const void *b, void *out,
                    size_t in_bytes, size_t out_bytes, hy_binary_row_fn *row);

#endif
