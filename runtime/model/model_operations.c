#include "app_model.h"

#include "check.h"
#include "common/array.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "runtime/extension/code_text.h"
#include "runtime/extension/extension.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksOEM.h>

/* For an operation without a signature: only checks that its operands exist. */
static enum hy_code check_operands(const struct hy_app_model *model, int32_t type, const char *side,
                                   const uint32_t *operands, uint32_t count, struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        enum hy_code code = hy_app_model_check_operand(model, operands[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "%s: %s %u", hy_operation_text(type), side, i);
    }
    return HY_OK;
}

/* The support of a vendor operation is checked at compilation. */
static bool exists(int32_t type)
{
    if (hy_type_is_extension(type))
        return hy_extension_name(hy_extension_prefix_of(type)) != NULL;
    return hy_operation_info(type) || type == ANEURALNETWORKS_OEM_OPERATION;
}

static enum hy_code check_arguments(const struct hy_app_model *model,
                                    const struct hy_operation *operation, struct hy_error *err)
{
    if (!exists(operation->type))
        return hy_fail(err, HY_BAD_DATA, "operation %d does not exist", operation->type);
    if (operation->input_count == 0 || operation->output_count == 0)
        return hy_fail(err, HY_BAD_DATA, "%s: %u inputs and %u outputs, needs at least one of each",
                       hy_operation_text(operation->type), operation->input_count,
                       operation->output_count);
    if (model->operation_count >= HY_MODEL_MAX_ENTRIES)
        return hy_fail(err, HY_BAD_DATA, "the model has %u operations, the limit is %u",
                       model->operation_count, HY_MODEL_MAX_ENTRIES);
    if (hy_operation_info(operation->type))
        return HY_OK;
    enum hy_code code = check_operands(model, operation->type, "input", operation->inputs,
                                       operation->input_count, err);
    if (code != HY_OK)
        return code;
    return check_operands(model, operation->type, "output", operation->outputs,
                          operation->output_count, err);
}

static enum hy_code reserve(struct hy_app_model *model, struct hy_error *err)
{
    struct hy_operation *operations =
        hy_array_grow(model->operations, model->operation_count, sizeof *operations);
    if (!operations)
        return hy_fail(err, HY_OUT_OF_MEMORY, "operation %u", model->operation_count);
    model->operations = operations;
    return HY_OK;
}

static void mark_used(struct hy_app_model *model, const uint32_t *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        model->sources[operands[i]].is_used = true;
}

static enum hy_code append(struct hy_app_model *model, const struct hy_operation *operation,
                           struct hy_error *err)
{
    enum hy_code code = reserve(model, err);
    if (code != HY_OK)
        return code;

    struct hy_operation own = *operation;
    own.inputs = hy_arena_copy(&model->arena, operation->inputs, operation->input_count,
                               sizeof *operation->inputs);
    own.outputs = hy_arena_copy(&model->arena, operation->outputs, operation->output_count,
                                sizeof *operation->outputs);
    if (!own.inputs || !own.outputs)
        return hy_fail(err, HY_OUT_OF_MEMORY, "operation %u with %u inputs and %u outputs",
                       model->operation_count, own.input_count, own.output_count);
    model->operations[model->operation_count++] = own;
    mark_used(model, own.inputs, own.input_count);
    mark_used(model, own.outputs, own.output_count);
    return HY_OK;
}

enum hy_code hy_app_model_add_operation(struct hy_app_model *model, int32_t type,
                                        uint32_t input_count, const uint32_t *inputs,
                                        uint32_t output_count, const uint32_t *outputs,
                                        struct hy_error *err)
{
    const struct hy_operation operation = {
        .type = type,
        .input_count = input_count,
        .output_count = output_count,
        .inputs = inputs,
        .outputs = outputs,
    };

    uint32_t level;

    enum hy_code code = hy_app_model_check_building(model, err);
    if (code == HY_OK)
        code = check_arguments(model, &operation, err);
    if (code == HY_OK)
        code = hy_app_model_check_operation(model, &operation, &level, err);
    if (code == HY_OK)
        code = append(model, &operation, err);
    if (code == HY_OK && model->operations_level < level)
        model->operations_level = level;
    return code;
}
