#include "plugins/service/server/clients/newcomers.h"

#include "common/clock.h"

#include <poll.h>
#include <time.h>

static struct hy_server *take_out(struct hy_newcomers *newcomers, uint32_t index)
{
    struct hy_server *server = newcomers->list[index].server;

    newcomers->count--;
    for (uint32_t i = index; i < newcomers->count; i++)
        newcomers->list[i] = newcomers->list[i + 1];
    return server;
}

/* ---- Room ------------------------------------------------------------------------------------ */

static uint32_t count_of(const struct hy_newcomers *newcomers, const struct hy_server_user *user)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < newcomers->count; i++)
        count += newcomers->list[i].server->user == user;
    return count;
}

/* Returns the index of the user's oldest newcomer, which must exist. */
static uint32_t oldest_of(const struct hy_newcomers *newcomers, const struct hy_server_user *user)
{
    uint32_t i = 0;

    while (newcomers->list[i].server->user != user)
        i++;
    return i;
}

static const struct hy_server_user *user_with_most(const struct hy_newcomers *newcomers)
{
    const struct hy_server_user *most = newcomers->list[0].server->user;

    for (uint32_t i = 1; i < newcomers->count; i++) {
        const struct hy_server_user *user = newcomers->list[i].server->user;
        if (count_of(newcomers, user) > count_of(newcomers, most))
            most = user;
    }
    return most;
}

void hy_newcomers_add(struct hy_newcomers *newcomers, struct hy_server *server)
{
    const struct hy_server_user *crowd =
        count_of(newcomers, server->user) >= HY_NEWCOMERS_OF_USER ? server->user
        : newcomers->count == HY_NEWCOMERS                        ? user_with_most(newcomers)
                                                                  : NULL;

    if (crowd)
        newcomers->dismiss(take_out(newcomers, oldest_of(newcomers, crowd)),
                           "others came after it, and it said nothing");
    newcomers->list[newcomers->count].server = server;
    newcomers->list[newcomers->count].since = hy_clock_read(CLOCK_MONOTONIC);
    newcomers->count++;
}

/* ---- Hearing --------------------------------------------------------------------------------- */

/* Returns true if the newcomer has left the list. */
static bool hear(struct hy_newcomers *newcomers, uint32_t index)
{
    struct hy_server *server = newcomers->list[index].server;
    const enum hy_server_greeting greeting = hy_server_greet(server, 0);

    if (greeting == HY_SERVER_GREETING_GOES_ON)
        return false;
    (void)take_out(newcomers, index);
    if (greeting == HY_SERVER_GREETING_DONE)
        newcomers->enter(server);
    else
        newcomers->dismiss(server, NULL);
    return true;
}

/* Reads from all ready newcomers. The order is from last to first, so a removal does not move
 * unread entries. */
static void hear_all(struct hy_newcomers *newcomers, const struct pollfd *places, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        if (places[i].revents)
            (void)hear(newcomers, i);
    }
}

static void dismiss_silent(struct hy_newcomers *newcomers)
{
    const int64_t oldest = hy_clock_read(CLOCK_MONOTONIC) - HY_NEWCOMER_MS * HY_MILLISECOND;

    while (newcomers->count > 0 && newcomers->list[0].since <= oldest)
        newcomers->dismiss(take_out(newcomers, 0), "it did not say who it is in time");
}

/* Returns the milliseconds, rounded up, until the next newcomer times out or `end` is reached. */
static int time_left(const struct hy_newcomers *newcomers, int64_t end)
{
    if (newcomers->count > 0) {
        const int64_t silent = newcomers->list[0].since + HY_NEWCOMER_MS * HY_MILLISECOND;
        end = end < 0 || silent < end ? silent : end;
    }
    if (end < 0)
        return -1;
    const int64_t left = end - hy_clock_read(CLOCK_MONOTONIC);
    return left > 0 ? (int)((left + HY_MILLISECOND - 1) / HY_MILLISECOND) : 0;
}

bool hy_newcomers_wait(struct hy_newcomers *newcomers, int door, int milliseconds)
{
    const int64_t end =
        milliseconds < 0 ? -1 : hy_clock_read(CLOCK_MONOTONIC) + milliseconds * HY_MILLISECOND;
    struct pollfd places[HY_NEWCOMERS + 1];

    for (;;) {
        const uint32_t count = newcomers->count;
        for (uint32_t i = 0; i < count; i++)
            places[i] = (struct pollfd){newcomers->list[i].server->control.fd, POLLIN, 0};
        places[count] = (struct pollfd){door, POLLIN, 0};
        const int ready = poll(places, count + 1, time_left(newcomers, end));
        if (ready > 0)
            hear_all(newcomers, places, count);
        dismiss_silent(newcomers);
        if (ready > 0 && places[count].revents)
            return true;
        if (end >= 0 && hy_clock_read(CLOCK_MONOTONIC) >= end)
            return false;
    }
}

void hy_newcomers_dismiss_all(struct hy_newcomers *newcomers, const char *reason)
{
    while (newcomers->count > 0)
        newcomers->dismiss(take_out(newcomers, 0), reason);
}
