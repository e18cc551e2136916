#include <android/NeuralNetworks.h>
#include <string.h>

#include "common/operations/operand_type.h"
#include "tools/check_driver/models.h"

#define CONSTANT_ALIGNMENT 64u

/* A model view under construction. */
struct drafting {
    struct hy_draft *draft;
    uint32_t constants;
    uint8_t *values;      /* NULL while sizes are being counted */
    uint64_t values_used; /* bytes of hy_model.values */
    uint64_t pool_used;
};

static uint64_t aligned(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

static bool is_constant(const struct hy_vector_operand *operand)
{
    return operand->lifetime == HY_VECTOR_CONSTANT_COPY ||
           operand->lifetime == HY_VECTOR_CONSTANT_REFERENCE;
}

static bool goes_to_pool(const struct drafting *drafting, const struct hy_vector_operand *operand)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(operand->type);
    if (operand->value.length == 0)
        return false;
    return operand->lifetime == HY_VECTOR_CONSTANT_REFERENCE ||
           (drafting->constants != 0 && info && !info->is_scalar);
}

/* The location of a constant; also copies its bytes after the memory has been allocated. */
static struct hy_location place_constant(struct drafting *drafting,
                                         const struct hy_vector_operand *operand)
{
    const bool in_pool = goes_to_pool(drafting, operand);
    uint64_t *used = in_pool ? &drafting->pool_used : &drafting->values_used;
    const uint64_t offset = aligned(*used, in_pool ? CONSTANT_ALIGNMENT : 4);
    uint8_t *bytes = in_pool ? drafting->draft->constants.bytes : drafting->values;

    *used = offset + operand->value.length;
    if (bytes && operand->value.length > 0)
        memcpy(bytes + offset, operand->value.bytes, operand->value.length);
    return (struct hy_location){.offset = offset, .length = operand->value.length};
}

static int32_t lifetime_of(const struct drafting *drafting, const struct hy_vector_operand *operand)
{
    switch (operand->lifetime) {
    case HY_VECTOR_INPUT:
        return HY_LIFETIME_INPUT;
    case HY_VECTOR_OUTPUT:
        return HY_LIFETIME_OUTPUT;
    case HY_VECTOR_CONSTANT_COPY:
    case HY_VECTOR_CONSTANT_REFERENCE:
        if (operand->value.omitted)
            return HY_LIFETIME_NO_VALUE;
        return goes_to_pool(drafting, operand) ? HY_LIFETIME_CONSTANT_POOL
                                               : HY_LIFETIME_CONSTANT_COPY;
    case HY_VECTOR_NO_VALUE:
        return HY_LIFETIME_NO_VALUE;
    case HY_VECTOR_SUBGRAPH:
        return HY_LIFETIME_SUBGRAPH;
    default:
        return HY_LIFETIME_TEMPORARY;
    }
}

static void fill_operand(struct drafting *drafting, const struct hy_vector_operand *source,
                         struct hy_operand *out)
{
    *out = (struct hy_operand){
        .type = source->type,
        .lifetime = lifetime_of(drafting, source),
        .rank = source->rank,
        .channel_dim = source->channel_dim,
        .dims = source->rank ? source->declared_dims : NULL,
        .scale = source->scale,
        .zero_point = source->zero_point,
        .channel_scales = source->channel_count ? source->channel_scales : NULL,
        .channel_count = source->channel_count,
    };
    if (is_constant(source) && out->lifetime != HY_LIFETIME_NO_VALUE)
        out->location = place_constant(drafting, source);
    else if (source->lifetime == HY_VECTOR_SUBGRAPH)
        out->location.offset = source->submodel - 1;
}

static bool fill_graph(struct drafting *drafting, const struct hy_vector_model *source,
                       struct hy_subgraph *graph, bool is_main)
{
    struct hy_arena *arena = &drafting->draft->arena;
    struct hy_operand *operands =
        hy_arena_alloc(arena, (source->operand_count + 1) * sizeof *operands);
    struct hy_operation *operations =
        hy_arena_alloc(arena, (source->operation_count + 1) * sizeof *operations);
    if (!operands || !operations)
        return false;

