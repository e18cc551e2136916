#include "plugins/service/wire/transport/socket.h"

#include "common/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void hy_socket_init(struct hy_socket *socket, int fd)
{
    *socket = (struct hy_socket){.fd = fd};
}

void hy_socket_finish(struct hy_socket *socket)
{
    if (socket->fd >= 0)
        close(socket->fd);
    hy_socket_init(socket, -1);
}

enum hy_code hy_socket_pair(int ends[2], struct hy_error *err)
{
    int made[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, made) != 0)
        return hy_fail(err, HY_EXHAUSTED, "no pair of sockets: %s", strerror(errno));
    ends[0] = made[0];
    ends[1] = made[1];
    return HY_OK;
}

static bool has_option(int fd, int option, int expected)
{
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 && value == expected;
}

bool hy_socket_is_one(int fd)
{
    return has_option(fd, SO_DOMAIN, AF_UNIX) && has_option(fd, SO_TYPE, SOCK_SEQPACKET);
}

bool hy_socket_leads_to_service(int fd)
{
    struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
    socklen_t size = sizeof peer;

    return getpeername(fd, (struct sockaddr *)&peer, &size) == 0 && peer.ss_family == AF_UNIX &&
           size > sizeof peer.ss_family;
}

enum hy_code hy_socket_wait(const struct hy_socket *socket, short events, int64_t deadline,
                            struct hy_error *err)
{
    struct pollfd poller = {.fd = socket->fd, .events = events};

    for (;;) {
        const int64_t left = hy_clock_left(deadline);
        if (left <= 0)
            return hy_fail(err, HY_MISSED_DEADLINE, "the peer %s in time",
                           events & POLLOUT ? "receives nothing" : "sends nothing");
        const struct timespec time = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        if (ppoll(&poller, 1, deadline < 0 ? NULL : &time, NULL) > 0)
            return HY_OK;
    }
}

void hy_socket_arm(struct hy_socket *socket, int64_t left)
{
    /* An earlier timeout is reused if it expires in time and not much too early. */
    if (left == INT64_MAX ||
        (socket->armed > 0 && socket->armed <= left && socket->armed >= left / 4))
        return;
    const int64_t time = left / 4 * 3;
    const struct timeval value = {.tv_sec = time / 1000000000, .tv_usec = time % 1000000000 / 1000};
    if (setsockopt(socket->fd, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value) == 0)
        socket->armed = time;
}
