#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_TURNS_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_TURNS_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Work-stealing queues of the tasks of a convolution. Each task has its own part of the units, and
 * claims it in pieces of decreasing size. A task without work left claims pieces of other parts, so
 * a late or preempted thread delays the others by one piece at most. A part of a single piece is
 * left to the thread that runs its task.
 *
 * By pixels, a part is some of the tiles of every block, in the order of blocks: a thread finds the
 * output of the previous operation in its own cache, and reads all weights. Otherwise a part is a
 * range of units in their order, so that a thread reads only a part of the weights.
 */
struct hy_conv_turns {
    uint32_t tasks;
    bool is_by_pixels;
    size_t units, tiles; /* in all blocks; in one block */
    size_t least;        /* least units per piece */
};

/* The progress of a part, in its own cache line, because several threads write to it. */
struct hy_conv_turn {
    alignas(64) atomic_size_t next; /* claimed units of the part */
};

/* Resets the queues before the tasks start. `turn` has an element per task. */
void hy_conv_turns_start(const struct hy_conv_turns *turns, struct hy_conv_turn *turn);

/* Claims the next units [*first, *end) for `task`; by pixels, all in the same block. False: all
 * units are claimed. */
bool hy_conv_turns_take(const struct hy_conv_turns *turns, struct hy_conv_turn *turn, uint32_t task,
                        size_t *first, size_t *end);

#endif
