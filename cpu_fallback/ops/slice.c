#include "common/inference/infer_slice.h"

#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* SLICE, STRIDED_SLICE, REVERSE. */

static enum hy_code resolve(const struct hy_cpu_resolve_ctx *ctx, const struct hy_slice *slice,
                            struct hy_cpu_step *step, struct hy_error *err)
{
    int32_t type = hy_call_input(ctx->call, 0)->type;
    struct hy_cpu_copies *copies = hy_cpu_copies_create(ctx, type, 1);
    struct hy_cpu_copy_location from = {.side = HY_CPU_INPUT}, to = {.side = HY_CPU_OUTPUT};
    struct hy_shape sizes = {.rank = slice->in.rank}; /* `out` may lack dimensions of size 1 */
    ptrdiff_t in[HY_MAX_RANK], out[HY_MAX_RANK];

    if (!copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    for (uint32_t d = 0; d < sizes.rank; d++)
        sizes.dims[d] = slice->size[d];
    hy_cpu_strides(&slice->in, in);
    hy_cpu_strides(&sizes, out);
    for (uint32_t d = 0; d < sizes.rank; d++)
        from.offset += slice->begin[d] * (size_t)in[d];
    struct hy_strided_copy_params *grid = hy_cpu_copies_add(copies, from, to);
    for (uint32_t d = 0; d < sizes.rank; d++)
        hy_strided_copy_add(grid, sizes.dims[d], in[d] * slice->stride[d], out[d]);
    hy_cpu_copies_finalize(copies, ctx, step);
    step->params = copies;
    return HY_OK;
}

enum hy_code hy_cpu_slice_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                  struct hy_error *err)
{
    struct hy_slice slice;
    enum hy_code code = hy_slice_read(ctx->call, &slice, err);

    return code == HY_OK ? resolve(ctx, &slice, step, err) : code;
}

enum hy_code hy_cpu_strided_slice_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                          struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_slice slice;
    enum hy_code code = hy_strided_slice_read(ctx->call, &slice, err);

    return code == HY_OK ? resolve(ctx, &slice, step, err) : code;
}

enum hy_code hy_cpu_reverse_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                    struct hy_error *err)
{
    struct hy_slice slice;
    enum hy_code code = hy_reverse_read(ctx->call, &slice, err);

    return code == HY_OK ? resolve(ctx, &slice, step, err) : code;
}
