/*
 * Working memory of executions, kept for the next one: an execution takes a piece, or makes one
 * where none is idle, and gives the piece back. Pieces are quota memory
 * (driver_kit/quota_memory.h). Any number of threads at once; nothing allocates, locks or waits.
 */
#ifndef HY_DRIVER_KIT_IDLE_MEMORY_H
#define HY_DRIVER_KIT_IDLE_MEMORY_H

#include <stdatomic.h>

#define HY_IDLE_MEMORY_SLOTS 16u

/* All zero bytes: nothing is idle. */
struct hy_idle_memory {
    _Atomic(void *) slots[HY_IDLE_MEMORY_SLOTS];
};

/* An idle piece, the caller's until hy_idle_memory_give. NULL: no piece is idle. */
void *hy_idle_memory_take(struct hy_idle_memory *memory);

/* Keeps the piece, or frees it where all slots are in use. */
void hy_idle_memory_give(struct hy_idle_memory *memory, void *piece);

/* Frees what is idle. */
void hy_idle_memory_free(struct hy_idle_memory *memory);

#endif
