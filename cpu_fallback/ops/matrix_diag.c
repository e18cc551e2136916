#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* MATRIX_DIAG, MATRIX_SET_DIAG: copies the whole matrices first, then their diagonals. */

/* Copies the consecutive diagonals of input `index` to the matrices of output 0. */
static void add_diagonals(struct hy_cpu_copies *copies, const struct hy_call *call, uint32_t index)
{
    const struct hy_shape *in = &hy_call_input(call, index)->shape;
    const struct hy_shape *out = &hy_call_output(call, 0)->shape;
    const struct hy_cpu_copy_location from = {HY_CPU_INPUT, index, 0}, to = {.side = HY_CPU_OUTPUT};
    const ptrdiff_t height = (ptrdiff_t)out->dims[out->rank - 2];
    const ptrdiff_t width = (ptrdiff_t)out->dims[out->rank - 1];
    const size_t size = in->dims[in->rank - 1];
    struct hy_strided_copy_params *grid = hy_cpu_copies_add(copies, from, to);

    hy_strided_copy_add(grid, hy_shape_span(in, 0, in->rank - 1), (ptrdiff_t)size, height * width);
    hy_strided_copy_add(grid, size, 1, width + 1);
}

enum hy_code hy_cpu_matrix_diag_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                        struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    struct hy_cpu_copies *copies = hy_cpu_copies_create(ctx, out->type, 2);

    if (!copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    hy_cpu_copies_add_fill(copies, &out->shape,
                           (struct hy_cpu_copy_location){.side = HY_CPU_VALUE});
    add_diagonals(copies, ctx->call, 0);
    hy_cpu_copies_finalize(copies, ctx, step);
    step->params = copies;
    return HY_OK;
}

enum hy_code hy_cpu_matrix_set_diag_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                            struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    const struct hy_cpu_copy_location from = {.side = HY_CPU_INPUT}, to = {.side = HY_CPU_OUTPUT};
    struct hy_cpu_copies *copies = hy_cpu_copies_create(ctx, out->type, 2);

    if (!copies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    hy_strided_copy_add(hy_cpu_copies_add(copies, from, to),
                        hy_shape_span(&out->shape, 0, out->shape.rank), 1, 1);
    add_diagonals(copies, ctx->call, 1);
    copies->is_ordered = true;
    hy_cpu_copies_finalize(copies, ctx, step);
    step->params = copies;
    return HY_OK;
}
