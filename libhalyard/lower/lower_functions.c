#include "common/operations/operation.h"
#include "libhalyard/lower/families.h"
#include "libhalyard/lower/nnapi_operands.h"
#include "libhalyard/lower/operations.h"

#include <math.h>

/* Functions of single elements. NNAPI's operations support fewer types, and fix the quantisation of
 * their outputs: other cases use the extension's operation of the same name. */

/* ANEURALNETWORKS_ABS for HY_EXT_ABS; -1 for an operation that NNAPI lacks. */
static int32_t core_of(int32_t extension)
{
    switch (extension) {
    case HY_EXT_ABS:
        return ANEURALNETWORKS_ABS;
    case HY_EXT_EXP:
        return ANEURALNETWORKS_EXP;
    case HY_EXT_FLOOR:
        return ANEURALNETWORKS_FLOOR;
    case HY_EXT_HARD_SWISH:
        return ANEURALNETWORKS_HARD_SWISH;
    case HY_EXT_LOG:
        return ANEURALNETWORKS_LOG;
    case HY_EXT_LOGISTIC:
        return ANEURALNETWORKS_LOGISTIC;
    case HY_EXT_NEG:
        return ANEURALNETWORKS_NEG;
    case HY_EXT_RELU:
        return ANEURALNETWORKS_RELU;
    case HY_EXT_RELU1:
        return ANEURALNETWORKS_RELU1;
    case HY_EXT_RELU6:
        return ANEURALNETWORKS_RELU6;
    case HY_EXT_RSQRT:
        return ANEURALNETWORKS_RSQRT;
    case HY_EXT_SIN:
        return ANEURALNETWORKS_SIN;
    case HY_EXT_SQRT:
        return ANEURALNETWORKS_SQRT;
    case HY_EXT_TANH:
        return ANEURALNETWORKS_TANH;
    default:
        return -1;
    }
}

/* For elements of 8 bits. RSQRT is excluded, because it needs a high feature level. */
static bool supports_bytes(int32_t core, const struct hy_graph_tensor *input,
                           const struct hy_graph_tensor *output)
{
    const int32_t least = output->element == HY_ELEMENT_INT8 ? -128 : 0;
    const float scale = hy_scale_of(output);
    const int32_t zero_point = hy_zero_point_of(output);

    switch (core) {
    case ANEURALNETWORKS_HARD_SWISH:
        return true;
    case ANEURALNETWORKS_LOGISTIC:
        return scale == 1.0f / 256 && zero_point == least;
    case ANEURALNETWORKS_RELU:
    case ANEURALNETWORKS_RELU1:
    case ANEURALNETWORKS_RELU6:
        return hy_same_quantisation(input, output);
    case ANEURALNETWORKS_TANH:
        return scale == 1.0f / 128 && zero_point == least + 128;
    default:
        return false;
    }
}

static bool core_supports(struct hy_lowering *lowering, int32_t core)
{
    const struct hy_graph_tensor *input = hy_input(lowering, 0);

    if (core < 0 || input->rank > HY_LEGAL_RANK)
        return false;
    switch (hy_nnapi_type(input->element)) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return true;
    case ANEURALNETWORKS_TENSOR_INT32:
        return core == ANEURALNETWORKS_ABS || core == ANEURALNETWORKS_NEG;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
        return supports_bytes(core, input, hy_output(lowering, 0));
    default:
        return false;
    }
}

void hy_lower_function(struct hy_lowering *lowering, int32_t extension)
{
    const int32_t core = core_of(extension);

    hy_push_input(lowering, 0);
    hy_emit(lowering, core_supports(lowering, core) ? core : extension);
}

static bool is_real(const struct hy_graph_tensor *tensor)
{
    return tensor->element == HY_ELEMENT_FLOAT32 || tensor->element == HY_ELEMENT_FLOAT16;
}

void hy_lower_elu(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_float(lowering, 1.0f);
    hy_emit(lowering, is_real(hy_input(lowering, 0)) ? ANEURALNETWORKS_ELU : HY_EXT_ELU);
}

void hy_lower_gelu(struct hy_lowering *lowering)
{
    hy_push_input(lowering, 0);
    hy_push_bool(lowering, lowering->node->attributes.gelu.approximate);
    hy_emit(lowering, HY_EXT_GELU);
}

/* Of real numbers a PRELU with one alpha for all. */
void hy_lower_leaky_relu(struct hy_lowering *lowering)
{
    const float alpha = lowering->node->attributes.leaky_relu.alpha;

    hy_push_input(lowering, 0);
    if (hy_input(lowering, 0)->element == HY_ELEMENT_FLOAT32) {
        hy_push(lowering, hy_number_operand(lowering, alpha));
        hy_emit(lowering, ANEURALNETWORKS_PRELU);
    } else {
        hy_push_float(lowering, alpha);
        hy_emit(lowering, HY_EXT_LEAKY_RELU);
    }
}

/* Of real numbers, and of integers, a product with itself. */
void hy_lower_square(struct hy_lowering *lowering)
{
    const int32_t type = hy_nnapi_type(hy_input(lowering, 0)->element);

    hy_push_input(lowering, 0);
    if (type == ANEURALNETWORKS_TENSOR_FLOAT32 || type == ANEURALNETWORKS_TENSOR_INT32) {
        hy_push_input(lowering, 0);
        hy_push_activation(lowering, HY_ACTIVATION_NONE);
        hy_emit(lowering, ANEURALNETWORKS_MUL);
    } else {
        hy_emit(lowering, HY_EXT_SQUARE);
    }
}

/* ---- FAKE_QUANT ------------------------------------------------------------------------------ */

/* Real numbers rounded to the steps of a quantisation whose zero is a step. */
void hy_lower_fake_quant(struct hy_lowering *lowering)
{
    const struct hy_attributes_fake_quant *attributes = &lowering->node->attributes.fake_quant;
    const struct hy_graph_tensor *like = hy_input(lowering, 0);
    const bool fits = attributes->bits >= 2 && attributes->bits <= 16 && attributes->low <= 0.0f &&
                      attributes->high >= 0.0f && attributes->high > attributes->low;

    hy_expect(lowering, fits, "a range without 0, or a number of bits outside 2 to 16,");
    if (lowering->code != HY_OK)
        return;
    const float least = attributes->narrow_range ? 1.0f : 0.0f;
    const float most = (float)((1 << attributes->bits) - 1);
    const float scale = (attributes->high - attributes->low) / (most - least);
    const float zero = fminf(fmaxf(roundf(least - attributes->low / scale), least), most);
    const float low = (least - zero) * scale, high = (most - zero) * scale;

    uint32_t step = hy_emit_binary(lowering, ANEURALNETWORKS_MAXIMUM, hy_input_operand(lowering, 0),
                                   hy_number_operand(lowering, low), like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MINIMUM, step,
                          hy_number_operand(lowering, high), like);
    step =
        hy_emit_binary(lowering, ANEURALNETWORKS_SUB, step, hy_number_operand(lowering, low), like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, step,
                          hy_number_operand(lowering, 1.0f / scale), like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_ADD, step, hy_number_operand(lowering, 0.5f),
                          like);
    step = hy_emit_unary(lowering, ANEURALNETWORKS_FLOOR, step, like);
    step = hy_emit_binary(lowering, ANEURALNETWORKS_MUL, step, hy_number_operand(lowering, scale),
                          like);
    hy_emit_output_binary(lowering, ANEURALNETWORKS_ADD, step, hy_number_operand(lowering, low));
}
