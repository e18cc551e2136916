#include "driver_kit/idle_memory.h"

#include "driver_kit/quota_memory.h"

void *hy_idle_memory_pop(struct hy_idle_memory *memory)
{
    for (unsigned i = 0; i < HY_IDLE_MEMORY_SLOTS; i++) {
        void *piece = atomic_exchange(&memory->slots[i], NULL);
        if (piece)
            return piece;
    }
    return NULL;
}

void hy_idle_memory_push(struct hy_idle_memory *memory, void *piece)
{
    for (unsigned i = 0; i < HY_IDLE_MEMORY_SLOTS; i++) {
        void *empty = NULL;
        if (atomic_compare_exchange_strong(&memory->slots[i], &empty, piece))
            return;
    }
    hy_quota_free(piece);
}

void hy_idle_memory_free(struct hy_idle_memory *memory)
{
    void *piece;
    while ((piece = hy_idle_memory_pop(memory)))
        hy_quota_free(piece);
}
