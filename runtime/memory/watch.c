#include "watch.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    LIST_HEAD(, hy_memory_watch) list;
} watches = {.lock = PTHREAD_MUTEX_INITIALIZER};

void hy_memory_watch_start(struct hy_memory_watch *watch,
                           void (*invalidate)(void *context, uint64_t id), void *context)
{
    watch->invalidate = invalidate;
    watch->context = context;
    pthread_mutex_lock(&watches.lock);
    LIST_INSERT_HEAD(&watches.list, watch, entry);
    pthread_mutex_unlock(&watches.lock);
}

void hy_memory_watch_stop(struct hy_memory_watch *watch)
{
    pthread_mutex_lock(&watches.lock);
    LIST_REMOVE(watch, entry);
    pthread_mutex_unlock(&watches.lock);
}

void hy_memory_watches_notify(uint64_t id)
{
    struct hy_memory_watch *watch;

    pthread_mutex_lock(&watches.lock);
    LIST_FOREACH (watch, &watches.list, entry)
        watch->invalidate(watch->context, id);
    pthread_mutex_unlock(&watches.lock);
}

void hy_memory_watches_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&watches.lock);
    else
        pthread_mutex_unlock(&watches.lock);
}
