#include "libhalyard/graph/sparsity.h"

#include <string.h>

#include "libhalyard/graph/graph.h"

/* One walk over the tree, level by level. */
struct walk {
    const struct hy_sparsity *sparsity;
    uint32_t rank;
    const int32_t *extents;
    int64_t block[HY_GRAPH_MAX_RANK]; /* extent of a block; 1 where the dimension is not cut */
    int64_t at[HY_GRAPH_MAX_RANK];    /* the current index in each dimension */
    const char *stored;
    uint64_t left;
    size_t size;
    char *dense;
};

static bool store(struct walk *walk)
{
    uint64_t index = 0;

    if (walk->left == 0)
        return false;
    for (uint32_t i = 0; i < walk->rank; i++) {
        if (walk->at[i] < 0 || walk->at[i] >= walk->extents[i])
            return false;
        index = index * (uint64_t)walk->extents[i] + (uint64_t)walk->at[i];
    }
    memcpy(walk->dense + index * walk->size, walk->stored, walk->size);
    walk->stored += walk->size;
    walk->left--;
    return true;
}

static bool walk_level(struct walk *walk, uint32_t depth, uint64_t parent);

/* One index of a level, and all levels below. `number` is the running number of the index in the
 * level. */
static bool walk_index(struct walk *walk, uint32_t depth, int64_t position, uint64_t number)
{
    const struct hy_sparse_level *level = &walk->sparsity->levels[depth];
    const int64_t step = level->is_block ? 1 : walk->block[level->dimension];

    if (position < 0 || position > INT32_MAX)
        return false;
    walk->at[level->dimension] += position * step;
    const bool fits = walk_level(walk, depth + 1, number);
    walk->at[level->dimension] -= position * step;
    return fits;
}

/* Depth is bounded by HY_SPARSE_MAX_LEVELS. */
static bool walk_level(struct walk *walk, uint32_t depth, uint64_t parent)
{
    if (depth == walk->sparsity->level_count)
        return store(walk);
    const struct hy_sparse_level *level = &walk->sparsity->levels[depth];
    if (!level->is_sparse) {
        for (uint32_t i = 0; i < level->extent; i++) {
            if (!walk_index(walk, depth, i, parent * level->extent + i))
                return false;
        }
        return true;
    }
    if (parent + 1 >= level->segment_count)
        return false;
    const int32_t first = level->segments[parent], end = level->segments[parent + 1];
    if (first < 0 || end < first || (uint32_t)end > level->index_count)
        return false;
    for (int32_t i = first; i < end; i++) {
        if (!walk_index(walk, depth, level->level_indices[i], (uint64_t)i))
            return false;
    }
    return true;
}

bool hy_sparsity_expand(const struct hy_sparsity *sparsity, uint32_t rank, const int32_t *extents,
                        const void *stored, uint64_t count, size_t size, void *dense)
{
    struct walk walk = {.sparsity = sparsity,
                        .rank = rank,
                        .extents = extents,
                        .stored = stored,
                        .left = count,
                        .size = size,
                        .dense = dense};

    if (sparsity->level_count > HY_SPARSE_MAX_LEVELS)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        walk.block[i] = 1;
    for (uint32_t i = 0; i < sparsity->level_count; i++) {
        const struct hy_sparse_level *level = &sparsity->levels[i];
        if (level->dimension >= rank)
            return false;
        if (level->is_block)
            walk.block[level->dimension] = level->extent;
    }
    return walk_level(&walk, 0, 0) && walk.left == 0;
}
