#include "common/signature.h"

#include "common/operand_type.h"
#include "common/operation.h"
#include "common/signature_rows.h"

#include <android/NeuralNetworks.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define LAST UINT32_MAX
#define IN   true
#define OUT  false

static const struct same_rule {
    uint32_t first_input;
    uint32_t last_input;
    uint32_t first_output;
    uint32_t last_output;
} same_rules[] = {
#define SAME(operation, first_input, last_input, first_output, last_output) \
    {first_input, last_input, first_output, last_output},
#include "common/signatures.def"
};

static const struct fixed_rule {
    bool is_input;
    uint32_t index;
    char letter;
    float scale;
    int32_t zero_point;
} fixed_rules[] = {
#define FIXED(operation, side, index, letter, scale, zero_point) \
    {side, index, letter, scale, zero_point},
#include "common/signatures.def"
};

static const struct channel_rule {
    uint32_t input;
    uint32_t dimension;
} channel_rules[] = {
#define CHANNEL(operation, input, dimension) {input, dimension},
#include "common/signatures.def"
};

static const uint8_t same_rules_operations[] = {
#define SAME(operation, ...) HY_OP_##operation,
#include "common/signatures.def"
};

static const uint8_t fixed_rules_operations[] = {
#define FIXED(operation, ...) HY_OP_##operation,
#include "common/signatures.def"
};

static const uint8_t channel_rules_operations[] = {
#define CHANNEL(operation, ...) HY_OP_##operation,
#include "common/signatures.def"
};

/* An operation with its operands, to find one by its place. */
struct use {
    const struct hy_operand *operands;
    const struct hy_operation *operation;
};

static const struct hy_operand *input(const struct use *use, uint32_t position)
{
    return &use->operands[use->operation->inputs[position]];
}

static const struct hy_operand *output(const struct use *use, uint32_t position)
{
    return &use->operands[use->operation->outputs[position]];
}

static const char *name(const struct use *use)
{
    return hy_operation_name(use->operation->type);
}

/*
 * Clients compute scales in different precisions, and some compare them with a tolerance
 * themselves. What is equal to this degree stays within half a step over 8 bits.
 */
static bool same_scale(float a, float b)
{
    float larger = a > b ? a : b;

    return fabsf(a - b) <= 1e-3f * larger;
}

static bool same_quant(const struct hy_operand *a, const struct hy_operand *b)
{
    return same_scale(a->scale, b->scale) && a->zero_point == b->zero_point;
}

static enum hy_code check_same_pair(const struct use *use, uint32_t in, uint32_t out,
                                    struct hy_error *err)
{
    const struct hy_operand *from = input(use, in), *to = output(use, out);

    if (!hy_operand_type_is_quantised(from->type) || same_quant(from, to))
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "%s: output %u (operand %u) has scale %g and zero point %d, needs those of "
                   "input %u (operand %u): %g and %d",
                   name(use), out, use->operation->outputs[out], (double)to->scale, to->zero_point,
                   in, use->operation->inputs[in], (double)from->scale, from->zero_point);
}

static enum hy_code check_same(const struct use *use, struct hy_error *err)
{
    const struct hy_operation *operation = use->operation;
    enum hy_code code = HY_OK;

    HY_FOR_ROWS(r, same_rules, operation->type)
    {
        const struct same_rule *rule = &same_rules[r];

        for (uint32_t in = rule->first_input; in <= rule->last_input && in < operation->input_count;
             in++)
            for (uint32_t out = rule->first_output;
                 out <= rule->last_output && out < operation->output_count && code == HY_OK; out++)
                code = check_same_pair(use, in, out, err);
    }
    return code;
}

static enum hy_code check_fixed_one(const struct use *use, const struct fixed_rule *rule,
                                    struct hy_error *err)
{
    const struct hy_operand *operand =
        rule->is_input ? input(use, rule->index) : output(use, rule->index);

