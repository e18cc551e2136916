#include "common/inference/infer_conv_3d.h"

#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/ops.h"

/* CONV_3D, TRANSPOSE_CONV_3D. */

struct conv_3d_step {
    hy_conv_3d_fn *kernel;
    struct hy_conv_3d_params params;
    size_t lines;
    uint32_t tasks;
};

/* Approximate products per microsecond of the kernels; transposed ones add one by one. */
enum { PRODUCTS_PER_US = 3000 };

static struct hy_conv_3d_params params_of(const struct hy_conv_3d *conv, enum hy_element element)
{
    struct hy_conv_3d_params params = {
        .batch = conv->batch,
        .in_c = conv->in_channels,
        .out_c = conv->out_channels,
        .groups = conv->groups,
        .activation = hy_activation_bounds(conv->activation, element, 0, 0),
    };

    for (uint32_t i = 0; i < HY_CONV_3D_AXES; i++) {
        const struct hy_window *axis = &conv->axes[i];
        params.axes[i] = (struct hy_conv_3d_axis){conv->in[i],  conv->out[i],   axis->filter,
                                                  axis->stride, axis->dilation, axis->head};
    }
    return params;
}

static enum hy_code resolve(const struct hy_cpu_resolve_ctx *ctx, const struct hy_conv_3d *conv,
                            hy_conv_3d_fn *const kernels[HY_ELEMENT_COUNT],
                            struct hy_cpu_step *step, struct hy_error *err)
{
    const int32_t type = hy_call_input(ctx->call, 0)->type;
    const enum hy_element element = hy_cpu_element(type);

    if (element == HY_ELEMENT_COUNT || !kernels[element])
        return hy_fail(err, HY_FAILED, "no kernel for %s", hy_operand_type_name(type));
    const struct hy_shape *filter = &hy_call_input(ctx->call, 1)->shape;
    const struct hy_shape *out = &hy_call_output(ctx->call, 0)->shape;
    const size_t lines = hy_shape_span(out, 0, 3);
    step->us = (double)lines * out->dims[3] * (double)hy_shape_span(filter, 0, 5) / PRODUCTS_PER_US;
    const uint32_t tasks = hy_cpu_tasks_of(step->us, ctx->threads);
    const struct conv_3d_step made = {
        .kernel = kernels[element],
        .params = params_of(conv, element),
        .lines = lines,
        .tasks = lines < tasks ? (uint32_t)lines : tasks,
    };
    step->params = hy_arena_copy(ctx->memory, &made, 1, sizeof made);
    return step->params ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
}

enum hy_code hy_cpu_conv_3d_resolve(const struct hy_cpu_resolve_ctx *ctx, struct hy_cpu_step *step,
                                    struct hy_error *err)
{
    struct hy_conv_3d conv;
    const enum hy_code code = hy_conv_3d_read(ctx->call, &conv, err);

    return code == HY_OK ? resolve(ctx, &conv, ctx->kernels->conv_3d, step, err) : code;
}

enum hy_code hy_cpu_transpose_conv_3d_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                              struct hy_cpu_step *step, struct hy_error *err)
{
    struct hy_conv_3d conv;
    const enum hy_code code = hy_transpose_conv_3d_read(ctx->call, &conv, err);

    return code == HY_OK ? resolve(ctx, &conv, ctx->kernels->transpose_conv_3d, step, err) : code;
}

static void run_part(void *argument, uint32_t index)
{
    const struct hy_cpu_work *work = argument;
    const struct conv_3d_step *conv = work->params;
    const size_t first = conv->lines * index / conv->tasks;
    const size_t end = conv->lines * (index + 1) / conv->tasks;

    conv->kernel(&conv->params, hy_call_input(work->call, 0)->data,
                 hy_call_input(work->call, 1)->data, hy_call_input(work->call, 2)->data,
                 hy_call_output(work->call, 0)->data, first, end);
}

enum hy_code hy_cpu_conv_3d_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct conv_3d_step *conv = work->params;
    struct hy_cpu_work mine = *work;

    (void)err;
    hy_cpu_parallel_for(work, conv->tasks, run_part, &mine);
    return HY_OK;
}
