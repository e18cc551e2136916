#ifndef HY_COMMON_INFERENCE_INFER_INDEX_VECTORS_H
#define HY_COMMON_INFERENCE_INFER_INDEX_VECTORS_H

#include "common/call.h"

/*
 * Indices of several dimensions: each vector along the last dimension of an input names one part of
 * a tensor, by the first of its dimensions. The indices themselves are checked when the operation
 * runs.
 */
struct hy_index_vectors {
    uint32_t input;     /* the indices */
    struct hy_shape of; /* the tensor */
    uint32_t batches;   /* leading dimensions that tensor and indices have in common */
    uint32_t depth;     /* elements of a vector, dimensions of the tensor behind the batches */
    uint32_t count;     /* vectors in a batch */
};

/* Each operation, decoded and checked. The output of SCATTER_ND and of SPARSE_TO_DENSE has the
 * shape `of`. */
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