    if (operand->type != hy_operand_type_of_letter(rule->letter)->code)
        return HY_OK;
    if (same_scale(operand->scale, rule->scale) && operand->zero_point == rule->zero_point)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "%s: %s %u (operand %u) has scale %g and zero point %d, needs %g and %d",
                   name(use), rule->is_input ? "input" : "output", rule->index,
                   (uint32_t)(operand - use->operands), (double)operand->scale, operand->zero_point,
                   (double)rule->scale, rule->zero_point);
}

static enum hy_code check_fixed(const struct use *use, struct hy_error *err)
{
    HY_FOR_ROWS(i, fixed_rules, use->operation->type)
    {
        enum hy_code code = check_fixed_one(use, &fixed_rules[i], err);
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

static enum hy_code check_channels(const struct use *use, struct hy_error *err)
{
    HY_FOR_ROWS(i, channel_rules, use->operation->type)
    {
        const struct channel_rule *rule = &channel_rules[i];
        const struct hy_operand *filter = input(use, rule->input);
        if (filter->channel_scales && filter->channel_dim != rule->dimension)
            return hy_fail(err, HY_BAD_DATA,
                           "%s: input %u (operand %u) has its scales along dimension %u, needs %u",
                           name(use), rule->input, use->operation->inputs[rule->input],
                           filter->channel_dim, rule->dimension);
    }
    return HY_OK;
}

/* The product of two 8-bit values must not outgrow the output's steps. */
static enum hy_code check_mul(const struct use *use, struct hy_error *err)
{
    float product = input(use, 0)->scale * input(use, 1)->scale;

    if (!hy_operand_type_is_quantised(output(use, 0)->type) || output(use, 0)->scale > product)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "MUL: output 0 (operand %u) has scale %g, must be above the product of the "
                   "inputs' scales, %g",
                   use->operation->outputs[0], (double)output(use, 0)->scale, (double)product);
}

static enum hy_code check_if(const struct use *use, struct hy_error *err)
{
    const struct hy_operand *condition = input(use, 0);

    if (condition->rank == 1 && condition->dims[0] == 1)
        return HY_OK;
    return hy_fail(err, HY_BAD_DATA,
                   "IF: input 0 (operand %u) must be one value of shape {1}, has rank %u and "
                   "extent %u",
                   use->operation->inputs[0], condition->rank,
                   condition->rank ? condition->dims[0] : 0);
}

static enum hy_code check_single(const struct use *use, struct hy_error *err)
{
    switch (use->operation->type) {
    case HY_OP_MUL:
        return check_mul(use, err);
    case HY_OP_IF:
        return check_if(use, err);
    default:
        return HY_OK;
    }
}

/* CONCATENATION could not convert between scales before level 3. */
static bool concatenates_different_scales(const struct use *use)
{
    for (uint32_t i = 0; i + 1 < use->operation->input_count; i++)
        if (!same_quant(input(use, i), output(use, 0)))
            return true;
    return false;
}

/* True for what an operation could do, with operands of a lower level, only from level 3 on. */
static bool needs_level_3(const struct use *use)
{
    const struct hy_operand *in = input(use, 0), *out = output(use, 0);
    bool is_quant8 = in->type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;

    switch (use->operation->type) {
    case HY_OP_CONCATENATION:
        return is_quant8 && concatenates_different_scales(use);
    case HY_OP_CONV_2D:
    case HY_OP_DEPTHWISE_CONV_2D:
    case HY_OP_FULLY_CONNECTED:
        return is_quant8 && out->scale <= in->scale * input(use, 1)->scale;
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

enum hy_code hy_signature_check_rules(const struct hy_operand *operands,
                                      const struct hy_operation *operation, uint32_t *feature_level,
                                      struct hy_error *err)
{
    const struct use use = {operands, operation};
    enum hy_code code = check_same(&use, err);

    if (code == HY_OK)
        code = check_fixed(&use, err);
    if (code == HY_OK)
        code = check_channels(&use, err);
    if (code == HY_OK)
        code = check_single(&use, err);
    if (code == HY_OK && *feature_level < 3 && needs_level_3(&use))
        *feature_level = 3;
    return code;
}
