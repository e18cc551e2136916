#ifndef HY_SERVICE_CLIENT_BURST_H
#define HY_SERVICE_CLIENT_BURST_H

#include "halyard/driver.h"

#include <stdint.h>

struct hy_connection;

/* The burst group of struct hy_device, over queues in shared memory. Every service has it: where
 * the driver has no bursts of its own, its executions come through the queues all the same. */
void hy_service_fill_bursts(struct hy_device *table);

/* The process is gone: nobody waits for it any more. With the connection's lock held. */
void hy_service_bursts_note_death(struct hy_connection *connection);

/* In a child of fork(), with the connection's lock held: what was opened before is the parent's. */
void hy_service_bursts_disown(struct hy_connection *connection);

#endif
