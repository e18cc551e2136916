#include "common/sync_fence.h"

#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/ioctl.h>

/* The kernel has no larger errno value, but a driver may return any number. */
#define LAST_ERRNO 4095

/* 0: no sync_file, or no error. */
static int sync_file_error(int fd)
{
    struct sync_file_info info = {0}; /* without the list of its fences */

    if (ioctl(fd, SYNC_IOC_FILE_INFO, &info) != 0 || info.status >= 0)
        return 0;
    return info.status < -LAST_ERRNO ? -EIO : info.status;
}

int hy_sync_fence_result(int fd, uint32_t events)
{
    if (events & POLLNVAL)
        return -EBADF;
    if (events & POLLERR || !(events & POLLIN))
        return -EIO;
    return sync_file_error(fd);
}
