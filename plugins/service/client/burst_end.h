#ifndef HY_SERVICE_BURST_END_H
#define HY_SERVICE_BURST_END_H

#include "plugins/service/client/prepared.h"
#include "plugins/service/queue/burst.h"

/*
 * The end of bursts in a process: the queues, a channel of their own for notices, and behind them
 * the driver's burst. It goes with its process.
 */
struct hy_burst_end {
    const struct hy_service *service;
    struct hy_connection *connection; /* retained */
    struct hy_channel *channel;
    struct hy_queue_burst *queue;
    uint32_t users; /* bursts; under the connection's lock */
};

/*
 * Opens one by the deadline, for the prepared model that has this id there, for `depth` requests at
 * once and with one user. RESOURCE_EXHAUSTED_TRANSIENT: too many are open. The words of a failure
 * in `err`.
 */
int32_t hy_burst_end_open(const struct hy_service *service, struct hy_connection *connection,
                          uint64_t id, uint32_t depth, int64_t deadline, struct hy_burst_end **ret,
                          struct hy_error *err);

/* When nobody uses it any more. */
void hy_burst_end_close(struct hy_burst_end *end);

#endif
