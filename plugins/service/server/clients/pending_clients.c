#include "plugins/service/server/clients/pending_clients.h"

#include "common/clock.h"

#include <poll.h>
#include <time.h>

static struct hy_server *remove_at(struct hy_pending_clients *pending_clients, uint32_t index)
{
    struct hy_server *server = pending_clients->list[index].server;

    pending_clients->count--;
    for (uint32_t i = index; i < pending_clients->count; i++)
        pending_clients->list[i] = pending_clients->list[i + 1];
    return server;
}

/* ---- Room ------------------------------------------------------------------------------------ */

static uint32_t count_of(const struct hy_pending_clients *pending_clients,
                         const struct hy_server_user *user)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < pending_clients->count; i++)
        count += pending_clients->list[i].server->user == user;
    return count;
}

/* Returns the index of the user's oldest newcomer, which must exist. */
static uint32_t oldest_of(const struct hy_pending_clients *pending_clients,
                          const struct hy_server_user *user)
{
    uint32_t i = 0;

    while (pending_clients->list[i].server->user != user)
        i++;
    return i;
}

static const struct hy_server_user *user_with_most(const struct hy_pending_clients *pending_clients)
{
    const struct hy_server_user *most = pending_clients->list[0].server->user;

    for (uint32_t i = 1; i < pending_clients->count; i++) {
        const struct hy_server_user *user = pending_clients->list[i].server->user;
        if (count_of(pending_clients, user) > count_of(pending_clients, most))
            most = user;
    }
    return most;
}

void hy_pending_clients_add(struct hy_pending_clients *pending_clients, struct hy_server *server)
{
    const struct hy_server_user *crowd =
        count_of(pending_clients, server->user) >= HY_PENDING_CLIENTS_PER_USER ? server->user
        : pending_clients->count == HY_PENDING_CLIENTS ? user_with_most(pending_clients)
                                                       : NULL;

    if (crowd)
        pending_clients->dismiss(remove_at(pending_clients, oldest_of(pending_clients, crowd)),
                                 "too many newer connections, and no hello from this client");
    pending_clients->list[pending_clients->count].server = server;
    pending_clients->list[pending_clients->count].since = hy_clock_read(CLOCK_MONOTONIC);
    pending_clients->count++;
}

/* ---- Hearing --------------------------------------------------------------------------------- */

/* Returns true if the newcomer has left the list. */
static bool continue_handshake(struct hy_pending_clients *pending_clients, uint32_t index)
{
    struct hy_server *server = pending_clients->list[index].server;
    const enum hy_server_handshake_state handshake = hy_server_handshake(server, 0);

    if (handshake == HY_SERVER_HANDSHAKE_CONTINUES)
        return false;
    (void)remove_at(pending_clients, index);
    if (handshake == HY_SERVER_HANDSHAKE_DONE)
        pending_clients->enter(server);
    else
        pending_clients->dismiss(server, NULL);
    return true;
}

/* Reads from all ready newcomers. The order is from last to first, so a removal does not move
 * unread entries. */
static void continue_handshakes(struct hy_pending_clients *pending_clients,
                                const struct pollfd *poll_fds, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        if (poll_fds[i].revents)
            (void)continue_handshake(pending_clients, i);
    }
}

static void dismiss_silent(struct hy_pending_clients *pending_clients)
{
    const int64_t oldest = hy_clock_read(CLOCK_MONOTONIC) - HY_PENDING_CLIENT_MS * HY_MILLISECOND;

    while (pending_clients->count > 0 && pending_clients->list[0].since <= oldest)
        pending_clients->dismiss(remove_at(pending_clients, 0), "no hello from the client in time");
}

/* Returns the milliseconds, rounded up, until the next newcomer times out or `end` is reached. */
static int time_left(const struct hy_pending_clients *pending_clients, int64_t end)
{
    if (pending_clients->count > 0) {
        const int64_t silent =
            pending_clients->list[0].since + HY_PENDING_CLIENT_MS * HY_MILLISECOND;
        end = end < 0 || silent < end ? silent : end;
    }
    if (end < 0)
        return -1;
    const int64_t left = end - hy_clock_read(CLOCK_MONOTONIC);
    return left > 0 ? (int)((left + HY_MILLISECOND - 1) / HY_MILLISECOND) : 0;
}

bool hy_pending_clients_wait(struct hy_pending_clients *pending_clients, int accept_channel,
                             int milliseconds)
{
    const int64_t end =
        milliseconds < 0 ? -1 : hy_clock_read(CLOCK_MONOTONIC) + milliseconds * HY_MILLISECOND;
    struct pollfd poll_fds[HY_PENDING_CLIENTS + 1];

    for (;;) {
        const uint32_t count = pending_clients->count;
        for (uint32_t i = 0; i < count; i++)
            poll_fds[i] = (struct pollfd){pending_clients->list[i].server->control.fd, POLLIN, 0};
        poll_fds[count] = (struct pollfd){accept_channel, POLLIN, 0};
        const int ready = poll(poll_fds, count + 1, time_left(pending_clients, end));
        if (ready > 0)
            continue_handshakes(pending_clients, poll_fds, count);
        dismiss_silent(pending_clients);
        if (ready > 0 && poll_fds[count].revents)
            return true;
        if (end >= 0 && hy_clock_read(CLOCK_MONOTONIC) >= end)
            return false;
    }
}

void hy_pending_clients_dismiss_all(struct hy_pending_clients *pending_clients, const char *reason)
{
    while (pending_clients->count > 0)
        pending_clients->dismiss(remove_at(pending_clients, 0), reason);
}
