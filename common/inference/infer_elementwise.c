#include "common/inference/infer_rules.h"

#include <android/NeuralNetworksTypes.h>

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"

static enum hy_code broadcast(const struct hy_call *call, uint32_t most_rank,
                              struct hy_shape *output, struct hy_error *err)
{
    const struct hy_shape *a = &hy_call_input(call, 0)->shape;
    const struct hy_shape *b = &hy_call_input(call, 1)->shape;
    char a_text[HY_SHAPE_TEXT_SIZE], b_text[HY_SHAPE_TEXT_SIZE];

    enum hy_code code = hy_call_check_rank(call, 0, 1, most_rank, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 1, 1, most_rank, err);
    if (code != HY_OK)
        return code;
    if (!hy_shape_broadcast(a, b, output))
        return hy_fail(err, HY_FAILED, "inputs of shapes %s and %s do not broadcast",
                       hy_shape_text(a, a_text), hy_shape_text(b, b_text));
    return HY_OK;
}

/* Inputs 0 and 1, of rank 4 at most, broadcast to output 0; input 2 is an activation, NONE for
 * int32. ADD, DIV, MUL, SUB. */
enum hy_code hy_infer_arithmetic(const struct hy_call *call, struct hy_shape *outputs,
                                 struct hy_error *err)
{
    int32_t type = hy_call_input(call, 0)->type, activation;

    enum hy_code code = hy_call_activation(call, 2, &activation, err);
    if (code != HY_OK)
        return code;
    if (type == ANEURALNETWORKS_TENSOR_INT32 && activation != ANEURALNETWORKS_FUSED_NONE)
        return hy_fail(err, HY_FAILED, "activation %d is not allowed with int32", activation);
    if (call->operation == HY_OP_DIV && hy_operand_type_is_quantised(type))
        return hy_fail(err, HY_FAILED, "division of %s is not defined", hy_operand_type_name(type));
    return broadcast(call, 4, &outputs[0], err);
}

static bool is_whole(int32_t type)
{
    return type != ANEURALNETWORKS_TENSOR_FLOAT32 && type != ANEURALNETWORKS_TENSOR_FLOAT16 &&
           type != HY_TENSOR_FLOAT64 && type != HY_TENSOR_BFLOAT16 &&
           !hy_operand_type_is_quantised(type);
}

/* Like hy_infer_arithmetic for any rank, without an activation for integers. ADD, DIV, MUL, SUB of
 * org.halyard.operations. */
enum hy_code hy_infer_arithmetic_of_any_rank(const struct hy_call *call, struct hy_shape *outputs,
                                             struct hy_error *err)
{
    const int32_t type = hy_call_input(call, 0)->type;
    int32_t activation;

    enum hy_code code = hy_call_activation(call, 2, &activation, err);
    if (code != HY_OK)
        return code;
    if (activation != ANEURALNETWORKS_FUSED_NONE && is_whole(type))
        return hy_fail(err, HY_FAILED, "activation %d is not allowed with %s", activation,
                       hy_operand_type_name(type));
    return broadcast(call, HY_MAX_RANK, &outputs[0], err);
}

/* Inputs 0 and 1, of any rank, broadcast to output 0. Comparisons, LOGICAL_AND and LOGICAL_OR,
 * MAXIMUM, MINIMUM, POW, PRELU. */
enum hy_code hy_infer_broadcast(const struct hy_call *call, struct hy_shape *outputs,
                                struct hy_error *err)
{
    return broadcast(call, HY_MAX_RANK, &outputs[0], err);
}

static enum hy_code same_shape(const struct hy_call *call, uint32_t most_rank,
                               struct hy_shape *output, struct hy_error *err)
{
    enum hy_code code = hy_call_check_rank(call, 0, 1, most_rank, err);

    if (code == HY_OK)
        *output = hy_call_input(call, 0)->shape;
    return code;
}

