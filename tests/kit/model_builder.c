#include "tests/kit/model_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <android/NeuralNetworksTypes.h>

static void *must(void *memory)
{
    if (!memory) {
        fputs("model builder: out of memory\n", stderr);
        abort();
    }
    return memory;
}

/* `array` with room for one element more. */
static void *grow(void *array, uint32_t count, size_t size)
{
    return must(realloc(array, (count + (size_t)1) * size));
}

void hy_builder_init(struct hy_builder *builder)
{
    *builder = (struct hy_builder){0};
}

void hy_builder_finish(struct hy_builder *builder)
{
    free(builder->operands);
    free(builder->operations);
    free(builder->values);
    free(builder->pools);
    free(builder->inputs);
    free(builder->outputs);
    hy_arena_finish(&builder->memory);
    *builder = (struct hy_builder){0};
}

static uint32_t add_operand(struct hy_builder *builder, const struct hy_builder_type *type,
                            int32_t lifetime)
{
    uint32_t index = builder->operand_count++;

    builder->operands = grow(builder->operands, index, sizeof *builder->operands);
    builder->operands[index] = (struct hy_operand){
        .type = type->type,
        .lifetime = lifetime,
        .rank = type->rank,
        .scale = type->scale,
        .zero_point = type->zero_point,
    };
    if (type->rank > 0)
        builder->operands[index].dims =
            must(hy_arena_copy(&builder->memory, type->dims, type->rank, sizeof *type->dims));
    return index;
}

uint32_t hy_builder_input(struct hy_builder *builder, const struct hy_builder_type *type)
{
    uint32_t index = add_operand(builder, type, HY_LIFETIME_INPUT);

    builder->inputs = grow(builder->inputs, builder->input_count, sizeof *builder->inputs);
    builder->inputs[builder->input_count++] = index;
    return index;
}

uint32_t hy_builder_output(struct hy_builder *builder, const struct hy_builder_type *type)
{
    uint32_t index = add_operand(builder, type, HY_LIFETIME_OUTPUT);

    builder->outputs = grow(builder->outputs, builder->output_count, sizeof *builder->outputs);
    builder->outputs[builder->output_count++] = index;
    return index;
}

uint32_t hy_builder_temporary(struct hy_builder *builder, const struct hy_builder_type *type)
{
    return add_operand(builder, type, HY_LIFETIME_TEMPORARY);
}

uint32_t hy_builder_no_value(struct hy_builder *builder, const struct hy_builder_type *type)
{
    return add_operand(builder, type, HY_LIFETIME_NO_VALUE);
}

uint32_t hy_builder_constant(struct hy_builder *builder, const struct hy_builder_type *type,
                             const void *data, uint64_t length)
{
    uint32_t index = add_operand(builder, type, HY_LIFETIME_CONSTANT_COPY);
    uint64_t offset = builder->values_size;

    builder->values_size += (length + 3) / 4 * 4;
    builder->values = must(realloc(builder->values, builder->values_size + 1));
    memset(builder->values + offset, 0, builder->values_size - offset);
    memcpy(builder->values + offset, data, length);
    builder->operands[index].location = (struct hy_location){.offset = offset, .length = length};
    return index;
}

uint32_t hy_builder_pool_constant(struct hy_builder *builder, const struct hy_builder_type *type,
                                  const void *data, uint64_t length)
{
    uint32_t index = add_operand(builder, type, HY_LIFETIME_CONSTANT_POOL);

    builder->pools = grow(builder->pools, builder->pool_count, sizeof *builder->pools);
    builder->pools[builder->pool_count] = (struct hy_pool){
        .kind = HY_POOL_HOST,
        .protection = HY_PROTECT_READ,
        .fd = -1,
        .size = length,
        .address = must(hy_arena_copy(&builder->memory, data, length, 1)),
    };
    builder->operands[index].location =
        (struct hy_location){.pool = builder->pool_count++, .length = length};
    return index;
}

uint32_t hy_builder_int(struct hy_builder *builder, int32_t value)
{
    const struct hy_builder_type type = {.type = ANEURALNETWORKS_INT32};

    return hy_builder_constant(builder, &type, &value, sizeof value);
}

uint32_t hy_builder_float(struct hy_builder *builder, float value)
{
    const struct hy_builder_type type = {.type = ANEURALNETWORKS_FLOAT32};

    return hy_builder_constant(builder, &type, &value, sizeof value);
}

uint32_t hy_builder_bool(struct hy_builder *builder, int value)
{
    const struct hy_builder_type type = {.type = ANEURALNETWORKS_BOOL};
    uint8_t byte = value != 0;

    return hy_builder_constant(builder, &type, &byte, sizeof byte);
}

void hy_builder_channel_scales(struct hy_builder *builder, uint32_t operand, uint32_t dim,
                               uint32_t count, const float *scales)
{
    struct hy_operand *view = &builder->operands[operand];

    view->channel_dim = dim;
    view->channel_count = count;
    view->channel_scales = must(hy_arena_copy(&builder->memory, scales, count, sizeof *scales));
}

void hy_builder_operation(struct hy_builder *builder, int32_t type, uint32_t input_count,
                          const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
    uint32_t index = builder->operation_count++;

    builder->operations = grow(builder->operations, index, sizeof *builder->operations);
    builder->operations[index] = (struct hy_operation){
        .type = type,
        .input_count = input_count,
        .output_count = output_count,
        .inputs = must(hy_arena_copy(&builder->memory, inputs, input_count, sizeof *inputs)),
        .outputs = must(hy_arena_copy(&builder->memory, outputs, output_count, sizeof *outputs)),
    };
}

const struct hy_model *hy_builder_model(struct hy_builder *builder)
{
    builder->main = (struct hy_subgraph){
        .struct_size = sizeof builder->main,
        .operand_count = builder->operand_count,
        .operation_count = builder->operation_count,
        .input_count = builder->input_count,
        .output_count = builder->output_count,
        .operands = builder->operands,
        .operations = builder->operations,
        .inputs = builder->inputs,
        .outputs = builder->outputs,
    };
    builder->model = (struct hy_model){
        .struct_size = sizeof builder->model,
        .main = &builder->main,
        .values = builder->values,
        .values_size = builder->values_size,
        .pools = builder->pools,
        .pool_count = builder->pool_count,
        .feature_level = 8,
    };
    return &builder->model;
}
