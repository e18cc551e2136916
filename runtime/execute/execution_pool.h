#ifndef HY_RUNTIME_EXECUTION_POOL_H
#define HY_RUNTIME_EXECUTION_POOL_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * Executions that a compilation keeps for those to come: apps that make one for each inference find
 * all memory taken, and, if they set the same arguments, all requests made. Without locks.
 */
struct hy_execution;

struct hy_execution_slot {
    atomic_bool is_taken;           /* whoever sets it owns the execution */
    struct hy_execution *execution; /* NULL until it is needed */
    atomic_uint_fast64_t run_count; /* see work.h; written by the owner only */
};

/* As many as are expected at once; more make their own. All zero bytes is empty. */
#define HY_EXECUTIONS_KEPT 16u

struct hy_execution_pool {
    struct hy_execution_slot slots[HY_EXECUTIONS_KEPT];
};

/* A slot of the caller's own, until it is given back; NULL: all are taken. */
struct hy_execution_slot *hy_execution_pool_take(struct hy_execution_pool *pool);
void hy_execution_pool_give_back(struct hy_execution_slot *slot);

/* No slot is taken any more. */
void hy_execution_pool_finish(struct hy_execution_pool *pool);

#endif
