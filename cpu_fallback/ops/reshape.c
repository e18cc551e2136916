#include "cpu_fallback/ops/ops.h"

#include <string.h>

#include "common/operations/operand_type.h"

enum hy_code hy_cpu_reshape_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                    struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    uint64_t bytes;

    if (!hy_shape_bytes(&in->shape, hy_operand_type_bytes(in->type), &bytes))
        return hy_fail(err, HY_FAILED, "input 0 is too large");
    step->params = hy_arena_copy(ctx->memory, &bytes, 1, sizeof bytes);
    if (!step->params)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    return HY_OK;
}

enum hy_code hy_cpu_reshape_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const uint64_t *bytes = work->params;
    const void *in = hy_call_input(work->call, 0)->data;
    void *out = hy_call_output(work->call, 0)->data;

    (void)err;
    if (in != out) /* equal if both share memory in the arena */
        memmove(out, in, *bytes);
    return HY_OK;
}
