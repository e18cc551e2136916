#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_WALK_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_BINARY_WALK_H

#include "cpu_fallback/kernels/reference/binary.h"

/* Combines `count` pairs of elements. A step of 0 repeats one element of a side. */
typedef void hy_binary_row_fn(const struct hy_binary_params *params, const void *a, size_t a_step,
                              const void *b, size_t b_step, size_t count, void *out);

/* Calls `row` for each row of two tensors under broadcasting; in_bytes and out_bytes are the sizes
 * of an element. */
void hy_binary_walk(const struct hy_binary_params *params, const void *a, const void *b, void *out,
                    size_t in_bytes, size_t out_bytes, hy_binary_row_fn *row);

#endif
