#ifndef HY_PLUGINS_SERVICE_QUEUE_RING_H
#define HY_PLUGINS_SERVICE_QUEUE_RING_H

#include "common/error.h"
#include "plugins/service/queue/layout.h"
#include "plugins/service/queue/wait.h"

/*
 * One side of a ring: a queue of elements in memory that is shared with a peer who is not trusted.
 * One writer, one reader. Each side keeps its own count in private memory, and checks what it sees
 * of the other's: more elements than there are places means that the peer is broken, and so is the
 * ring from then on. An element is copied out of the shared memory once.
 */
struct hy_ring {
    struct hy_ring_header *header;
    _Atomic uint64_t *words; /* three per element */
    uint32_t capacity;
    uint32_t own;   /* elements ever written, or read, by this side */
    uint32_t other; /* by the other side, as last seen */
};

enum hy_ring_state {
    HY_RING_DONE,
    HY_RING_WAIT, /* no room, or nothing there */
    HY_RING_BROKEN,
};

/* Bytes of a ring; a multiple of 64. */
uint64_t hy_ring_bytes(uint32_t capacity);

/* Makes an empty ring in zeroed memory. */
void hy_ring_format(void *memory, uint32_t capacity);

/* Either side of a ring in `bytes` of memory. BAD_DATA: there is none in it. */
HY_MUST_CHECK enum hy_code hy_ring_attach(void *memory, uint64_t bytes, struct hy_ring *ring,
                                          struct hy_error *err);

/* The writer: whether there is room for `count` <= capacity elements; WAIT: not now. */
enum hy_ring_state hy_ring_room(struct hy_ring *ring, uint32_t count);

/* The writer: puts `count` <= capacity elements in as one, and wakes the reader if it sleeps. WAIT:
 * there is no room, nothing was written. */
enum hy_ring_state hy_ring_write(struct hy_ring *ring, const union hy_element *elements,
                                 uint32_t count);

/* What the writer waits for after WAIT. */
struct hy_wait_point hy_ring_room_point(const struct hy_ring *ring);

/* The reader: how many elements there are; WAIT: none. */
enum hy_ring_state hy_ring_fill(struct hy_ring *ring, uint32_t *fill);

/* What the reader waits for after WAIT. */
struct hy_wait_point hy_ring_fill_point(const struct hy_ring *ring);

/* Copies the next `count` elements out, no more than hy_ring_fill has told and none has taken. */
void hy_ring_take(struct hy_ring *ring, union hy_element *elements, uint32_t count);

/* Leaves out the next `count` elements. */
void hy_ring_skip(struct hy_ring *ring, uint32_t count);

/* Gives the places of what has been taken back to the writer, and wakes it if it sleeps. */
void hy_ring_give_back(struct hy_ring *ring);

#endif
