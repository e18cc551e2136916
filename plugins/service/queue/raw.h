#ifndef HY_PLUGINS_SERVICE_QUEUE_RAW_H
#define HY_PLUGINS_SERVICE_QUEUE_RAW_H

#include "plugins/service/queue/listener.h"
#include "plugins/service/queue/rings.h"

/* The rings and callbacks of a burst, in the form for hy_device.burst_serve. */
struct hy_raw_queues {
    struct hy_rings *rings;
    const struct hy_queue_work *work;
    struct hy_waiter *waiter;
    int32_t peer_fd;
    const uint32_t *cancelled;
};

/* Fills `queues` for the driver. `raw` must outlive `queues`. */
void hy_raw_queues_describe(struct hy_raw_queues *raw, struct hy_burst_queues *queues);

/* Continues behind the last result of the driver. Called after the driver has returned. */
void hy_raw_queues_resume(struct hy_raw_queues *raw);

#endif
