#include "common/inference/infer_space_depth.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND, DEPTH_TO_SPACE, SPACE_TO_DEPTH: a single copy grid; the
 * wide image and the deep image are two views of it. */

struct image_strides {
    ptrdiff_t n, y, x, c;
};

static struct image_strides image_strides(const struct hy_image_size *size, bool nchw)
{
    struct hy_shape shape = hy_image_shape(size, nchw);
    ptrdiff_t s[HY_MAX_RANK];

    hy_cpu_strides(&shape, s);
    if (nchw)
        return (struct image_strides){s[0], s[2], s[3], s[1]};
    return (struct image_strides){s[0], s[1], s[2], s[3]};
}

enum block_kind { BATCH, DEPTH };
enum direction { TO_WIDE, TO_DEEP };

static void add_block(struct hy_strided_copy_params *grid, const struct hy_block *block,
                      enum block_kind kind, enum direction direction)
{
    struct image_strides wide = image_strides(&block->wide, block->nchw);
    struct image_strides deep = image_strides(&block->deep, block->nchw);
    ptrdiff_t height = (ptrdiff_t)block->height, width = (ptrdiff_t)block->width;
    /* from one pixel of a block to the next, and from one channel, in the deep image */
    ptrdiff_t unit = kind == BATCH              ? deep.n * (ptrdiff_t)block->wide.batch
                     : block->has_depth_outside ? deep.c
                                                : deep.c * (ptrdiff_t)block->wide.channels;
    ptrdiff_t channel = block->has_depth_outside ? deep.c * height * width : deep.c;
    const struct {
        size_t size;
        ptrdiff_t wide, deep;
    } dims[] = {
        {block->wide.batch, wide.n, deep.n},   {block->deep.height, wide.y * height, deep.y},
        {block->height, wide.y, unit * width}, {block->deep.width, wide.x * width, deep.x},
        {block->width, wide.x, unit},          {block->wide.channels, wide.c, channel},
    };

    for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++) {
        if (direction == TO_WIDE)
            hy_strided_copy_add(grid, dims[d].size, dims[d].deep, dims[d].wide);
        else
            hy_strided_copy_add(grid, dims[d].size, dims[d].wide, dims[d].deep);
    }
}

/* SPACE_TO_BATCH_ND with padding first copies to a padded image, which uses the whole scratch. */
static enum hy_code add_padding(const struct hy_cpu_resolve_ctx *ctx, const struct hy_block *block,
                                struct hy_cpu_copies *copies, size_t *scratch, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    uint64_t bytes;
    size_t offset;

    hy_cpu_copies_set_zero(copies, in);
    hy_cpu_copies_add_pad(copies, &block->pad, (struct hy_cpu_copy_location){.side = HY_CPU_VALUE},
                          (struct hy_cpu_copy_location){.side = HY_CPU_SCRATCH});
    if (!hy_shape_bytes(&block->pad.out, copies->element_size, &bytes) ||
        !hy_cpu_scratch_alloc(scratch, bytes, &offset))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    return HY_OK;
}

static enum hy_code resolve(const struct hy_cpu_resolve_ctx *ctx, const struct hy_block *block,
                            enum block_kind kind, enum direction direction,
                            struct hy_cpu_step *step, struct hy_error *err)
{
    int32_t type = hy_call_input(ctx->call, 0)->type;
    struct hy_cpu_copies *copies = hy_cpu_copies_create(ctx, type, HY_CPU_PAD_COPIES + 1);
    struct hy_cpu_copy_location from = {.side = HY_CPU_INPUT}, to = {.side = HY_CPU_OUTPUT};

    if (!copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    if (block->is_padded) {
        enum hy_code code = add_padding(ctx, block, copies, &step->scratch, err);
        if (code != HY_OK)
            return code;
        from.side = HY_CPU_SCRATCH;
        copies->is_ordered = true;
    }
    add_block(hy_cpu_copies_add(copies, from, to), block, kind, direction);
    hy_cpu_copies_finalize(copies, ctx, step);
    step->params = copies;
    return HY_OK;
}

enum hy_code hy_cpu_batch_to_space_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_block block;
    enum hy_code code = hy_batch_to_space_read(ctx->call, &block, err);

    return code == HY_OK ? resolve(ctx, &block, BATCH, TO_WIDE, step, err) : code;
}

enum hy_code hy_cpu_space_to_batch_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_block block;
    enum hy_code code = hy_space_to_batch_read(ctx->call, &block, err);

    return code == HY_OK ? resolve(ctx, &block, BATCH, TO_DEEP, step, err) : code;
}

enum hy_code hy_cpu_depth_to_space_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_block block;
    enum hy_code code = hy_depth_to_space_read(ctx->call, &block, err);

    return code == HY_OK ? resolve(ctx, &block, DEPTH, TO_WIDE, step, err) : code;
}

enum hy_code hy_cpu_space_to_depth_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_block block;
    enum hy_code code = hy_space_to_depth_read(ctx->call, &block, err);

    return code == HY_OK ? resolve(ctx, &block, DEPTH, TO_DEEP, step, err) : code;
}
