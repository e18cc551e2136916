#include "common/inference/infer_space_batch_nd.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND of org.halyard.operations: a single copy grid; the wide
 * tensor and the deep tensor are two views of it. With padding or crops, the wide tensor is in
 * scratch. */

/* Adds the dimensions of every element: batch, then block, then position in the block. */
static void add_blocks(struct hy_strided_copy_params *grid, const struct hy_block_nd *block,
                       bool is_to_deep)
{
    const struct hy_shape *wide = &block->edges.out, *deep = &block->deep;
    ptrdiff_t wide_strides[HY_MAX_RANK], deep_strides[HY_MAX_RANK];
    ptrdiff_t position; /* stride between positions of a block, in the deep tensor */

    hy_cpu_strides(wide, wide_strides);
    hy_cpu_strides(deep, deep_strides);
    position = deep_strides[0] * (ptrdiff_t)wide->dims[0];
    for (uint32_t d = wide->rank; d-- > 0;) {
        const ptrdiff_t size = (ptrdiff_t)block->size[d];
        const struct {
            size_t count;
            ptrdiff_t wide, deep;
        } dims[] = {
            {d == 0 ? wide->dims[0] : deep->dims[d], wide_strides[d] * size, deep_strides[d]},
            {block->size[d], wide_strides[d], position},
        };
        for (int i = 0; i < 2; i++) {
            if (is_to_deep)
                hy_strided_copy_add(grid, dims[i].count, dims[i].wide, dims[i].deep);
            else
                hy_strided_copy_add(grid, dims[i].count, dims[i].deep, dims[i].wide);
        }
        position *= size;
    }
}

static enum hy_code begin(const struct hy_cpu_resolve_ctx *ctx, const struct hy_block_nd *block,
                          struct hy_cpu_copies **copies, struct hy_cpu_copy_location *wide,
                          struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    uint64_t bytes;
    size_t offset;

    *copies = hy_cpu_copies_create(ctx, in->type, HY_CPU_PAD_COPIES + 1);
    if (!*copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    if (hy_shape_equal(&block->edges.in, &block->edges.out))
        return HY_OK;
    if (!hy_shape_bytes(&block->edges.out, (*copies)->element_size, &bytes) ||
        !hy_cpu_scratch_alloc(&step->scratch, bytes, &offset))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the tensors are too large");
    *wide = (struct hy_cpu_copy_location){.side = HY_CPU_SCRATCH};
    (*copies)->is_ordered = true;
    return HY_OK;
}

static enum hy_code end(struct hy_cpu_copies *copies, const struct hy_cpu_resolve_ctx *ctx,
                        struct hy_cpu_step *step)
{
    hy_cpu_copies_finalize(copies, ctx, step);
    step->params = copies;
    return HY_OK;
}

enum hy_code hy_cpu_space_to_batch_nd_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                              struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_cpu_copy_location to = {.side = HY_CPU_OUTPUT};
    struct hy_cpu_copy_location wide = {.side = HY_CPU_INPUT};
    struct hy_cpu_copies *copies;
    struct hy_block_nd block;

    enum hy_code code = hy_space_to_batch_nd_read(ctx->call, &block, err);
    if (code == HY_OK)
        code = begin(ctx, &block, &copies, &wide, step, err);
    if (code != HY_OK)
        return code;
    hy_cpu_copies_set_zero(copies, hy_call_input(ctx->call, 0));
    if (wide.side == HY_CPU_SCRATCH)
        hy_cpu_copies_add_pad(copies, &block.edges,
                              (struct hy_cpu_copy_location){.side = HY_CPU_VALUE}, wide);
    add_blocks(hy_cpu_copies_add(copies, wide, to), &block, true);
    return end(copies, ctx, step);
}

enum hy_code hy_cpu_batch_to_space_nd_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                              struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_cpu_copy_location from = {.side = HY_CPU_INPUT}, to = {.side = HY_CPU_OUTPUT};
    ptrdiff_t inside[HY_MAX_RANK], whole[HY_MAX_RANK];
    struct hy_cpu_copy_location wide = to;
    struct hy_cpu_copies *copies;
    struct hy_block_nd block;

    enum hy_code code = hy_batch_to_space_nd_read(ctx->call, &block, err);
    if (code == HY_OK)
        code = begin(ctx, &block, &copies, &wide, step, err);
    if (code != HY_OK)
        return code;
    add_blocks(hy_cpu_copies_add(copies, from, wide), &block, false);
    if (wide.side != HY_CPU_SCRATCH)
        return end(copies, ctx, step);
    hy_cpu_strides(&block.edges.in, inside);
    hy_cpu_strides(&block.edges.out, whole);
    for (uint32_t d = 0; d < block.edges.in.rank; d++)
        wide.offset += block.edges.before[d] * (size_t)whole[d];
    struct hy_strided_copy_params *grid = hy_cpu_copies_add(copies, wide, to);
    for (uint32_t d = 0; d < block.edges.in.rank; d++)
        hy_strided_copy_add(grid, block.edges.in.dims[d], whole[d], inside[d]);
    return end(copies, ctx, step);
}
