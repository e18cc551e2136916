#ifndef HY_SERVICE_SERVER_WATCHER_H
#define HY_SERVICE_SERVER_WATCHER_H

#include <stdbool.h>

/* How long a driver has for ending what it is at when the client is gone, in milliseconds. */
#define HY_SERVER_GRACE_MS 2000

/* Ends this process some time after the client has hung up, unless it has ended by itself: a driver
 * that is stuck keeps nothing alive. False: there is no thread for that. */
bool hy_server_watch(int control);

#endif
