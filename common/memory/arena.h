#ifndef HY_COMMON_MEMORY_ARENA_H
#define HY_COMMON_MEMORY_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* A quota for the blocks of an arena. `reserve` returns false if the bytes exceed the quota;
 * `release` returns a reservation. */
struct hy_arena_quota {
    bool (*reserve)(const void *context, size_t bytes, void **ret_reservation);
    void (*release)(const void *context, void *reservation);
};

/*
 * An arena: memory allocated in pieces and freed as a whole. A zeroed struct is an empty arena.
 * Pieces never move. Not thread-safe.
 */
struct hy_arena {
    struct hy_arena_block *newest;
    const struct hy_arena_quota *quota; /* NULL: no quota; set while the arena is empty */
    const void *context;                /* of the quota */
};

/* Allocates `size` uninitialized bytes, aligned for any type. NULL: out of memory, or quota
 * exceeded. */
void *hy_arena_alloc(struct hy_arena *arena, size_t size);

/* Copies `count` elements of `size` bytes. NULL: out of memory, or overflow of the product. A count
 * of 0 returns a valid pointer, and `source` may be NULL. */
void *hy_arena_copy(struct hy_arena *arena, const void *source, size_t count, size_t size);

/* Frees all pieces but keeps the newest block, unless a single piece has made the block large.
 * Repeated work of a similar size soon allocates nothing. */
void hy_arena_reset(struct hy_arena *arena);

/* Frees all memory. The arena is empty afterwards and keeps its quota. */
void hy_arena_finish(struct hy_arena *arena);

#endif
