#include <android/NeuralNetworks.h>
#include <string.h>

#include "common/operations/operand_type.h"
#include "tools/check_driver/models.h"

#define CONSTANT_ALIGNMENT 64u

/* A model view under construction. */
struct view_builder {
    struct hy_model_view *model_view;
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

static bool goes_to_pool(const struct view_builder *view_builder,
                         const struct hy_vector_operand *operand)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(operand->type);
    if (operand->value.length == 0)
        return false;
    return operand->lifetime == HY_VECTOR_CONSTANT_REFERENCE ||
           (view_builder->constants != 0 && info && !info->is_scalar);
}

/* The location of a constant; also copies its bytes after the memory has been allocated. */
static struct hy_location add_constant(struct view_builder *view_builder,
                                       const struct hy_vector_operand *operand)
{
    const bool in_pool = goes_to_pool(view_builder, operand);
    uint64_t *used = in_pool ? &view_builder->pool_used : &view_builder->values_used;
    const uint64_t offset = aligned(*used, in_pool ? CONSTANT_ALIGNMENT : 4);
    uint8_t *bytes = in_pool ? view_builder->model_view->constants.bytes : view_builder->values;

    *used = offset + operand->value.length;
    if (bytes && operand->value.length > 0)
        memcpy(bytes + offset, operand->value.bytes, operand->value.length);
    return (struct hy_location){.offset = offset, .length = operand->value.length};
}

static int32_t lifetime_of(const struct view_builder *view_builder,
                           const struct hy_vector_operand *operand)
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
        return goes_to_pool(view_builder, operand) ? HY_LIFETIME_CONSTANT_POOL
                                                   : HY_LIFETIME_CONSTANT_COPY;
    case HY_VECTOR_NO_VALUE:
        return HY_LIFETIME_NO_VALUE;
    case HY_VECTOR_SUBGRAPH:
        return HY_LIFETIME_SUBGRAPH;
    default:
        return HY_LIFETIME_TEMPORARY;
    }
}

static void fill_operand(struct view_builder *view_builder, const struct hy_vector_operand *source,
                         struct hy_operand *out)
{
    *out = (struct hy_operand){
        .type = source->type,
        .lifetime = lifetime_of(view_builder, source),
        .rank = source->rank,
        .channel_dim = source->channel_dim,
        .dims = source->rank ? source->declared_dims : NULL,
        .scale = source->scale,
        .zero_point = source->zero_point,
        .channel_scales = source->channel_count ? source->channel_scales : NULL,
        .channel_count = source->channel_count,
    };
    if (is_constant(source) && out->lifetime != HY_LIFETIME_NO_VALUE)
        out->location = add_constant(view_builder, source);
    else if (source->lifetime == HY_VECTOR_SUBGRAPH)
        out->location.offset = source->submodel - 1;
}

static bool fill_graph(struct view_builder *view_builder, const struct hy_vector_model *source,
                       struct hy_subgraph *graph, bool is_main)
{
    struct hy_arena *arena = &view_builder->model_view->arena;
    struct hy_operand *operands =
        hy_arena_alloc(arena, (source->operand_count + 1) * sizeof *operands);
    struct hy_operation *operations =
        hy_arena_alloc(arena, (source->operation_count + 1) * sizeof *operations);
    if (!operands || !operations)
        return false;

    for (uint32_t i = 0; i < source->operand_count; i++)
        fill_operand(view_builder, &source->operands[i], &operands[i]);
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
        view_builder->model_view->operands = operands;
        view_builder->model_view->operations = operations;
    }
    return true;
}

/* The total size of a test's constants, computed before the allocation. */
static void count_constants(const struct hy_vector *vector, struct view_builder *counting)
{
    for (uint32_t m = 0; m < vector->model_count; m++)
        for (uint32_t i = 0; i < vector->models[m].operand_count; i++)
            if (is_constant(&vector->models[m].operands[i]))
                add_constant(counting, &vector->models[m].operands[i]);
}

static enum hy_code alloc_constants(const struct view_builder *counted,
                                    struct view_builder *view_builder, struct hy_error *err)
{
    struct hy_model_view *model_view = view_builder->model_view;
    view_builder->values = hy_arena_alloc(&model_view->arena, counted->values_used + 4);
    if (!view_builder->values)
        return hy_fail(err, HY_OUT_OF_MEMORY, "constants of a model");
    memset(view_builder->values, 0, counted->values_used + 4);
    if (counted->pool_used == 0)
        return HY_OK;

    const uint32_t kind = view_builder->constants ? view_builder->constants : HY_POOL_MMAP_FD;
    const enum hy_code code =
        hy_memory_create(kind, counted->pool_used, &model_view->constants, err);
    if (code == HY_OK)
        model_view->pool = hy_memory_pool(&model_view->constants, kind, HY_PROTECT_READ);
    return code;
}

static bool fill_graphs(struct view_builder *view_builder, const struct hy_vector *vector,
                        const struct hy_subgraph **referenced)
{
    struct hy_model_view *model_view = view_builder->model_view;
    for (uint32_t i = 0; i < vector->model_count; i++) {
        if (!fill_graph(view_builder, &vector->models[i], &model_view->graphs[i], i == 0))
            return false;
        if (i > 0)
            referenced[i - 1] = &model_view->graphs[i];
    }
    return true;
}

enum hy_code hy_model_view_make(const struct hy_vector *vector, uint32_t constants,
                                struct hy_model_view *out, struct hy_error *err)
{
    struct view_builder counted = {.model_view = out, .constants = constants};
    struct view_builder view_builder = counted;
    count_constants(vector, &counted);
    const enum hy_code code = alloc_constants(&counted, &view_builder, err);
    if (code != HY_OK)
        return code;

    const uint32_t count = vector->model_count;
    out->graphs = hy_arena_alloc(&out->arena, count * sizeof *out->graphs);
    const struct hy_subgraph **referenced = hy_arena_alloc(&out->arena, count * sizeof *referenced);
    if (!out->graphs || !referenced || !fill_graphs(&view_builder, vector, referenced))
        return hy_fail(err, HY_OUT_OF_MEMORY, "a view of %s", vector->name);
    out->model = (struct hy_model){.struct_size = sizeof out->model,
                                   .relaxed_float = vector->is_relaxed,
                                   .main = out->graphs,
                                   .referenced = referenced,
                                   .values = view_builder.values,
                                   .pools = &out->pool,
                                   .values_size = aligned(view_builder.values_used, 4),
                                   .referenced_count = count - 1,
                                   .pool_count = counted.pool_used > 0,
                                   .feature_level = hy_vector_level(vector)};
    return HY_OK;
}

void hy_model_view_corrupt(struct hy_model_view *model_view)
{
    const struct hy_subgraph *main = model_view->graphs;
    memset(model_view->operands, 0xff, main->operand_count * sizeof *model_view->operands);
    memset(model_view->operations, 0xff, main->operation_count * sizeof *model_view->operations);
    memset((uint8_t *)model_view->model.values, 0xff, model_view->model.values_size);
    memset(model_view->graphs, 0xff, sizeof *model_view->graphs);
    memset(&model_view->model, 0xff, sizeof model_view->model);
}

void hy_model_view_finish(struct hy_model_view *model_view)
{
    hy_memory_destroy(&model_view->constants);
    hy_arena_finish(&model_view->arena);
    *model_view = (struct hy_model_view){.constants = {.fd = -1}};
}
