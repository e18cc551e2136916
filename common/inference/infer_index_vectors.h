#ifndef HY_COMMON_INFERENCE_INFER_INDEX_VECTORS_H
#define HY_COMMON_INFERENCE_INFER_INDEX_VECTORS_H

#include "common/call.h"

/*
 * Multi-dimensional indices: each vector along the last dimension of an input selects a part of a
 * tensor by the tensor's first dimensions. The index values are checked at run time.
 */
struct hy_index_vectors {
    uint32_t input;     /* the input with the indices */
    struct hy_shape of; /* the tensor */
    uint32_t batches;   /* common leading dimensions of tensor and indices */
    uint32_t depth;     /* elements of a vector: indexed dimensions behind the batches */
    uint32_t count;     /* vectors per batch */
};

/* Each operation, decoded and checked. The outputs of SCATTER_ND and SPARSE_TO_DENSE have the shape
 * `of`. */
HY_MUST_CHECK enum hy_code hy_gather_nd_read(const struct hy_call *call,
                                             struct hy_index_vectors *vectors,
                                             struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_scatter_nd_read(const struct hy_call *call,
                                              struct hy_index_vectors *vectors,
                                              struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_sparse_to_dense_read(const struct hy_call *call,
                                                   struct hy_index_vectors *vectors,
                                                   struct hy_error *err);

#endif
