#ifndef HY_PLUGINS_SERVICE_QUEUE_RAW_H
#define HY_PLUGINS_SERVICE_QUEUE_RAW_H

#include "plugins/service/queue/listener.h"
#include "plugins/service/queue/rings.h"

/* The rings as a driver sees them that serves its burst itself: hy_device.burst_serve. */
struct hy_raw_queues {
    struct hy_rings *rings;
    const struct hy_queue_work *work;
    struct hy_waiter *waiter;
    int32_t peer_fd;
    const uint32_t *cancelled;
};

/* `raw` outlives the queues. */
void hy_raw_queues_describe(struct hy_raw_queues *raw, struct hy_burst_queues *queues);

/* After the driver has ended: goes on where it stopped writing results. */
void hy_raw_queues_resume(struct hy_raw_queues *raw);

#endif
