#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_STRIDED_COPY_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_STRIDED_COPY_H

#include "cpu_fallback/kernels/types.h"
#include "halyard/driver.h"

/* Twice the largest rank of a tensor: TILE makes two dimensions of each dimension. */
#define HY_STRIDED_COPY_RANK (2 * HY_MAX_RANK)

/**
 * The core of all operations that only copy elements from one grid to another:
 *   for every index with 0 <= index[d] < dims[d]:
 *     out[sum of index[d] * out_strides[d]] = in[sum of index[d] * in_strides[d]]
 *   in, out  elements of 1, 2, 4 or 8 bytes; both pointers point to the element of index 0
 * Strides count elements. Strides of the input may be 0 (repeated) or negative. Strides of the
 * output are positive, and different indices have different elements. Both grids may lie in one
 * tensor, but must not share elements.
 */
struct hy_strided_copy_params {
    uint32_t rank;
    size_t dims[HY_STRIDED_COPY_RANK];
    ptrdiff_t in_strides[HY_STRIDED_COPY_RANK], out_strides[HY_STRIDED_COPY_RANK];
};

typedef void hy_strided_copy_fn(const struct hy_strided_copy_params *params, const void *in,
                                void *out);

/* Adds a dimension to a grid. An empty grid is all zero bytes. At most HY_STRIDED_COPY_RANK
 * dimensions, in any order. */
void hy_strided_copy_add(struct hy_strided_copy_params *params, size_t size, ptrdiff_t in_stride,
                         ptrdiff_t out_stride);

/* Brings the dimensions into the order of the kernels; call after the last hy_strided_copy_add().
 * The result has at least two and as few dimensions as possible, and walks the output in memory
 * order. */
void hy_strided_copy_finalize(struct hy_strided_copy_params *params);

#endif
