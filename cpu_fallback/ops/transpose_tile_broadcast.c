#include "common/inference/infer_transpose.h"

#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* TRANSPOSE, CHANNEL_SHUFFLE, TILE, FILL, BROADCAST_TO: a single copy each. */

/* Starts a list of a single copy, from input `index` to output 0. */
static enum hy_code begin(const struct hy_cpu_resolve_ctx *ctx, uint32_t index,
                          struct hy_cpu_copies **copies, struct hy_strided_copy_params **grid,
                          struct hy_error *err)
{
    struct hy_cpu_copy_location from = {HY_CPU_INPUT, index, 0}, to = {.side = HY_CPU_OUTPUT};

    *copies = hy_cpu_copies_create(ctx, hy_call_output(ctx->call, 0)->type, 1);
    if (!*copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *grid = hy_cpu_copies_add(*copies, from, to);
    return HY_OK;
}

static enum hy_code end(struct hy_cpu_copies *copies, const struct hy_cpu_resolve_ctx *ctx,
                        struct hy_cpu_step *step)
{
    hy_cpu_copies_finalize(copies, ctx, step);
    step->params = copies;
    return HY_OK;
}

enum hy_code hy_cpu_transpose_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                      struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(ctx->call, 0)->shape;
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    ptrdiff_t in_strides[HY_MAX_RANK], out_strides[HY_MAX_RANK];
    uint32_t order[HY_MAX_RANK];
    struct hy_cpu_copies *copies;
    struct hy_strided_copy_params *grid;

    enum hy_code code = hy_transpose_order(ctx->call, order, err);
    if (code == HY_OK)
        code = begin(ctx, 0, &copies, &grid, err);
    if (code != HY_OK)
        return code;
    hy_cpu_strides(in, in_strides);
    hy_cpu_strides(out, out_strides);
    for (uint32_t d = 0; d < out->rank; d++)
        hy_strided_copy_add(grid, out->dims[d], in_strides[order[d]], out_strides[d]);
    return end(copies, ctx, step);
}

enum hy_code hy_cpu_channel_shuffle_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                            struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(ctx->call, 0)->shape;
    uint32_t groups, axis;
    struct hy_cpu_copies *copies;
    struct hy_strided_copy_params *grid;

    enum hy_code code = hy_channel_shuffle_read(ctx->call, &groups, &axis, err);
    if (code == HY_OK)
        code = begin(ctx, 0, &copies, &grid, err);
    if (code != HY_OK)
        return code;
    ptrdiff_t inner = (ptrdiff_t)hy_shape_span(in, axis + 1, in->rank);
    ptrdiff_t channels = (ptrdiff_t)in->dims[axis], members = channels / (ptrdiff_t)groups;
    hy_strided_copy_add(grid, hy_shape_span(in, 0, axis), channels * inner, channels * inner);
    hy_strided_copy_add(grid, (size_t)members, inner, (ptrdiff_t)groups * inner);
    hy_strided_copy_add(grid, groups, members * inner, inner);
    hy_strided_copy_add(grid, (size_t)inner, 1, 1);
    return end(copies, ctx, step);
}

enum hy_code hy_cpu_tile_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                 struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(ctx->call, 0)->shape;
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    ptrdiff_t in_strides[HY_MAX_RANK], out_strides[HY_MAX_RANK];
    struct hy_cpu_copies *copies;
    struct hy_strided_copy_params *grid;

    enum hy_code code = begin(ctx, 0, &copies, &grid, err);
    if (code != HY_OK)
        return code;
    hy_cpu_strides(in, in_strides);
    hy_cpu_strides(out, out_strides);
    for (uint32_t d = 0; d < in->rank; d++) {
        ptrdiff_t extent = (ptrdiff_t)in->dims[d];
        hy_strided_copy_add(grid, extent > 0 ? out->dims[d] / in->dims[d] : 0, 0,
                            out_strides[d] * extent);
        hy_strided_copy_add(grid, in->dims[d], in_strides[d], out_strides[d]);
    }
    return end(copies, ctx, step);
}

enum hy_code hy_cpu_fill_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                 struct hy_error *err)
{
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    struct hy_cpu_copies *copies;
    struct hy_strided_copy_params *grid;

    enum hy_code code = begin(ctx, 1, &copies, &grid, err);
    if (code != HY_OK)
        return code;
    hy_strided_copy_add(grid, hy_shape_span(out, 0, out->rank), 0, 1);
    return end(copies, ctx, step);
}

enum hy_code hy_cpu_broadcast_to_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                         struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_shape *in = &hy_call_input(ctx->call, 0)->shape;
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    const uint32_t lead = out->rank - in->rank;
    ptrdiff_t in_strides[HY_MAX_RANK], out_strides[HY_MAX_RANK];
    struct hy_cpu_copies *copies;
    struct hy_strided_copy_params *grid;

    enum hy_code code = begin(ctx, 0, &copies, &grid, err);
    if (code != HY_OK)
        return code;
    hy_cpu_strides(in, in_strides);
    hy_cpu_strides(out, out_strides);
    for (uint32_t d = 0; d < out->rank; d++) {
        const bool is_repeated = d < lead || in->dims[d - lead] != out->dims[d];
        hy_strided_copy_add(grid, out->dims[d], is_repeated ? 0 : in_strides[d - lead],
                            out_strides[d]);
    }
    return end(copies, ctx, step);
}
