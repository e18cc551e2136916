#include "cpu_fallback/ops/conv/conv_winograd.h"

/* Limits of float32. */
#define LEAST_CHANNELS       16u
#define LEAST_TILES          4u
#define LEAST_TILES_FROM_FAR 32u

/* Limits of 8-bit and 16-bit kernels. */
struct byte_rule {
    uint32_t channels;        /* least input and output channels */
    uint64_t tiles, products; /* least tiles; least product of tiles, input and output channels */
    uint64_t caches;          /* most weights, in multiples of the L2 cache */
};

static const struct byte_rule quick_bytes = {32, 16, 32768, 2};

/* If 8-bit products cost as much as 16-bit products. */
static const struct byte_rule slow_bytes = {16, 4, 4096, 4};

static bool has_channels(const struct hy_conv_params *p, uint32_t least)
{
    return p->in_c >= least && p->out_c >= least;
}

/* The number of tiles of `size` x `size` outputs. */
static uint64_t count_tiles(const struct hy_conv_params *p, uint32_t size)
{
    return (uint64_t)p->batch * (((uint64_t)p->out_h + size - 1) / size) *
           (((uint64_t)p->out_w + size - 1) / size);
}

static bool pays_in_floats(const struct hy_cpu_resolve_ctx *ctx, const struct hy_conv_params *p)
{
    const uint64_t weights = (uint64_t)p->in_c * p->out_c * 16 * sizeof(float);
    const bool is_near = weights <= ctx->l2_bytes;

    return has_channels(p, LEAST_CHANNELS) &&
           count_tiles(p, 2) >= (is_near ? LEAST_TILES : LEAST_TILES_FROM_FAR);
}

static bool pays_in_bytes(const struct hy_cpu_resolve_ctx *ctx, const struct hy_conv_params *p,
                          const struct byte_rule *rule)
{
    const uint64_t filters = (uint64_t)p->in_c * p->out_c, tiles = count_tiles(p, 4);

    return has_channels(p, rule->channels) && tiles >= rule->tiles &&
           filters * 36 * sizeof(int16_t) <= rule->caches * ctx->l2_bytes &&
           filters * tiles >= rule->products;
}

static bool holds(const struct hy_cpu_resolve_ctx *ctx, const struct hy_conv_kernel *kernel,
                  const struct hy_conv_params *params)
{
    if (!kernel->holds)
        return true;
    const void *filter = hy_call_input(ctx->call, 1)->data;
    return filter && kernel->holds(params, filter);
}

const struct hy_conv_kernel *hy_conv_winograd(const struct hy_cpu_resolve_ctx *ctx,
                                              enum hy_element element,
                                              const struct hy_conv_kernel *direct,
                                              const struct hy_conv_params *params)
{
    if (element == HY_ELEMENT_COUNT || !ctx->weights)
        return NULL;
    const struct hy_conv_kernel *kernel = &ctx->kernels->winograd_conv[element];

    if (!kernel->run || !kernel->suits(params))
        return NULL;
    if (hy_cpu_weights_find(ctx->weights, kernel, params))
        return kernel;
    if (hy_cpu_weights_find(ctx->weights, direct, params) ||
        kernel->products_per_us <= direct->products_per_us)
        return NULL;
    const bool are_slow = kernel->products_per_us >= 2 * direct->products_per_us;
    const bool pays = element == HY_ELEMENT_F32
                          ? pays_in_floats(ctx, params)
                          : pays_in_bytes(ctx, params, are_slow ? &slow_bytes : &quick_bytes);
    return pays && holds(ctx, kernel, params) ? kernel : NULL;
}
