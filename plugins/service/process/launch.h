#ifndef HY_SERVICE_LAUNCH_H
#define HY_SERVICE_LAUNCH_H

#include "plugins/service/process/host_process.h"

/* The descriptor under which a host finds its control socket. */
#define HY_HOST_CONTROL 3

/* Starts a program as hy_host_process_start says. `control` is the host's end of the socket and
 * stays the caller's, `*pidfd` becomes the caller's. Errors: FAILED, OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_launch(const struct hy_host_launch *what, int control, pid_t *pid,
                                     int *pidfd, struct hy_error *err);

#endif
