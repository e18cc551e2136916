#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

#include <math.h>

void hy_lower_arithmetic(struct hy_lowering *lowering, int32_t type)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_activation(lowering, lowering->node->attributes.binary.activation);
    hy_emit(lowering, type);
}

/* TensorFlow Lite compares the bytes, whatever their quantisations are. */
void hy_lower_extreme(struct hy_lowering *lowering, int32_t type)
{
    const uint32_t a = hy_same_bytes_operand(lowering, 0);
    const uint32_t b = hy_same_bytes_operand(lowering, 1);
    hy_emit_output_binary(lowering, type, a, b);
}

/* AOSP's MUL of 8 bits wants an output scale above the product of the inputs' scales, and so do
 * drivers of ABI 1.0. */
static bool mul_has_form(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b,
                         const struct hy_graph_tensor *output)
{
    if (a->quantisation.count != 1 || b->quantisation.count != 1 || output->quantisation.count != 1)
        return true; /* not quantised */
    return output->quantisation.scales[0] > a->quantisation.scales[0] * b->quantisation.scales[0];
}

void hy_lower_mul(struct hy_lowering *lowering)
{
    if (mul_has_form(hy_input(lowering, 0), hy_input(lowering, 1), hy_output(lowering, 0)))
        hy_lower_arithmetic(lowering, ANEURALNETWORKS_MUL);
    else
        hy_lower_byte_mul(lowering);
}

void hy_lower_div(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *a = hy_input(lowering, 0), *b = hy_input(lowering, 1);

    if (hy_is_integer(a))
        hy_emit_output_integer_div(lowering, hy_input_operand(lowering, 0),
                                   hy_input_operand(lowering, 1), a, b);
    else if (hy_is_byte(a))
        hy_lower_byte_div(lowering);
    else
        hy_lower_arithmetic(lowering, ANEURALNETWORKS_DIV);
}

/* Of integers NNAPI's DIV rounds down; of floats the quotient is rounded. */
void hy_lower_floor_div(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    if (hy_is_byte(output)) {
        hy_lower_byte_floor_div(lowering);
        return;
    }
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    if (hy_is_integer(output)) {
        hy_emit(lowering, ANEURALNETWORKS_DIV);
        return;
    }
    const uint32_t quotient = hy_temporary_operand(lowering, output);
    hy_emit_to(lowering, ANEURALNETWORKS_DIV, quotient);
    hy_push(lowering, quotient);
    hy_emit(lowering, ANEURALNETWORKS_FLOOR);
}

/* max(x, 0) + alpha * min(x, 0), which PRELU computes with one alpha for all. */
void hy_lower_leaky_relu(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);
    const float alpha = lowering->node->attributes.leaky_relu.alpha;
    static const uint32_t one = 1;
    ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &one};

    hy_push_input(lowering, 0);
    if (input->element == HY_ELEMENT_FLOAT32) {
        hy_push(lowering, hy_constant_operand(lowering, &type, &alpha, sizeof alpha));
    } else {
        /* In steps of itself alpha is exact: 1 or -1. A scale of 0 does not exist. */
        const bool is_signed = input->element == HY_ELEMENT_INT8;
        const int sign = (alpha > 0) - (alpha < 0);
        const uint8_t stored = (uint8_t)(is_signed ? sign : sign + 128);
        type.type = is_signed ? ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
                              : ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
        type.scale = sign != 0 ? fabsf(alpha) : 1.0f;
        type.zeroPoint = is_signed ? 0 : 128;
        hy_push(lowering, hy_constant_operand(lowering, &type, &stored, sizeof stored));
    }
    hy_emit(lowering, ANEURALNETWORKS_PRELU);
}

/* -floor(-x), exact: both steps change the sign bit alone. */
void hy_lower_square(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 0);
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit(lowering, ANEURALNETWORKS_MUL);
}

void hy_lower_squared_difference(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    if (hy_is_byte(output)) {
        hy_lower_byte_squared_difference(lowering);
        return;
    }
    const uint32_t difference =
        hy_emit_binary(lowering, ANEURALNETWORKS_SUB, hy_input_operand(lowering, 0),
                       hy_input_operand(lowering, 1), output);
    hy_emit_output_binary(lowering, ANEURALNETWORKS_MUL, difference, difference);
}
