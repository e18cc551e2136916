#include "flat_models.h"

#include "app_model.h"
#include "common/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- Each model once ------------------------------------------------------------------------- */

/* The models referenced directly or indirectly, with a hash table of their indices. */
struct visited {
    struct hy_app_model **models; /* each after its referenced models */
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* an index + 1, or 0; twice as many as `room`, a power of two */
};

#define INITIAL_CAPACITY 16u

/* The slot of the model, or the free slot for it. */
static uint32_t *find_slot(const struct visited *visited, const struct hy_app_model *model)
{
    const uint32_t mask = 2 * visited->capacity - 1;
    const uint64_t hash = (uint64_t)(uintptr_t)model * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(hash >> 32) & mask;

    while (visited->slots[at] != 0 && visited->models[visited->slots[at] - 1] != model)
        at = (at + 1) & mask;
    return &visited->slots[at];
}

static bool grow(struct visited *visited)
{
    const uint32_t capacity = visited->capacity ? 2 * visited->capacity : INITIAL_CAPACITY;
    struct hy_app_model **models =
        reallocarray(visited->models, capacity, sizeof(struct hy_app_model *));
    if (!models)
        return false;
    visited->models = models;
    uint32_t *slots = calloc(2 * (size_t)capacity, sizeof *slots);
    if (!slots)
        return false;

    free(visited->slots);
    visited->slots = slots;
    visited->capacity = capacity;
    for (uint32_t i = 0; i < visited->count; i++)
        *find_slot(visited, models[i]) = i + 1;
    return true;
}

static enum hy_code visit_bodies(struct visited *visited, const struct hy_app_model *model,
                                 struct hy_error *err);

/* Enters a body only at its first reference. */
static enum hy_code visit(struct visited *visited, struct hy_app_model *body, struct hy_error *err)
{
    if (visited->capacity > 0 && *find_slot(visited, body) != 0)
        return HY_OK;
    enum hy_code code = visit_bodies(visited, body, err); /* depth is limited by model nesting */
    if (code != HY_OK)
        return code;
    if (visited->count >= HY_MODEL_MAX_ENTRIES)
        return hy_fail(err, HY_BAD_DATA, "the model refers to %u models, the limit is %u",
                       visited->count, HY_MODEL_MAX_ENTRIES);
    if (visited->count == visited->capacity && !grow(visited))
        return hy_fail(err, HY_OUT_OF_MEMORY, "a list of %u models", visited->count);
    visited->models[visited->count] = body;
    *find_slot(visited, body) = ++visited->count;
    return HY_OK;
}

static enum hy_code visit_bodies(struct visited *visited, const struct hy_app_model *model,
                                 struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < model->operand_count; i++) {
        if (model->sources[i].model)
            code = visit(visited, model->sources[i].model, err);
    }
    return code;
}

/* The model must have been visited. */
static uint32_t index_of(const struct visited *visited, const struct hy_app_model *model)
{
    return *find_slot(visited, model) - 1;
}

/* ---- One view of all ------------------------------------------------------------------------- */

/* Counts the needed capacity. */
static bool measure(const struct hy_app_model *model, uint32_t pool_count,
                    struct hy_flat_models *flat, size_t *operand_count)
{
    size_t operands = 0, pools = pool_count, values = model->values_size;

    for (uint32_t i = 0; i < flat->count; i++) {
        const struct hy_app_model *from = flat->models[i];
        if (!hy_add_size(operands, from->operand_count, &operands) ||
            !hy_add_size(pools, from->pool_count, &pools) ||
            !hy_add_size(values, from->values_size, &values))
            return false;
    }
    if (pools > UINT32_MAX)
        return false;
    flat->pool_count = (uint32_t)pools;
    flat->values_size = values;
    *operand_count = operands;
    return true;
}

static enum hy_code allocate(const struct hy_app_model *model, uint32_t pool_count,
                             struct hy_flat_models *flat, struct hy_error *err)
{
    size_t operands;

