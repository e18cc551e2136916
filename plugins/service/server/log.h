#ifndef HY_SERVICE_SERVER_LOG_H
#define HY_SERVICE_SERVER_LOG_H

#include "plugins/service/server/serve.h"

/* Sends log lines to the log of `serve` from now on, if set. Call before the driver starts threads.
 * serve.h declares the logging functions. */
void hy_server_log_serve(const struct hy_serve *serve);

#endif
