#ifndef HY_COMMON_INFERENCE_INFER_BLOCK_H
#define HY_COMMON_INFERENCE_INFER_BLOCK_H

#include "common/call.h"
#include "common/image/image.h"
#include "common/inference/infer_pad.h"

/*
 * Operations that trade space against batch or depth. In the `wide` image the pixels of one block
 * of block_h x block_w lie side by side; in the `deep` one they are that many images of the batch,
 * or that many groups of channels.
 */
struct hy_block {
    struct hy_image_size wide, deep;
    uint32_t height, width; /* of a block */
    bool nchw;
    bool has_depth_outside; /* channels of `deep`: by channel of `wide`, then by pixel of the block
                             */
    bool is_padded;         /* SPACE_TO_BATCH_ND: `wide` is the input padded like this */
    struct hy_pad pad;
};

/* Each operation, decoded and checked. */
HY_MUST_CHECK enum hy_code hy_batch_to_space_read(const struct hy_call *call,
                                                  struct hy_block *block, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_space_to_batch_read(const struct hy_call *call,
                                                  struct hy_block *block, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_depth_to_space_read(const struct hy_call *call,
                                                  struct hy_block *block, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_space_to_depth_read(const struct hy_call *call,
                                                  struct hy_block *block, struct hy_error *err);

#endif
