#ifndef HY_SERVICE_LATE_CALL_H
#define HY_SERVICE_LATE_CALL_H

#include "plugins/service/client/channel.h"

/*
 * Calls that nobody waits for any more: their deadline came first. The channel is put aside until
 * the answer is there, and with it goes what the call may have made in the process.
 */

/* With the connection's lock held, as the next one: puts the channel aside. */
void hy_late_call_add(struct hy_connection *connection, struct hy_channel *channel);

/* Takes those out whose answers have come or will never come, for hy_late_calls_end. True: the
 * process has been at one of the others for too long. */
bool hy_late_calls_sweep(struct hy_connection *connection, int64_t patience_ns,
                         struct hy_channel **ended);

/* Without the lock: destroys the channels and what their calls have made. */
void hy_late_calls_end(struct hy_channel *ended);

#endif
