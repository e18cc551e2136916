#include "cpu_fallback/ops/conv_winograd.h"

#define LEAST_CHANNELS 16u

/* Tiles of 2x2 outputs. */
#define LEAST_TILES          4u
#define LEAST_TILES_FROM_FAR 32u

static bool pays(const struct hy_cpu_site *site, const struct hy_conv_params *p)
{
    const uint64_t tiles =
        (uint64_t)p->batch * ((p->out_h + UINT64_C(1)) / 2) * ((p->out_w + UINT64_C(1)) / 2);
    const uint64_t weights = (uint64_t)p->in_c * p->out_c * 16 * sizeof(float);
    const bool is_near = weights <= site->l2_bytes;

    return p->in_c >= LEAST_CHANNELS && p->out_c >= LEAST_CHANNELS &&
           tiles >= (is_near ? LEAST_TILES : LEAST_TILES_FROM_FAR);
}

const struct hy_conv_kernel *hy_conv_winograd(const struct hy_cpu_site *site,
                                              const struct hy_conv_params *params)
{
    const struct hy_conv_kernel *kernel = &site->kernels->winograd_conv;
    const struct hy_conv_kernel *direct = &site->kernels->conv[HY_ELEMENT_F32];

    if (!kernel->run || !site->weights || !kernel->suits(params) ||
        hy_cpu_element(hy_call_input(site->call, 0)->type) != HY_ELEMENT_F32)
        return NULL;
    if (hy_cpu_weights_find(site->weights, kernel, params))
        return kernel;
    if (hy_cpu_weights_find(site->weights, direct, params))
        return NULL;
    return pays(site, params) ? kernel : NULL;
}
