#ifndef HY_SERVICE_WIRE_BURSTS_H
#define HY_SERVICE_WIRE_BURSTS_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/*
 * Bursts. BURST_OPEN (object = the prepared model) makes the channel that it comes over the burst's
 * own; executions then go through the rings. BURST_CLOSE ends serving, and is answered when the
 * driver's burst is closed.
 */

/* BURST_OPEN is a descriptor: the memfd with both rings. */

/* BURST_ANNOUNCE: packets may name the pool by this slot from now on. */
struct hy_burst_slot {
    int32_t slot; /* not negative */
    struct hy_pool pool;
};

HY_STRUCT(burst_slot);

/* BURST_FREE: the slot names nothing any more; it is the header's object. No body. */

#endif
