#include "driver_kit/idle_pool.h"

#include <stddef.h>

void *hy_idle_pool_take(struct hy_idle_pool *pool)
{
    for (unsigned i = 0; i < HY_IDLE_POOL_SLOTS; i++) {
        void *object = atomic_exchange(&pool->slots[i], NULL);
        if (object)
            return object;
    }
    return NULL;
}

bool hy_idle_pool_give(struct hy_idle_pool *pool, void *object)
{
    for (unsigned i = 0; i < HY_IDLE_POOL_SLOTS; i++) {
        void *empty = NULL;
        if (atomic_compare_exchange_strong(&pool->slots[i], &empty, object))
            return true;
    }
    return false;
}
