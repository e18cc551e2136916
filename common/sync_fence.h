#ifndef HY_COMMON_SYNC_FENCE_H
#define HY_COMMON_SYNC_FENCE_H

#include "common/error.h"

#include <stdint.h>

/*
 * Returns the result of an ended sync fence; `events` are the events from poll or epoll. A fence
 * may be a sync_file of the kernel, an eventfd, a pipe or a socket. A sync_file polls readable even
 * after an error, and its status is therefore queried as well. Returns 0: signalled; a negative
 * errno value: -EBADF for an invalid descriptor, the error of a sync_file, -EIO for any other fence
 * in error. Readable takes precedence over hung up: a pipe whose writer has signalled and closed is
 * both.
 */
HY_MUST_CHECK int hy_sync_fence_result(int fd, uint32_t events);

#endif
