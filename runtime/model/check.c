#include "check.h"

#include "common/operations/control_flow.h"
#include "common/operations/operand_type.h"
#include "common/operations/signature.h"
#include "runtime/extension/code_text.h"
#include "runtime/extension/type_info.h"
#include "runtime/memory/memory_check.h"
#include "sort.h"

#include <android/NeuralNetworks.h>

/* ---- Parts ---------------------------------------------------------------------------------- */

static enum hy_code check_not_empty(const struct hy_app_model *model, struct hy_error *err)
{
    if (model->operand_count == 0)
        return hy_fail(err, HY_BAD_DATA, "the model has no operands");
    if (model->operation_count == 0)
        return hy_fail(err, HY_BAD_DATA, "the model has no operations");
    if (!model->identified)
        return hy_fail(err, HY_BAD_DATA, "the inputs and outputs of the model are not identified");
    return HY_OK;
}

/* Checks the parts that hy_operand_spec_check skips. */
static enum hy_code check_operand(const struct hy_operand *operand,
                                  const struct hy_value_source *source, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (operand->type == ANEURALNETWORKS_TENSOR_INT32)
        code = hy_operand_type_check_quant(operand->type, operand->scale, operand->zero_point, err);
    if (code != HY_OK)
        return code;
    if (operand->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL && !operand->channel_scales)
        return hy_fail(err, HY_BAD_DATA, "TENSOR_QUANT8_SYMM_PER_CHANNEL without scales");
    if (operand->type == ANEURALNETWORKS_MODEL && !source->model)
        return hy_fail(err, HY_BAD_DATA, "MODEL operand without a model");
    if (source->memory) /* again, as a file may have been truncated */
        return hy_memory_check_range(source->memory, operand->location.offset,
                                     operand->location.length, HY_PROTECT_READ, err);
    return HY_OK;
}

static void raise_level(uint32_t *level, uint32_t needed)
{
    if (*level < needed)
        *level = needed;
}

static enum hy_code check_operands(const struct hy_app_model *model, uint32_t *level,
                                   struct hy_error *err)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        const struct hy_operand *operand = &model->operands[i];
        struct hy_type_info type;

        if (!hy_type_info_find(operand->type, &type))
            return hy_fail(err, HY_BAD_DATA, "operand %u: type %s is no longer known", i,
                           hy_operand_type_text(operand->type));
        enum hy_code code = check_operand(operand, &model->sources[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "operand %u", i);
        raise_level(level, type.feature_level);
        if (model->sources[i].model)
            raise_level(level, hy_app_model_view(model->sources[i].model)->feature_level);
        if (!type.is_scalar && operand->rank == 0 && operand->lifetime != HY_LIFETIME_NO_VALUE)
            raise_level(level, 3); /* unknown ranks need level 3 */
    }
    return HY_OK;
}

/* The body that input `input` refers to, or NULL. */
static const struct hy_subgraph *body_of(const struct hy_app_model *model,
                                         const struct hy_operation *operation, uint32_t input)
{
    const struct hy_app_model *body = model->sources[operation->inputs[input]].model;
    return body ? &body->main : NULL;
}

static enum hy_code check_bodies(const struct hy_app_model *model,
                                 const struct hy_operation *operation, struct hy_error *err)
{
    const uint32_t input = hy_control_flow_first_model(operation->type);

    for (uint32_t i = input; i < input + 2; i++) {
        if (!body_of(model, operation, i))
            return hy_fail(err, HY_BAD_DATA, "%s: input %u (operand %u) is not a model",
                           hy_operation_text(operation->type), i, operation->inputs[i]);
    }
    return hy_control_flow_check(model->operands, operation, body_of(model, operation, input),
                                 body_of(model, operation, input + 1), err);
}

enum hy_code hy_app_model_check_operation(const struct hy_app_model *model,
                                          const struct hy_operation *operation,
                                          uint32_t *feature_level, struct hy_error *err)
{
    enum hy_code code = hy_signature_check_form(model->operands, model->operand_count, operation,
                                                feature_level, err);

    if (code == HY_OK && hy_is_control_flow(operation->type))
        code = check_bodies(model, operation, err);
    return code;
}

