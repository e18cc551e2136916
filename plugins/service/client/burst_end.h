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

    /* Under the connection's lock: */
    uint32_t users;                /* bursts */
    struct hy_late_uses late_uses; /* of executions that were given up: the process is behind */
    int64_t last_late;             /* when the last of them was given up */
};

/*
 * Opens one by the deadline, for the prepared model that has this id there, for `depth` requests at
 * once and with one user. RESOURCE_EXHAUSTED_TRANSIENT: too many are open. The words of a failure
 * in `err`.
 */
int32_t hy_burst_end_open(const struct hy_service *service, struct hy_connection *connection,
                          uint64_t id, uint32_t depth, int64_t deadline, struct hy_burst_end **ret,
                          struct hy_error *err);

/*
 * With the connection's lock held: an execution was given up, and may still use its memory;
 * notes when all such are over; and nobody uses the end any more, which is behind: its channel is a
 * late call (late_call.h) until the process has closed it.
 */
void hy_burst_end_note_late(struct hy_burst_end *end, const struct hy_request *request);
void hy_burst_end_catch_up(struct hy_burst_end *end);
void hy_burst_end_leave(struct hy_burst_end *end);

static inline bool hy_burst_end_is_behind(const struct hy_burst_end *end)
{
    return !hy_late_uses_are_none(&end->late_uses);
}

/* When nobody uses it any more. */
void hy_burst_end_close(struct hy_burst_end *end);

#endif
