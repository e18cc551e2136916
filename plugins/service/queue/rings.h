#ifndef HY_PLUGINS_SERVICE_QUEUE_RINGS_H
#define HY_PLUGINS_SERVICE_QUEUE_RINGS_H

#include "plugins/service/queue/ring.h"

/* The memory of a burst, mapped: the ring of requests, and the ring of results behind it. */
struct hy_rings {
    void *address;
    uint64_t bytes;
    struct hy_ring requests;
    struct hy_ring results;
};

/*
 * Makes two empty rings of `capacity` elements in a new memfd, which nobody can resize. `*fd` is
 * the caller's. Errors: FAILED (an OS call), UNMAPPABLE.
 */
HY_MUST_CHECK enum hy_code hy_rings_create(uint32_t capacity, struct hy_rings *rings, int *fd,
                                           struct hy_error *err);

/* The rings in a memfd that came from the peer. Errors: BAD_DATA, UNMAPPABLE. */
HY_MUST_CHECK enum hy_code hy_rings_open(int fd, struct hy_rings *rings, struct hy_error *err);

/* Takes zeroed rings, too. */
void hy_rings_close(struct hy_rings *rings);

/* Wakes whoever sleeps over the rings on this side, a reader or a writer. */
void hy_rings_interrupt(struct hy_rings *rings);

#endif
