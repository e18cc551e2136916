/* ADD, SUB, MUL, DIV, MAXIMUM and MINIMUM of two tensors, broadcast. */
#include "lowerings.h"

#include "xnnpack_driver/emit.h"
#include "xnnpack_driver/range.h"

static const struct pair {
    int32_t operation;
    enum xd_kind real, is_unsigned, is_signed;
    bool has_bytes; /* there is an operator for bytes */
    bool has_activation;
} pairs[] = {
    {ANEURALNETWORKS_ADD, XD_KIND_add_nd_f32, XD_KIND_add_nd_qu8, XD_KIND_add_nd_qs8, true, true},
    {ANEURALNETWORKS_SUB, XD_KIND_subtract_nd_f32, XD_KIND_subtract_nd_qu8, XD_KIND_subtract_nd_qs8,
     true, true},
    {ANEURALNETWORKS_MUL, XD_KIND_multiply_nd_f32, XD_KIND_multiply_nd_qu8, XD_KIND_multiply_nd_qs8,
     true, true},
    {ANEURALNETWORKS_DIV, XD_KIND_divide_nd_f32, 0, 0, false, true},
    {ANEURALNETWORKS_MAXIMUM, XD_KIND_maximum_nd_f32, 0, 0, false, false},
    {ANEURALNETWORKS_MINIMUM, XD_KIND_minimum_nd_f32, 0, 0, false, false},
};

static const struct pair *find_pair(int32_t operation)
{
    const struct pair *pair = pairs;
    while (pair->operation != operation)
        pair++;
    return pair;
}

static bool broadcast(struct xd_build *build, const struct xd_tensor *a, const struct xd_tensor *b,
                      uint32_t *rank, uint32_t *dims)
{
    if (!hy_broadcast(&build->reader, a->rank, a->dims, b->rank, b->dims, rank, dims))
        return false;
    return *rank <= XD_MAX_DIMS ||
           hy_refuse(&build->reader, "the rank is %u, XNNPACK supports at most %d", *rank,
                     XD_MAX_DIMS);
}

/* The ranges that XNNPACK's fixed point is made for. */
static bool scales_fit(struct xd_build *build, const struct xd_tensor *a, const struct xd_tensor *b,
                       const struct xd_tensor *output, bool is_product)
{
    const float x = a->quant.scale, y = b->quant.scale, out = output->quant.scale;
    if (is_product)
        return xd_ratio_fits(build, "input 0 * input 1 / output", x * y / out, 0x1p-16f, 0x1p+8f);
    return xd_ratio_fits(build, "input 0 / output", x / out, 0x1p-10f, 0x1p+8f) &&
           xd_ratio_fits(build, "input 1 / output", y / out, 0x1p-10f, 0x1p+8f);
}

static void fill_shape(struct xd_node *node, uint32_t side, const struct xd_tensor *tensor)
{
    node->shapes.rank[side] = tensor->rank;
    for (uint32_t i = 0; i < tensor->rank; i++)
        node->shapes.dims[side][i] = tensor->dims[i];
}

static bool emit(struct xd_build *build, const struct pair *pair, const struct xd_tensor *a,
                 const struct xd_tensor *b, struct xd_tensor *output,
                 const struct hy_value_range *range)
{
    struct xd_node *node = xd_emit(build,
                                   XD_HAS(XD_F32, a)   ? pair->real
                                   : XD_HAS(XD_QU8, a) ? pair->is_unsigned
                                                       : pair->is_signed,
                                   a, output);
    if (!node)
        return false;
    node->inputs[1] = xd_tensor_index(build->program, b);
    node->in[1] = b->quant;
    node->range = *range;
    fill_shape(node, 0, a);
    fill_shape(node, 1, b);
    return true;
}

bool xd_lower_pair(struct xd_build *build, const struct hy_operation *operation)
{
    const struct pair *pair = find_pair(operation->type);
    const struct xd_tensor *a = xd_input(build, operation, 0, pair->has_bytes ? XD_MAIN : XD_F32);
    const struct xd_tensor *b = a ? xd_input(build, operation, 1, XD_TYPE(a->type)) : NULL;
    uint32_t dims[XD_MAX_RANK], rank;
    if (!b || !broadcast(build, a, b, &rank, dims))
        return false;

    struct xd_tensor *output = xd_output(build, operation, 0, a->type, rank, dims);
    if (!output)
        return false;
    struct hy_value_range range = hy_full_range(output->type);
    if (pair->has_activation && !xd_activation(build, operation, 2, output, &range))
        return false;
    if (xd_is_quantised(a) &&
        !scales_fit(build, a, b, output, operation->type == ANEURALNETWORKS_MUL))
        return false;
    return emit(build, pair, a, b, output, &range);
}
