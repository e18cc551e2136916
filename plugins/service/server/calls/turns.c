#include "plugins/service/server/calls/turns.h"

#include "common/clock.h"
#include "common/list.h"
#include "plugins/service/server/parts.h"

#include <time.h>
#include <unistd.h>

/* Calls in the driver per processor; above 1 because some calls wait for other devices. */
#define CALLS_PER_PROCESSOR 2

/* A waiting call. */
struct waiter {
    struct hy_server_usage *usage;
    LIST_ENTRY(waiter) entry;
};

static struct {
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t has_news;
    uint32_t most;    /* 0: not known yet */
    uint32_t running; /* of all users */
    LIST_HEAD(, waiter) waiters;
} turns = {.lock = PTHREAD_MUTEX_INITIALIZER, .has_news = PTHREAD_COND_INITIALIZER};

/* With the lock held. */
static void make_ready(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (turns.most == 0)
        turns.most = (processors > 0 ? (uint32_t)processors : 1) * CALLS_PER_PROCESSOR;
}

/* ---- Who is next ----------------------------------------------------------------------------- */

/* Returns the user's recent time in ns, including running calls. */
static int64_t used(struct hy_server_usage *usage, int64_t now)
{
    while (usage->halved_at + HY_SECOND <= now && usage->used_ns > 0) {
        usage->used_ns /= 2;
        usage->halved_at += HY_SECOND;
    }
    if (usage->used_ns == 0)
        usage->halved_at = now;
    return usage->used_ns + usage->running * now - usage->started;
}

/* Returns true if no waiting user has used less time. */
static bool is_next(struct hy_server_usage *usage, int64_t now)
{
    const int64_t own = used(usage, now);
    const struct waiter *waiter;

    LIST_FOREACH (waiter, &turns.waiters, entry) {
        if (waiter->usage != usage && used(waiter->usage, now) < own)
            return false;
    }
    return true;
}

static bool may_run(struct hy_server_usage *usage, uint32_t users, int64_t now)
{
    const uint32_t part = turns.most / users;

    return usage->running < (part > 0 ? part : 1) ||
           (turns.running < turns.most && is_next(usage, now));
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Waits for a change or the deadline. Returns false if the deadline has passed. */
static bool wait_for_news(int64_t deadline)
{
    if (deadline == HY_NO_DEADLINE) {
        pthread_cond_wait(&turns.has_news, &turns.lock);
        return true;
    }
    const int64_t left = deadline - hy_clock_read(CLOCK_BOOTTIME);
    if (left <= 0)
        return false;
    const struct timespec time = hy_clock_wait_end(left < HY_SECOND ? left : HY_SECOND);
    (void)pthread_cond_clockwait(&turns.has_news, &turns.lock, CLOCK_MONOTONIC, &time);
    return true;
}

/* With the lock held. Returns false if the call was cancelled or its deadline has passed. */
static bool await_turn(struct hy_server_usage *usage, const uint32_t *cancelled, int64_t deadline)
{
    struct waiter waiter = {.usage = usage};
    bool is_late = false;

    LIST_INSERT_HEAD(&turns.waiters, &waiter, entry);
    while (!is_late && !may_run(usage, hy_server_users_count(), hy_clock_read(CLOCK_MONOTONIC)))
        is_late = hy_is_cancelled(cancelled) || !wait_for_news(deadline);
    LIST_REMOVE(&waiter, entry);
    return !is_late;
}

int32_t hy_server_turn_begin(struct hy_server *server, const uint32_t *cancelled, int64_t deadline,
                             struct hy_server_turn *turn, struct hy_error *err)
{
    *turn = (struct hy_server_turn){0};
    if (!server->user || hy_server_users_count() < 2)
        return HY_STATUS_OK;

    struct hy_server_usage *usage = &server->user->usage;
    pthread_mutex_lock(&turns.lock);
    make_ready();
    const bool is_in_time = await_turn(usage, cancelled, deadline);
    if (is_in_time) {
        *turn = (struct hy_server_turn){usage, hy_clock_read(CLOCK_MONOTONIC)};
        usage->running++;
        usage->started += turn->start;
        turns.running++;
    }
    pthread_mutex_unlock(&turns.lock);
    if (is_in_time)
        return HY_STATUS_OK;
    (void)hy_fail(err, HY_MISSED_DEADLINE,
                  "the calls of other users and of this one left no processor in time");
    return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
}

void hy_server_turn_end(struct hy_server_turn *turn)
{
    struct hy_server_usage *usage = turn->usage;
    if (!usage)
        return;

    pthread_mutex_lock(&turns.lock);
    usage->running--;
    usage->started -= turn->start;
    usage->used_ns += hy_clock_read(CLOCK_MONOTONIC) - turn->start;
    turns.running--;
    if (!LIST_EMPTY(&turns.waiters))
        pthread_cond_broadcast(&turns.has_news);
    pthread_mutex_unlock(&turns.lock);
}

void hy_server_turns_look(void)
{
    pthread_mutex_lock(&turns.lock);
    if (!LIST_EMPTY(&turns.waiters))
        pthread_cond_broadcast(&turns.has_news);
    pthread_mutex_unlock(&turns.lock);
}
