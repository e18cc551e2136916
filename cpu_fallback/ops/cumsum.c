#include "cpu_fallback/ops/ops.h"

#include "common/inference/infer_reduce.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/lines.h"

struct cumsum_step {
    hy_cumsum_fn *kernel;
    struct hy_cumsum_params params;
};

enum hy_code hy_cpu_cumsum_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                   struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const enum hy_element element = hy_cpu_element(in->type);
    struct hy_running_sum read;

    const enum hy_code code = hy_running_sum_read(ctx->call, &read, err);
    if (code != HY_OK)
        return code;
    if (element == HY_ELEMENT_COUNT || !ctx->kernels->cumsum[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    const struct cumsum_step cumsum = {
        .kernel = ctx->kernels->cumsum[element],
        .params = {hy_cpu_lines_along(&in->shape, read.axis), read.exclusive, read.reverse},
    };
    step->params = hy_arena_copy(ctx->memory, &cumsum, 1, sizeof cumsum);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_cumsum_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct cumsum_step *cumsum = work->params;

    (void)err;
    cumsum->kernel(&cumsum->params, hy_call_input(work->call, 0)->data,
                   hy_call_output(work->call, 0)->data);
    return HY_OK;
}
