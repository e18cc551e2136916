#include "cpu_fallback/ops/ops.h"

#include "common/inference/infer_normalise.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/via_float.h"
#include "cpu_fallback/ops/lines.h"

struct normalise_step {
    hy_normalise_fn *kernel;
    struct hy_normalise_params params;
    struct hy_cpu_via_float via_float; /* if initialized, the kernel is of float32 */
};

/* Completes the step; its parameters have been read. */
static enum hy_code resolve(const struct hy_cpu_resolve_ctx *ctx,
                            const struct hy_normalise_params *params, struct hy_cpu_step *step,
                            struct hy_error *err)
{
    const enum hy_normalise op = step->op->kind;
    const bool is_via_float = hy_cpu_runs_via_float(ctx->call);
    int32_t type = hy_call_input(ctx->call, 0)->type;
    enum hy_element element = is_via_float ? HY_ELEMENT_F32 : hy_cpu_element(type);
    enum hy_code code = HY_OK;

    if (element == HY_ELEMENT_COUNT || !ctx->kernels->normalise[op][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(type));
    struct normalise_step normalise = {ctx->kernels->normalise[op][element], .params = *params};
    if (is_via_float)
        code = hy_cpu_via_float_alloc(ctx, step, &normalise.via_float, err);
    if (code != HY_OK)
        return code;
    step->params = hy_arena_copy(ctx->memory, &normalise, 1, sizeof normalise);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_l2_normalisation_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                             struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    uint32_t axis;
    enum hy_code code = hy_l2_normalisation_read(ctx->call, &axis, err);

    if (code != HY_OK)
        return code;
    const struct hy_normalise_params params = {
        .lines = hy_cpu_lines_along(&in->shape, axis),
        .in_zero_point = in->zero_point,
    };
    return resolve(ctx, &params, step, err);
}

enum hy_code hy_cpu_local_response_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                           struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_local_response read;
    enum hy_code code = hy_local_response_read(ctx->call, &read, err);

    if (code != HY_OK)
        return code;
    const struct hy_normalise_params params = {
        .lines = hy_cpu_lines_along(&hy_call_input(ctx->call, 0)->shape, read.axis),
        .radius = read.radius,
        .bias = read.bias,
        .alpha = read.alpha,
        .beta = read.beta,
    };
    return resolve(ctx, &params, step, err);
}

/* A line covers height and width, which are adjacent in both layouts. */
enum hy_code hy_cpu_instance_normalisation_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                                   struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_shape *shape = &hy_call_input(ctx->call, 0)->shape;
    struct hy_instance_normalisation read;
    enum hy_code code = hy_instance_normalisation_read(ctx->call, &read, err);

    if (code != HY_OK)
        return code;
    uint32_t height = read.nchw ? 2 : 1;
    const struct hy_normalise_params params = {
        .lines = {.outer = hy_shape_span(shape, 0, height),
                  .count = hy_shape_span(shape, height, height + 2),
                  .inner = hy_shape_span(shape, height + 2, 4)},
        .gamma = read.gamma,
        .beta = read.beta,
        .epsilon = read.epsilon,
    };
    return resolve(ctx, &params, step, err);
}

enum hy_code hy_cpu_normalise_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct normalise_step *normalise = work->params;

    (void)err;
    if (normalise->via_float.load) {
        float *floats = hy_cpu_via_float_open(&normalise->via_float, work);
        normalise->kernel(&normalise->params, floats, floats);
        hy_cpu_via_float_close(&normalise->via_float, work);
    } else {
        normalise->kernel(&normalise->params, hy_call_input(work->call, 0)->data,
                          hy_call_output(work->call, 0)->data);
    }
    return HY_OK;
}
