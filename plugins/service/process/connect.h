#ifndef HY_SERVICE_CONNECT_H
#define HY_SERVICE_CONNECT_H

#include "common/error.h"

#include <stdint.h>

/*
 * Connects `fd`, a Unix socket of type SOCK_SEQPACKET, to the socket of a shared service. The user
 * of the service sees all data of its clients. The user must be root, the user of this process, or
 * `user` (a name or a number; "": no other user). Waits until `deadline` (ns of CLOCK_BOOTTIME, or
 * HY_NO_DEADLINE) while the backlog of the service is full. Errors, with the path: UNAVAILABLE
 * (connect failed), FAILED (deadline, path too long, wrong user).
 */
HY_MUST_CHECK enum hy_code hy_connect_to_service(int fd, const char *path, const char *user,
                                                 int64_t deadline, struct hy_error *err);

#endif
