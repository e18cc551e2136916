#ifndef HY_RUNTIME_PLAN_ALLOC_H
#define HY_RUNTIME_PLAN_ALLOC_H

#include "common/checked.h"
#include "common/memory/arena.h"

#include <string.h>

/* Allocates `count` zeroed items of `size` bytes in the arena; not NULL for a count of 0. NULL: out
 * of memory. */
static inline void *hy_plan_alloc(struct hy_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!hy_mul_size(count, size, &bytes))
        return NULL;

    void *items = hy_arena_alloc(arena, bytes);
    if (items)
        memset(items, 0, bytes);
    return items;
}

/* Copies a text to the arena. NULL: out of memory. */
static inline char *hy_plan_strdup(struct hy_arena *arena, const char *text)
{
    return hy_arena_copy(arena, text, strlen(text) + 1, 1);
}

#endif
