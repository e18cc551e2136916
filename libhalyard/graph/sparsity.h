#ifndef HY_LIBHALYARD_GRAPH_SPARSITY_H
#define HY_LIBHALYARD_GRAPH_SPARSITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The sparse form of a constant: levels of a tree, in the order of which its leaves are stored. A
 * level is a dimension of the tensor, or, where the tensor is cut into blocks, a dimension of the
 * blocks. A dense level has all its places; a sparse level lists them for each place of the level
 * above: those from segments[i] to segments[i + 1] in `places`.
 */
struct hy_sparse_level {
    bool is_sparse;
    uint32_t dimension; /* of the tensor */
    bool is_block;      /* a dimension within blocks */
    uint32_t extent;    /* of places, where the level is dense; of a block in any case */
    uint32_t segment_count, place_count;
    const int32_t *segments;
    const int32_t *places;
};

enum { HY_SPARSE_MAX_LEVELS = 16 };

struct hy_sparsity {
    uint32_t level_count;
    const struct hy_sparse_level *levels;
};

/* Spreads `count` stored elements of `size` bytes over the zeroed elements of a dense tensor. False
 * where levels, shape and count do not fit each other. */
bool hy_sparsity_expand(const struct hy_sparsity *sparsity, uint32_t rank, const int32_t *extents,
                        const void *stored, uint64_t count, size_t size, void *dense);

#endif
