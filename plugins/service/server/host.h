#ifndef HY_SERVICE_SERVER_HOST_H
#define HY_SERVICE_SERVER_HOST_H

#include "plugins/service/server/parts.h"

/*
 * Hosts for the driver of this process: those of serve->hosts, but what a client should read is
 * written to its log, what only its process can do is asked of it (ask.h), and what is remembered
 * is its user's (users.h). There is one driver in a process, which it is about from now on.
 */
const struct hy_plugin_hosts *hy_server_hosts(struct hy_server_driver *driver);

#endif
