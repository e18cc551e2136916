#ifndef HY_SERVICE_SERVER_LOG_H
#define HY_SERVICE_SERVER_LOG_H

#include "plugins/service/server/serve.h"

/* The functions themselves are those of serve.h. Lines go to the log of `serve` from now on, if it
 * has one; before there are threads of the driver. */
void hy_server_log_serve(const struct hy_serve *serve);

#endif
