#ifndef HY_SERVICE_CLIENT_BURST_H
#define HY_SERVICE_CLIENT_BURST_H

#include "halyard/driver.h"

/* The burst group of struct hy_device, over queues in shared memory. Every service has it: where
 * the driver has no bursts of its own, its executions come through the queues all the same. */
void hy_service_fill_bursts(struct hy_device *table);

#endif
