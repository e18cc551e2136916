#ifndef HY_DRIVERD_NOTIFY_H
#define HY_DRIVERD_NOTIFY_H

/* Sends `state` ("READY=1", "STOPPING=1", "WATCHDOG=1") to the service manager on the socket of
 * NOTIFY_SOCKET, see sd_notify(3). Does nothing if NOTIFY_SOCKET is not set. */
void hy_notify(const char *state);

#endif
