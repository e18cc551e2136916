#include "flat_models.h"

#include "app_model.h"
#include "common/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- Each model once ------------------------------------------------------------------------- */

/* A model that is referred to, directly or not, and the place of this in all that is. */
struct mention {
    struct hy_app_model *model;
    uint32_t place;
};

/* Sorted by model, one mention for each; places are indices of the view then. */
struct mentions {
    struct mention *items;
    uint32_t count;
};

static int by_model(const void *a, const void *b)
{
    const struct mention *left = a, *right = b;
    const uintptr_t first = (uintptr_t)left->model, second = (uintptr_t)right->model;

    if (first != second)
        return first < second ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

static int by_place(const void *a, const void *b)
{
    const struct mention *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

/* How often models are mentioned; each comes with those that it refers to itself. */
static uint64_t count_mentions(const struct hy_app_model *model)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < model->operand_count; i++) {
        if (model->sources[i].model)
            count += (uint64_t)model->sources[i].model->flat.count + 1;
    }
    return count;
}

static void collect(const struct hy_app_model *model, struct mentions *mentions)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        struct hy_app_model *direct = model->sources[i].model;
        if (!direct)
            continue;
        for (uint32_t k = 0; k <= direct->flat.count; k++) {
            struct hy_app_model *mentioned =
                k < direct->flat.count ? direct->flat.models[k] : direct;
            mentions->items[mentions->count] = (struct mention){mentioned, mentions->count};
            mentions->count++;
        }
    }
}

/* Leaves the first mention of each model, and numbers them in the order of these. */
static void deduplicate(struct mentions *mentions)
{
    struct mention *items = mentions->items;
    uint32_t kept = 0;

    qsort(items, mentions->count, sizeof *items, by_model);
    for (uint32_t i = 0; i < mentions->count; i++) {
        if (i == 0 || items[i].model != items[i - 1].model)
            items[kept++] = items[i];
    }
    mentions->count = kept;
    qsort(items, kept, sizeof *items, by_place);
    for (uint32_t i = 0; i < kept; i++)
        items[i].place = i;
    qsort(items, kept, sizeof *items, by_model);
}

static uint32_t index_of(const struct mentions *mentions, const struct hy_app_model *model)
{
    uint32_t low = 0, high = mentions->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)mentions->items[middle].model <= (uintptr_t)model)
            low = middle;
        else
            high = middle;
    }
    return mentions->items[low].place;
}

/* ---- One view of all ------------------------------------------------------------------------- */

/* Counts what there is room needed for. */
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

/* Where the next model's operands, values and pools go. */
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

/* A copy of an operand, found in the shared values and pools from `at` on. */
static struct hy_operand relocate(const struct hy_app_model *from, uint32_t index,
                                  const struct mentions *mentions, const struct cursor *at)
{
    struct hy_operand operand = from->operands[index];

    if (operand.lifetime == HY_LIFETIME_CONSTANT_COPY)
        operand.location.offset += at->values;
    else if (operand.lifetime == HY_LIFETIME_CONSTANT_POOL)
        operand.location.pool += at->pools;
    else if (operand.lifetime == HY_LIFETIME_SUBGRAPH)
        operand.location.offset = index_of(mentions, from->sources[index].model);
    return operand;
}

static void append_model(struct hy_flat_models *flat, uint32_t index,
                         const struct mentions *mentions, struct cursor *at)
{
    const struct hy_app_model *from = flat->models[index];

    for (uint32_t i = 0; i < from->operand_count; i++)
        at->operands[i] = relocate(from, i, mentions, at);
    flat->graphs[index] = from->main;
    flat->graphs[index].operands = at->operands;
    flat->list[index] = &flat->graphs[index];
    at->operands += from->operand_count;
    append_bytes(flat, at, from->values, from->values_size, from->pools, from->pool_count);
}

static enum hy_code flatten(struct hy_app_model *model, const struct hy_pool *pools,
                            uint32_t pool_count, const struct mentions *mentions,
                            struct hy_flat_models *flat, struct hy_error *err)
{
    flat->models = calloc(mentions->count, sizeof(struct hy_app_model *));
    if (!flat->models)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a list of %u models", mentions->count);
    flat->count = mentions->count;
    for (uint32_t i = 0; i < mentions->count; i++)
        flat->models[mentions->items[i].place] = mentions->items[i].model;

    enum hy_code code = allocate(model, pool_count, flat, err);
    if (code != HY_OK)
        return code;
    struct cursor at = {.operands = flat->operands};
    append_bytes(flat, &at, model->values, model->values_size, pools, pool_count);
    for (uint32_t i = 0; i < flat->count; i++)
        append_model(flat, i, mentions, &at);
    for (uint32_t i = 0; i < model->operand_count; i++) {
        if (model->sources[i].model)
            model->operands[i].location.offset = index_of(mentions, model->sources[i].model);
    }
    return HY_OK;
}

enum hy_code hy_flat_models_make(struct hy_app_model *model, const struct hy_pool *pools,
                                 uint32_t pool_count, struct hy_flat_models *flat,
                                 struct hy_error *err)
{
    const uint64_t count = count_mentions(model);
    struct mentions mentions = {0};

    *flat = (struct hy_flat_models){0};
    if (count == 0)
        return HY_OK;
    if (count > HY_MODEL_MAX_ENTRIES)
        return hy_fail(err, HY_BAD_DATA, "%llu references to models, the limit is %u",
                       (unsigned long long)count, HY_MODEL_MAX_ENTRIES);
    mentions.items = calloc(count, sizeof *mentions.items);
    if (!mentions.items)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%llu references to models",
                       (unsigned long long)count);
    collect(model, &mentions);
    deduplicate(&mentions);
    enum hy_code code = flatten(model, pools, pool_count, &mentions, flat, err);
    free(mentions.items);
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
