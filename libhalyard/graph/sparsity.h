#ifndef HY_LIBHALYARD_GRAPH_SPARSITY_H
#define HY_LIBHALYARD_GRAPH_SPARSITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The sparse form of a constant: the levels of a tree, whose leaves are stored in the order of the
 * levels. A level is a dimension of the tensor, or a dimension of the blocks of a tensor in blocks.
 * A dense level has all its indices. A sparse level lists the existing indices for each index i of
 * the level above: `places` from segments[i] to segments[i + 1].
 */
struct hy_sparse_level {
    bool is_sparse;
    uint32_t dimension; /* of the tensor */
    bool is_block;      /* the dimension is a dimension within blocks */
    /* of a dense level: the number of indices; of a dimension within blocks: the extent of a
     * block */
    uint32_t extent;
    uint32_t segment_count, index_count;
    const int32_t *segments;
    const int32_t *level_indices;
};

enum { HY_SPARSE_MAX_LEVELS = 16 };

struct hy_sparsity {
    uint32_t level_count;
    const struct hy_sparse_level *levels;
};

/* Copies `count` stored elements of `size` bytes to their positions in a zeroed dense tensor. False
 * if levels, shape and count contradict each other. */
bool hy_sparsity_expand(const struct hy_sparsity *sparsity, uint32_t rank, const int32_t *extents,
                        const void *stored, uint64_t count, size_t size, void *dense);

#endif
