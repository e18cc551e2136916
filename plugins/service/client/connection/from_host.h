#ifndef HY_SERVICE_CLIENT_FROM_HOST_H
#define HY_SERVICE_CLIENT_FROM_HOST_H

#include "plugins/service/client/connection/connection.h"

/* What the process says by itself: lines for the log, and calls of its driver's that only this
 * process can do, those that concern files of the cache. */

/* For the life watch: takes one message, if there is one. `context` is the connection. */
bool hy_from_host_take(void *context);

/* Does what a message asks for. Errors: BAD_DATA (it is none of these), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_from_host_handle(struct hy_connection *connection,
                                               struct hy_incoming *message, struct hy_error *err);

/* Gives back what the process still held. */
void hy_from_host_finish(struct hy_connection *connection);

#endif
