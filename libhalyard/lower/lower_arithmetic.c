#include "common/operations/operation.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/nnapi_operands.h"
#include "libhalyard/lower/operations.h"
#include "libhalyard/lower/pairs.h"

/* A limit of an activation, of the output's type. */
static uint32_t limit_operand(struct hy_lowering *lowering, int64_t number)
{
    if (hy_output(lowering, 0)->element == HY_ELEMENT_INT64)
        return hy_wide_integer_operand(lowering, number);
    return hy_integer_operand(lowering, number > INT32_MAX ? INT32_MAX : (int32_t)number);
}

/* Of integers, whose operations have no activation. */
static void emit_limited(struct hy_lowering *lowering, int32_t type, enum hy_activation activation)
{
    static const int64_t limits[][2] = {[HY_ACTIVATION_RELU] = {0, INT64_MAX},
                                        [HY_ACTIVATION_RELU1] = {-1, 1},
                                        [HY_ACTIVATION_RELU6] = {0, 6}};
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    uint32_t result = hy_emit_binary(lowering, type, hy_input_operand(lowering, 0),
                                     hy_input_operand(lowering, 1), output);

    result = hy_emit_binary(lowering, hy_pair_operation(output, ANEURALNETWORKS_MAXIMUM), result,
                            limit_operand(lowering, limits[activation][0]), output);
    hy_emit_output_binary(lowering, hy_pair_operation(output, ANEURALNETWORKS_MINIMUM), result,
                          limit_operand(lowering, limits[activation][1]));
}

static void emit_arithmetic(struct hy_lowering *lowering, int32_t type)
{
    const enum hy_activation activation = lowering->node->attributes.binary.activation;

    if (hy_is_integer(hy_output(lowering, 0)) && activation != HY_ACTIVATION_NONE &&
        activation <= HY_ACTIVATION_RELU6) {
        emit_limited(lowering, type, activation);
        return;
    }
    hy_push_input(lowering, 0);
    hy_push_input(lowering, 1);
    hy_push_activation(lowering, activation);
    hy_emit(lowering, type);
}

void hy_lower_arithmetic(struct hy_lowering *lowering, int32_t type)
{
    emit_arithmetic(lowering, hy_pair_operation(hy_input(lowering, 0), type));
}

void hy_lower_add_n(struct hy_lowering *lowering)
{
    const uint32_t count = lowering->node->input_count;
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const int32_t type = hy_pair_operation(output, ANEURALNETWORKS_ADD);
    uint32_t sum = hy_input_operand(lowering, 0);

    hy_expect(lowering, count >= 2, "a sum of one tensor");
    for (uint32_t i = 1; i + 1 < count; i++)
        sum = hy_emit_binary(lowering, type, sum, hy_input_operand(lowering, i), output);
    hy_emit_output_binary(lowering, type, sum, hy_input_operand(lowering, count - 1));
}

/* TensorFlow Lite compares the bytes, whatever their quantisations are. */
void hy_lower_min_max(struct hy_lowering *lowering, int32_t type)
{
    const uint32_t a = hy_same_bytes_operand(lowering, 0);
    const uint32_t b = hy_same_bytes_operand(lowering, 1);
    hy_emit_output_binary(lowering, hy_pair_operation(hy_input(lowering, 0), type), a, b);
}

void hy_lower_prelu(struct hy_lowering *lowering)
{
    hy_push_inputs(lowering);
    hy_emit(lowering, hy_pair_operation(hy_input(lowering, 0), ANEURALNETWORKS_PRELU));
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
        emit_arithmetic(lowering, HY_EXT_MUL);
}

static bool is_real(const struct hy_graph_tensor *tensor)
{
    return tensor->element == HY_ELEMENT_FLOAT32 || tensor->element == HY_ELEMENT_FLOAT16;
}

/* NNAPI's DIV of integers rounds down, and there is none of quantised numbers. */
void hy_lower_div(struct hy_lowering *lowering)
{
    emit_arithmetic(lowering, is_real(hy_input(lowering, 0)) ? ANEURALNETWORKS_DIV : HY_EXT_DIV);
}

void hy_lower_pow(struct hy_lowering *lowering)
{
    hy_push_inputs(lowering);
    hy_emit(lowering, is_real(hy_input(lowering, 0)) ? ANEURALNETWORKS_POW : HY_EXT_POW);
}

/* Of int32 NNAPI's DIV rounds down; of floats the quotient is rounded. */
void hy_lower_floor_div(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    if (hy_nnapi_type(output->element) == ANEURALNETWORKS_TENSOR_INT32) {
        hy_emit_output_binary(lowering, ANEURALNETWORKS_DIV, hy_input_operand(lowering, 0),
                              hy_input_operand(lowering, 1));
        return;
    }
    if (is_real(output)) {
        const uint32_t quotient =
            hy_emit_binary(lowering, ANEURALNETWORKS_DIV, hy_input_operand(lowering, 0),
                           hy_input_operand(lowering, 1), output);
        hy_emit_output_unary(lowering, ANEURALNETWORKS_FLOOR, quotient);
        return;
    }
    hy_push_inputs(lowering);
    hy_emit(lowering, HY_EXT_FLOOR_DIV);
}

static bool is_of_one_shape(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    return hy_graph_tensor_same_shape(hy_input(lowering, 0), output) &&
           hy_graph_tensor_same_shape(hy_input(lowering, 1), output) &&
           hy_graph_tensor_same_shape(hy_input(lowering, 2), output);
}

/* NNAPI selects between tensors of one shape, and moves no bool. */
void hy_lower_select(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const bool is_plain = output->element != HY_ELEMENT_BOOL && is_of_one_shape(lowering);
    const uint32_t a = hy_same_bytes_operand(lowering, 1), b = hy_same_bytes_operand(lowering, 2);

    hy_push_input(lowering, 0);
    hy_push(lowering, a);
    hy_push(lowering, b);
    hy_emit(lowering, is_plain ? hy_pair_operation(output, ANEURALNETWORKS_SELECT) : HY_EXT_SELECT);
}
