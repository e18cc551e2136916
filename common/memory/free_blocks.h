#ifndef HY_COMMON_MEMORY_FREE_BLOCKS_H
#define HY_COMMON_MEMORY_FREE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The free blocks of a growing address range: a balanced tree ordered by address. Every call takes
 * logarithmic time in the number of blocks.
 */
struct hy_free_block {
    size_t begin, end;
    size_t largest; /* largest size in the subtree */
    uint32_t priority;
    struct hy_free_block *left, *right;
};

struct hy_free_blocks {
    struct hy_free_block *root;
    struct hy_free_block *unused; /* next unused element of the caller's array */
    uint32_t made;
    size_t limit;    /* of the range */
    uint64_t visits; /* visited tree nodes, to measure the work */
};

/* Initializes a free range of `limit` bytes. `memory` needs one element more than the number of
 * blocks given back. */
void hy_free_blocks_init(struct hy_free_blocks *blocks, struct hy_free_block *memory, size_t limit);

/* Allocates `size` >= 1 bytes from the lowest sufficient block, or from the upper end of the
 * highest sufficient block; beyond the limit without a sufficient block. Returns the address. */
size_t hy_free_blocks_alloc(struct hy_free_blocks *blocks, size_t size, bool from_top);

/* Frees an allocation. */
void hy_free_blocks_give(struct hy_free_blocks *blocks, size_t begin, size_t size);

#endif
