#include "shapes.h"

#include "common/inference/infer.h"
#include "common/operations/operand_type.h"
#include "runtime/memory/memory_object.h"

#include <stdlib.h>

static bool is_scalar(const struct hy_operand *operand)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(operand->type);
    return info && info->is_scalar;
}

static bool is_complete(const struct hy_operand *operand, struct hy_shape *shape)
{
    /* Ranks were checked when the operand was added. */
    (void)hy_shape_set(shape, operand->rank, operand->dims);
    return is_scalar(operand) || hy_shape_is_complete(shape);
}

static bool is_open(const struct hy_operand *operand)
{
    struct hy_shape shape;
    return operand->lifetime == HY_LIFETIME_TEMPORARY && !is_complete(operand, &shape);
}

static bool writes_open_shape(const struct hy_app_model *model,
                              const struct hy_operation *operation)
{
    for (uint32_t i = 0; i < operation->output_count; i++) {
        if (is_open(&model->operands[operation->outputs[i]]))
            return true;
    }
    return false;
}

/* The bytes of a constant, or NULL. Checked when the value was set. */
static void *constant_of(const struct hy_app_model *model, uint32_t index)
{
    const struct hy_operand *operand = &model->operands[index];
    const struct hy_value_source *source = &model->sources[index];

    if (operand->lifetime == HY_LIFETIME_CONSTANT_COPY)
        return model->values + operand->location.offset;
    if (source->host)
        return (void *)(uintptr_t)source->host;
    if (source->memory)
        return (char *)hy_memory_pool(source->memory)->address + operand->location.offset;
    return NULL;
}

static struct hy_value describe(const struct hy_app_model *model, uint32_t index)
{
    const struct hy_operand *operand = &model->operands[index];
    struct hy_value value = {
        .type = operand->type,
        .omitted = operand->lifetime == HY_LIFETIME_NO_VALUE,
        .scale = operand->scale,
        .zero_point = operand->zero_point,
        .channel_dim = operand->channel_dim,
        .channel_count = operand->channel_count,
        .channel_scales = operand->channel_scales,
        .data = constant_of(model, index),
    };
    value.known = is_complete(operand, &value.shape);
    return value;
}

static void complete(struct hy_app_model *model, uint32_t index, const struct hy_shape *shape)
{
    struct hy_operand *operand = &model->operands[index];
    struct hy_shape declared;

    if (!is_open(operand) || !hy_shape_is_complete(shape))
        return;
    (void)hy_shape_set(&declared, operand->rank, operand->dims);
    const uint32_t *dims = hy_arena_copy(&model->arena, shape->dims, shape->rank, sizeof *dims);
    if (!dims || !hy_shape_fits(&declared, shape))
        return;
    operand->rank = shape->rank;
    operand->dims = dims;
}

static void infer(struct hy_app_model *model, const struct hy_operation *operation,
                  struct hy_value *values, uint32_t *numbers, struct hy_shape *shapes)
{
    const uint32_t count = operation->input_count + operation->output_count;
    const struct hy_call call = {
        .operation = operation->type,
        .input_count = operation->input_count,
        .output_count = operation->output_count,
        .inputs = numbers,
        .outputs = numbers + operation->input_count,
        .values = values,
    };

    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = i;
        values[i] = describe(model, i < operation->input_count
                                        ? operation->inputs[i]
                                        : operation->outputs[i - operation->input_count]);
    }
    if (!hy_infer_is_ready(&call) || hy_infer_shapes(&call, shapes, NULL) != HY_OK)
        return;
    for (uint32_t i = 0; i < operation->output_count; i++)
        complete(model, operation->outputs[i], &shapes[i]);
}

static void complete_outputs(struct hy_app_model *model, const struct hy_operation *operation)
{
    const size_t count = (size_t)operation->input_count + operation->output_count;
    struct hy_value *values = calloc(count, sizeof *values);
    uint32_t *numbers = calloc(count, sizeof *numbers);
    struct hy_shape *shapes = calloc(operation->output_count, sizeof *shapes);

    /* Without memory the shapes stay open. */
    if (values && numbers && shapes)
        infer(model, operation, values, numbers, shapes);
    free(shapes);
    free(numbers);
    free(values);
}

void hy_app_model_complete_shapes(struct hy_app_model *model, const uint32_t *order)
{
    for (uint32_t i = 0; i < model->operation_count; i++) {
        const struct hy_operation *operation = &model->operations[order[i]];
        if (hy_infer_knows(operation->type) && !hy_infer_gives_limits(operation->type) &&
            writes_open_shape(model, operation))
            complete_outputs(model, operation);
    }
}
