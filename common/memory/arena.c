#include "arena.h"

#include "common/checked.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* Small blocks grow by a quarter: a small arena leaves at most a fifth of its memory unused. Larger
 * blocks double: a model needs few blocks. The largest size is one that the C library keeps after
 * free(), for the next model. A larger piece gets a separate block, outside of the growth. */
#define SMALLEST_BLOCK ((size_t)1024)
#define SMALL_BLOCK    ((size_t)16 << 10)
#define LARGEST_BLOCK  ((size_t)1 << 20)

#define ALIGNMENT alignof(max_align_t) /* a power of two */

struct hy_arena_block {
    struct hy_arena_block *older;
    size_t used; /* in `bytes` */
    size_t size; /* of `bytes` */
    size_t next; /* size of the next block */
    void *reservation;
    alignas(max_align_t) unsigned char bytes[];
};

/* The default size of the next block. */
static size_t next_size(const struct hy_arena *arena)
{
    return arena->newest ? arena->newest->next : SMALLEST_BLOCK;
}

static size_t size_after(size_t size)
{
    if (size < SMALL_BLOCK)
        return size + size / 4;
    return size < LARGEST_BLOCK / 2 ? 2 * size : LARGEST_BLOCK;
}

static bool reserve(const struct hy_arena *arena, size_t size, void **ret_reservation)
{
    size_t whole;

    return hy_add_size(sizeof(struct hy_arena_block), size, &whole) &&
           (!arena->quota || arena->quota->reserve(arena->context, whole, ret_reservation));
}

/* If the quota refuses the default size, tries the needed size. */
static struct hy_arena_block *add_block(struct hy_arena *arena, size_t needed)
{
    void *reservation = NULL;
    const size_t usual = next_size(arena);
    size_t size = needed > usual ? needed : usual;

    if (!reserve(arena, size, &reservation)) {
        size = needed;
        if (!reserve(arena, size, &reservation))
            return NULL;
    }
    struct hy_arena_block *block = malloc(sizeof *block + size);
    if (!block) {
        if (arena->quota)
            arena->quota->release(arena->context, reservation);
        return NULL;
    }
    *block = (struct hy_arena_block){.older = arena->newest,
                                     .size = size,
                                     .next = size_after(usual),
                                     .reservation = reservation};
    arena->newest = block;
    return block;
}

void *hy_arena_alloc(struct hy_arena *arena, size_t size)
{
    struct hy_arena_block *block = arena->newest;
    const size_t rounded = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);

    if (rounded < size)
        return NULL;
    if (!block || rounded > block->size - block->used) {
        block = add_block(arena, rounded);
        if (!block)
            return NULL;
    }
    void *piece = block->bytes + block->used;
    block->used += rounded;
    return piece;
}

void *hy_arena_copy(struct hy_arena *arena, const void *source, size_t count, size_t size)
{
    size_t bytes;
    if (!hy_mul_size(count, size, &bytes))
        return NULL;

    void *copy = hy_arena_alloc(arena, bytes);
    if (copy && bytes > 0)
        memcpy(copy, source, bytes);
    return copy;
}

static void free_blocks(const struct hy_arena *arena, struct hy_arena_block *newest)
{
    while (newest) {
        struct hy_arena_block *block = newest;
        void *reservation = block->reservation;
        newest = block->older;
        free(block);
        if (arena->quota)
            arena->quota->release(arena->context, reservation);
    }
}

void hy_arena_reset(struct hy_arena *arena)
{
    if (!arena->newest)
        return;
    if (arena->newest->size > LARGEST_BLOCK) {
        hy_arena_finish(arena);
        return;
    }
    free_blocks(arena, arena->newest->older);
    arena->newest->older = NULL;
    arena->newest->used = 0;
}

void hy_arena_finish(struct hy_arena *arena)
{
    free_blocks(arena, arena->newest);
    arena->newest = NULL;
}
