#include "runtime/execute/fence.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Readable wins over hung up: a pipe whose writer has signalled and gone is both. */
static enum hy_code code_of(short events)
{
    return (events & (POLLERR | POLLNVAL)) || !(events & POLLIN) ? HY_FAILED : HY_OK;
}

bool hy_fence_is_over(int fd, enum hy_code *code)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    if (poll(&look, 1, 0) <= 0)
        return false;
    *code = code_of(look.revents);
    return true;
}

enum hy_code hy_fence_wait(int fd, struct hy_error *err)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    int ready;

    do {
        ready = poll(&look, 1, -1);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0)
        return hy_fail(err, HY_FAILED, "sync fence %d: %s", fd, strerror(errno));
    if (code_of(look.revents) != HY_OK)
        return hy_fail(err, HY_FAILED, "sync fence %d is in error", fd);
    return HY_OK;
}

/*
 * Two sockets. The one that signals holds a byte that nobody reads: closed like that it puts its
 * peer in error (ECONNRESET), which is how a fence of ours fails. To signal, it sends a byte first
 * and reads its own.
 */
enum hy_code hy_fence_create(struct hy_fence *fence, struct hy_error *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return hy_fail(err, HY_FAILED, "sync fence: %s", strerror(errno));
    if (write(ends[0], "", 1) != 1) {
        enum hy_code code = hy_fail(err, HY_FAILED, "sync fence: %s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return code;
    }
    *fence = (struct hy_fence){.fd = ends[0], .signal = ends[1]};
    return HY_OK;
}

void hy_fence_end(struct hy_fence *fence, bool success)
{
    char byte;

    /* A byte always fits: the other side of the pair is empty. */
    if (success && read(fence->signal, &byte, 1) == 1)
        success = write(fence->signal, "", 1) == 1;
    close(fence->signal);
    fence->signal = -1;
}

void hy_fence_close(struct hy_fence *fence)
{
    if (fence->signal >= 0)
        close(fence->signal);
    if (fence->fd >= 0)
        close(fence->fd);
    *fence = (struct hy_fence){.fd = -1, .signal = -1};
}
