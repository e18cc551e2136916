/*
 * A pool of working memory for executions. An execution takes an idle piece, or allocates a new
 * piece, and returns the piece afterwards. Pieces are quota memory (driver_kit/quota_memory.h). Any
 * number of threads at once; no function here allocates, locks or waits.
 */
#ifndef HY_DRIVER_KIT_IDLE_MEMORY_H
#define HY_DRIVER_KIT_IDLE_MEMORY_H

#include <stdatomic.h>

#define HY_IDLE_MEMORY_SLOTS 16u

/* All zero bytes: an empty pool. */
struct hy_idle_memory {
    _Atomic(void *) slots[HY_IDLE_MEMORY_SLOTS];
};

/* Takes an idle piece. The caller owns the piece until hy_idle_memory_push. NULL: no piece is idle.
 */
void *hy_idle_memory_pop(struct hy_idle_memory *memory);

/* Returns a piece to the pool. Frees the piece if all slots are in use. */
void hy_idle_memory_push(struct hy_idle_memory *memory, void *piece);

/* Frees all idle pieces. */
void hy_idle_memory_free(struct hy_idle_memory *memory);

#endif
