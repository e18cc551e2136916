#ifndef HY_COMMON_MEMORY_FREE_BLOCKS_H
#define HY_COMMON_MEMORY_FREE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The free parts of an address range that grows as needed: a balanced tree by address, so that
 * every call takes time logarithmic in the number of parts.
 */
struct hy_free_block {
    size_t begin, end;
    size_t largest; /* size in the subtree */
    uint32_t priority;
    struct hy_free_block *left, *right;
};

struct hy_free_blocks {
    struct hy_free_block *root;
    struct hy_free_block *unused; /* the next of an array of the caller's */
    uint32_t made;
    size_t limit;    /* of the range */
    uint64_t visits; /* of tree nodes: the work that was done */
};

/* A free range of `limit` bytes. `memory` is for one block more than parts will be given back. */
void hy_free_blocks_init(struct hy_free_blocks *blocks, struct hy_free_block *memory, size_t limit);

/* Takes `size` bytes, 1 or more: from the lowest block that has them, or the upper end of the
 * highest; past the limit where none has. The answer is the address. */
size_t hy_free_blocks_take(struct hy_free_blocks *blocks, size_t size, bool from_top);

/* Gives back what was taken. */
void hy_free_blocks_give(struct hy_free_blocks *blocks, size_t begin, size_t size);

#endif
