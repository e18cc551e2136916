#include "common/operations/signature.h"

#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "common/operations/signature_parts.h"
#include "common/operations/signature_table.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksOEM.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define ANY_TYPE (-1)

/* The furthest mismatch of the candidates, with the types they expected. */
struct mismatch {
    bool counts_fit;
    uint32_t position; /* inputs first, then outputs */
    uint32_t expected; /* a bit per row of a type */
};

static void note_mismatch(struct mismatch *mismatch, uint32_t position, uint32_t expected)
{
    if (!mismatch->counts_fit || position > mismatch->position)
        *mismatch = (struct mismatch){.counts_fit = true, .position = position};
    if (position == mismatch->position)
        mismatch->expected |= 1u << expected;
}

/* The first operand whose type differs from the list and variant; `count` if all match. */
static uint32_t match_list(const struct hy_operand *operands, const uint32_t *indices,
                           uint32_t count, const struct hy_operand_list *list,
                           const struct hy_signature_variant *variant, uint32_t *ret_expected)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t symbol = hy_operand_list_symbol(list, count, i);

        if (symbol == HY_SYMBOL_ANY)
            continue;
        *ret_expected =
            symbol < HY_SYMBOL_FIRST ? symbol : variant->types[symbol - HY_SYMBOL_FIRST];
        if (operands[indices[i]].type != hy_type_code(*ret_expected))
            return i;
    }
    return count;
}

static bool match_variant(const struct hy_operand *operands, const struct hy_operation *operation,
                          const struct hy_signature *signature,
                          const struct hy_signature_variant *variant, struct mismatch *mismatch)
{
    const uint32_t inputs = operation->input_count, outputs = operation->output_count;
    uint32_t expected = 0;
    uint32_t position =
        match_list(operands, operation->inputs, inputs, &signature->inputs, variant, &expected);

    if (position == inputs)
        position += match_list(operands, operation->outputs, outputs, &signature->outputs, variant,
                               &expected);
    if (position == inputs + outputs)
        return true;
    note_mismatch(mismatch, position, expected);
    return false;
}

static bool accepts_count(const struct hy_operand_list *list, uint32_t count)
{
    return count >= list->least && count <= list->most;
}

/* The variant with the operation's types, or NULL. */
static const struct hy_signature_variant *find_variant(const struct hy_operand *operands,
                                                       const struct hy_operation *operation,
                                                       struct mismatch *mismatch)
{
    const struct hy_operation_rules *rules = &hy_operation_rules[hy_op_row(operation->type)];

    for (uint32_t i = 0; i < rules->signature_count; i++) {
        const struct hy_signature *signature = &rules->signatures[i];

        if (!accepts_count(&signature->inputs, operation->input_count) ||
            !accepts_count(&signature->outputs, operation->output_count))
            continue;
        for (uint32_t j = 0; j < signature->variant_count; j++)
            if (match_variant(operands, operation, signature, &signature->variants[j], mismatch))
                return &signature->variants[j];
    }
    return NULL;
}

void hy_signature_print_limits(char *text, size_t size, uint32_t least, uint32_t most)
{
    if (most == HY_OP_MANY)
        snprintf(text, size, "%u or more", least);
    else if (least == most)
        snprintf(text, size, "%u", least);
    else
        snprintf(text, size, "%u to %u", least, most);
}

static enum hy_code fail_counts(const struct hy_operation *operation, struct hy_error *err)
{
    const struct hy_operation_info *info = hy_operation_info(operation->type);
    char inputs[32], outputs[32];

    hy_signature_print_limits(inputs, sizeof inputs, info->inputs_min, info->inputs_max);
    hy_signature_print_limits(outputs, sizeof outputs, info->outputs_min, info->outputs_max);
    return hy_fail(err, HY_BAD_DATA,
                   "%s: no form has %u inputs and %u outputs (inputs: %s, outputs: %s)", info->name,
                   operation->input_count, operation->output_count, inputs, outputs);
}

static enum hy_code fail_type(const struct hy_operand *operands,
                              const struct hy_operation *operation, const struct mismatch *mismatch,
                              struct hy_error *err)
{
    bool is_input = mismatch->position < operation->input_count;
    uint32_t position = is_input ? mismatch->position : mismatch->position - operation->input_count;
    uint32_t index = is_input ? operation->inputs[position] : operation->outputs[position];
    char expected[512];
    size_t used = 0;

    for (uint32_t row = 0; row < HY_TYPE_ROWS && used < sizeof expected; row++)
        if (mismatch->expected & 1u << row)
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                     used ? " or " : "", hy_operand_type_name(hy_type_code(row)));
    return hy_fail(err, HY_BAD_DATA, "%s: %s %u (operand %u) is %s, expected %s",
                   hy_operation_name(operation->type), is_input ? "input" : "output", position,
                   index, hy_operand_type_name(operands[index].type), expected);
}

