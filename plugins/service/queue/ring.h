#ifndef HY_PLUGINS_SERVICE_QUEUE_RING_H
#define HY_PLUGINS_SERVICE_QUEUE_RING_H

#include "common/error.h"
#include "plugins/service/queue/layout.h"
#include "plugins/service/queue/wait.h"

/*
 * One side of a ring: a queue of elements in memory shared with an untrusted peer. A ring has one
 * writer and one reader. Each side keeps its own count in private memory and checks the count of
 * the other side. A count of more elements than the capacity means a broken peer, and the ring is
 * broken from then on. An element is copied out of the shared memory once.
 */
struct hy_ring {
    struct hy_ring_header *header;
    _Atomic uint64_t *words; /* three per element */
    uint32_t capacity;
    uint32_t own;   /* elements ever written or read by this side, modulo 2^32 */
    uint32_t other; /* the same of the other side, as last seen */
};

enum hy_ring_state {
    HY_RING_DONE,
    HY_RING_WAIT, /* no free space, or no elements */
    HY_RING_BROKEN,
};

/* Bytes of a ring; a multiple of 64. */
uint64_t hy_ring_bytes(uint32_t capacity);

/* Initializes an empty ring in zeroed memory. */
void hy_ring_format(void *memory, uint32_t capacity);

/* Attaches either side to a ring in `bytes` bytes of memory. Error: BAD_DATA (no valid ring). */
HY_MUST_CHECK enum hy_code hy_ring_attach(void *memory, uint64_t bytes, struct hy_ring *ring,
                                          struct hy_error *err);

/* Writer: checks for space for `count` <= capacity elements. WAIT: not enough space now. */
enum hy_ring_state hy_ring_space(struct hy_ring *ring, uint32_t count);

/* Writer: writes `count` <= capacity elements as a unit, and wakes the reader if the reader sleeps.
 * WAIT: not enough space, and no element was written. */
enum hy_ring_state hy_ring_write(struct hy_ring *ring, const union hy_element *elements,
                                 uint32_t count);

/* The condition that the writer waits for after WAIT. */
struct hy_wait_point hy_ring_space_point(const struct hy_ring *ring);

/* Reader: gives the number of elements in the ring. WAIT: none. */
enum hy_ring_state hy_ring_fill(struct hy_ring *ring, uint32_t *fill);

/* The condition that the reader waits for after WAIT. */
struct hy_wait_point hy_ring_fill_point(const struct hy_ring *ring);

/* Reader: copies the next `count` elements out, at most the number that hy_ring_fill gave, minus
 * elements read or skipped since. */
void hy_ring_pop(struct hy_ring *ring, union hy_element *elements, uint32_t count);

/* Reader: skips the next `count` elements. */
void hy_ring_skip(struct hy_ring *ring, uint32_t count);

/* Reader: frees the space of all elements read or skipped, and wakes the writer if the writer
 * sleeps. */
void hy_ring_give_back(struct hy_ring *ring);

#endif
