#ifndef HY_COMMON_SYNC_FENCE_H
#define HY_COMMON_SYNC_FENCE_H

#include "common/error.h"

#include <stdint.h>

/*
 * How a sync fence has ended whose descriptor polls with `events`, those of poll or epoll. A fence
 * may be a sync_file of the kernel, an eventfd, a pipe or a socket. A sync_file polls readable also
 * when it ended in error, so a sync_file is asked for its status as well.
 * Gives 0: signalled; below 0 the negative of an errno value: -EBADF for no open descriptor, the
 * error of a sync_file, -EIO for any other fence in error. Readable wins over hung up: a pipe whose
 * writer has signalled and gone is both.
 */
HY_MUST_CHECK int hy_sync_fence_result(int fd, uint32_t events);

#endif
