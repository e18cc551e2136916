#ifndef HY_RUNTIME_EXECUTION_POOL_H
#define HY_RUNTIME_EXECUTION_POOL_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * A pool of executions in a compilation. An app that creates an execution for each inference reuses
 * the memory of earlier executions, and also the requests if the arguments are the same. Lock-free.
 */
struct hy_execution;

struct hy_execution_slot {
    atomic_bool is_used;            /* the thread that sets the flag owns the execution */
    struct hy_execution *execution; /* NULL until needed */
    atomic_uint_fast64_t run_count; /* see work.h; only the owner writes */
};

/* Number of slots. Further concurrent executions are allocated without a slot. A zeroed pool is
 * empty. */
#define HY_EXECUTIONS_CACHED 16u

struct hy_execution_pool {
    struct hy_execution_slot slots[HY_EXECUTIONS_CACHED];
};

/* Acquires a slot for the caller until hy_execution_pool_give_back. NULL: all slots are in use. */
struct hy_execution_slot *hy_execution_pool_acquire(struct hy_execution_pool *pool);
void hy_execution_pool_give_back(struct hy_execution_slot *slot);

/* Call when no slot is in use any more. */
void hy_execution_pool_finish(struct hy_execution_pool *pool);

#endif
