#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_MOVE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_MOVE_H

#include "cpu_fallback/kernels/types.h"
#include "halyard/driver.h"

/* Twice the largest rank of a tensor: TILE makes two dimensions of each. */
#define HY_MOVE_RANK (2 * HY_MAX_RANK)

/**
 * The core of all operations that only move elements from one grid of places to another:
 *   for every index with 0 <= index[d] < dims[d]:
 *     out[sum of index[d] * out_strides[d]] = in[sum of index[d] * in_strides[d]]
 *   in, out  elements of 1, 2, 4 or 8 bytes; both pointers are at the place of index 0
 * Strides count elements. Those of the input may be 0 (repeated) or negative; those of the output
 * are positive and no two indices share a place. Both grids may lie in one tensor, but have no
 * place in common.
 */
struct hy_move_params {
    uint32_t rank;
    size_t dims[HY_MOVE_RANK];
    ptrdiff_t in_strides[HY_MOVE_RANK], out_strides[HY_MOVE_RANK];
};

typedef void hy_move_fn(const struct hy_move_params *params, const void *in, void *out);

/* Adds a dimension to a grid that began as all zero bytes; at most HY_MOVE_RANK, in any order. */
void hy_move_add(struct hy_move_params *params, size_t size, ptrdiff_t in_stride,
                 ptrdiff_t out_stride);

/* Puts the dimensions in the order that kernels want, after the last one was added: at least two,
 * as few as will do, the output walked in its own order. */
void hy_move_settle(struct hy_move_params *params);

#endif
