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
    event->is_settled = false;
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
static _Thread_local struct hy_event *spare;
static _Thread_local bool is_end_told; /* the key is set: its destructor will run */
static pthread_key_t spare_key;
static bool has_spare_key;

static void discard_spare(void *unused)
{
    (void)unused;
    if (spare)
        discard(spare);
    spare = NULL;
    is_end_told = false;
}

__attribute__((constructor)) static void make_spare_key(void)
{
    has_spare_key = pthread_key_create(&spare_key, discard_spare) == 0;
}

/* False: the event cannot be cached. */
static bool keep(struct hy_event *event)
{
    if (spare || event->is_fenced || hy_event_is_copy(event) || !has_spare_key)
        return false;
    if (!is_end_told)
        is_end_told = pthread_setspecific(spare_key, &spare) == 0;
    if (is_end_told)
        spare = event;
    return is_end_told;
}

struct hy_event *hy_event_create_plain(struct hy_error *err)
{
    struct hy_event *event = spare;

    if (!event || hy_event_is_copy(event))
        return hy_event_create(0, err);
    spare = NULL;
    reset(event);
    return event;
}

void hy_event_release(struct hy_event *event)
{
    /* The only reference cannot race. */
    if (atomic_load_explicit(&event->references, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) != 1)
        return;
    if (!keep(event))
        discard(event);
}