    for (uint32_t i = 0; i < source->operand_count; i++)
        fill_operand(drafting, &source->operands[i], &operands[i]);
    for (uint32_t i = 0; i < source->operation_count; i++)
        operations[i] = (struct hy_operation){.type = source->operations[i].type,
                                              .input_count = source->operations[i].inputs.count,
                                              .output_count = source->operations[i].outputs.count,
                                              .inputs = source->operations[i].inputs.items,
                                              .outputs = source->operations[i].outputs.items};
    *graph = (struct hy_subgraph){.struct_size = sizeof *graph,
                                  .operand_count = source->operand_count,
                                  .operation_count = source->operation_count,
                                  .input_count = source->inputs.count,
                                  .output_count = source->outputs.count,
                                  .operands = operands,
                                  .operations = operations,
                                  .inputs = source->inputs.items,
                                  .outputs = source->outputs.items};
    if (is_main) {
        drafting->draft->operands = operands;
        drafting->draft->operations = operations;
    }
    return true;
}

/* The total size of a test's constants, computed before the allocation. */
static void count_constants(const struct hy_vector *vector, struct drafting *counting)
{
    for (uint32_t m = 0; m < vector->model_count; m++)
        for (uint32_t i = 0; i < vector->models[m].operand_count; i++)
            if (is_constant(&vector->models[m].operands[i]))
                place_constant(counting, &vector->models[m].operands[i]);
}

static enum hy_code make_room(const struct drafting *counted, struct drafting *drafting,
                              struct hy_error *err)
{
    struct hy_draft *draft = drafting->draft;
    drafting->values = hy_arena_alloc(&draft->arena, counted->values_used + 4);
    if (!drafting->values)
        return hy_fail(err, HY_OUT_OF_MEMORY, "constants of a model");
    memset(drafting->values, 0, counted->values_used + 4);
    if (counted->pool_used == 0)
        return HY_OK;

    const uint32_t kind = drafting->constants ? drafting->constants : HY_POOL_MMAP_FD;
    const enum hy_code code = hy_memory_create(kind, counted->pool_used, &draft->constants, err);
    if (code == HY_OK)
        draft->pool = hy_memory_pool(&draft->constants, kind, HY_PROTECT_READ);
    return code;
}

static bool fill_graphs(struct drafting *drafting, const struct hy_vector *vector,
                        const struct hy_subgraph **referenced)
{
    struct hy_draft *draft = drafting->draft;
    for (uint32_t i = 0; i < vector->model_count; i++) {
        if (!fill_graph(drafting, &vector->models[i], &draft->graphs[i], i == 0))
            return false;
        if (i > 0)
            referenced[i - 1] = &draft->graphs[i];
    }
    return true;
}

enum hy_code hy_draft_make(const struct hy_vector *vector, uint32_t constants, struct hy_draft *out,
                           struct hy_error *err)
{
    struct drafting counted = {.draft = out, .constants = constants};
    struct drafting drafting = counted;
    count_constants(vector, &counted);
    const enum hy_code code = make_room(&counted, &drafting, err);
    if (code != HY_OK)
        return code;

    const uint32_t count = vector->model_count;
    out->graphs = hy_arena_alloc(&out->arena, count * sizeof *out->graphs);
    const struct hy_subgraph **referenced = hy_arena_alloc(&out->arena, count * sizeof *referenced);
    if (!out->graphs || !referenced || !fill_graphs(&drafting, vector, referenced))
        return hy_fail(err, HY_OUT_OF_MEMORY, "a view of %s", vector->name);
    out->model = (struct hy_model){.struct_size = sizeof out->model,
                                   .relaxed_float = vector->is_relaxed,
                                   .main = out->graphs,
                                   .referenced = referenced,
                                   .values = drafting.values,
                                   .pools = &out->pool,
                                   .values_size = aligned(drafting.values_used, 4),
                                   .referenced_count = count - 1,
                                   .pool_count = counted.pool_used > 0,
                                   .feature_level = hy_vector_level(vector)};
    return HY_OK;
}

void hy_draft_spoil(struct hy_draft *draft)
{
    const struct hy_subgraph *main = draft->graphs;
    memset(draft->operands, 0xff, main->operand_count * sizeof *draft->operands);
    memset(draft->operations, 0xff, main->operation_count * sizeof *draft->operations);
    memset((uint8_t *)draft->model.values, 0xff, draft->model.values_size);
    memset(draft->graphs, 0xff, sizeof *draft->graphs);
    memset(&draft->model, 0xff, sizeof draft->model);
}

void hy_draft_finish(struct hy_draft *draft)
{
    hy_memory_destroy(&draft->constants);
    hy_arena_finish(&draft->arena);
    *draft = (struct hy_draft){.constants = {.fd = -1}};
}