    if (!measure(model, pool_count, flat, &operands))
        return hy_fail(err, HY_OUT_OF_MEMORY, "a view of %u models", flat->count);
    flat->graphs = calloc(flat->count, sizeof *flat->graphs);
    flat->list = calloc(flat->count, sizeof(const struct hy_subgraph *));
    flat->operands = calloc(operands, sizeof *flat->operands);
    flat->values = calloc(flat->values_size + 1, 1);
    flat->pools = calloc((size_t)flat->pool_count + 1, sizeof *flat->pools);
    if (!flat->graphs || !flat->list || !flat->operands || !flat->values || !flat->pools)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a view of %u models", flat->count);
    return HY_OK;
}

/* The next free offsets for operands, values and pools. */
struct cursor {
    struct hy_operand *operands;
    size_t values;
    uint32_t pools;
};

static void append_bytes(struct hy_flat_models *flat, struct cursor *at, const uint8_t *values,
                         size_t values_size, const struct hy_pool *pools, uint32_t pool_count)
{
    if (values_size > 0)
        memcpy(flat->values + at->values, values, values_size);
    if (pool_count > 0)
        memcpy(flat->pools + at->pools, pools, pool_count * sizeof *pools);
    at->values += values_size;
    at->pools += pool_count;
}

/* Copies an operand with locations in the shared values and pools from `at` on. */
static struct hy_operand relocate(const struct hy_app_model *from, uint32_t index,
                                  const struct visited *visited, const struct cursor *at)
{
    struct hy_operand operand = from->operands[index];

    if (operand.lifetime == HY_LIFETIME_CONSTANT_COPY)
        operand.location.offset += at->values;
    else if (operand.lifetime == HY_LIFETIME_CONSTANT_POOL)
        operand.location.pool += at->pools;
    else if (operand.lifetime == HY_LIFETIME_SUBGRAPH)
        operand.location.offset = index_of(visited, from->sources[index].model);
    return operand;
}

static void append_model(struct hy_flat_models *flat, uint32_t index, const struct visited *visited,
                         struct cursor *at)
{
    const struct hy_app_model *from = flat->models[index];

    for (uint32_t i = 0; i < from->operand_count; i++)
        at->operands[i] = relocate(from, i, visited, at);
    flat->graphs[index] = from->main;
    flat->graphs[index].operands = at->operands;
    flat->list[index] = &flat->graphs[index];
    at->operands += from->operand_count;
    append_bytes(flat, at, from->values, from->values_size, from->pools, from->pool_count);
}

/* Moves the list of `visited` to `flat`. */
static enum hy_code flatten(struct hy_app_model *model, const struct hy_pool *pools,
                            uint32_t pool_count, const struct visited *visited,
                            struct hy_flat_models *flat, struct hy_error *err)
{
    flat->models = visited->models;
    flat->count = visited->count;
    enum hy_code code = allocate(model, pool_count, flat, err);
    if (code != HY_OK)
        return code;
    struct cursor at = {.operands = flat->operands};
    append_bytes(flat, &at, model->values, model->values_size, pools, pool_count);
    for (uint32_t i = 0; i < flat->count; i++)
        append_model(flat, i, visited, &at);
    for (uint32_t i = 0; i < model->operand_count; i++) {
        if (model->sources[i].model)
            model->operands[i].location.offset = index_of(visited, model->sources[i].model);
    }
    return HY_OK;
}

enum hy_code hy_flat_models_make(struct hy_app_model *model, const struct hy_pool *pools,
                                 uint32_t pool_count, struct hy_flat_models *flat,
                                 struct hy_error *err)
{
    struct visited visited = {0};

    *flat = (struct hy_flat_models){0};
    enum hy_code code = visit_bodies(&visited, model, err);
    if (code != HY_OK)
        free(visited.models);
    else if (visited.count > 0)
        code = flatten(model, pools, pool_count, &visited, flat, err);
    free(visited.slots);
    if (code != HY_OK)
        hy_flat_models_finish(flat);
    return code;
}

void hy_flat_models_finish(struct hy_flat_models *flat)
{
    free(flat->pools);
    free(flat->values);
    free(flat->operands);
    free(flat->list);
    free(flat->graphs);
    free(flat->models);
    *flat = (struct hy_flat_models){0};
}
