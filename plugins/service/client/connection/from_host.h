#ifndef HY_SERVICE_CLIENT_FROM_HOST_H
#define HY_SERVICE_CLIENT_FROM_HOST_H

#include "plugins/service/client/connection/connection.h"

/* Unsolicited messages of the process: log lines, and calls of its driver that only the client
 * process can execute, concerning cache files. */

/* Callback for the life watch: receives and handles one message, if any. `context` is the
 * connection. Returns whether a message was handled. */
bool hy_from_host_receive(void *context);

/* Handles a message. Errors: BAD_DATA (not an unsolicited message, or malformed), OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_from_host_handle(struct hy_connection *connection,
                                               struct hy_incoming *message, struct hy_error *err);

/* Ends the open cache updates of the process without saving, and logs the number of omitted log
 * lines. */
void hy_from_host_finish(struct hy_connection *connection);

#endif
