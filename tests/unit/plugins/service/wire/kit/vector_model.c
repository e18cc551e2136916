#include "vector_model.h"

#include <string.h>

/* What constants take up so far. */
struct sizes {
    uint64_t values;
    uint64_t pool;
};

static uint64_t position(uint64_t *size, uint64_t length)
{
    const uint64_t offset = *size;

    *size += (length + 3) / 4 * 4;
    return offset;
}

static struct hy_location locate(const struct hy_vector_operand *operand, struct sizes *sizes)
{
    switch (operand->lifetime) {
    case HY_VECTOR_CONSTANT_COPY:
        return (struct hy_location){.offset = position(&sizes->values, operand->value.length),
                                    .length = operand->value.length};
    case HY_VECTOR_CONSTANT_REFERENCE:
        return (struct hy_location){.offset = position(&sizes->pool, operand->value.length),
                                    .length = operand->value.length};
    case HY_VECTOR_SUBGRAPH:
        return (struct hy_location){.offset = operand->submodel - 1};
    default:
        return (struct hy_location){0};
    }
}

static int32_t lifetime_of(const struct hy_vector_operand *operand)
{
    static const int32_t lifetimes[] = {
        [HY_VECTOR_INPUT] = HY_LIFETIME_INPUT,
        [HY_VECTOR_OUTPUT] = HY_LIFETIME_OUTPUT,
        [HY_VECTOR_TEMPORARY] = HY_LIFETIME_TEMPORARY,
        [HY_VECTOR_CONSTANT_COPY] = HY_LIFETIME_CONSTANT_COPY,
        [HY_VECTOR_CONSTANT_REFERENCE] = HY_LIFETIME_CONSTANT_POOL,
        [HY_VECTOR_NO_VALUE] = HY_LIFETIME_NO_VALUE,
        [HY_VECTOR_SUBGRAPH] = HY_LIFETIME_SUBGRAPH,
    };

    return lifetimes[operand->lifetime];
}

static const struct hy_operand *make_operands(struct hy_wire_samples *samples,
                                              const struct hy_vector_model *model,
                                              struct sizes *sizes)
{
    struct hy_operand *operands = hy_wire_alloc(samples, model->operand_count, sizeof *operands);

    for (uint32_t i = 0; i < model->operand_count; i++) {
        const struct hy_vector_operand *operand = &model->operands[i];
        operands[i] = (struct hy_operand){.type = operand->type,
                                          .lifetime = lifetime_of(operand),
                                          .rank = operand->rank,
                                          .channel_dim = operand->channel_dim,
                                          .dims = operand->declared_dims,
                                          .scale = operand->scale,
                                          .zero_point = operand->zero_point,
                                          .location = locate(operand, sizes),
                                          .channel_scales = operand->channel_scales,
                                          .channel_count = operand->channel_count};
    }
    return operands;
}

static const struct hy_subgraph *make_subgraph(struct hy_wire_samples *samples,
                                               const struct hy_vector_model *model,
                                               struct sizes *sizes)
{
    struct hy_subgraph *subgraph = hy_wire_alloc(samples, 1, sizeof *subgraph);
    struct hy_operation *operations =
        hy_wire_alloc(samples, model->operation_count, sizeof *operations);

    for (uint32_t i = 0; i < model->operation_count; i++)
        operations[i] = (struct hy_operation){.type = model->operations[i].type,
                                              .input_count = model->operations[i].inputs.count,
                                              .output_count = model->operations[i].outputs.count,
                                              .inputs = model->operations[i].inputs.items,
                                              .outputs = model->operations[i].outputs.items};
    *subgraph = (struct hy_subgraph){.struct_size = sizeof *subgraph,
                                     .operand_count = model->operand_count,
                                     .operation_count = model->operation_count,
                                     .input_count = model->inputs.count,
                                     .output_count = model->outputs.count,
                                     .operands = make_operands(samples, model, sizes),
                                     .operations = operations,
                                     .inputs = model->inputs.items,
                                     .outputs = model->outputs.items};
    return subgraph;
}

static void copy_values(const struct hy_vector_model *model, const struct hy_subgraph *subgraph,
                        uint8_t *values)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        if (model->operands[i].lifetime == HY_VECTOR_CONSTANT_COPY)
            memcpy(values + subgraph->operands[i].location.offset, model->operands[i].value.bytes,
                   model->operands[i].value.length);
    }
}

const struct hy_model *hy_wire_vector_model(struct hy_wire_samples *samples,
                                            const struct hy_vector *vector)
{
    const uint32_t count = vector->model_count;
    const struct hy_subgraph **subgraphs = hy_wire_alloc(samples, count, sizeof *subgraphs);
    struct hy_model *model = hy_wire_alloc(samples, 1, sizeof *model);
    struct hy_pool *pool = hy_wire_alloc(samples, 1, sizeof *pool);
    struct sizes sizes = {0};

    for (uint32_t i = 0; i < count; i++)
        subgraphs[i] = make_subgraph(samples, &vector->models[i], &sizes);
    uint8_t *values = hy_wire_alloc(samples, 1, (size_t)sizes.values + 1);
    for (uint32_t i = 0; i < count; i++)
        copy_values(&vector->models[i], subgraphs[i], values);
    *pool = (struct hy_pool){.kind = HY_POOL_ASHMEM, .fd = -1, .id = 1};
    *model = (struct hy_model){.struct_size = sizeof *model,
                               .relaxed_float = vector->is_relaxed,
                               .main = subgraphs[0],
                               .referenced = subgraphs + 1,
                               .values = values,
                               .pools = pool,
                               .values_size = sizes.values,
                               .referenced_count = count - 1,
                               .pool_count = 1,
                               .feature_level = 8};
    return model;
}
