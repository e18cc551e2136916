#ifndef HY_SERVICE_WIRE_BURSTS_H
#define HY_SERVICE_WIRE_BURSTS_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/*
 * Bursts. BURST_OPEN (object = the prepared model) dedicates its channel to the burst; executions
 * then use the rings. BURST_CLOSE ends the serving; the reply follows after the driver's burst is
 * closed.
 */

/* The body of BURST_OPEN is a descriptor: the memfd with both rings. */

/* BURST_ANNOUNCE: from now on packets may name the pool by the given slot. */
struct hy_burst_slot {
    int32_t slot; /* not negative */
    struct hy_pool pool;
};

HY_STRUCT(burst_slot);

/* BURST_FREE has no body: the slot in the header's object is free again. */

#endif
