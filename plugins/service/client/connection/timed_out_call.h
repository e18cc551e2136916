#ifndef HY_SERVICE_TIMED_OUT_CALL_H
#define HY_SERVICE_TIMED_OUT_CALL_H

#include "plugins/service/client/connection/client_channel.h"

/*
 * Timed-out calls, whose deadline passed before the reply. The channel of a timed-out call stays in
 * a list until the reply has arrived and the process has destroyed the objects that the call made.
 * Until the end of the call, its memory may be in use, and conflicting requests wait. Abandoned
 * executions of bursts are treated alike, see burst_endpoint.h.
 */

/* Adds the channel to the timed-out calls. The caller holds the connection's lock. */
void hy_timed_out_call_add(struct hy_connection *connection, struct hy_channel *channel);

/* Removes the timed-out calls that have ended. Error: DEAD (a timed-out call did not end within
 * `hang_timeout_ns`, and the process was killed). */
HY_MUST_CHECK enum hy_code hy_timed_out_calls_reap(struct hy_connection *connection,
                                                   int64_t hang_timeout_ns, struct hy_error *err);

/* Waits until the request conflicts with no timed-out call, see timed_out_uses.h. Errors: DEAD,
 * MISSED_DEADLINE, EXHAUSTED (hang timeout). */
HY_MUST_CHECK enum hy_code hy_timed_out_calls_await(struct hy_connection *connection,
                                                    const struct hy_request *request,
                                                    const struct hy_call_limits *limits,
                                                    struct hy_error *err);

#endif
