#ifndef HY_SERVICE_LATE_CALL_H
#define HY_SERVICE_LATE_CALL_H

#include "plugins/service/client/connection/channel.h"

/*
 * Calls that nobody waits for any more: their deadline came first. The channel is put aside until
 * the answer is there, and what the call may have made in the process is gone again. Until then it
 * may use memory, where nothing else is to run meanwhile; so may executions of bursts that were
 * given up, see burst_end.h.
 */

/* With the connection's lock held: puts the channel aside. */
void hy_late_call_add(struct hy_connection *connection, struct hy_channel *channel);

/* Clears away what is over. Error: DEAD, as the process has been at one of the others for too long,
 * and is killed. */
HY_MUST_CHECK enum hy_code hy_late_calls_clear(struct hy_connection *connection,
                                               int64_t patience_ns, struct hy_error *err);

/* Waits until the request meets none of them, see late_uses.h. Errors: DEAD,
 * MISSED_DEADLINE, EXHAUSTED (the patience is over). */
HY_MUST_CHECK enum hy_code hy_late_calls_await(struct hy_connection *connection,
                                               const struct hy_request *request,
                                               const struct hy_call_limits *limits,
                                               struct hy_error *err);

#endif
