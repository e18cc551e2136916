#ifndef HY_COMMON_MEMORY_PLACEMENT_H
#define HY_COMMON_MEMORY_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/memory/arena.h"

/* Of every span's size and place. */
#define HY_PLACEMENT_ALIGNMENT 64u

/* A tensor, or another piece of memory, that needs `size` bytes from step `first` to step `last`,
 * both included. */
struct hy_span {
    size_t size; /* becomes a multiple of HY_PLACEMENT_ALIGNMENT */
    uint32_t first, last;
    size_t offset; /* answer: the same */
};

struct hy_placement {
    size_t total;  /* bytes of the block that holds all spans */
    size_t least;  /* what lives at the busiest step: no placement takes less */
    uint64_t work; /* steps that it took to find, whatever the machine */
};

/*
 * Gives each span its place in one block, such that no two that live at the same step overlap.
 * Steps are counted from 0 and take memory, so they must be few. The work grows as count *
 * log(count); a few hundred spans may also be compared with each other. A chain, where each span
 * overlaps only its neighbours, takes no more than the least; branches may leave gaps. The search
 * works in the arena, and leaves there what it needed. HY_OUT_OF_MEMORY, also when the sum of sizes
 * does not fit.
 */
HY_MUST_CHECK enum hy_code hy_place(struct hy_arena *memory, struct hy_span *spans, uint32_t count,
                                    struct hy_placement *placement, struct hy_error *err);

#endif
