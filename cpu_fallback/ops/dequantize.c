#include "cpu_fallback/ops/ops.h"
#include "cpu_fallback/ops/recurrent/pieces.h"

#include "common/operations/operand_type.h"

#include <android/NeuralNetworksTypes.h>

struct dequantize_step {
    hy_dequantize_fn *kernel;
    struct hy_dequantize_params params;
};

/* Per tensor: one channel with the one scale, which lives in the operand. */
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

enum hy_code hy_cpu_dequantize_resolve(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                       struct hy_error *err)
{
    const struct hy_value *in = hy_call_input(site->call, 0);
    const struct hy_value *out = hy_call_output(site->call, 0);
    enum hy_element from = hy_cpu_element(in->type), to = hy_cpu_element(out->type);

    if (from == HY_ELEMENT_COUNT || to == HY_ELEMENT_COUNT || !site->kernels->dequantize[from][to])
        return hy_fail(err, HY_FAILED, "no kernel from %s to %s", hy_operand_type_name(in->type),
                       hy_operand_type_name(out->type));
    if (in->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL &&
        (in->channel_dim >= in->shape.rank || in->channel_count != in->shape.dims[in->channel_dim]))
        return hy_fail(err, HY_FAILED, "input 0 has %u scales along dimension %u",
                       in->channel_count, in->channel_dim);

    struct dequantize_step *dequantize = hy_arena_alloc(site->memory, sizeof *dequantize);
    float *scale = hy_arena_copy(site->memory, &in->scale, 1, sizeof in->scale);
    if (!dequantize || !scale)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for its parameters");
    *dequantize =
        (struct dequantize_step){site->kernels->dequantize[from][to], dequantize_params(in)};
    if (!dequantize->params.scales)
        dequantize->params.scales = scale;
    step->params = dequantize;
    return HY_OK;
}

enum hy_code hy_cpu_dequantize_run(const struct hy_cpu_work *work, struct hy_error *err)
{
    const struct dequantize_step *dequantize = work->params;

    struct hy_dequantize_params params = dequantize->params;
    const bool is_one_channel = params.outer == 1 && params.channels == 1;
    const size_t in_bytes = hy_operand_type_bytes(hy_call_input(work->call, 0)->type);
    const size_t out_bytes = hy_operand_type_bytes(hy_call_output(work->call, 0)->type);
    const uint8_t *in = hy_call_input(work->call, 0)->data;
    uint8_t *out = hy_call_output(work->call, 0)->data;

    (void)err;
    for (struct hy_pieces at = hy_pieces(params.inner, is_one_channel ? HY_CPU_PIECE : SIZE_MAX);
         hy_pieces_next(&at);) {
        params.inner = at.part;
        dequantize->kernel(&params, in + at.first * in_bytes, out + at.first * out_bytes);
    }
    return HY_OK;
}
