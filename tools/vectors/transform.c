#include "tools/vectors/transform.h"

#include <android/NeuralNetworks.h>
#include <string.h>

#include "common/operations/operation.h"

#define SIGNED_STEP 128 /* from the range of an unsigned byte to the range of a signed byte */

/* ---- The tests of a pass --------------------------------------------------------------------- */

static bool has_operation(const struct hy_vector *vector, int32_t type)
{
    for (uint32_t m = 0; m < vector->model_count; m++)
        for (uint32_t i = 0; i < vector->models[m].operation_count; i++)
            if (vector->models[m].operations[i].type == type)
                return true;
    return false;
}

static bool has_operand(const struct hy_vector_model *model, int32_t type)
{
    for (uint32_t i = 0; i < model->operand_count; i++)
        if (model->operands[i].type == type)
            return true;
    return false;
}

static enum hy_skip_rule dynamic_rule(const struct hy_vector *vector)
{
    if (vector->expect_failure)
        return HY_SKIP_DYNAMIC_FAILURE;
    if (has_operation(vector, HY_OP_IF) || has_operation(vector, HY_OP_WHILE) ||
        has_operation(vector, HY_OP_RANK))
        return HY_SKIP_DYNAMIC_OPERATION;
    return HY_SKIP_NONE;
}

/* Operations that do not interpret a TENSOR_QUANT8_ASYMM as numbers of its range. */
static bool has_no_signed_variant(int32_t operation)
{
    switch (operation) {
    case HY_OP_CAST:
    case HY_EXT_CAST:
    case HY_EXT_BITCAST:
    case HY_OP_HASHTABLE_LOOKUP:
    case HY_OP_LSH_PROJECTION:
    case HY_EXT_HASHTABLE_LOOKUP:
    case HY_OP_PAD_V2:
    case HY_OP_QUANTIZED_16BIT_LSTM:
    case HY_EXT_FLOOR_DIV:
    case HY_EXT_FLOOR_MOD:
    case HY_EXT_BITWISE_AND:
    case HY_EXT_BITWISE_OR:
    case HY_EXT_BITWISE_XOR:
    case HY_EXT_LEFT_SHIFT:
    case HY_EXT_RIGHT_SHIFT:
    case HY_EXT_MATRIX_DIAG: /* zeros of these operations are stored zeros */
    case HY_EXT_SCATTER_ND:
        return true;
    default:
        return false;
    }
}

static enum hy_skip_rule signed_rule(const struct hy_vector *vector)
{
    const struct hy_vector_model *main = &vector->models[0];
    if (vector->expect_failure)
        return HY_SKIP_SIGNED_FAILURE;
    if (vector->model_count > 1)
        return HY_SKIP_SIGNED_SUBGRAPHS;
    if (main->operation_count != 1)
        return HY_SKIP_SIGNED_OPERATIONS;
    if (has_no_signed_variant(main->operations[0].type))
        return HY_SKIP_SIGNED_OPERATION;
    if (!has_operand(main, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM))
        return HY_SKIP_SIGNED_NO_OPERAND;
    return HY_SKIP_NONE;
}

enum hy_skip_rule hy_vector_transform_rule(const struct hy_vector *vector,
                                           const struct hy_vector_passes *passes)
{
    enum hy_skip_rule rule = HY_SKIP_NONE;
    if (passes->dynamic)
        rule = dynamic_rule(vector);
    if (rule == HY_SKIP_NONE && passes->is_signed)
        rule = signed_rule(vector);
    return rule;
}

/* ---- Dynamic output shapes ------------------------------------------------------------------- */

static bool hide_outputs(const struct hy_vector_model *model, struct hy_vector_operand *operands,
                         struct hy_arena *arena)
{
    for (uint32_t i = 0; i < model->outputs.count; i++) {
        struct hy_vector_operand *operand = &operands[model->outputs.items[i]];
        uint32_t *dims = hy_arena_copy(arena, operand->dims, operand->rank, sizeof *dims);
        if (!dims)
            return false;
        memset(dims, 0, operand->rank * sizeof *dims);
        operand->declared_dims = dims;
    }
    return true;
}

/* ---- Signed bytes ---------------------------------------------------------------------------- */

static bool make_value_signed(struct hy_vector_value *value, struct hy_arena *arena)
{
    uint8_t *bytes = hy_arena_copy(arena, value->bytes, value->length, 1);
    if (!bytes)
        return false;
    for (size_t i = 0; i < value->length; i++)
        bytes[i] = (uint8_t)(bytes[i] - SIGNED_STEP);
    value->bytes = bytes;
    return true;
}

static bool make_operands_signed(const struct hy_vector_model *model,
                                 struct hy_vector_operand *operands, struct hy_arena *arena)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        struct hy_vector_operand *operand = &operands[i];
        if (operand->type != ANEURALNETWORKS_TENSOR_QUANT8_ASYMM)
            continue;
        operand->type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
        operand->zero_point -= SIGNED_STEP;
        if (operand->value.length > 0 && !make_value_signed(&operand->value, arena))
            return false;
    }
    return true;
}

/* The values of inputs or outputs; `operands` are those of the test as it was. NULL fails. */
static const struct hy_vector_value *sign_values(const struct hy_vector_value *values,
                                                 const struct hy_vector_indices *indices,
                                                 const struct hy_vector_operand *operands,
                                                 struct hy_arena *arena)
{
    struct hy_vector_value *own = hy_arena_copy(arena, values, indices->count, sizeof *own);
    for (uint32_t i = 0; own && i < indices->count; i++)
        if (operands[indices->items[i]].type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM &&
            !make_value_signed(&own[i], arena))
            return NULL;
    return own;
}

static bool make_examples_signed(const struct hy_vector *vector, struct hy_arena *arena,
                                 struct hy_vector *out)
{
    const struct hy_vector_model *main = &vector->models[0];
    struct hy_vector_example *examples =
        hy_arena_copy(arena, vector->examples, vector->example_count, sizeof *examples);
    for (uint32_t i = 0; examples && i < vector->example_count; i++) {
        struct hy_vector_example *example = &examples[i];
        example->inputs = sign_values(example->inputs, &main->inputs, main->operands, arena);
        example->outputs = sign_values(example->outputs, &main->outputs, main->operands, arena);
        if (!example->inputs || !example->outputs)
            return false;
    }
    out->examples = examples;
    return examples != NULL;
}

/* ---- Both ------------------------------------------------------------------------------------ */

enum hy_code hy_vector_transform(const struct hy_vector *vector,
                                 const struct hy_vector_passes *passes, struct hy_arena *arena,
                                 struct hy_vector *out, struct hy_error *err)
{
    *out = *vector;
    if (!passes->dynamic && !passes->is_signed)
        return HY_OK;

    const struct hy_vector_model *main = &vector->models[0];
    struct hy_vector_model *models =
        hy_arena_copy(arena, vector->models, vector->model_count, sizeof *models);
    struct hy_vector_operand *operands =
        hy_arena_copy(arena, main->operands, main->operand_count, sizeof *operands);
    if (!models || !operands || (passes->dynamic && !hide_outputs(main, operands, arena)) ||
        (passes->is_signed && !(make_operands_signed(main, operands, arena) &&
                                make_examples_signed(vector, arena, out))))
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s, converted", vector->name);

    models[0].operands = operands;
    out->models = models;
    return HY_OK;
}
