#include "common/signature.h"

#include "common/operand_type.h"
#include "common/operation.h"
#include "common/signature_parts.h"
#include "common/signature_pattern.h"
#include "common/signature_rows.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksOEM.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LAST UINT32_MAX

struct signature {
    uint32_t level;
    const char *inputs;
    const char *outputs;
    const char *variants;
};

static const struct signature signatures[] = {
#define SIG(operation, level, inputs, outputs, variants) {level, inputs, outputs, variants},
#include "common/signatures.def"
};

static const struct omission {
    uint32_t first;
    uint32_t last;
} omissions[] = {
#define OMIT(operation, first, last) {first, last},
#include "common/signatures.def"
};

static const uint8_t signatures_operations[] = {
#define SIG(operation, ...) HY_OP_##operation,
#include "common/signatures.def"
};

static const uint8_t omissions_operations[] = {
#define OMIT(operation, ...) HY_OP_##operation,
#include "common/signatures.def"
};

/* One choice of a row's placeholders: "4:QCI". */
struct variant {
    uint32_t level;
    const char *letters;
};

/* How far the best candidates got, and what they would have taken there. */
struct mismatch {
    bool counts_fit;
    uint32_t position; /* inputs first, then outputs */
    uint32_t expected; /* bit per operand type code */
};

static const char *read_variant(const char *at, struct variant *variant)
{
    *variant = (struct variant){0};
    while (*at == ' ')
        at++;
    if (!*at)
        return NULL;
    if (at[1] == ':') {
        variant->level = (uint32_t)(at[0] - '0');
        at += 2;
    }
    variant->letters = at;
    while (*at && *at != ' ')
        at++;
    return at;
}

static void note_mismatch(struct mismatch *mismatch, uint32_t position, int32_t expected)
{
    if (!mismatch->counts_fit || position > mismatch->position)
        *mismatch = (struct mismatch){.counts_fit = true, .position = position};
    if (position == mismatch->position)
        mismatch->expected |= 1u << expected;
}

/* True when operand number `position` is of the type that `symbol` stands for. */
static bool match_one(const struct hy_operand *operand, char symbol, const struct variant *variant,
                      uint32_t position, struct mismatch *mismatch)
{
    if (symbol == '.')
        return true;
    if (symbol >= '1' && symbol <= '3')
        symbol = variant->letters[symbol - '1'];

    const struct hy_operand_type_info *info = hy_operand_type_info(operand->type);
    if (info && info->letter == symbol)
        return true;
    note_mismatch(mismatch, position, hy_operand_type_of_letter(symbol)->code);
    return false;
}

/* The patterns of a row, at their start. */
struct patterns {
    struct hy_pattern inputs, outputs;
};

static bool match_variant(const struct hy_operand *operands, const struct hy_operation *operation,
                          struct patterns patterns, const struct variant *variant,
                          struct mismatch *mismatch)
{
    for (uint32_t i = 0; i < operation->input_count; i++)
        if (!match_one(&operands[operation->inputs[i]], hy_pattern_next(&patterns.inputs), variant,
                       i, mismatch))
            return false;
    for (uint32_t i = 0; i < operation->output_count; i++)
        if (!match_one(&operands[operation->outputs[i]], hy_pattern_next(&patterns.outputs),
                       variant, operation->input_count + i, mismatch))
            return false;
    return true;
}

/* True when a row has the operation's types; raises the level to the row's. */
static bool match_row(const struct hy_operand *operands, const struct hy_operation *operation,
                      const struct signature *signature, uint32_t *level, struct mismatch *mismatch)
{
    struct patterns patterns;
    struct variant variant;

    if (!hy_pattern_init(&patterns.inputs, signature->inputs, operation->input_count) ||
        !hy_pattern_init(&patterns.outputs, signature->outputs, operation->output_count))
        return false;
    for (const char *at = read_variant(signature->variants, &variant); at;
         at = read_variant(at, &variant)) {
        if (!match_variant(operands, operation, patterns, &variant, mismatch))
            continue;
        *level = signature->level > variant.level ? signature->level : variant.level;
        return true;
    }
    return false;
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
    char expected[256];
    size_t used = 0;

    for (int32_t code = 0; code <= ANEURALNETWORKS_MODEL && used < sizeof expected; code++)
        if (mismatch->expected & 1u << code)
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                     used ? " or " : "", hy_operand_type_name(code));
    return hy_fail(err, HY_BAD_DATA, "%s: %s %u (operand %u) is %s, expected %s",
                   hy_operation_name(operation->type), is_input ? "input" : "output", position,
                   index, hy_operand_type_name(operands[index].type), expected);
}

