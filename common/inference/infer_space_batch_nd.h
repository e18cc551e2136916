#ifndef HY_COMMON_INFERENCE_INFER_SPACE_BATCH_ND_H
#define HY_COMMON_INFERENCE_INFER_SPACE_BATCH_ND_H

#include "common/call.h"
#include "common/inference/infer_pad.h"

/*
 * SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND of org.halyard.operations: any number of dimensions
 * behind the batch are divided into blocks. In the `wide` tensor the elements of a block are
 * adjacent; in the `deep` tensor each element of a block is in another tensor of the batch.
 * `edges.out` is the wide tensor; `edges.in` is the wide tensor without its edges, the input of the
 * first operation and the output of the second.
 */
struct hy_block_nd {
    struct hy_shape deep;
    struct hy_pad edges;
    uint32_t size[HY_MAX_RANK]; /* of a block along each dimension; 1 without blocks */
};

HY_MUST_CHECK enum hy_code hy_space_to_batch_nd_read(const struct hy_call *call,
                                                     struct hy_block_nd *block,
                                                     struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_batch_to_space_nd_read(const struct hy_call *call,
                                                     struct hy_block_nd *block,
                                                     struct hy_error *err);

#endif