static enum hy_code check_omissions(const struct hy_operand *operands,
                                    const struct hy_operation *operation, struct hy_error *err)
{
    const uint64_t optional = hy_operation_rules[hy_op_row(operation->type)].optional;

    for (uint32_t i = 0; i < operation->input_count; i++) {
        const uint32_t index = operation->inputs[i];
        const bool is_optional = i < 64 && optional >> i & 1;

        if (operands[index].lifetime == HY_LIFETIME_NO_VALUE && !is_optional)
            return hy_fail(err, HY_BAD_DATA, "%s: input %u (operand %u) must not be omitted",
                           hy_operation_name(operation->type), i, index);
    }
    return HY_OK;
}

static enum hy_code check_indices(const struct hy_operation *operation, const char *side,
                                  const uint32_t *indices, uint32_t count, uint32_t operand_count,
                                  struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++)
        if (indices[i] >= operand_count)
            return hy_fail(err, HY_BAD_DATA, "%s: %s %u is operand %u, but there are %u operands",
                           hy_operation_name(operation->type), side, i, indices[i], operand_count);
    return HY_OK;
}

/* The level of an operand: the level of its type, or 3 for an unknown rank. */
static uint32_t operand_level(const struct hy_operand *operand)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(operand->type);

    if (!info)
        return 3; /* extensions */
    if (!info->is_scalar && operand->rank == 0 && operand->lifetime != HY_LIFETIME_NO_VALUE)
        return info->feature_level > 3 ? info->feature_level : 3;
    return info->feature_level;
}

static void raise_level(uint32_t *level, uint32_t needed)
{
    if (*level < needed)
        *level = needed;
}

/* Raises the level to the highest level of the operands. */
static void raise_to_operands(const struct hy_operand *operands,
                              const struct hy_operation *operation, uint32_t *level)
{
    for (uint32_t i = 0; i < operation->input_count; i++)
        raise_level(level, operand_level(&operands[operation->inputs[i]]));
    for (uint32_t i = 0; i < operation->output_count; i++)
        raise_level(level, operand_level(&operands[operation->outputs[i]]));
}

/* `variant` is the result of find_variant; NULL for operations outside ops.def. */
static uint32_t level_of(const struct hy_operand *operands, const struct hy_operation *operation,
                         const struct hy_signature_variant *variant)
{
    const struct hy_signature_use use = {operands, operation};
    uint32_t level = variant ? variant->level : 1;

    if (hy_type_is_extension(operation->type) || (variant && hy_signature_needs_level_3(&use)))
        raise_level(&level, 3);
    raise_to_operands(operands, operation, &level);
    return level;
}

uint32_t hy_signature_level(const struct hy_operand *operands, const struct hy_operation *operation)
{
    struct mismatch mismatch = {0};

    return level_of(operands, operation, find_variant(operands, operation, &mismatch));
}

/* The checks of an operation of ops.def when it is added. */
static enum hy_code check_listed(const struct hy_operand *operands,
                                 const struct hy_operation *operation,
                                 const struct hy_signature_variant **ret_variant,
                                 struct hy_error *err)
{
    const struct hy_signature_use use = {operands, operation};
    struct mismatch mismatch = {0};

    *ret_variant = find_variant(operands, operation, &mismatch);
    if (!*ret_variant)
        return mismatch.counts_fit ? fail_type(operands, operation, &mismatch, err)
                                   : fail_counts(operation, err);
    enum hy_code code = check_omissions(operands, operation, err);
    if (code == HY_OK)
        code = hy_signature_check_ranks(&use, err);
    if (code == HY_OK)
        code = hy_signature_check_rules(&use, err);
    if (code == HY_OK && hy_operation_rules[hy_op_row(operation->type)].has_early_scales)
        code = hy_signature_check_quantisation(operands, operation, err);
    return code;
}

enum hy_code hy_signature_check_form(const struct hy_operand *operands, uint32_t operand_count,
                                     const struct hy_operation *operation, uint32_t *feature_level,
                                     struct hy_error *err)
{
    const struct hy_signature_variant *variant = NULL;
    enum hy_code code = check_indices(operation, "input", operation->inputs, operation->input_count,
                                      operand_count, err);

    if (code == HY_OK)
        code = check_indices(operation, "output", operation->outputs, operation->output_count,
                             operand_count, err);
    if (code != HY_OK)
        return code;
    if (hy_operation_info(operation->type))
        code = check_listed(operands, operation, &variant, err);
    else if (!hy_type_is_extension(operation->type) &&
             operation->type != ANEURALNETWORKS_OEM_OPERATION)
        code = hy_fail(err, HY_BAD_DATA, "operation %d does not exist", operation->type);
    if (code == HY_OK && feature_level)
        *feature_level = level_of(operands, operation, variant);
    return code;
}

enum hy_code hy_signature_check(const struct hy_operand *operands, uint32_t operand_count,
                                const struct hy_operation *operation, uint32_t *feature_level,
                                struct hy_error *err)
{
    enum hy_code code =
        hy_signature_check_form(operands, operand_count, operation, feature_level, err);

    if (code == HY_OK)
        code = hy_signature_check_quantisation(operands, operation, err);
    return code;
}
