#ifndef HY_CPU_FALLBACK_OPS_CONV_CONV_CHUNK_QUEUE_H
#define HY_CPU_FALLBACK_OPS_CONV_CONV_CHUNK_QUEUE_H

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
struct hy_conv_chunk_queue {
    uint32_t tasks;
    bool is_by_pixels;
    size_t units, tiles; /* in all blocks; in one block */
    size_t least;        /* least units per piece */
};

/* The progress of a part, in its own cache line, because several threads write to it. */
struct hy_conv_chunk_cursor {
    alignas(64) atomic_size_t next; /* claimed units of the part */
};

/* Resets the queues before the tasks start. `turn` has an element per task. */
void hy_conv_chunk_queue_start(const struct hy_conv_chunk_queue *chunk_queue,
                               struct hy_conv_chunk_cursor *cursor);

/* Claims the next units [*first, *end) for `task`; by pixels, all in the same block. False: all
 * units are claimed. */
bool hy_conv_chunk_queue_pop(const struct hy_conv_chunk_queue *chunk_queue,
                             struct hy_conv_chunk_cursor *cursor, uint32_t task, size_t *first,
                             size_t *end);

#endif
