/*
 * Working memory of executions, kept for the next one: an execution takes an object, or makes one
 * where none is idle, and gives the object back. Any number of threads at once; nothing allocates,
 * locks or waits.
 */
#ifndef HY_DRIVER_KIT_IDLE_POOL_H
#define HY_DRIVER_KIT_IDLE_POOL_H

#include <stdatomic.h>
#include <stdbool.h>

#define HY_IDLE_POOL_SLOTS 16u

/* All zero bytes is an empty pool. */
struct hy_idle_pool {
    _Atomic(void *) slots[HY_IDLE_POOL_SLOTS];
};

/* An idle object, the caller's until hy_idle_pool_give. NULL: no object is idle. */
void *hy_idle_pool_take(struct hy_idle_pool *pool);

/* Keeps the object. False: the pool is full, and the object stays the caller's. */
bool hy_idle_pool_give(struct hy_idle_pool *pool, void *object);

#endif
