#ifndef HY_DRIVERD_NOTIFY_H
#define HY_DRIVERD_NOTIFY_H

/* Tells whoever has started this service how it is: "READY=1", "STOPPING=1", over the socket that
 * NOTIFY_SOCKET names, as sd_notify(3) says. Does nothing where nobody asked. */
void hy_notify(const char *state);

#endif
