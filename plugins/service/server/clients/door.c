#include "plugins/service/server/clients/door.h"

#include <errno.h>
#include <poll.h>
#include <stdalign.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WORD  '.'
#define ALIVE '+'

/* ---- Outside --------------------------------------------------------------------------------- */

enum hy_door_word hy_door_hear(int door)
{
    ssize_t got;
    char word = WORD;

    do
        got = recv(door, &word, sizeof word, 0);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        return HY_DOOR_OVER;
    return word == ALIVE ? HY_DOOR_ALIVE : HY_DOOR_OPEN;
}

bool hy_door_hand_in(int door, int client)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof client)] = {0};
    char word = WORD;
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
        sent = sendmsg(door, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1 || (errno != EPIPE && errno != ECONNRESET);
}

/* ---- Inside ---------------------------------------------------------------------------------- */

bool hy_door_tell_open(int door)
{
    const char word = WORD;
    return send(door, &word, sizeof word, MSG_NOSIGNAL) == 1;
}

void hy_door_tell_alive(int door)
{
    const char word = ALIVE;
    (void)send(door, &word, sizeof word, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* A message without a socket means that this process had no descriptor left. The kernel has closed
 * the client's socket, so the client sees a disconnect. */
static enum hy_door_event receive(int door, int *client)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof *client)];
    char word;
    struct iovec part = {.iov_base = &word, .iov_len = sizeof word};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};

    const ssize_t got = recvmsg(door, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        return HY_DOOR_END;
    const struct cmsghdr *rights = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!rights || rights->cmsg_type != SCM_RIGHTS)
        return HY_DOOR_QUIET;
    memcpy(client, CMSG_DATA(rights), sizeof *client);
    return HY_DOOR_CLIENT;
}

enum hy_door_event hy_door_take(int door, int milliseconds, int *client)
{
    struct pollfd wait = {.fd = door, .events = POLLIN};
    int count;

    do
        count = poll(&wait, 1, milliseconds);
    while (count < 0 && errno == EINTR);
    return count == 0 ? HY_DOOR_QUIET : receive(door, client);
}

bool hy_door_peer(int client, uid_t *user, pid_t *pid)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return false;
    *user = peer.uid;
    *pid = peer.pid;
    return true;
}