static enum hy_code check_types(const struct hy_operand *operands,
                                const struct hy_operation *operation, uint32_t *level,
                                struct hy_error *err)
{
    struct mismatch mismatch = {0};

    HY_FOR_ROWS(i, signatures, operation->type)
    if (match_row(operands, operation, &signatures[i], level, &mismatch))
        return HY_OK;
    if (!mismatch.counts_fit)
        return fail_counts(operation, err);
    return fail_type(operands, operation, &mismatch, err);
}

static bool may_be_omitted(int32_t operation, uint32_t input)
{
    HY_FOR_ROWS(i, omissions, operation)
    if (input >= omissions[i].first && input <= omissions[i].last)
        return true;
    return false;
}

static enum hy_code check_omissions(const struct hy_operand *operands,
                                    const struct hy_operation *operation, struct hy_error *err)
{
    for (uint32_t i = 0; i < operation->input_count; i++) {
        uint32_t index = operation->inputs[i];

        if (operands[index].lifetime == HY_LIFETIME_NO_VALUE && !may_be_omitted(operation->type, i))
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

/* The level that an operand brings along: that of its type; unknown ranks came with level 3. */
static uint32_t operand_level(const struct hy_operand *operand)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(operand->type);

    if (!info)
        return 3; /* extensions */
    if (!info->is_scalar && operand->rank == 0 && operand->lifetime != HY_LIFETIME_NO_VALUE)
        return info->feature_level > 3 ? info->feature_level : 3;
    return info->feature_level;
}

static uint32_t operands_level(const struct hy_operand *operands, const uint32_t *indices,
                               uint32_t count)
{
    uint32_t highest = 1;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t level = operand_level(&operands[indices[i]]);
        if (level > highest)
            highest = level;
    }
    return highest;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* What is checked of an operation of ops.def when it is added. */
static enum hy_code check_listed(const struct hy_operand *operands,
                                 const struct hy_operation *operation, uint32_t *level,
                                 struct hy_error *err)
{
    const struct hy_signature_use use = {operands, operation};
    enum hy_code code = check_types(operands, operation, level, err);

    if (code == HY_OK)
        code = check_omissions(operands, operation, err);
    if (code == HY_OK)
        code = hy_signature_check_ranks(&use, err);
    if (code == HY_OK)
        code = hy_signature_check_rules(&use, level, err);
    if (code == HY_OK && hy_signature_has_early_scales(operation->type))
        code = hy_signature_check_quantisation(operands, operation, err);
    return code;
}

enum hy_code hy_signature_check_form(const struct hy_operand *operands, uint32_t operand_count,
                                     const struct hy_operation *operation, uint32_t *feature_level,
                                     struct hy_error *err)
{
    uint32_t level = hy_type_is_extension(operation->type) ? 3 : 1;
    enum hy_code code = check_indices(operation, "input", operation->inputs, operation->input_count,
                                      operand_count, err);

    if (code == HY_OK)
        code = check_indices(operation, "output", operation->outputs, operation->output_count,
                             operand_count, err);
    if (code != HY_OK)
        return code;
    if (hy_operation_info(operation->type))
        code = check_listed(operands, operation, &level, err);
    else if (!hy_type_is_extension(operation->type) &&
             operation->type != ANEURALNETWORKS_OEM_OPERATION)
        code = hy_fail(err, HY_BAD_DATA, "operation %d does not exist", operation->type);
    if (code != HY_OK)
        return code;

    level = max_u32(level, operands_level(operands, operation->inputs, operation->input_count));
    level = max_u32(level, operands_level(operands, operation->outputs, operation->output_count));
    if (feature_level)
        *feature_level = level;
    return HY_OK;
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
