#include "common/inference/infer_slice.h"

#include <string.h>

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/strided_copy.h"

/* DYNAMIC_UPDATE_SLICE: copies input 0, then input 1 over it at the start in input 2, which is read
 * at run time. */

struct update_step {
    hy_strided_copy_fn *kernel;
    struct hy_strided_copy_params grid; /* from the update to the output */
    struct hy_shape in, update;
    ptrdiff_t strides[HY_MAX_RANK]; /* strides of the output */
    size_t bytes, element_bytes;
};

enum hy_code hy_cpu_update_slice_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                         struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    ptrdiff_t strides[HY_MAX_RANK];

    enum hy_code code = hy_update_slice_check(ctx->call, err);
    if (code != HY_OK)
        return code;
    struct update_step *update = hy_arena_alloc(ctx->memory, sizeof *update);
    if (!update)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *update = (struct update_step){
        .kernel = ctx->kernels->strided_copy[hy_cpu_element_size(in->type)],
        .in = in->shape,
        .update = hy_call_input(ctx->call, 1)->shape,
        .element_bytes = hy_operand_type_bytes(in->type),
    };
    update->bytes = hy_shape_span(&in->shape, 0, in->shape.rank) * update->element_bytes;
    hy_cpu_strides(&update->in, update->strides);
    hy_cpu_strides(&update->update, strides);
    for (uint32_t d = 0; d < in->shape.rank; d++)
        hy_strided_copy_add(&update->grid, update->update.dims[d], strides[d], update->strides[d]);
    hy_strided_copy_finalize(&update->grid);
    step->params = update;
    return HY_OK;
}

/* The offset of the update in elements. A start is clamped so that the whole update fits. */
static size_t find_offset(const struct update_step *update, const struct hy_value *start)
{
    size_t position = 0;

    for (uint32_t d = 0; d < update->in.rank; d++) {
        const int64_t most = (int64_t)update->in.dims[d] - update->update.dims[d];
        const int64_t at = start->type == HY_TENSOR_INT64 ? ((const int64_t *)start->data)[d]
                                                          : ((const int32_t *)start->data)[d];
        position += (size_t)(at < 0 ? 0 : at > most ? most : at) * (size_t)update->strides[d];
    }
    return position;
}

enum hy_code hy_cpu_update_slice_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct update_step *update = work->params;
    const size_t position = find_offset(update, hy_call_input(work->call, 2));
    const void *from = hy_call_input(work->call, 1)->data;
    uint8_t *out = hy_call_output(work->call, 0)->data;

    (void)err;
    memcpy(out, hy_call_input(work->call, 0)->data, update->bytes);
    if (from && update->grid.dims[0] > 0)
        update->kernel(&update->grid, from, out + position * update->element_bytes);
    return HY_OK;
}
