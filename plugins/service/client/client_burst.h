#ifndef HY_SERVICE_CLIENT_BURST_H
#define HY_SERVICE_CLIENT_BURST_H

#include "halyard/driver.h"

/* Fills the burst functions of struct hy_device. Bursts use queues in shared memory. Every service
 * has bursts: executions go through the queues even if the driver itself has no burst functions. */
void hy_service_fill_bursts(struct hy_device *table);

#endif
