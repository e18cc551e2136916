#include "libhalyard/lower/operations.h"

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "libhalyard/lower/movement.h"
#include "libhalyard/lower/nnapi_operands.h"

static bool has_activation(int32_t type)
{
    return type == ANEURALNETWORKS_ADD || type == ANEURALNETWORKS_SUB ||
           type == ANEURALNETWORKS_MUL || type == ANEURALNETWORKS_DIV || type == HY_EXT_ADD ||
           type == HY_EXT_SUB || type == HY_EXT_MUL || type == HY_EXT_DIV;
}

static void push_two(struct hy_lowering *lowering, int32_t type, uint32_t a, uint32_t b)
{
    hy_push(lowering, a);
    hy_push(lowering, b);
    if (has_activation(type))
        hy_push_activation(lowering, HY_ACTIVATION_NONE);
}

uint32_t hy_emit_unary(struct hy_lowering *lowering, int32_t type, uint32_t from,
                       const struct hy_graph_tensor *like)
{
    const uint32_t result = hy_temporary_operand(lowering, like);
    hy_push(lowering, from);
    hy_emit_to(lowering, type, result);
    return result;
}

uint32_t hy_emit_binary(struct hy_lowering *lowering, int32_t type, uint32_t a, uint32_t b,
                        const struct hy_graph_tensor *like)
{
    const uint32_t result = hy_temporary_operand(lowering, like);
    push_two(lowering, type, a, b);
    hy_emit_to(lowering, type, result);
    return result;
}

uint32_t hy_emit_compare(struct hy_lowering *lowering, int32_t type, uint32_t a, uint32_t b,
                         const struct hy_graph_tensor *like)
{
    const uint32_t result = hy_bool_temporary_operand(lowering, like);
    push_two(lowering, type, a, b);
    hy_emit_to(lowering, type, result);
    return result;
}

static void reshape_to(struct hy_lowering *lowering, uint32_t from,
                       const struct hy_graph_tensor *like, uint32_t to)
{
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < like->rank; i++)
        unknown += like->extents[i] < 0;
    hy_expect(lowering, unknown <= 1, "more than one extent known only at run time");
    hy_push(lowering, from);
    hy_push_shape(lowering, like);
    hy_emit_to(lowering,
               hy_nnapi_moves(like, HY_MOVES_INTEGERS) ? ANEURALNETWORKS_RESHAPE : HY_EXT_RESHAPE,
               to);
}

uint32_t hy_emit_reshape(struct hy_lowering *lowering, uint32_t from,
                         const struct hy_graph_tensor *like)
{
    const uint32_t result = hy_temporary_operand(lowering, like);
    reshape_to(lowering, from, like, result);
    return result;
}

void hy_emit_output_unary(struct hy_lowering *lowering, int32_t type, uint32_t from)
{
    hy_push(lowering, from);
    hy_emit(lowering, type);
}

void hy_emit_output_binary(struct hy_lowering *lowering, int32_t type, uint32_t a, uint32_t b)
{
    push_two(lowering, type, a, b);
    hy_emit(lowering, type);
}

void hy_emit_output_reshape(struct hy_lowering *lowering, uint32_t from)
{
    reshape_to(lowering, from, hy_output(lowering, 0), hy_output_operand(lowering, 0));
}

static bool is_requantised(const struct hy_graph_tensor *input,
                           const struct hy_graph_tensor *output)
{
    return hy_has_steps(input) && input->element == output->element &&
           !hy_same_quantisation(input, output);
}

uint32_t hy_same_bytes_operand(struct hy_lowering *lowering, uint32_t input)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, input);
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    if (!is_requantised(tensor, output))
        return hy_input_operand(lowering, input);
    struct hy_graph_tensor like = *tensor;
    like.quantisation = output->quantisation;
    return hy_emit_unary(lowering, ANEURALNETWORKS_CAST, hy_input_operand(lowering, input), &like);
}

struct hy_graph_tensor hy_real_like(const struct hy_graph_tensor *like)
{
    struct hy_graph_tensor real = *like;
    real.element = HY_ELEMENT_FLOAT32;
    real.quantisation = (struct hy_graph_quantisation){0};
    return real;
}

uint32_t hy_number_operand(struct hy_lowering *lowering, float number)
{
    static const uint32_t one = 1;
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &one};
    return hy_constant_operand(lowering, &type, &number, sizeof number);
}

uint32_t hy_integer_operand(struct hy_lowering *lowering, int32_t number)
{
    static const uint32_t one = 1;
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_INT32, .dimensionCount = 1, .dimensions = &one};
    return hy_constant_operand(lowering, &type, &number, sizeof number);
}

uint32_t hy_wide_integer_operand(struct hy_lowering *lowering, int64_t number)
{
    static const uint32_t one = 1;
    const ANeuralNetworksOperandType type = {
        .type = HY_TENSOR_INT64, .dimensionCount = 1, .dimensions = &one};
    return hy_constant_operand(lowering, &type, &number, sizeof number);
}
