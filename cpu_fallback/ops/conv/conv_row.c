#include "cpu_fallback/ops/conv/conv_row.h"

#include "common/operations/operation.h"
#include "common/operations/shape.h"

/* Smaller filters are faster when packed, and an unpacked filter saves little memory. */
#define LEAST_FILTER_BYTES 65536u

static bool is_of_one_row(int32_t operation)
{
    return operation == HY_OP_CONV_2D || operation == HY_OP_FULLY_CONNECTED;
}

const struct hy_conv_kernel *hy_conv_row(const struct hy_cpu_resolve_ctx *ctx,
                                         enum hy_element element,
                                         const struct hy_conv_params *params)
{
    const struct hy_conv_kernel *kernel = &ctx->kernels->row_conv[element];

    if (!is_of_one_row(ctx->call->operation) || !kernel->run || !kernel->suits(params) ||
        !ctx->weights || !ctx->has_fixed_shapes || !hy_call_input(ctx->call, 1)->data ||
        (uint64_t)params->in_c * params->out_c < LEAST_FILTER_BYTES)
        return NULL;
    return !hy_cpu_weights_peek(ctx->weights) || hy_cpu_weights_find(ctx->weights, kernel, params)
               ? kernel
               : NULL;
}

bool hy_conv_row_is_likely(const struct hy_kernel_table *kernels, const struct hy_call *call)
{
    const enum hy_element element = hy_cpu_element(hy_call_input(call, 0)->type);
    uint64_t in, filter, out;

    return is_of_one_row(call->operation) && element != HY_ELEMENT_COUNT &&
           kernels->row_conv[element].run &&
           hy_shape_elements(&hy_call_input(call, 0)->shape, &in) &&
           hy_shape_elements(&hy_call_input(call, 1)->shape, &filter) &&
           hy_shape_elements(&hy_call_output(call, 0)->shape, &out) && in > 0 &&
           filter >= LEAST_FILTER_BYTES && filter == in * out;
}