/* Output 0 has the shape of input 0: of rank 4 at most (DEQUANTIZE, FLOOR, the activations of
 * feature level 1), or of any rank (other operations on single elements, CAST, QUANTIZE). */
enum hy_code hy_infer_same_shape(const struct hy_call *call, struct hy_shape *outputs,
                                 struct hy_error *err)
{
    return same_shape(call, 4, &outputs[0], err);
}

enum hy_code hy_infer_same_shape_of_any_rank(const struct hy_call *call, struct hy_shape *outputs,
                                             struct hy_error *err)
{
    return same_shape(call, HY_MAX_RANK, &outputs[0], err);
}

/* SELECT of org.halyard.operations: three inputs, of any rank, that broadcast. */
enum hy_code hy_infer_select_broadcast(const struct hy_call *call, struct hy_shape *outputs,
                                       struct hy_error *err)
{
    struct hy_shape both;
    char a_text[HY_SHAPE_TEXT_SIZE], b_text[HY_SHAPE_TEXT_SIZE], c_text[HY_SHAPE_TEXT_SIZE];

    for (uint32_t i = 0; i < 3; i++) {
        enum hy_code code = hy_call_check_rank(call, i, 1, HY_MAX_RANK, err);
        if (code != HY_OK)
            return code;
    }
    const struct hy_shape *condition = &hy_call_input(call, 0)->shape;
    const struct hy_shape *a = &hy_call_input(call, 1)->shape;
    const struct hy_shape *b = &hy_call_input(call, 2)->shape;
    if (!hy_shape_broadcast(a, b, &both) || !hy_shape_broadcast(condition, &both, &outputs[0]))
        return hy_fail(err, HY_FAILED, "inputs of shapes %s, %s and %s do not broadcast",
                       hy_shape_text(condition, a_text), hy_shape_text(a, b_text),
                       hy_shape_text(b, c_text));
    return HY_OK;
}

/* BITCAST: with elements of different sizes, the output gains or loses a last dimension of the size
 * ratio. */
enum hy_code hy_infer_bitcast(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    const uint32_t from = hy_operand_type_bytes(hy_call_input(call, 0)->type);
    const uint32_t to = hy_operand_type_bytes(hy_call_output(call, 0)->type);
    const bool grows = to > from;
    enum hy_code code =
        hy_call_check_rank(call, 0, grows ? 2 : 1, to < from ? HY_MAX_RANK - 1 : HY_MAX_RANK, err);

    if (code != HY_OK)
        return code;
    struct hy_shape shape = hy_call_input(call, 0)->shape;
    if (grows && shape.dims[shape.rank - 1] != to / from)
        return hy_fail(err, HY_FAILED, "the last dimension of input 0 is %u, needs %u",
                       shape.dims[shape.rank - 1], to / from);
    if (grows)
        shape.rank--;
    else if (to < from)
        shape.dims[shape.rank++] = from / to;
    outputs[0] = shape;
    return HY_OK;
}

/* SELECT: three inputs and an output of the same shape. */
enum hy_code hy_infer_select(const struct hy_call *call, struct hy_shape *outputs,
                             struct hy_error *err)
{
    const struct hy_shape *condition = &hy_call_input(call, 0)->shape;
    char expected[HY_SHAPE_TEXT_SIZE], actual[HY_SHAPE_TEXT_SIZE];

    for (uint32_t i = 0; i < 3; i++) {
        const struct hy_shape *shape = &hy_call_input(call, i)->shape;
        enum hy_code code = hy_call_check_rank(call, i, 1, HY_MAX_RANK, err);
        if (code != HY_OK)
            return code;
        if (!hy_shape_equal(condition, shape))
            return hy_fail(err, HY_FAILED, "input %u has shape %s, input 0 has %s", i,
                           hy_shape_text(shape, actual), hy_shape_text(condition, expected));
    }
    outputs[0] = *condition;
    return HY_OK;
}
