#include "arena.h"

#include "checked.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* Large enough that a model's many small lists share blocks, small enough that a tiny model wastes
 * little. */
#define BLOCK_SIZE ((size_t)4096)

struct hy_arena_block {
    struct hy_arena_block *older;
    size_t used; /* of bytes */
    size_t size; /* of bytes */
    alignas(max_align_t) unsigned char bytes[];
};

static struct hy_arena_block *add_block(struct hy_arena *arena, size_t size)
{
    size_t whole;
    if (!hy_add_size(sizeof(struct hy_arena_block), size, &whole))
        return NULL;

    struct hy_arena_block *block = malloc(whole);
    if (!block)
        return NULL;
    *block = (struct hy_arena_block){.older = arena->newest, .size = size};
    arena->newest = block;
    return block;
}

void *hy_arena_alloc(struct hy_arena *arena, size_t size)
{
    struct hy_arena_block *block = arena->newest;
    size_t rounded;

    if (!hy_round_up_size(size, alignof(max_align_t), &rounded))
        return NULL;
    if (!block || rounded > block->size - block->used) {
        block = add_block(arena, rounded > BLOCK_SIZE ? rounded : BLOCK_SIZE);
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

void hy_arena_finish(struct hy_arena *arena)
{
    while (arena->newest) {
        struct hy_arena_block *block = arena->newest;
        arena->newest = block->older;
        free(block);
    }
}
