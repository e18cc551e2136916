/* Events of executions with dependencies, and sync fences as events. */
#include "runtime/event/event_parts.h"

#include "common/system_code.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* ---- Dependencies ---------------------------------------------------------------------------- */

/* The app's fence behind `context` is over. */
static void fence_is_over(void *context, enum hy_code code, const struct hy_error *error)
{
    hy_event_end(context, code, error);
}

/* Called with the event's lock held. */
static enum hy_code watch_fence(struct hy_event *event, struct hy_error *err)
{
    if (event->is_watched)
        return HY_OK;
    hy_event_retain(event); /* for the watcher, which ends the event */
    enum hy_code code = hy_fence_watch(event->fence.fd, fence_is_over, event, err);
    event->is_watched = code == HY_OK;
    if (code != HY_OK)
        hy_event_release(event); /* never the last reference: the app has one */
    return code;
}

static enum hy_code annotate_error(uint32_t index, const struct hy_error *reason,
                                   struct hy_error *err)
{
    return hy_fail(err, HY_FAILED, "dependency %u has failed: %s", index, reason->text);
}

static enum hy_code check_dependencies(struct hy_event *const *dependencies, uint32_t count,
                                       struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        enum hy_code code;
        struct hy_error reason;
        if (hy_event_is_over(dependencies[i], &code, &reason) && code != HY_OK)
            return annotate_error(i, &reason, err);
    }
    return HY_OK;
}

/* Adds `waiter` to the waiters of a dependency. Dependencies that are over do not count. */
static enum hy_code depend(struct hy_event *waiter, uint32_t index, struct hy_event *on,
                           struct hy_error *err)
{
    struct hy_event_dependency *dependency = &waiter->dependencies[index];
    enum hy_code code = HY_OK;
    struct hy_error reason;

    /* Also needed because a regular file is always readable and cannot be watched. */
    if (hy_event_is_over(on, &code, &reason))
        return code == HY_OK ? HY_OK : annotate_error(index, &reason, err);

    pthread_mutex_lock(&on->lock);
    code = on->is_fence ? watch_fence(on, err) : HY_OK;
    if (code == HY_OK && !on->is_over) {
        atomic_fetch_add_explicit(&waiter->pending, 1, memory_order_relaxed);
        *dependency = (struct hy_event_dependency){.waiter = waiter, .next = on->waiters};
        on->waiters = dependency;
    } else if (code == HY_OK && on->code != HY_OK) {
        code = annotate_error(index, &on->error, err);
    }
    pthread_mutex_unlock(&on->lock);
    return code;
}

/* ---- Starting -------------------------------------------------------------------------------- */

/* Additional rules for fenced executions. */
static enum hy_code check_fenced(const struct hy_execution *execution,
                                 struct hy_event *const *dependencies, uint32_t count,
                                 uint64_t duration, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    if (duration != 0)
        code = hy_compilation_check_single_device(execution->compilation, "a duration", err);
    if (code == HY_OK)
        code = hy_execution_check_outputs_known(execution, err);
    if (code == HY_OK)
        code = check_dependencies(dependencies, count, err);
    return code;
}

enum hy_code hy_event_start_fenced(struct hy_execution *execution,
                                   struct hy_event *const *dependencies, uint32_t dependency_count,
                                   uint64_t duration, struct hy_event **ret, struct hy_error *err)
{
    struct hy_event *event = hy_event_create(dependency_count, err);
    if (!event)
        return HY_OUT_OF_MEMORY;

    enum hy_code code = hy_execution_begin(execution, HY_RUN_FENCED, err);
    if (code == HY_OK) {
        code = check_fenced(execution, dependencies, dependency_count, duration, err);
        if (code != HY_OK)
            hy_execution_end(execution, code);
    }
    if (code != HY_OK) {
        hy_event_release(event);
        return code;
    }

    execution->is_finalize_deferred = true;
    event->is_fenced = true;
    event->duration = duration;
    hy_event_prepare(event, execution);
    *ret = event;
    for (uint32_t i = 0; i < dependency_count; i++) {
        struct hy_error reason;
        code = depend(event, i, dependencies[i], &reason);
        if (code != HY_OK) { /* the watch failed: report like a later failure */
            pthread_mutex_lock(&event->lock);
            event->code = code == HY_EXHAUSTED ? code : HY_FAILED;
            event->error = reason;
            pthread_mutex_unlock(&event->lock);
            break;
        }
    }
    hy_event_one_less_pending(event);
    return HY_OK;
}

/* ---- Fences ---------------------------------------------------------------------------------- */

enum hy_code hy_event_from_fence(int fd, struct hy_event **ret, struct hy_error *err)
{
    struct hy_event *event = hy_event_create(0, err);
    if (!event)
        return HY_OUT_OF_MEMORY;

    event->is_fence = true;
    event->is_fenced = true;
    event->fence.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (event->fence.fd < 0) {
        const int reason = errno;
        enum hy_code code = hy_fail(err, hy_system_code(reason, HY_BAD_DATA),
                                    "sync fence %d cannot be duplicated: %s", fd, strerror(reason));
        hy_event_release(event);
        return code;
    }
    *ret = event;
    return HY_OK;
}

/* Called with the event's lock held. */
static enum hy_code need_fence(struct hy_event *event, struct hy_error *err)
{
    if (event->fence.fd >= 0)
        return HY_OK;
    enum hy_code code = hy_fence_create(&event->fence, err);
    if (code == HY_OK && event->is_over)
        hy_fence_end(&event->fence, event->code == HY_OK);
    return code;
}

enum hy_code hy_event_get_fence(struct hy_event *event, int *fd, struct hy_error *err)
{
    if (!event->is_fenced)
        return hy_fail(err, HY_BAD_DATA, "the event has no sync fence");
    if (hy_event_is_copy(event))
        return hy_fail(err, HY_BAD_DATA, "the event was made before fork()");

    pthread_mutex_lock(&event->lock);
    enum hy_code code = need_fence(event, err);
    int copy = code == HY_OK ? fcntl(event->fence.fd, F_DUPFD_CLOEXEC, 0) : -1;
    const int reason = errno;
    if (code == HY_OK && copy < 0)
        code = hy_fail(err, hy_system_code(reason, HY_BAD_DATA),
                       "the sync fence cannot be duplicated: %s", strerror(reason));
    pthread_mutex_unlock(&event->lock);
    if (code == HY_OK)
        *fd = copy;
    return code;
}
