#ifndef HY_SERVICE_CONNECT_H
#define HY_SERVICE_CONNECT_H

#include "common/error.h"

#include <stdint.h>

/*
 * Connects a socket (SOCK_SEQPACKET, Unix) to the one at which a shared service listens. Who runs
 * that service has everything that its clients send it: it has to be root, the user of this
 * process, or `user` (a name or a number; "" = nobody else). Waits until the deadline
 * (CLOCK_BOOTTIME, or HY_NO_DEADLINE) where it has no room. Errors, with the path: UNAVAILABLE
 * (nobody listens there), FAILED.
 */
HY_MUST_CHECK enum hy_code hy_connect_to_service(int fd, const char *path, const char *user,
                                                 int64_t deadline, struct hy_error *err);

#endif
