#ifndef HY_SERVICE_SERVER_HOST_H
#define HY_SERVICE_SERVER_HOST_H

#include "plugins/service/server/parts.h"

/*
 * Creates the host of this process's driver, based on serve->hosts. Log lines for a client go to
 * the client's log, cache calls for the client's files go to the client (ask.h), and saved data
 * belongs to the client's user (users.h). A process hosts exactly one driver: set `driver` once.
 */
const struct hy_plugin_hosts *hy_server_hosts(struct hy_server_driver *driver);

#endif
