#ifndef HY_SERVICE_LAUNCH_H
#define HY_SERVICE_LAUNCH_H

#include "plugins/service/process/host_process.h"

/* Descriptor number of the control socket in a host process. */
#define HY_HOST_CONTROL 3

/* Starts a program as hy_host_process_start describes. `control` is the host's end of the control
 * socket and stays owned by the caller. The caller owns `*pidfd`. Errors: FAILED, EXHAUSTED,
 * OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_launch(const struct hy_host_launch *what, int control, pid_t *pid,
                                     int *pidfd, struct hy_error *err);

#endif
