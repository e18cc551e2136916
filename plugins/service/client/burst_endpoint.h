#ifndef HY_SERVICE_BURST_ENDPOINT_H
#define HY_SERVICE_BURST_ENDPOINT_H

#include "plugins/service/client/client_prepared.h"
#include "plugins/service/queue/queue_burst.h"

/*
 * The endpoint of bursts in a driver's process: the queues, a channel for notices, and the driver's
 * own burst. The endpoint is lost when the process ends.
 */
struct hy_burst_endpoint {
    const struct hy_service *service;
    struct hy_connection *connection; /* retained */
    struct hy_channel *channel;
    struct hy_queue_burst *queue;

    /* Protected by the connection's lock: */
    uint32_t ref_count;                      /* number of bursts that use the endpoint */
    struct hy_timed_out_uses timed_out_uses; /* memory that abandoned executions may still use; not
                                      empty: the process has not finished them */
    int64_t last_timeout;                    /* hy_clock_boot of the last abandoned execution */
};

/*
 * Opens an endpoint with one user for the prepared model `id`, with at most `depth` requests in
 * flight. `deadline` is in ns of CLOCK_BOOTTIME. The endpoint retains `connection`. Returns a
 * HY_STATUS_* value, with the message of a failure in `err`. RESOURCE_EXHAUSTED_TRANSIENT: too many
 * bursts are open, or memory is short.
 */
int32_t hy_burst_endpoint_open(const struct hy_service *service, struct hy_connection *connection,
                               uint64_t id, uint32_t depth, int64_t deadline,
                               struct hy_burst_endpoint **ret, struct hy_error *err);

/*
 * The caller holds the connection's lock for these three functions.
 *
 * note_timeout: records the memory of `request`, an execution that was abandoned at its deadline
 * and may still use the memory.
 *
 * catch_up: clears the records if the process has finished all abandoned executions.
 *
 * leave: for an endpoint without users that still has abandoned executions. Its channel becomes a
 * timed-out call (timed_out_call.h) until the process has closed the channel.
 */
void hy_burst_endpoint_note_timeout(struct hy_burst_endpoint *end,
                                    const struct hy_request *request);
void hy_burst_endpoint_catch_up(struct hy_burst_endpoint *end);
void hy_burst_endpoint_leave(struct hy_burst_endpoint *end);

static inline bool hy_burst_endpoint_has_timeouts(const struct hy_burst_endpoint *end)
{
    return !hy_timed_out_uses_are_none(&end->timed_out_uses);
}

/* Closes and frees an endpoint without users. The caller does not hold the connection's lock. */
void hy_burst_endpoint_close(struct hy_burst_endpoint *end);

#endif
