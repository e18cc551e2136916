#include "runtime/execute/execution_pool.h"

#include "runtime/execute/execution.h"

struct hy_execution_slot *hy_execution_pool_acquire(struct hy_execution_pool *pool)
{
    for (unsigned i = 0; i < HY_EXECUTIONS_CACHED; i++) {
        struct hy_execution_slot *slot = &pool->slots[i];
        /* Load before the exchange: an exchange on a busy slot would only move its cache line. */
        if (!atomic_load_explicit(&slot->is_used, memory_order_relaxed) &&
            !atomic_exchange_explicit(&slot->is_used, true, memory_order_acquire))
            return slot;
    }
    return NULL;
}

void hy_execution_pool_give_back(struct hy_execution_slot *slot)
{
    atomic_store_explicit(&slot->is_used, false, memory_order_release);
}

void hy_execution_pool_finish(struct hy_execution_pool *pool)
{
    for (unsigned i = 0; i < HY_EXECUTIONS_CACHED; i++) {
        hy_execution_discard(pool->slots[i].execution);
        pool->slots[i].execution = NULL;
    }
}
