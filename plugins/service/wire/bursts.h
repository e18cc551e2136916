#ifndef HY_SERVICE_WIRE_BURSTS_H
#define HY_SERVICE_WIRE_BURSTS_H

#include "halyard/driver.h"
#include "plugins/service/wire/pack.h"

/*
 * Bursts. BURST_OPEN (object = the prepared model) makes the channel that it comes over the burst's
 * own; executions then go through the rings. BURST_CLOSE ends serving, and is answered when the
 * driver's burst is closed.
 */

/* The memfd with both rings. */
void hy_burst_rings_pack(struct hy_pack *out, int fd);

/* The descriptor stays the frame's. */
void hy_burst_rings_unpack(struct hy_unpack *in, int *fd);

/* BURST_ANNOUNCE: packets may name the pool by this slot from now on. */
void hy_burst_slot_pack(struct hy_pack *out, int32_t slot, const struct hy_pool *pool);
void hy_burst_slot_unpack(struct hy_unpack *in, int32_t *slot, struct hy_pool *pool);

/* BURST_FREE: the slot names nothing any more; it is the header's object. No body. */

#endif
