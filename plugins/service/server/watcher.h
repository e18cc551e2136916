#ifndef HY_SERVICE_SERVER_WATCHER_H
#define HY_SERVICE_SERVER_WATCHER_H

#include <stdbool.h>

/* Grace period in milliseconds for the driver to finish after the client has disconnected. */
#define HY_SERVER_GRACE_MS 2000

/* Starts a thread to end this process after the grace period when the client has disconnected: a
 * hung driver cannot keep the process alive. Returns false when no thread can be started. */
bool hy_server_watch(int control);

#endif
