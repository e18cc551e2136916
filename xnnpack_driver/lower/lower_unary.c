/* Operations on each element of one tensor. */
#include "lowerings.h"

#include "xnnpack_driver/emit.h"
#include "xnnpack_driver/range.h"

#include <math.h>
#include <string.h>

/* ---- One operator each ----------------------------------------------------------------------- */

static const struct unary {
    int32_t operation;
    uint32_t types;
    enum xd_kind real, is_unsigned, is_signed;
    float out_scale; /* where the quantisation of the output is fixed: 1 / steps */
    int32_t out_zero_unsigned, out_zero_signed;
} unaries[] = {
    {ANEURALNETWORKS_ABS, XD_F32, XD_KIND_abs_nc_f32, 0, 0, 0, 0, 0},
    {ANEURALNETWORKS_FLOOR, XD_F32, XD_KIND_floor_nc_f32, 0, 0, 0, 0, 0},
    {ANEURALNETWORKS_NEG, XD_F32, XD_KIND_negate_nc_f32, 0, 0, 0, 0, 0},
    {ANEURALNETWORKS_SQRT, XD_F32, XD_KIND_square_root_nc_f32, 0, 0, 0, 0, 0},
    {ANEURALNETWORKS_HARD_SWISH, XD_F32, XD_KIND_hardswish_nc_f32, 0, 0, 0, 0, 0},
    {ANEURALNETWORKS_LOGISTIC, XD_MAIN, XD_KIND_sigmoid_nc_f32, XD_KIND_sigmoid_nc_qu8,
     XD_KIND_sigmoid_nc_qs8, 0x1p-8f, 0, -128},
    {ANEURALNETWORKS_TANH, XD_Q8, 0, XD_KIND_tanh_nc_qu8, XD_KIND_tanh_nc_qs8, 0x1p-7f, 128, 0},
};

static const struct unary *find_unary(int32_t operation)
{
    const struct unary *unary = unaries;
    while (unary->operation != operation)
        unary++;
    return unary;
}

/* NNAPI fixes the output's quantisation, and XNNPACK knows no other. */
static bool check_fixed(struct xd_build *build, const struct unary *unary,
                        const struct xd_tensor *output)
{
    const int32_t zero = XD_HAS(XD_QU8, output) ? unary->out_zero_unsigned : unary->out_zero_signed;
    if (!xd_is_quantised(output) ||
        (output->quant.scale == unary->out_scale && output->quant.zero == zero))
        return true;
    return hy_refuse(&build->reader, "output 0 has scale %g, zero point %d, needs %g, %d",
                     (double)output->quant.scale, output->quant.zero, (double)unary->out_scale,
                     zero);
}

bool xd_lower_unary(struct xd_build *build, const struct hy_operation *operation)
{
    const struct unary *unary = find_unary(operation->type);
    struct xd_tensor *input = xd_input(build, operation, 0, unary->types);
    struct xd_tensor *output = input ? xd_output_like(build, operation, input) : NULL;
    if (!output || !check_fixed(build, unary, output))
        return false;
    return xd_emit(build,
                   XD_HAS(XD_F32, input)   ? unary->real
                   : XD_HAS(XD_QU8, input) ? unary->is_unsigned
                                           : unary->is_signed,
                   input, output) != NULL;
}

/* ---- RELU, RELU1, RELU6 ---------------------------------------------------------------------- */

static int32_t activation_of(int32_t operation)
{
    switch (operation) {
    case ANEURALNETWORKS_RELU1:
        return ANEURALNETWORKS_FUSED_RELU1;
    case ANEURALNETWORKS_RELU6:
        return ANEURALNETWORKS_FUSED_RELU6;
    default:
        return ANEURALNETWORKS_FUSED_RELU;
    }
}

bool xd_lower_relu(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_MAIN);
    struct xd_tensor *output = input ? xd_output_like(build, operation, input) : NULL;
    struct hy_value_range range;
    if (!output || !xd_same_quantisation(build, input, output) ||
        !xd_range_of(build, activation_of(operation->type), output, &range))
        return false;
    struct xd_node *node = xd_emit(build,
                                   XD_HAS(XD_F32, input)   ? XD_KIND_clamp_nc_f32
                                   : XD_HAS(XD_QU8, input) ? XD_KIND_clamp_nc_u8
                                                           : XD_KIND_clamp_nc_s8,
                                   input, output);
    if (node)
        node->range = range;
    return node != NULL;
}

/* ---- With parameters ------------------------------------------------------------------------- */

bool xd_lower_elu(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_F32);
    struct xd_tensor *output = input ? xd_output_like(build, operation, input) : NULL;
    float alpha = 0;
    if (!output || !hy_read_f32(&build->reader, operation, 1, &alpha))
        return false;
    if (!isnormal(alpha) || alpha < 0)
        return hy_refuse(&build->reader, "alpha is %g, XNNPACK needs a normal number above 0",
                         (double)alpha);
    struct xd_node *node = xd_emit(build, XD_KIND_elu_nc_f32, input, output);
    if (node)
        node->alpha = alpha;
    return node != NULL;
}

/* One slope for each channel: from as many, or from a single one. */
static const float *slopes_of(struct xd_build *build, const struct xd_tensor *alpha,
                              uint32_t channels)
{
    const size_t count = xd_all_elements(alpha);
    if ((count != 1 && count != channels) || alpha->dims[alpha->rank - 1] != count) {
        hy_refuse(&build->reader, "the number of slopes is not 1 or %u, the number of channels",
                  channels);
        return NULL;
    }
    float *slopes = xd_program_allocate(build->program, channels * sizeof *slopes);
    if (!slopes) {
        hy_refuse_exhausted(&build->reader);
        return NULL;
    }
    for (uint32_t i = 0; i < channels; i++)
        memcpy(&slopes[i], alpha->constant + (count == 1 ? 0 : i) * sizeof *slopes, sizeof *slopes);
    return slopes;
}

bool xd_lower_prelu(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_F32);
    const struct xd_tensor *alpha = input ? xd_weights(build, operation, 1, XD_F32) : NULL;
    if (!alpha)
        return false;
    if (alpha->rank > input->rank)
        return hy_refuse(&build->reader, "slopes of rank %u do not fit an input of rank %u",
                         alpha->rank, input->rank);
    struct xd_tensor *output = xd_output_like(build, operation, input);
    const float *slopes = output ? slopes_of(build, alpha, input->dims[input->rank - 1]) : NULL;
    struct xd_node *node = slopes ? xd_emit(build, XD_KIND_prelu_nc_f32, input, output) : NULL;
    if (node)
        node->weights = slopes;
    return node != NULL;
}
