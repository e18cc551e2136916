#include "plugins/service/server/clients/accept_channel.h"

#include <errno.h>
#include <poll.h>
#include <stdalign.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENT_BYTE '.'
#define ALIVE_BYTE  '+'

/* ---- Outside --------------------------------------------------------------------------------- */

enum hy_accept_channel_message hy_accept_channel_receive(int accept_channel)
{
    ssize_t got;
    char word = CLIENT_BYTE;

    do
        got = recv(accept_channel, &word, sizeof word, 0);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        return HY_ACCEPT_CHANNEL_CLOSED;
    return word == ALIVE_BYTE ? HY_ACCEPT_CHANNEL_ALIVE : HY_ACCEPT_CHANNEL_OPEN;
}

bool hy_accept_channel_send_client(int accept_channel, int client)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof client)] = {0};
    char word = CLIENT_BYTE;
    struct iovec part = {.iov_base = &word, .iov_len = sizeof word};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    ssize_t sent;

    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof client);
    memcpy(CMSG_DATA(rights), &client, sizeof client);
    do
        sent = sendmsg(accept_channel, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1 || (errno != EPIPE && errno != ECONNRESET);
}

/* ---- Inside ---------------------------------------------------------------------------------- */

bool hy_accept_channel_send_open(int accept_channel)
{
    const char word = CLIENT_BYTE;
    return send(accept_channel, &word, sizeof word, MSG_NOSIGNAL) == 1;
}

void hy_accept_channel_send_alive(int accept_channel)
{
    const char word = ALIVE_BYTE;
    (void)send(accept_channel, &word, sizeof word, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* A message without a socket means that this process had no descriptor left. The kernel has closed
 * the client's socket, so the client sees a disconnect. */
static enum hy_accept_channel_event receive(int accept_channel, int *client)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof *client)];
    char word;
    struct iovec part = {.iov_base = &word, .iov_len = sizeof word};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};

    const ssize_t got = recvmsg(accept_channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        return HY_ACCEPT_CHANNEL_HUNG_UP;
    const struct cmsghdr *rights = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!rights || rights->cmsg_type != SCM_RIGHTS)
        return HY_ACCEPT_CHANNEL_IDLE;
    memcpy(client, CMSG_DATA(rights), sizeof *client);
    return HY_ACCEPT_CHANNEL_CLIENT;
}

enum hy_accept_channel_event hy_accept_channel_accept(int accept_channel, int milliseconds,
                                                      int *client)
{
    struct pollfd wait = {.fd = accept_channel, .events = POLLIN};
    int count;

    do
        count = poll(&wait, 1, milliseconds);
    while (count < 0 && errno == EINTR);
    return count == 0 ? HY_ACCEPT_CHANNEL_IDLE : receive(accept_channel, client);
}

bool hy_accept_channel_peer(int client, uid_t *user, pid_t *pid)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return false;
    *user = peer.uid;
    *pid = peer.pid;
    return true;
}
