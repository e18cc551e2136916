/*
 * Only the lookup thread writes a slot, except for the id: a release replaces the id by 0 from any
 * thread, with one compare-and-exchange. The other members need no protection.
 */
#include "driver_kit/pool_map.h"

#include <stdbool.h>
#include <string.h>

void hy_pool_map_init(struct hy_pool_map *map, const struct hy_host *host)
{
    memset(map, 0, sizeof *map);
    map->host = host;
}

static struct hy_pool_map_slot *slot_of(struct hy_pool_map *map, uint64_t id)
{
    return &map->slots[id % HY_POOL_MAP_SLOTS];
}

static bool is_same_view(const struct hy_pool *a, const struct hy_pool *b)
{
    return a->kind == b->kind && a->protection == b->protection && a->offset == b->offset &&
           a->size == b->size;
}

/* Only plain memory with an id is cached. An image needs more than an address, and a buffer has no
 * address. */
static bool may_be_cached(const struct hy_pool_map *map, const struct hy_pool *pool)
{
    return pool->id != 0 && pool->kind != HY_POOL_HARDWARE_BUFFER && pool->kind != HY_POOL_BUFFER &&
           map->host->abi >= HY_ABI(1, 1);
}

int32_t hy_pool_map_find(struct hy_pool_map *map, const struct hy_pool *pool, uint32_t protection,
                         void **address)
{
    struct hy_pool_map_slot *slot = slot_of(map, pool->id);
    const bool is_cached = may_be_cached(map, pool);
    if (is_cached && atomic_load_explicit(&slot->id, memory_order_relaxed) == pool->id &&
        is_same_view(&slot->pool, pool) && (protection & ~slot->protection) == 0) {
        *address = slot->address;
        return HY_STATUS_OK;
    }
    const int32_t status = map->host->map(map->host->context, pool, protection, address);
    if (status == HY_STATUS_OK && is_cached) {
        slot->pool = *pool;
        slot->protection = protection;
        slot->address = *address;
        atomic_store_explicit(&slot->id, pool->id, memory_order_relaxed);
    }
    return status;
}

void hy_pool_map_release(struct hy_pool_map *map, uint64_t id)
{
    if (id != 0)
        (void)atomic_compare_exchange_strong(&slot_of(map, id)->id, &id, 0);
}
