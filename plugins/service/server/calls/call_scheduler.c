#include "plugins/service/server/calls/call_scheduler.h"

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
} scheduler = {.lock = PTHREAD_MUTEX_INITIALIZER, .has_news = PTHREAD_COND_INITIALIZER};

/* With the lock held. */
static void make_ready(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (scheduler.most == 0)
        scheduler.most = (processors > 0 ? (uint32_t)processors : 1) * CALLS_PER_PROCESSOR;
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

    LIST_FOREACH (waiter, &scheduler.waiters, entry) {
        if (waiter->usage != usage && used(waiter->usage, now) < own)
            return false;
    }
    return true;
}

static bool may_run(struct hy_server_usage *usage, uint32_t user_count, int64_t now)
{
    const uint32_t part = scheduler.most / user_count;

    return usage->running < (part > 0 ? part : 1) ||
           (scheduler.running < scheduler.most && is_next(usage, now));
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Waits for a change or the deadline. Returns false if the deadline has passed. */
static bool wait_for_news(int64_t deadline)
{
    if (deadline == HY_NO_DEADLINE) {
        pthread_cond_wait(&scheduler.has_news, &scheduler.lock);
        return true;
    }
    const int64_t left = deadline - hy_clock_read(CLOCK_BOOTTIME);
    if (left <= 0)
        return false;
    const struct timespec time = hy_clock_wait_end(left < HY_SECOND ? left : HY_SECOND);
    (void)pthread_cond_clockwait(&scheduler.has_news, &scheduler.lock, CLOCK_MONOTONIC, &time);
    return true;
}

/* With the lock held. Returns false if the call was cancelled or its deadline has passed. */
static bool await_slot(struct hy_server_usage *usage, const uint32_t *cancelled, int64_t deadline)
{
    struct waiter waiter = {.usage = usage};
    bool is_expired = false;

    LIST_INSERT_HEAD(&scheduler.waiters, &waiter, entry);
    while (!is_expired && !may_run(usage, hy_server_users_count(), hy_clock_read(CLOCK_MONOTONIC)))
        is_expired = hy_is_cancelled(cancelled) || !wait_for_news(deadline);
    LIST_REMOVE(&waiter, entry);
    return !is_expired;
}

int32_t hy_server_call_slot_acquire(struct hy_server *server, const uint32_t *cancelled,
                                    int64_t deadline, struct hy_server_call_slot *call_slot,
                                    struct hy_error *err)
{
    *call_slot = (struct hy_server_call_slot){0};
    if (!server->user || hy_server_users_count() < 2)
        return HY_STATUS_OK;

    struct hy_server_usage *usage = &server->user->usage;
    pthread_mutex_lock(&scheduler.lock);
    make_ready();
    const bool is_in_time = await_slot(usage, cancelled, deadline);
    if (is_in_time) {
        *call_slot = (struct hy_server_call_slot){usage, hy_clock_read(CLOCK_MONOTONIC)};
        usage->running++;
        usage->started += call_slot->start;
        scheduler.running++;
    }
    pthread_mutex_unlock(&scheduler.lock);
    if (is_in_time)
        return HY_STATUS_OK;
    (void)hy_fail(err, HY_MISSED_DEADLINE, "no processor became free before the deadline");
    return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
}

void hy_server_call_slot_release(struct hy_server_call_slot *call_slot)
{
    struct hy_server_usage *usage = call_slot->usage;
    if (!usage)
        return;

    pthread_mutex_lock(&scheduler.lock);
    usage->running--;
    usage->started -= call_slot->start;
    usage->used_ns += hy_clock_read(CLOCK_MONOTONIC) - call_slot->start;
    scheduler.running--;
    if (!LIST_EMPTY(&scheduler.waiters))
        pthread_cond_broadcast(&scheduler.has_news);
    pthread_mutex_unlock(&scheduler.lock);
}

void hy_server_call_slots_recheck(void)
{
    pthread_mutex_lock(&scheduler.lock);
    if (!LIST_EMPTY(&scheduler.waiters))
        pthread_cond_broadcast(&scheduler.has_news);
    pthread_mutex_unlock(&scheduler.lock);
}
