#include "pools.h"

#include "runtime/memory/memory_object.h"

#include <stdlib.h>

/* A large constant with its memory object. */
struct use {
    const struct hy_pool *pool;
    uint32_t operand;
};

struct pool_list {
    struct hy_pool *pools;
    uint32_t pool_count;
    struct use *uses; /* of memory objects */
    uint32_t use_count;
};

static uint32_t count_large(const struct hy_app_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->operand_count; i++)
        count += model->operands[i].lifetime == HY_LIFETIME_CONSTANT_POOL;
    return count;
}

static void add_host_pool(struct hy_app_model *model, uint32_t operand, struct pool_list *list)
{
    struct hy_location *location = &model->operands[operand].location;

    location->pool = list->pool_count;
    list->pools[list->pool_count++] = (struct hy_pool){
        .kind = HY_POOL_HOST,
        .protection = HY_PROTECT_READ,
        .fd = -1,
        .id = hy_memory_next_id(),
        .size = location->length,
        .address = (void *)(uintptr_t)model->sources[operand].host,
    };
}

static void collect(struct hy_app_model *model, struct pool_list *list)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        if (model->operands[i].lifetime != HY_LIFETIME_CONSTANT_POOL)
            continue;
        if (model->sources[i].memory)
            list->uses[list->use_count++] = (struct use){
                .pool = hy_memory_pool(model->sources[i].memory),
                .operand = i,
            };
        else
            add_host_pool(model, i, list);
    }
}

static int by_pool_id(const void *a, const void *b)
{
    const uint64_t left = ((const struct use *)a)->pool->id;
    const uint64_t right = ((const struct use *)b)->pool->id;
    return (left > right) - (left < right);
}

/* Sorts the uses by memory object. */
static void add_memory_pools(struct hy_app_model *model, struct pool_list *list)
{
    qsort(list->uses, list->use_count, sizeof *list->uses, by_pool_id);
    for (uint32_t i = 0; i < list->use_count; i++) {
        const struct use *use = &list->uses[i];
        if (i == 0 || use->pool != list->uses[i - 1].pool)
            list->pools[list->pool_count++] = *use->pool;
        model->operands[use->operand].location.pool = list->pool_count - 1;
    }
}

enum hy_code hy_app_model_list_pools(struct hy_app_model *model, struct hy_pool **ret,
                                     uint32_t *ret_count, struct hy_error *err)
{
    const uint32_t large = count_large(model);
    if (large == 0) {
        *ret = NULL;
        *ret_count = 0;
        return HY_OK;
    }

    struct pool_list list = {
        .pools = calloc(large, sizeof *list.pools),
        .uses = calloc(large, sizeof *list.uses),
    };
    if (!list.pools || !list.uses) {
        free(list.pools);
        free(list.uses);
        return hy_fail(err, HY_OUT_OF_MEMORY, "pools for %u large constants", large);
    }
    collect(model, &list);
    add_memory_pools(model, &list);
    free(list.uses);
    *ret = list.pools;
    *ret_count = list.pool_count;
    return HY_OK;
}
