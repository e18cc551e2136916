#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_TURNS_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_TURNS_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How the tasks of a convolution come by its units. Each has a part of its own, which it takes in
 * pieces that get smaller; when that is done it takes pieces of the others' parts, so that nobody
 * waits for a thread that came late, or that the system has taken from its processor, for longer
 * than a piece takes. A part of one piece is left to whoever runs its task.
 *
 * A part is some of the tiles of every block, in the order of blocks: a thread finds what it
 * computed in the operation before in its own cache, and reads all weights. Or, not by pixels, it
 * is some of the units in their order, so that each has some of the weights.
 */
struct hy_conv_turns {
    uint32_t tasks;
    bool is_by_pixels;
    size_t units, tiles; /* of all blocks, of one */
    size_t least;        /* units of a piece: what less is not worth */
};

/* What is left of a task's part: a line of the cache, as other threads write to it. */
struct hy_conv_turn {
    alignas(64) atomic_size_t next; /* units of the part that are taken */
};

/* Before the tasks start: `turn` has one for each. */
void hy_conv_turns_start(const struct hy_conv_turns *turns, struct hy_conv_turn *turn);

/* The next units for `task`, [*first, *end), of one block where parts are by pixels; false when all
 * are taken. */
bool hy_conv_turns_take(const struct hy_conv_turns *turns, struct hy_conv_turn *turn, uint32_t task,
                        size_t *first, size_t *end);

#endif
