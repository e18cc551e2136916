#include "cpu_fallback/ops/ops.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/indices.h"
#include "cpu_fallback/ops/lines.h"

struct arg_min_max_step {
    hy_arg_min_max_fn *kernel;
    struct hy_lines lines;
    size_t indices; /* in scratch */
};

enum hy_code hy_cpu_arg_min_max_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                        struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    enum hy_arg_min_max op = step->op->kind;
    enum hy_element element = hy_cpu_element(in->type);
    bool last = false; /* whether the last of equal elements wins */
    uint32_t axis;

    enum hy_code code = hy_call_axis(ctx->call, 1, in->shape.rank, &axis, err);
    if (code == HY_OK && ctx->call->input_count > 2)
        code = hy_call_bool(ctx->call, 2, &last, err);
    if (code != HY_OK)
        return code;
    if (last)
        op = op == HY_ARG_MAX ? HY_ARG_MAX_LAST : HY_ARG_MIN_LAST;
    if (element == HY_ELEMENT_COUNT || !ctx->kernels->arg_min_max[op][element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    struct arg_min_max_step arg_step = {.kernel = ctx->kernels->arg_min_max[op][element],
                                        .lines = hy_cpu_lines_along(&in->shape, axis)};
    if (!hy_cpu_indices_alloc(&step->scratch, hy_call_output(ctx->call, 0),
                              hy_lines_number(&arg_step.lines), &arg_step.indices))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the scratch memory is too large");
    step->params = hy_arena_copy(ctx->memory, &arg_step, 1, sizeof arg_step);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_arg_min_max_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct arg_min_max_step *arg_step = work->params;
    const struct hy_value *out = hy_call_output(work->call, 0);

    (void)err;
    arg_step->kernel(&arg_step->lines, hy_call_input(work->call, 0)->data,
                     hy_cpu_indices_at(work, out, arg_step->indices));
    hy_cpu_indices_store(work, out, arg_step->indices, hy_lines_number(&arg_step->lines));
    return HY_OK;
}

struct top_k_step {
    hy_top_k_fn *kernel;
    struct hy_top_k_params params;
    size_t indices; /* in scratch */
};

enum hy_code hy_cpu_top_k_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                  struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    enum hy_element element = hy_cpu_element(in->type);
    uint32_t last = in->shape.rank - 1;
    bool smallest = false;

    if (ctx->call->input_count > 2) {
        const enum hy_code code = hy_call_bool(ctx->call, 2, &smallest, err);
        if (code != HY_OK)
            return code;
    }
    if (element == HY_ELEMENT_COUNT || !ctx->kernels->top_k[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(in->type));
    struct top_k_step top = {
        .kernel = ctx->kernels->top_k[element],
        .params = {.rows = hy_shape_span(&in->shape, 0, last),
                   .count = in->shape.dims[last],
                   .k = out->dims[last],
                   .first_of_equals = ctx->call->operation == HY_EXT_TOP_K,
                   .smallest = smallest},
    };
    if (!hy_cpu_indices_alloc(&step->scratch, hy_call_output(ctx->call, 1),
                              (uint64_t)top.params.rows * top.params.k, &top.indices))
        return hy_fail(err, HY_OUT_OF_MEMORY, "the scratch memory is too large");
    step->params = hy_arena_copy(ctx->memory, &top, 1, sizeof top);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_top_k_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct top_k_step *top = work->params;
    const struct hy_value *indices = hy_call_output(work->call, 1);

    (void)err;
    top->kernel(&top->params, hy_call_input(work->call, 0)->data,
                hy_call_output(work->call, 0)->data,
                hy_cpu_indices_at(work, indices, top->indices));
    hy_cpu_indices_store(work, indices, top->indices, top->params.rows * top->params.k);
    return HY_OK;
}
