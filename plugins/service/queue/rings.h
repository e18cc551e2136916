#ifndef HY_PLUGINS_SERVICE_QUEUE_RINGS_H
#define HY_PLUGINS_SERVICE_QUEUE_RINGS_H

#include "plugins/service/queue/ring.h"

/* The mapped memory of a burst: the ring of requests, followed by the ring of results. */
struct hy_rings {
    void *address;
    uint64_t bytes;
    struct hy_ring requests;
    struct hy_ring results;
};

/*
 * Creates two empty rings of `capacity` elements each in a new memfd of fixed size. The caller owns
 * `*fd`. Errors: FAILED (an OS call), EXHAUSTED, OUT_OF_MEMORY, UNMAPPABLE.
 */
HY_MUST_CHECK enum hy_code hy_rings_create(uint32_t capacity, struct hy_rings *rings, int *fd,
                                           struct hy_error *err);

/* Maps the rings in a memfd from the peer. `fd` stays owned by the caller. Errors: BAD_DATA,
 * UNMAPPABLE. */
HY_MUST_CHECK enum hy_code hy_rings_open(int fd, struct hy_rings *rings, struct hy_error *err);

/* Unmaps the rings. Accepts a zeroed struct. */
void hy_rings_close(struct hy_rings *rings);

/* Wakes all threads that sleep on the rings, readers and writers. */
void hy_rings_interrupt(struct hy_rings *rings);

#endif
