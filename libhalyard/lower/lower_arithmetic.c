#include "libhalyard/lower/families.h"

#include <math.h>

void hy_lower_arithmetic(struct hy_lowering *lowering, int32_t type)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_activation(lowering, lowering->node->attributes.binary.activation);
    hy_emit(lowering, type);
}

/* NNAPI's MUL of 8 bits wants an output scale above the product of the inputs' scales. */
static bool mul_has_form(const struct hy_graph_tensor *a, const struct hy_graph_tensor *b,
                         const struct hy_graph_tensor *output)
{
    if (a->quantisation.count != 1 || b->quantisation.count != 1 || output->quantisation.count != 1)
        return true; /* not quantised */
    return output->quantisation.scales[0] > a->quantisation.scales[0] * b->quantisation.scales[0];
}

/* Where there is no other form: the real numbers are multiplied. */
static void lower_real_mul(struct hy_lowering *lowering)
{
    const uint32_t a = hy_real_operand(lowering, 0);
    const uint32_t b = hy_real_operand(lowering, 1);
    const uint32_t product = hy_float_temporary_operand(lowering, hy_output(lowering, 0));

    hy_push(lowering, a);
    hy_push(lowering, b);
    hy_push_activation(lowering, lowering->node->attributes.binary.activation);
    hy_emit_to(lowering, ANEURALNETWORKS_MUL, product);
    hy_push(lowering, product);
    hy_emit(lowering, ANEURALNETWORKS_QUANTIZE);
}

void hy_lower_mul(struct hy_lowering *lowering)
{
    if (mul_has_form(hy_input(lowering, 0), hy_input(lowering, 1), hy_output(lowering, 0)))
        hy_lower_arithmetic(lowering, ANEURALNETWORKS_MUL);
    else
        lower_real_mul(lowering);
}

/* NNAPI's DIV of integers rounds down. Towards zero it is |a| / |b|, which is exact, negated where
 * the signs differ. */
static void lower_integer_div(struct hy_lowering *lowering)
{
    static const uint32_t one = 1;
    static const int32_t zero = 0, minus = -1;
    const ANeuralNetworksOperandType number = {
        .type = ANEURALNETWORKS_TENSOR_INT32, .dimensionCount = 1, .dimensions = &one};
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const uint32_t signs = hy_constant_operand(lowering, &number, &zero, sizeof zero);
    uint32_t negative[2], absolute[2];

    for (uint32_t i = 0; i < 2; i++) {
        negative[i] = hy_bool_temporary_operand(lowering, hy_input(lowering, i));
        hy_push_input(lowering, i);
        hy_push(lowering, signs);
        hy_emit_to(lowering, ANEURALNETWORKS_LESS, negative[i]);
        absolute[i] = hy_temporary_operand(lowering, hy_input(lowering, i));
        hy_push_input(lowering, i);
        hy_emit_to(lowering, ANEURALNETWORKS_ABS, absolute[i]);
    }
    const uint32_t differ = hy_bool_temporary_operand(lowering, output);
    hy_push(lowering, negative[0]);
    hy_push(lowering, negative[1]);
    hy_emit_to(lowering, ANEURALNETWORKS_NOT_EQUAL, differ);

    const uint32_t quotient = hy_temporary_operand(lowering, output);
    hy_push(lowering, absolute[0]);
    hy_push(lowering, absolute[1]);
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit_to(lowering, ANEURALNETWORKS_DIV, quotient);

    const uint32_t other_sign = hy_temporary_operand(lowering, output);
    hy_push(lowering, quotient);
    hy_push(lowering, hy_constant_operand(lowering, &number, &minus, sizeof minus));
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit_to(lowering, ANEURALNETWORKS_MUL, other_sign);
    hy_push(lowering, differ);
    hy_push(lowering, other_sign);
    hy_push(lowering, quotient);
    hy_emit(lowering, ANEURALNETWORKS_SELECT);
}

void hy_lower_div(struct hy_lowering *lowering)
{
    if (hy_is_integer(hy_output(lowering, 0)))
        lower_integer_div(lowering);
    else
        hy_lower_arithmetic(lowering, ANEURALNETWORKS_DIV);
}

/* Of integers NNAPI's DIV rounds down; of floats the quotient is rounded. */
void hy_lower_floor_div(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

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
void hy_lower_ceil(struct hy_lowering *lowering)
{
    const uint32_t negative = hy_float_temporary_operand(lowering, hy_input(lowering, 0));
    const uint32_t floor = hy_float_temporary_operand(lowering, hy_input(lowering, 0));

    hy_push_input(lowering, 0);
    hy_emit_to(lowering, ANEURALNETWORKS_NEG, negative);
    hy_push(lowering, negative);
    hy_emit_to(lowering, ANEURALNETWORKS_FLOOR, floor);
    hy_push(lowering, floor);
    hy_emit(lowering, ANEURALNETWORKS_NEG);
}

void hy_lower_square(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 0);
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit(lowering, ANEURALNETWORKS_MUL);
}

/* (a - b)^2; of 8 bits on the real numbers. */
void hy_lower_squared_difference(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const bool is_quantised =
        output->element == HY_ELEMENT_INT8 || output->element == HY_ELEMENT_UINT8;
    const uint32_t a = is_quantised ? hy_real_operand(lowering, 0) : hy_input_operand(lowering, 0);
    const uint32_t b = is_quantised ? hy_real_operand(lowering, 1) : hy_input_operand(lowering, 1);
    const uint32_t difference = is_quantised ? hy_float_temporary_operand(lowering, output)
                                             : hy_temporary_operand(lowering, output);
    hy_push(lowering, a);
    hy_push(lowering, b);
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    hy_emit_to(lowering, ANEURALNETWORKS_SUB, difference);
    hy_push(lowering, difference);
    hy_push(lowering, difference);
    hy_push_activation(lowering, HY_ACTIVATION_NONE);
    if (!is_quantised) {
        hy_emit(lowering, ANEURALNETWORKS_MUL);
        return;
    }
    const uint32_t square = hy_float_temporary_operand(lowering, output);
    hy_emit_to(lowering, ANEURALNETWORKS_MUL, square);
    hy_push(lowering, square);
    hy_emit(lowering, ANEURALNETWORKS_QUANTIZE);
}
