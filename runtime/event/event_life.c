/* The memory of events. */
#include "runtime/event/event_parts.h"

#include "runtime/fork_guard.h"

#include <stdlib.h>

static void reset(struct hy_event *event)
{
    atomic_init(&event->references, 1);
    atomic_init(&event->pending, 1);
    atomic_init(&event->is_over, false);
    event->generation = hy_fork_generation();
    event->deadline = HY_NO_DEADLINE;
    event->execution = NULL;
    event->is_finalized = false;
    event->code = HY_OK;
}

struct hy_event *hy_event_create(uint32_t dependency_count, struct hy_error *err)
{
    struct hy_event *event =
        calloc(1, sizeof *event + dependency_count * sizeof event->dependencies[0]);
    if (!event) {
        hy_fail(err, HY_OUT_OF_MEMORY, "event with %u dependencies", dependency_count);
        return NULL;
    }
    reset(event);
    event->fence = (struct hy_fence){.fd = -1, .signal = -1};
    pthread_mutex_init(&event->lock, NULL);
    pthread_cond_init(&event->ended, NULL);
    return event;
}

bool hy_event_is_copy(const struct hy_event *event)
{
    return event->generation != hy_fork_generation();
}

void hy_event_retain(struct hy_event *event)
{
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
}

static void discard(void *argument)
{
    struct hy_event *event = argument;

    hy_fence_close(&event->fence);
    if (!hy_event_is_copy(event)) { /* would wait for the parent's waiters */
        pthread_cond_destroy(&event->ended);
        pthread_mutex_destroy(&event->lock);
    }
    free(event);
}

/*
 * Each thread caches its last plain event, so apps that start one execution after the other
 * allocate nothing. The key exists only for its destructor at the end of the thread.
 */
static _Thread_local struct hy_event *cached_event;
static _Thread_local bool is_key_set; /* the key is set: its destructor will run */
static pthread_key_t event_key;
static bool has_event_key;

static void discard_cached_event(void *unused)
{
    (void)unused;
    if (cached_event)
        discard(cached_event);
    cached_event = NULL;
    is_key_set = false;
}

__attribute__((constructor)) static void make_event_key(void)
{
    has_event_key = pthread_key_create(&event_key, discard_cached_event) == 0;
}

/* False: the event cannot be cached. */
static bool cache_event(struct hy_event *event)
{
    if (cached_event || event->is_fenced || hy_event_is_copy(event) || !has_event_key)
        return false;
    if (!is_key_set)
        is_key_set = pthread_setspecific(event_key, &cached_event) == 0;
    if (is_key_set)
        cached_event = event;
    return is_key_set;
}

struct hy_event *hy_event_create_plain(struct hy_error *err)
{
    struct hy_event *event = cached_event;

    if (!event || hy_event_is_copy(event))
        return hy_event_create(0, err);
    cached_event = NULL;
    reset(event);
    return event;
}

void hy_event_release(struct hy_event *event)
{
    /* The only reference cannot race. */
    if (atomic_load_explicit(&event->references, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) != 1)
        return;
    if (!cache_event(event))
        discard(event);
}
