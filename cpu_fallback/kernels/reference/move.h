#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_MOVE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_MOVE_H

#include "cpu_fallback/kernels/types.h"
#include "halyard/driver.h"

/* Twice the largest rank of a tensor: TILE makes two dimensions of each dimension. */
#define HY_MOVE_RANK (2 * HY_MAX_RANK)

/**
 * The core of all operations that only copy elements from one grid to another:
 *   for every index with 0 <= index[d] < dims[d]:
 *     out[sum of index[d] * out_strides[d]] = in[sum of index[d] * in_strides[d]]
 *   in, out  elements of 1, 2, 4 or 8 bytes; both pointers point to the element of index 0
 * Strides count elements. Strides of the input may be 0 (repeated) or negative. Strides of the
 * output are positive, and different indices have different elements. Both grids may lie in one
 * tensor, but must not share elements.
 */
struct hy_move_params {
    uint32_t rank;
    size_t dims[HY_MOVE_RANK];
    ptrdiff_t in_strides[HY_MOVE_RANK], out_strides[HY_MOVE_RANK];
};

typedef void hy_move_fn(const struct hy_move_params *params, const void *in, void *out);

/* Adds a dimension to a grid. An empty grid is all zero bytes. At most HY_MOVE_RANK dimensions, in
 * any order. */
void hy_move_add(struct hy_move_params *params, size_t size, ptrdiff_t in_stride,
                 ptrdiff_t out_stride);

/* Brings the dimensions into the order of the kernels; call after the last hy_move_add(). The
 * result has at least two and as few dimensions as possible, and walks the output in memory
 * order. */
void hy_move_settle(struct hy_move_params *params);

#endif
