#include "samples.h"

/* What the subgraphs of one sample have in common. */
struct outer {
    uint32_t values_size;
    uint32_t pool_count;
    uint32_t referenced_count;
    uint32_t first_body; /* bodies from here on may be referred to: no circles */
};

static const uint32_t *any_indices(struct hy_wire_samples *samples, uint32_t count, uint32_t limit)
{
    uint32_t *indices = hy_wire_alloc(samples, count, sizeof *indices);

    for (uint32_t i = 0; i < count; i++)
        indices[i] = hy_wire_below(samples, limit);
    return indices;
}

/* ---- Operands -------------------------------------------------------------------------------- */

static int32_t any_lifetime(struct hy_wire_samples *samples, const struct outer *outer)
{
    const int32_t lifetime = (int32_t)hy_wire_below(samples, HY_LIFETIME_SUBGRAPH + 1);

    if ((lifetime == HY_LIFETIME_CONSTANT_POOL && outer->pool_count == 0) ||
        (lifetime == HY_LIFETIME_CONSTANT_COPY && outer->values_size < 8) ||
        (lifetime == HY_LIFETIME_SUBGRAPH && outer->first_body >= outer->referenced_count))
        return HY_LIFETIME_TEMPORARY;
    return lifetime;
}

static struct hy_location any_location(struct hy_wire_samples *samples, const struct outer *outer,
                                       int32_t lifetime)
{
    switch (lifetime) {
    case HY_LIFETIME_CONSTANT_COPY:
        return (struct hy_location){.offset = hy_wire_below(samples, outer->values_size - 4),
                                    .length = 1 + hy_wire_below(samples, 4)};
    case HY_LIFETIME_CONSTANT_POOL:
        return (struct hy_location){.pool = hy_wire_below(samples, outer->pool_count),
                                    .padding = hy_wire_below(samples, 16),
                                    .offset = hy_wire_below(samples, 100000),
                                    .length = 1 + hy_wire_below(samples, 100000)};
    case HY_LIFETIME_SUBGRAPH:
        return (struct hy_location){
            .offset = outer->first_body +
                      hy_wire_below(samples, outer->referenced_count - outer->first_body)};
    default:
        return (struct hy_location){0};
    }
}

static void add_scales(struct hy_wire_samples *samples, struct hy_operand *operand)
{
    const uint32_t count = 1 + hy_wire_below(samples, 10);
    float *scales = hy_wire_alloc(samples, count, sizeof *scales);

    for (uint32_t i = 0; i < count; i++)
        scales[i] = (float)hy_wire_below(samples, 1000) / 7.0f;
    operand->channel_scales = scales;
    operand->channel_count = count;
    operand->channel_dim = hy_wire_below(samples, 4);
}

static void add_extension_data(struct hy_wire_samples *samples, struct hy_operand *operand)
{
    const uint32_t length = 1 + hy_wire_below(samples, 30);
    uint8_t *data = hy_wire_alloc(samples, length, 1);

    for (uint32_t i = 0; i < length; i++)
        data[i] = (uint8_t)hy_wire_below(samples, 256);
    operand->extension_data = data;
    operand->extension_length = length;
}

static struct hy_operand any_operand(struct hy_wire_samples *samples, const struct outer *outer)
{
    const int32_t lifetime = any_lifetime(samples, outer);
    const uint32_t rank = hy_wire_below(samples, HY_MAX_RANK + 1);
    struct hy_operand operand = {.type = (int32_t)hy_wire_below(samples, 0x20000),
                                 .lifetime = lifetime,
                                 .rank = rank,
                                 .dims = any_indices(samples, rank, 1000),
                                 .scale = (float)hy_wire_below(samples, 100) / 3.0f,
                                 .zero_point = (int32_t)hy_wire_below(samples, 256) - 128,
                                 .location = any_location(samples, outer, lifetime)};

    if (hy_wire_below(samples, 6) == 0)
        add_scales(samples, &operand);
    if (hy_wire_below(samples, 6) == 0)
        add_extension_data(samples, &operand);
    return operand;
}

/* ---- Subgraphs ------------------------------------------------------------------------------- */

