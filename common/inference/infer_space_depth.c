#include "common/inference/infer_space_depth.h"
#include "common/inference/infer_rules.h"

static enum hy_code read_layout(const struct hy_call *call, uint32_t index, struct hy_block *block,
                                struct hy_error *err)
{
    enum hy_code code = hy_call_check_filled(call, 0, 4, 4, err);

    if (code == HY_OK && index < call->input_count)
        code = hy_call_bool(call, index, &block->nchw, err);
    return code;
}

/* Input 1 of the batch operations: two sizes. */
static enum hy_code read_block(const struct hy_call *call, struct hy_block *block,
                               struct hy_error *err)
{
    int32_t sizes[2];
    enum hy_code code = hy_call_int_list(call, 1, 2, sizes, err);

    if (code != HY_OK)
        return code;
    if (sizes[0] < 1 || sizes[1] < 1)
        return hy_fail(err, HY_FAILED, "a block of %d x %d", sizes[0], sizes[1]);
    block->height = (uint32_t)sizes[0];
    block->width = (uint32_t)sizes[1];
    return HY_OK;
}

/* Changes `*depth` of the deep image to the depth of the wide image. */
static enum hy_code widen(struct hy_block *block, const char *what, uint32_t *depth,
                          struct hy_error *err)
{
    uint64_t area = (uint64_t)block->height * block->width; /* below 2^62 */
    uint64_t height = (uint64_t)block->deep.height * block->height;
    uint64_t width = (uint64_t)block->deep.width * block->width;

    if (*depth % area != 0)
        return hy_fail(err, HY_FAILED, "%u %s are not a multiple of a block of %u x %u", *depth,
                       what, block->height, block->width);
    if (height > UINT32_MAX || width > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "the output would be %llu x %llu pixels",
                       (unsigned long long)height, (unsigned long long)width);
    *depth /= (uint32_t)area; /* divides a uint32_t */
    block->wide.height = (uint32_t)height;
    block->wide.width = (uint32_t)width;
    return HY_OK;
}

/* Changes `*depth` of the wide image to the depth of the deep image. */
static enum hy_code deepen(struct hy_block *block, const char *what, uint32_t *depth,
                           struct hy_error *err)
{
    if (block->wide.height % block->height != 0 || block->wide.width % block->width != 0)
        return hy_fail(err, HY_FAILED, "%u x %u pixels are not a multiple of a block of %u x %u",
                       block->wide.height, block->wide.width, block->height, block->width);
    uint64_t area = (uint64_t)block->height * block->width; /* no larger than the image */
    if (area > UINT32_MAX / *depth)
        return hy_fail(err, HY_FAILED, "the output would have %u times %llu %s", *depth,
                       (unsigned long long)area, what);
    *depth *= (uint32_t)area;
    block->deep.height = block->wide.height / block->height;
    block->deep.width = block->wide.width / block->width;
    return HY_OK;
}

enum hy_code hy_batch_to_space_read(const struct hy_call *call, struct hy_block *block,
                                    struct hy_error *err)
{
    *block = (struct hy_block){0};
    enum hy_code code = read_layout(call, 2, block, err);
    if (code == HY_OK)
        code = read_block(call, block, err);
    if (code != HY_OK)
        return code;
    block->wide = block->deep = hy_image_size_of(&hy_call_input(call, 0)->shape, block->nchw);
    return widen(block, "images", &block->wide.batch, err);
}

/* The common part of both depth operations. */
static enum hy_code read_depth(const struct hy_call *call, struct hy_block *block,
                               struct hy_error *err)
{
    *block = (struct hy_block){0};
    enum hy_code code = read_layout(call, 2, block, err);
    if (code == HY_OK)
        code = hy_call_size(call, 1, 1, &block->height, err);
    if (code != HY_OK)
        return code;
    block->width = block->height;
    block->wide = block->deep = hy_image_size_of(&hy_call_input(call, 0)->shape, block->nchw);
    return HY_OK;
}

