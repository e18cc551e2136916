/*
 * SOFTMAX along the last dimension. beta goes into the scale of a quantised input; a float one is
 * multiplied by it. Signed bytes go over float32: XNNPACK has the operator for unsigned ones alone.
 */
#include "lowerings.h"

#include "xnnpack_driver/emit.h"
#include "xnnpack_driver/range.h"

#include <math.h>

/* Dimensions of one element behind the axis are not in the way. */
static bool check_axis(struct xd_build *build, const struct hy_operation *operation,
                       const struct xd_tensor *input, uint32_t *axis)
{
    int32_t value = -1;
    if (operation->input_count > 2 && !hy_read_i32(&build->reader, operation, 2, &value))
        return false;
    if (!hy_resolve_axis(&build->reader, value, input->rank, axis))
        return false;
    return xd_elements(input, *axis + 1, input->rank) == 1 ||
           hy_refuse(&build->reader, "axis %u is not the last of %u", *axis, input->rank);
}

static bool check_output(struct xd_build *build, const struct xd_tensor *output)
{
    const int32_t zero = XD_HAS(XD_QU8, output) ? 0 : -128;
    if (!xd_is_quantised(output) || (output->quant.scale == 0x1p-8f && output->quant.zero == zero))
        return true;
    return hy_refuse(&build->reader, "output 0 has scale %g, zero point %d, needs 1/256, %d",
                     (double)output->quant.scale, output->quant.zero, zero);
}

static struct xd_node *emit_rows(struct xd_build *build, enum xd_kind kind,
                                 const struct xd_tensor *input, struct xd_tensor *output,
                                 uint32_t length)
{
    struct xd_node *node = xd_emit(build, kind, input, output);
    if (node) {
        node->channels = node->input_stride = node->output_stride = length;
        node->rows = xd_all_elements(output) / length;
    }
    return node;
}

/* input * beta, beta being a constant of our own. */
static struct xd_tensor *emit_scaled(struct xd_build *build, const struct xd_tensor *input,
                                     float beta)
{
    struct xd_tensor *factor = xd_temporary(build, input->type, input);
    struct xd_tensor *scaled = factor ? xd_temporary(build, input->type, input) : NULL;
    float *value = xd_program_allocate(build->program, sizeof *value);
    struct xd_node *node =
        scaled && value ? xd_emit(build, XD_KIND_multiply_nd_f32, input, scaled) : NULL;
    if (!node)
        return NULL;
    *value = beta;
    factor->constant = (const uint8_t *)value;
    factor->is_padded = true;
    factor->bytes = sizeof *value;
    factor->rank = factor->dims[0] = 1;
    node->inputs[1] = xd_tensor_index(build->program, factor);
    node->shapes = (struct xd_dims){.rank = {1, 1}, .dims = {{xd_all_elements(input)}, {1}}};
    return scaled;
}

static bool emit_float(struct xd_build *build, const struct xd_tensor *input,
                       struct xd_tensor *output, uint32_t length, float beta)
{
    if (beta != 1)
        input = emit_scaled(build, input, beta);
    return input && emit_rows(build, XD_KIND_softmax_nc_f32, input, output, length);
}

static bool emit_quant(struct xd_build *build, const struct xd_tensor *input,
                       struct xd_tensor *output, uint32_t length, float scale)
{
    if (!isnormal(scale))
        return hy_refuse(&build->reader, "beta * scale of input 0 is %g, which is not supported",
                         (double)scale);
    if (XD_HAS(XD_QU8, input)) {
        struct xd_node *node = emit_rows(build, XD_KIND_softmax_nc_qu8, input, output, length);
        if (node)
            node->in[0].scale = scale;
        return node != NULL;
    }
    struct xd_tensor *from = xd_temporary(build, ANEURALNETWORKS_TENSOR_FLOAT32, input);
    struct xd_tensor *to = from ? xd_temporary(build, ANEURALNETWORKS_TENSOR_FLOAT32, input) : NULL;
    struct xd_node *node = to ? xd_emit_dequantise(build, input, from) : NULL;
    if (!node)
        return false;
    node->in[0].scale = scale;
    const struct hy_value_range range = hy_full_range(output->type);
    return emit_rows(build, XD_KIND_softmax_nc_f32, from, to, length) &&
           xd_detour_end(build, to, output, &range);
}

bool xd_lower_softmax(struct xd_build *build, const struct hy_operation *operation)
{
    struct xd_tensor *input = xd_input(build, operation, 0, XD_MAIN);
    uint32_t axis = 0;
    float beta = 0;
    if (!input || !check_axis(build, operation, input, &axis) ||
        !hy_read_f32(&build->reader, operation, 1, &beta))
        return false;
    if (!isnormal(beta) || beta < 0)
        return hy_refuse(&build->reader, "beta is %g, needs to be above 0", (double)beta);

    struct xd_tensor *output = xd_output_like(build, operation, input);
    if (!output || !check_output(build, output))
        return false;
    const uint32_t length = input->dims[axis];
    return xd_is_quantised(input)
               ? emit_quant(build, input, output, length, beta * input->quant.scale)
               : emit_float(build, input, output, length, beta);
}