static const struct hy_operation *any_operations(struct hy_wire_samples *samples, uint32_t count,
                                                 uint32_t operand_count)
{
    struct hy_operation *operations = hy_wire_alloc(samples, count, sizeof *operations);

    for (uint32_t i = 0; i < count; i++) {
        operations[i].type = (int32_t)hy_wire_below(samples, 0x20000);
        operations[i].input_count = hy_wire_below(samples, 5);
        operations[i].output_count = hy_wire_below(samples, 3);
        operations[i].inputs = any_indices(samples, operations[i].input_count, operand_count);
        operations[i].outputs = any_indices(samples, operations[i].output_count, operand_count);
    }
    return operations;
}

static const struct hy_subgraph *any_subgraph(struct hy_wire_samples *samples,
                                              const struct outer *outer)
{
    struct hy_subgraph *subgraph = hy_wire_alloc(samples, 1, sizeof *subgraph);
    const uint32_t count = 1 + hy_wire_below(samples, 8);
    struct hy_operand *operands = hy_wire_alloc(samples, count, sizeof *operands);

    for (uint32_t i = 0; i < count; i++)
        operands[i] = any_operand(samples, outer);
    *subgraph = (struct hy_subgraph){.struct_size = sizeof *subgraph,
                                     .operand_count = count,
                                     .operation_count = hy_wire_below(samples, 5),
                                     .input_count = hy_wire_below(samples, 4),
                                     .output_count = hy_wire_below(samples, 4),
                                     .operands = operands};
    subgraph->operations = any_operations(samples, subgraph->operation_count, count);
    subgraph->inputs = any_indices(samples, subgraph->input_count, count);
    subgraph->outputs = any_indices(samples, subgraph->output_count, count);
    return subgraph;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static const struct hy_subgraph *const *any_bodies(struct hy_wire_samples *samples,
                                                   struct outer outer)
{
    const struct hy_subgraph **bodies =
        hy_wire_alloc(samples, outer.referenced_count, sizeof *bodies);

    for (uint32_t i = 0; i < outer.referenced_count; i++) {
        outer.first_body = i + 1;
        bodies[i] = any_subgraph(samples, &outer);
    }
    return bodies;
}

const struct hy_model *hy_wire_model(struct hy_wire_samples *samples)
{
    const struct outer outer = {.values_size = hy_wire_below(samples, 60),
                                .pool_count = hy_wire_below(samples, 4),
                                .referenced_count = hy_wire_below(samples, 4)};
    struct hy_model *model = hy_wire_alloc(samples, 1, sizeof *model);
    uint8_t *values = hy_wire_alloc(samples, outer.values_size, 1);
    struct hy_pool *pools = hy_wire_alloc(samples, outer.pool_count, sizeof *pools);

    for (uint32_t i = 0; i < outer.values_size; i++)
        values[i] = (uint8_t)hy_wire_below(samples, 256);
    for (uint32_t i = 0; i < outer.pool_count; i++) {
        do
            pools[i] = hy_wire_pool(samples);
        while (pools[i].kind > HY_POOL_HARDWARE_BUFFER_BLOB); /* those hold arguments alone */
    }
    *model = (struct hy_model){.struct_size = sizeof *model,
                               .relaxed_float = hy_wire_below(samples, 2),
                               .main = any_subgraph(samples, &outer),
                               .referenced = any_bodies(samples, outer),
                               .values = values,
                               .pools = pools,
                               .values_size = outer.values_size,
                               .referenced_count = outer.referenced_count,
                               .pool_count = outer.pool_count,
                               .extension_count = hy_wire_below(samples, 3),
                               .feature_level = 1 + hy_wire_below(samples, 8)};
    model->extensions = hy_wire_prefixes(samples, model->extension_count);
    return model;
}

struct hy_supported_ops_reply hy_wire_supported_ops_reply(struct hy_wire_samples *samples,
                                                          uint32_t operation_count)
{
    uint8_t *supported = hy_wire_alloc(samples, operation_count, 1);
    struct hy_refused *refused = hy_wire_alloc(samples, operation_count, sizeof *refused);
    uint32_t refused_count = 0;

    for (uint32_t i = 0; i < operation_count; i++) {
        supported[i] = (uint8_t)hy_wire_below(samples, 2);
        if (!supported[i])
            refused[refused_count++] =
                (struct hy_refused){.operation = i, .reason = hy_wire_text(samples)};
    }
    return (struct hy_supported_ops_reply){.supported = supported,
                                           .refused = refused,
                                           .operation_count = operation_count,
                                           .refused_count = refused_count};
}
