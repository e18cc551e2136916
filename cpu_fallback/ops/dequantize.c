#include "common/operations/operand_type.h"
#include "cpu_fallback/ops/elements/elements.h"
#include "cpu_fallback/ops/ops.h"

#include <android/NeuralNetworksTypes.h>

struct dequantize_step {
    hy_dequantize_fn *kernel;
    struct hy_cpu_elements elements; /* for a single scale */
    struct hy_dequantize_params params;
};

/* With a scale per tensor: a single channel, whose scale is the operand's own. */
static struct hy_dequantize_params dequantize_params(const struct hy_value *in)
{
    const struct hy_shape *shape = &in->shape;
    uint32_t dim = in->channel_dim;

    if (in->type != ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
        return (struct hy_dequantize_params){
            .outer = 1,
            .channels = 1,
            .inner = hy_shape_span(shape, 0, shape->rank),
            .zero_point = in->zero_point,
        };
    return (struct hy_dequantize_params){
        .outer = hy_shape_span(shape, 0, dim),
        .channels = shape->dims[dim],
        .inner = hy_shape_span(shape, dim + 1, shape->rank),
        .scales = in->channel_scales,
    };
}

static bool has_one_scale(const struct hy_dequantize_params *params)
{
    return params->outer == 1 && params->channels == 1;
}

enum hy_code hy_cpu_dequantize_resolve(const struct hy_cpu_resolve_ctx *ctx,
                                       struct hy_cpu_step *step, struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(ctx->call, 0);
    const struct hy_value *out = hy_call_output(ctx->call, 0);
    enum hy_element from = hy_cpu_element(in->type), to = hy_cpu_element(out->type);

    if (from == HY_ELEMENT_COUNT || to == HY_ELEMENT_COUNT || !ctx->kernels->dequantize[from][to])
        return hy_fail(err, HY_FAILED, "no kernel from %s to %s", hy_operand_type_name(in->type),
                       hy_operand_type_name(out->type));
    if (in->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL &&
        (in->channel_dim >= in->shape.rank || in->channel_count != in->shape.dims[in->channel_dim]))
        return hy_fail(err, HY_FAILED, "input 0 has %u scales along dimension %u",
                       in->channel_count, in->channel_dim);

    struct dequantize_step *dequantize = hy_arena_alloc(ctx->memory, sizeof *dequantize);
    float *scale = hy_arena_copy(ctx->memory, &in->scale, 1, sizeof in->scale);
    if (!dequantize || !scale)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the parameters");
    *dequantize = (struct dequantize_step){
        .kernel = ctx->kernels->dequantize[from][to],
        .params = dequantize_params(in),
    };
    if (has_one_scale(&dequantize->params))
        dequantize->elements =
            hy_cpu_elements_plan(ctx, dequantize->params.inner, HY_CPU_ELEMENTS_PER_US, step);
    if (!dequantize->params.scales)
        dequantize->params.scales = scale;
    step->params = dequantize;
    return HY_OK;
}

static void run_elements(const struct hy_cpu_work *work, size_t first, size_t count)
{
    const struct dequantize_step *dequantize = work->params;
    struct hy_dequantize_params params = dequantize->params;

    params.inner = count;
    dequantize->kernel(&params, hy_cpu_elements_at(hy_call_input(work->call, 0), first),
                       hy_cpu_elements_at(hy_call_output(work->call, 0), first));
}

enum hy_code hy_cpu_dequantize_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct dequantize_step *dequantize = work->params;

    (void)err;
    if (has_one_scale(&dequantize->params))
        hy_cpu_elements_run(work, &dequantize->elements, run_elements);
    else
        dequantize->kernel(&dequantize->params, hy_call_input(work->call, 0)->data,
                           hy_call_output(work->call, 0)->data);
    return HY_OK;
}
