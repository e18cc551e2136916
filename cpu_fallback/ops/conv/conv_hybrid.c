#include "cpu_fallback/ops/conv/conv_hybrid.h"

#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "common/operations/shape.h"
#include "cpu_fallback/program/program.h"

/* With several pixels, smaller int8 filters save too little memory for the time of converting them
 * to floats in every run. */
#define LEAST_WEIGHTS 1024u

/* True for 1x1 filters that pay. Larger windows would gather their patches again for each group of
 * panels. */
static bool pays(const struct hy_conv_params *params)
{
    const uint64_t pixels = (uint64_t)params->batch * params->out_h * params->out_w;

    return params->filter_h == 1 && params->filter_w == 1 &&
           (pixels == 1 || (uint64_t)params->in_c * params->out_c >= LEAST_WEIGHTS);
}

static bool is_for(const struct hy_kernel_table *kernels, int32_t operation)
{
    return kernels->hybrid_conv.run &&
           (operation == HY_OP_CONV_2D || operation == HY_OP_FULLY_CONNECTED);
}

static bool has_scales_of_channels(const struct hy_value *stored)
{
    return !stored->channel_scales || stored->channel_dim == 0;
}

const struct hy_conv_kernel *hy_conv_hybrid(const struct hy_cpu_resolve_ctx *ctx,
                                            const struct hy_conv_params *params)
{
    const struct hy_conv_kernel *kernel = &ctx->kernels->hybrid_conv;

    if (!ctx->weights || !is_for(ctx->kernels, ctx->call->operation) || !pays(params))
        return NULL;
    if (hy_cpu_weights_find(ctx->weights, kernel, params))
        return kernel;
    const struct hy_value *stored = ctx->stored_filter;
    return stored && has_scales_of_channels(stored) ? kernel : NULL;
}

uint64_t hy_conv_hybrid_packed_bytes(const struct hy_kernel_table *kernels, int32_t operation,
                                     const struct hy_value *stored)
{
    const struct hy_shape *shape = &stored->shape;
    const uint64_t weights = hy_shape_span(shape, 0, shape->rank), channels = shape->dims[0];
    const bool is_1x1 = weights == channels * shape->dims[shape->rank - 1];

    if (is_for(kernels, operation) && has_scales_of_channels(stored) && is_1x1 &&
        weights >= LEAST_WEIGHTS)
        return weights + channels * 2 * sizeof(float); /* a bias and a scale */
    return weights * sizeof(float);
}

/* The scale of each output channel; allocated in `memory` if there is only one scale. */
static const float *load_scales(const struct hy_value *stored, struct hy_arena *memory,
                                uint32_t channels)
{
    if (stored->channel_scales)
        return stored->channel_scales;
    float *scales = hy_arena_alloc(memory, channels * sizeof *scales);
    for (uint32_t i = 0; scales && i < channels; i++)
        scales[i] = stored->scale;
    return scales;
}

static const float *load_floats(const struct hy_cpu_resolve_ctx *ctx, struct hy_arena *memory)
{
    const struct hy_value *stored = ctx->stored_filter;
    const struct hy_shape *shape = &stored->shape;
    const uint32_t dim = stored->channel_dim;
    struct hy_dequantize_params params = {
        .outer = 1,
        .channels = 1,
        .inner = hy_shape_span(shape, 0, shape->rank),
        .scales = &stored->scale,
    };

    if (stored->channel_scales)
        params = (struct hy_dequantize_params){
            .outer = hy_shape_span(shape, 0, dim),
            .channels = shape->dims[dim],
            .inner = hy_shape_span(shape, dim + 1, shape->rank),
            .scales = stored->channel_scales,
        };
    float *floats = hy_arena_alloc(memory, (size_t)hy_cpu_value_bytes(stored) * sizeof *floats);
    if (floats)
        ctx->kernels->dequantize[HY_ELEMENT_S8][HY_ELEMENT_F32](&params, stored->data, floats);
    return floats;
}

const void *hy_conv_load_stored(const struct hy_cpu_resolve_ctx *ctx,
                                const struct hy_conv_kernel *kernel, struct hy_arena *memory,
                                struct hy_conv_params *params)
{
    if (kernel != &ctx->kernels->hybrid_conv)
        return load_floats(ctx, memory);
    params->filter_scales = load_scales(ctx->stored_filter, memory, params->out_c);
    return params->filter_scales ? ctx->stored_filter->data : NULL;
}
