/* Requirements of an operation besides types, ranks and quantization. */
#include "common/operations/signature_parts.h"

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "common/operations/signature_table.h"

#include <android/NeuralNetworks.h>

static const char *name(const struct hy_signature_use *use)
{
    return hy_operation_name(use->operation->type);
}

static enum hy_code check_channels(const struct hy_signature_use *use, struct hy_error *err)
{
    const struct hy_channel_rule *rule =
        hy_operation_rules[hy_op_row(use->operation->type)].channel;

    if (!rule)
        return HY_OK;
    const struct hy_operand *filter = hy_signature_input(use, rule->input);
    if (filter->channel_scales && filter->channel_dim != rule->dimension)
        return hy_fail(err, HY_BAD_DATA,
                       "%s: input %u (operand %u) has scales along dimension %u, needs %u",
                       name(use), rule->input, use->operation->inputs[rule->input],
                       filter->channel_dim, rule->dimension);
    return HY_OK;
}

static enum hy_code check_condition(const struct hy_signature_use *use, struct hy_error *err)
{
    if (use->operation->type != HY_OP_IF)
        return HY_OK;

    const struct hy_operand *condition = hy_signature_input(use, 0);

    if (condition->rank == 1 && condition->dims[0] == 1)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "IF: input 0 (operand %u) must be one value of shape {1}, has rank %u and "
                   "extent %u",
                   use->operation->inputs[0], condition->rank,
                   condition->rank ? condition->dims[0] : 0);
}

/* CONCATENATION could not convert between scales before level 3. */
static bool concatenates_different_scales(const struct hy_signature_use *use)
{
    for (uint32_t i = 0; i + 1 < use->operation->input_count; i++)
        if (!hy_signature_is_same_quantisation(hy_signature_input(use, i),
                                               hy_signature_output(use, 0)))
            return true;
    return false;
}

bool hy_signature_needs_level_3(const struct hy_signature_use *use)
{
    const struct hy_operand *in = hy_signature_input(use, 0), *out = hy_signature_output(use, 0);
    bool is_quant8 = in->type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;

    switch (use->operation->type) {
    case HY_OP_CONCATENATION:
        return is_quant8 && concatenates_different_scales(use);
    case HY_OP_CONV_2D:
    case HY_OP_DEPTHWISE_CONV_2D:
    case HY_OP_FULLY_CONNECTED:
        return is_quant8 && out->scale <= in->scale * hy_signature_input(use, 1)->scale;
    case HY_OP_L2_NORMALIZATION:
    case HY_OP_LOCAL_RESPONSE_NORMALIZATION:
        return in->rank != 4;
    case HY_OP_SOFTMAX:
        return in->rank != 2 && in->rank != 4;
    case HY_OP_PAD:
    case HY_OP_SPACE_TO_BATCH_ND:
        return is_quant8 && in->zero_point != 0;
    default:
        return false;
    }
}

enum hy_code hy_signature_check_rules(const struct hy_signature_use *use, struct hy_error *err)
{
    enum hy_code code = check_channels(use, err);

    return code == HY_OK ? check_condition(use, err) : code;
}
