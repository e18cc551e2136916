#include "libhalyard/lower/families.h"

#include <string.h>

static bool is_real(const struct hy_graph_tensor *tensor)
{
    return tensor->element == HY_ELEMENT_FLOAT32 || tensor->element == HY_ELEMENT_FLOAT16;
}

/* A DEQUANTIZE and a QUANTIZE, which are exact where the scales are the same. */
static void emit_through_reals(struct hy_lowering *lowering, uint32_t output)
{
    const uint32_t real = hy_real_operand(lowering, 0);
    hy_push(lowering, real);
    hy_emit_to(lowering, ANEURALNETWORKS_QUANTIZE, output);
}

/* Scale and zero point of a tensor that has the input's steps, in the output's type. */
struct steps {
    float scale;
    int32_t zero_point;
};

/* The input in the type of the output, with its own steps. */
static uint32_t convert_type(struct hy_lowering *lowering, struct steps *steps)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    struct hy_graph_tensor like = *input;

    *steps = (struct steps){hy_scale_of(input), hy_byte_zero_point(lowering, input)};
    if (input->element == output->element)
        return hy_input_operand(lowering, 0);
    steps->zero_point += output->element == HY_ELEMENT_INT8 ? -128 : 128;
    like.element = output->element;
    like.quantisation = (struct hy_graph_quantisation){
        .count = 1, .scales = &steps->scale, .zero_points = &steps->zero_point};
    const uint32_t converted = hy_temporary_operand(lowering, &like);
    emit_through_reals(lowering, converted);
    return converted;
}

enum { MAX_CHANNELS = 4096 };

/* A depthwise convolution with filters of the number 1: its sums are the input's numbers, and its
 * results are rounded as TensorFlow Lite rounds from one quantisation to another. */
static void emit_rescale(struct hy_lowering *lowering, uint32_t from, const struct steps *steps)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    uint64_t elements = 0;
    uint32_t last = output->rank ? (uint32_t)output->extents[output->rank - 1] : 1;

    hy_expect(lowering,
              hy_graph_tensor_elements(output, &elements) && elements <= INT32_MAX && elements > 0,
              "a shape that is known only at run time");
    if (lowering->code != HY_OK)
        return;
    if (last > MAX_CHANNELS)
        last = 1;
    const uint32_t extents[4] = {1, 1, (uint32_t)elements / last, last};
    const uint32_t filter_extents[4] = {1, 1, 1, last};
    const int32_t zeros[MAX_CHANNELS] = {0};
    uint8_t ones[MAX_CHANNELS];
    memset(ones, 1, sizeof ones);

    struct hy_graph_tensor like = {
        .element = output->element,
        .quantisation = {.count = 1, .scales = &steps->scale, .zero_points = &steps->zero_point}};
    const uint32_t flat = hy_temporary_operand_of(lowering, &like, 4, extents);
    hy_push(lowering, from);
    hy_push_ints(lowering, (const int32_t *)extents, 4);
    hy_emit_to(lowering, ANEURALNETWORKS_RESHAPE, flat);

    const ANeuralNetworksOperandType filter = {
        .type = output->element == HY_ELEMENT_INT8 ? ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
                                                   : ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
        .dimensionCount = 4,
        .dimensions = filter_extents,
        .scale = 1.0f};
    const ANeuralNetworksOperandType bias = {.type = ANEURALNETWORKS_TENSOR_INT32,
                                             .dimensionCount = 1,
                                             .dimensions = &last,
                                             .scale = steps->scale};
    const uint32_t rescaled = hy_temporary_operand_of(lowering, output, 4, extents);
    hy_push(lowering, flat);
    hy_push(lowering, hy_constant_operand(lowering, &filter, ones, last));
    hy_push(lowering, hy_constant_operand(lowering, &bias, zeros, last * sizeof *zeros));
    hy_push_padding(lowering, HY_PADDING_VALID);
    hy_push_int(lowering, 1);
    hy_push_int(lowering, 1);
    hy_push_int(lowering, 1); /* depth multiplier */
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit_to(lowering, ANEURALNETWORKS_DEPTHWISE_CONV_2D, rescaled);
    hy_push(lowering, rescaled);
    hy_push_shape(lowering, output);
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
}

void hy_lower_quantize(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    if (is_real(input)) {
        hy_push_input(lowering, 0);
        hy_emit(lowering, ANEURALNETWORKS_QUANTIZE);
        return;
    }
    if (hy_scale_of(input) == hy_scale_of(output)) {
        emit_through_reals(lowering, hy_output_operand(lowering, 0));
        return;
    }
    struct steps steps;
    const uint32_t converted = convert_type(lowering, &steps);
    emit_rescale(lowering, converted, &steps);
}
