#include "cpu_fallback/ops/conv/conv_hybrid.h"

#include "common/operations/operation.h"

const struct hy_conv_kernel *hy_conv_hybrid(const struct hy_cpu_site *site,
                                            const struct hy_conv_params *params)
{
    const struct hy_conv_kernel *kernel = &site->kernels->hybrid_conv;
    const int32_t operation = site->call->operation;

    if (!kernel->run || !site->weights ||
        (operation != HY_OP_CONV_2D && operation != HY_OP_FULLY_CONNECTED))
        return NULL;
    return site->stored_filter || hy_cpu_weights_find(site->weights, kernel, params) ? kernel
                                                                                     : NULL;
}

const float *hy_conv_filter_scales(const struct hy_cpu_site *site, struct hy_arena *memory,
                                   uint32_t channels)
{
    const struct hy_value *filter = site->stored_filter;

    if (filter->channel_scales)
        return filter->channel_scales;
    float *scales = hy_arena_alloc(memory, channels * sizeof *scales);
    for (uint32_t i = 0; scales && i < channels; i++)
        scales[i] = filter->scale;
    return scales;
}