/* Each operation was checked when added. Only if a value or the scales per channel of an operand in
 * use have changed since, the operations and the level are checked again. Types, ranks, scales and
 * zero points never change. */
static enum hy_code check_operations(const struct hy_app_model *model, uint32_t *level,
                                     struct hy_error *err)
{
    if (!model->needs_recheck) {
        raise_level(level, model->operations_level);
        return HY_OK;
    }
    for (uint32_t i = 0; i < model->operation_count; i++) {
        uint32_t needed;
        enum hy_code code =
            hy_app_model_check_operation(model, &model->operations[i], &needed, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "operation %u", i);
        raise_level(level, needed);
    }
    return HY_OK;
}

/* An operand that got a value after identification is no input or output any more. */
static enum hy_code check_list(const struct hy_app_model *model, const char *role, int32_t lifetime,
                               uint32_t count, const uint32_t *indices, struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (model->operands[indices[i]].lifetime != lifetime)
            return hy_fail(err, HY_BAD_DATA, "%s %u is operand %u, which has a value", role, i,
                           indices[i]);
    }
    return HY_OK;
}

enum hy_code hy_app_model_check_parts(const struct hy_app_model *model, uint32_t *feature_level,
                                      struct hy_error *err)
{
    uint32_t level = 1;

    enum hy_code code = check_not_empty(model, err);
    if (code == HY_OK)
        code = check_operands(model, &level, err);
    if (code == HY_OK)
        code = check_operations(model, &level, err);
    if (code == HY_OK)
        code =
            check_list(model, "input", HY_LIFETIME_INPUT, model->input_count, model->inputs, err);
    if (code == HY_OK)
        code = check_list(model, "output", HY_LIFETIME_OUTPUT, model->output_count, model->outputs,
                          err);
    if (code == HY_OK)
        *feature_level = level;
    return code;
}

/* ---- Writers of operands -------------------------------------------------------------------- */

/* True if an operation must write an operand of this lifetime; other operands must not be
 * written. */
static bool is_computed(int32_t lifetime)
{
    return lifetime == HY_LIFETIME_TEMPORARY || lifetime == HY_LIFETIME_OUTPUT;
}

static const char *role_of(int32_t lifetime)
{
    switch (lifetime) {
    case HY_LIFETIME_INPUT:
        return "an input of the model";
    case HY_LIFETIME_NO_VALUE:
        return "left out";
    case HY_LIFETIME_SUBGRAPH:
        return "a model";
    default:
        return "a constant";
    }
}

static enum hy_code note_output(const struct hy_app_model *model, uint32_t operation,
                                uint32_t operand, uint32_t *producers, struct hy_error *err)
{
    const struct hy_operation *operations = model->operations;
    const char *name = hy_operation_text(operations[operation].type);
    const int32_t lifetime = model->operands[operand].lifetime;
    const uint32_t other = producers[operand];

    if (!is_computed(lifetime))
        return hy_fail(err, HY_BAD_DATA, "operation %u %s writes operand %u, which is %s",
                       operation, name, operand, role_of(lifetime));
    if (other != HY_NO_PRODUCER)
        return hy_fail(err, HY_BAD_DATA,
                       "operation %u %s writes operand %u, which operation %u %s also writes",
                       operation, name, operand, other, hy_operation_text(operations[other].type));
    producers[operand] = operation;
    return HY_OK;
}

enum hy_code hy_app_model_check_producers(const struct hy_app_model *model, uint32_t *producers,
                                          struct hy_error *err)
{
    for (uint32_t i = 0; i < model->operand_count; i++)
        producers[i] = HY_NO_PRODUCER;
    for (uint32_t i = 0; i < model->operation_count; i++) {
        const struct hy_operation *operation = &model->operations[i];
        for (uint32_t k = 0; k < operation->output_count; k++) {
            enum hy_code code = note_output(model, i, operation->outputs[k], producers, err);
            if (code != HY_OK)
                return code;
        }
    }
    for (uint32_t i = 0; i < model->operand_count; i++) {
        if (is_computed(model->operands[i].lifetime) && producers[i] == HY_NO_PRODUCER)
            return hy_fail(
                err, HY_BAD_DATA,
                "operand %u has no value: it is not an input, and no operation writes it", i);
    }
    return HY_OK;
}
