#ifndef HY_COMMON_MEMORY_ARENA_H
#define HY_COMMON_MEMORY_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Who is asked before an arena allocates a block. `reserve` gives false when the bytes are more
 * than the arena may have; `release` gives back what `reserve` has granted. */
struct hy_arena_quota {
    bool (*reserve)(const void *context, size_t bytes, void **ret_reservation);
    void (*release)(const void *context, void *reservation);
};

/*
 * Memory that is given out piece by piece and given back as a whole. All zero bytes is an empty
 * arena. Pieces never move. One thread at a time.
 */
struct hy_arena {
    struct hy_arena_block *newest;
    const struct hy_arena_quota *quota; /* NULL: nobody is asked; set while the arena is empty */
    const void *context;                /* of the quota */
};

/* `size` bytes, aligned for any type and not initialised. NULL when memory has run out, or the
 * quota has. */
void *hy_arena_alloc(struct hy_arena *arena, size_t size);

/* A copy of `count` elements of `size` bytes each. NULL when memory has run out or the product does
 * not fit. With a count of 0 the copy is a place to point to, and `source` may be NULL. */
void *hy_arena_copy(struct hy_arena *arena, const void *source, size_t count, size_t size);

/* Takes all pieces back and keeps the newest block, unless a single piece has made it large: work
 * of about the same size, done again and again, soon allocates nothing. */
void hy_arena_reset(struct hy_arena *arena);

/* Gives everything back; the arena is empty afterwards, and keeps its quota. */
void hy_arena_finish(struct hy_arena *arena);

#endif
