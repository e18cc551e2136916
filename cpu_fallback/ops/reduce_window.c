#include "cpu_fallback/ops/ops.h"

#include "common/inference/infer_reduce.h"
#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/strided_copy.h"

struct window_step {
    hy_reduce_window_fn *kernel;
    struct hy_reduce_window_params params;
};

static void set_loops(const struct hy_cpu_resolve_ctx *ctx, const struct hy_windows *windows,
                      struct hy_reduce_window_params *params)
{
    const struct hy_shape *in = &hy_call_input(ctx->call, 0)->shape;
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    ptrdiff_t strides[HY_MAX_RANK];

    hy_cpu_strides(in, strides);
    params->function = (enum hy_window_function)windows->function;
    params->rank = in->rank;
    for (uint32_t d = 0; d < in->rank; d++) {
        const size_t stride = (size_t)strides[d];
        params->positions.dims[d] = out->dims[d];
        params->positions.strides[d] = stride * (size_t)windows->strides[d];
        params->window.dims[d] = (size_t)windows->sizes[d];
        params->window.strides[d] = stride * (size_t)windows->dilations[d];
    }
}

enum hy_code hy_cpu_reduce_window_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                          struct hy_cpu_step *step, struct hy_error *err)
{
    const int32_t type = hy_call_input(ctx->call, 0)->type;
    const enum hy_element element = hy_cpu_element(type);
    struct hy_windows windows;

    const enum hy_code code = hy_windows_read(ctx->call, &windows, err);
    if (code != HY_OK)
        return code;
    if (element == HY_ELEMENT_COUNT || !ctx->kernels->reduce_window[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(type));
    struct window_step window = {.kernel = ctx->kernels->reduce_window[element]};
    set_loops(ctx, &windows, &window.params);
    step->params = hy_arena_copy(ctx->memory, &window, 1, sizeof window);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_reduce_window_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct window_step *window = work->params;

    (void)err;
    window->kernel(&window->params, hy_call_input(work->call, 0)->data,
                   hy_call_input(work->call, 1)->data, hy_call_output(work->call, 0)->data);
    return HY_OK;
}
