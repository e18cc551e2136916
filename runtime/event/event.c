#include "runtime/event/event.h"

#include "common/clock.h"
#include "runtime/event/event_parts.h"

#include <stddef.h>

/* ---- The end --------------------------------------------------------------------------------- */

static void dependency_is_over(struct hy_event *waiter, enum hy_code code,
                               const struct hy_error *error);

void hy_event_end(struct hy_event *event, enum hy_code code, const struct hy_error *error)
{
    pthread_mutex_lock(&event->lock);
    event->code = code;
    event->error = *error;
    atomic_store_explicit(&event->is_over, true, memory_order_release);
    if (!event->is_fence && event->fence.fd >= 0)
        hy_fence_end(&event->fence, code == HY_OK);
    struct hy_event_dependency *waiters = event->waiters;
    event->waiters = NULL;
    pthread_cond_broadcast(&event->ended);
    pthread_mutex_unlock(&event->lock);

    while (waiters) {
        struct hy_event_dependency *next = waiters->next; /* notifying the waiter frees its node */
        dependency_is_over(waiters->waiter, code, error);
        waiters = next;
    }
    hy_event_release(event);
}

static int64_t sooner(int64_t a, int64_t b)
{
    if (a == HY_NO_DEADLINE || b == HY_NO_DEADLINE)
        return a == HY_NO_DEADLINE ? b : a;
    return a < b ? a : b;
}

static enum hy_code run_timed(struct hy_execution *execution, int64_t deadline,
                              struct hy_error *err)
{
    struct hy_inline_policy *inline_policy = &execution->compilation->inline_policy;
    const uint64_t start = hy_inline_policy_start(inline_policy);
    enum hy_code code = hy_execution_run(execution, NULL, deadline, err);

    hy_inline_policy_end(inline_policy, start, code == HY_OK);
    return code;
}

static void run_work(struct hy_work *work)
{
    struct hy_event *event = (struct hy_event *)((char *)work - offsetof(struct hy_event, work));
    struct hy_error error = {0};
    enum hy_code code;

    pthread_mutex_lock(&event->lock);
    code = event->code; /* of a failed dependency */
    error = event->error;
    pthread_mutex_unlock(&event->lock);
    if (code == HY_OK)
        code = run_timed(event->execution, event->deadline, &error);
    else
        hy_execution_end(event->execution, code);
    hy_event_end(event, code, &error);
}

/* All dependencies are over: a worker runs the execution, or this thread if no worker exists. */
static void launch(struct hy_event *event)
{
    event->deadline = sooner(event->deadline, hy_clock_deadline(event->duration));
    if (!hy_worker_pool_add(&event->work))
        run_work(&event->work);
}

void hy_event_one_less_pending(struct hy_event *event)
{
    if (atomic_fetch_sub_explicit(&event->pending, 1, memory_order_acq_rel) == 1)
        launch(event);
}

static void dependency_is_over(struct hy_event *waiter, enum hy_code code,
                               const struct hy_error *error)
{
    if (code != HY_OK) {
        pthread_mutex_lock(&waiter->lock);
        if (waiter->code == HY_OK)
            waiter->code =
                hy_fail(&waiter->error, HY_FAILED, "a dependency failed: %s", error->text);
        pthread_mutex_unlock(&waiter->lock);
    }
    hy_event_one_less_pending(waiter);
}

bool hy_event_is_over(struct hy_event *event, enum hy_code *code, struct hy_error *err)
{
    if (event->is_fence && hy_fence_is_over(event->fence.fd, code, err))
        return true;
    if (!event->is_fence && atomic_load_explicit(&event->is_over, memory_order_acquire)) {
        *code = event->code;
        if (*code != HY_OK)
            *err = event->error;
        return true;
    }
    if (!hy_event_is_copy(event))
        return false;
    *code = hy_fail(err, HY_FAILED,
                    "the event was made before fork() and completes in another process");
    return true;
}

/* ---- Starting -------------------------------------------------------------------------------- */

void hy_event_prepare(struct hy_event *event, struct hy_execution *execution)
{
    event->work.run = run_work;
    event->execution = hy_execution_retain(execution);
    event->deadline = hy_clock_deadline(execution->timeout);
    event->work.priority = execution->compilation->priority;
    hy_event_retain(event);
}

static void send(struct hy_event *event, struct hy_execution *execution)
{
    hy_event_prepare(event, execution);
    hy_event_one_less_pending(event);
}

/* No other thread knows the event yet. */
static void run_at_once(struct hy_event *event, struct hy_execution *execution)
{
    event->code = run_timed(execution, hy_clock_deadline(execution->timeout), &event->error);
    atomic_store_explicit(&event->is_over, true, memory_order_release);
}

enum hy_code hy_event_start(struct hy_execution *execution, struct hy_event **ret,
                            struct hy_error *err)
{
    struct hy_event *event = hy_event_create_plain(err);
    if (!event)
        return HY_OUT_OF_MEMORY;

    enum hy_code code = hy_execution_begin(execution, HY_RUN_ASYNC, err);
    if (code == HY_OK) {
        code = hy_execution_check_inputs(execution, err);
        if (code != HY_OK)
            hy_execution_end(execution, code);
    }
    if (code != HY_OK) {
        hy_event_release(event);
        return code;
    }
    *ret = event;
    if (hy_inline_policy_is_quick(&execution->compilation->inline_policy))
        run_at_once(event, execution);
    else
        send(event, execution);
    return HY_OK;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* The first thread that waits for a fenced execution completes it, so that the app may start the
 * execution again. */
static enum hy_code wait_for_end(struct hy_event *event, struct hy_error *reason)
{
    enum hy_code code;

    if ((hy_event_is_copy(event) || !event->is_fenced) && hy_event_is_over(event, &code, reason))
        return code;
    pthread_mutex_lock(&event->lock);
    while (!event->is_over)
        pthread_cond_wait(&event->ended, &event->lock);
    if (event->is_fenced && !event->is_finalized)
        hy_execution_finalize(event->execution, event->code);
    event->is_finalized = true;
    pthread_mutex_unlock(&event->lock);
    *reason = event->error;
    return event->code;
}

enum hy_code hy_event_wait(struct hy_event *event, struct hy_error *err)
{
    struct hy_error reason;

    if (event->is_fence)
        return hy_fence_wait(event->fence.fd, err);
    enum hy_code code = wait_for_end(event, &reason);
    if (code != HY_OK && err)
        *err = reason;
    return code;
}

void hy_event_destroy(struct hy_event *event)
{
    struct hy_error reason;

    if (!event)
        return;
    if (!event->is_fence)
        (void)wait_for_end(event, &reason);
    hy_execution_release(event->execution); /* the worker has finished with the execution */
    hy_event_release(event);
}