enum hy_code hy_depth_to_space_read(const struct hy_call *call, struct hy_block *block,
                                    struct hy_error *err)
{
    enum hy_code code = read_depth(call, block, err);

    if (code == HY_OK && hy_call_is_extension(call))
        code = hy_call_bool(call, 3, &block->has_depth_outside, err);
    if (code != HY_OK)
        return code;
    return widen(block, "channels", &block->wide.channels, err);
}

enum hy_code hy_space_to_depth_read(const struct hy_call *call, struct hy_block *block,
                                    struct hy_error *err)
{
    enum hy_code code = read_depth(call, block, err);

    if (code != HY_OK)
        return code;
    return deepen(block, "channels", &block->deep.channels, err);
}

/* Input 2 of SPACE_TO_BATCH_ND: top and bottom, left and right. */
static enum hy_code read_pads(const struct hy_call *call, struct hy_block *block,
                              struct hy_error *err)
{
    uint32_t rows = block->nchw ? 2 : 1;
    int32_t pairs[2][2];
    enum hy_code code = hy_call_int_pairs(call, 2, 2, pairs, err);

    if (code != HY_OK)
        return code;
    block->pad.in = hy_call_input(call, 0)->shape;
    for (uint32_t i = 0; i < 2; i++) {
        if (pairs[i][0] < 0 || pairs[i][1] < 0)
            return hy_fail(err, HY_FAILED, "padding %d and %d, needs 0 or more", pairs[i][0],
                           pairs[i][1]);
        block->pad.before[rows + i] = (uint32_t)pairs[i][0];
        block->pad.after[rows + i] = (uint32_t)pairs[i][1];
        block->is_padded |= pairs[i][0] > 0 || pairs[i][1] > 0;
    }
    return hy_pad_grow(&block->pad, err);
}

enum hy_code hy_space_to_batch_read(const struct hy_call *call, struct hy_block *block,
                                    struct hy_error *err)
{
    *block = (struct hy_block){0};
    enum hy_code code = read_layout(call, 3, block, err);
    if (code == HY_OK)
        code = read_block(call, block, err);
    if (code == HY_OK)
        code = read_pads(call, block, err);
    if (code != HY_OK)
        return code;
    block->wide = block->deep = hy_image_size_of(&block->pad.out, block->nchw);
    return deepen(block, "images", &block->deep.batch, err);
}

enum hy_code hy_infer_batch_to_space(const struct hy_call *call, struct hy_shape *outputs,
                                     struct hy_error *err)
{
    struct hy_block block;
    enum hy_code code = hy_batch_to_space_read(call, &block, err);

    if (code == HY_OK)
        outputs[0] = hy_image_shape(&block.wide, block.nchw);
    return code;
}

enum hy_code hy_infer_space_to_batch(const struct hy_call *call, struct hy_shape *outputs,
                                     struct hy_error *err)
{
    struct hy_block block;
    enum hy_code code = hy_space_to_batch_read(call, &block, err);

    if (code == HY_OK)
        outputs[0] = hy_image_shape(&block.deep, block.nchw);
    return code;
}

enum hy_code hy_infer_depth_to_space(const struct hy_call *call, struct hy_shape *outputs,
                                     struct hy_error *err)
{
    struct hy_block block;
    enum hy_code code = hy_depth_to_space_read(call, &block, err);

    if (code == HY_OK)
        outputs[0] = hy_image_shape(&block.wide, block.nchw);
    return code;
}

enum hy_code hy_infer_space_to_depth(const struct hy_call *call, struct hy_shape *outputs,
                                     struct hy_error *err)
{
    struct hy_block block;
    enum hy_code code = hy_space_to_depth_read(call, &block, err);

    if (code == HY_OK)
        outputs[0] = hy_image_shape(&block.deep, block.nchw);
    return code;
}
