#ifndef HY_COMMON_INFERENCE_INFER_SPACE_DEPTH_H
#define HY_COMMON_INFERENCE_INFER_SPACE_DEPTH_H

#include "common/call.h"
#include "common/image/image.h"
#include "common/inference/infer_pad.h"

/*
 * Operations that exchange space with batch or depth. In the `wide` image the pixels of a block of
 * block_h x block_w are adjacent; in the `deep` image each pixel of a block is in another image of
 * the batch, or in another group of channels.
 */
struct hy_block {
    struct hy_image_size wide, deep;
    uint32_t height, width; /* of a block */
    bool nchw;
    bool has_depth_outside; /* channels of `deep`: by channel of `wide`, then by pixel of the block
                             */
    bool is_padded;         /* SPACE_TO_BATCH_ND: `wide` is the input padded by `pad` */
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
