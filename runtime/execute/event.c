#include "runtime/execute/event.h"

#include "runtime/clock.h"
#include "runtime/execute/fence.h"
#include "runtime/execute/worker_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* That `waiter` waits for the event in whose list this stands. */
struct dependency {
    struct hy_event *waiter;
    struct dependency *next;
};

struct hy_event {
    struct hy_work work;
    atomic_uint references;         /* the app's, and that of whoever will end it */
    struct hy_execution *execution; /* NULL: a fence of the app's */
    struct hy_fence fence;          /* what others wait for outside; fd -1 until it is asked for */
    bool is_fenced;                 /* it may be asked for */
    int64_t deadline;
    uint64_t duration;
    atomic_uint pending; /* dependencies that are not over, and one while they are being listed */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t ended;
    bool is_over;
    bool is_watched; /* the fence of the app's */
    enum hy_code code;
    struct hy_error error;
    struct dependency *waiters;

    struct dependency dependencies[];
};

/* ---- Life ------------------------------------------------------------------------------------ */

static struct hy_event *create(uint32_t dependency_count, struct hy_error *err)
{
    struct hy_event *event =
        calloc(1, sizeof *event + dependency_count * sizeof event->dependencies[0]);
    if (!event) {
        hy_fail(err, HY_OUT_OF_MEMORY, "event with %u dependencies", dependency_count);
        return NULL;
    }
    atomic_init(&event->references, 1);
    atomic_init(&event->pending, 1);
    event->fence = (struct hy_fence){.fd = -1, .signal = -1};
    event->deadline = HY_NO_DEADLINE;
    pthread_mutex_init(&event->lock, NULL);
    pthread_cond_init(&event->ended, NULL);
    return event;
}

static void retain(struct hy_event *event)
{
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
}

static void release(struct hy_event *event)
{
    if (atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) != 1)
        return;
    hy_fence_close(&event->fence);
    pthread_cond_destroy(&event->ended);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

/* ---- The end --------------------------------------------------------------------------------- */

static void dependency_is_over(struct hy_event *waiter, enum hy_code code,
                               const struct hy_error *error);

static void end(struct hy_event *event, enum hy_code code, const struct hy_error *error)
{
    pthread_mutex_lock(&event->lock);
    event->code = code;
    event->error = *error;
    event->is_over = true;
    if (event->execution && event->fence.fd >= 0)
        hy_fence_end(&event->fence, code == HY_OK);
    struct dependency *waiters = event->waiters;
    event->waiters = NULL;
    pthread_cond_broadcast(&event->ended);
    pthread_mutex_unlock(&event->lock);

    while (waiters) {
        struct dependency *next = waiters->next; /* gone once the waiter knows */
        dependency_is_over(waiters->waiter, code, error);
        waiters = next;
    }
    release(event);
}

static int64_t sooner(int64_t a, int64_t b)
{
    if (a == HY_NO_DEADLINE || b == HY_NO_DEADLINE)
        return a == HY_NO_DEADLINE ? b : a;
    return a < b ? a : b;
}

static void run_work(struct hy_work *work)
{
    struct hy_event *event = (struct hy_event *)((char *)work - offsetof(struct hy_event, work));
    struct hy_error error = {0};
    enum hy_code code;

    pthread_mutex_lock(&event->lock);
    code = event->code; /* of a dependency that failed */
    error = event->error;
    pthread_mutex_unlock(&event->lock);
    if (code == HY_OK) {
        int64_t deadline = sooner(event->deadline, hy_clock_deadline(event->duration));
        code = hy_execution_run(event->execution, NULL, deadline, &error);
    } else {
        hy_execution_abandon(event->execution);
    }
    end(event, code, &error);
}

/* All dependencies are over: the rest is for a worker, or for this thread where there is none. */
static void launch(struct hy_event *event)
{
    if (!hy_worker_pool_add(&event->work))
        run_work(&event->work);
}

static void one_less_pending(struct hy_event *event)
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
    one_less_pending(waiter);
}

/* ---- Dependencies ---------------------------------------------------------------------------- */

/* The fence of the app's that `context` stands for is over. */
static void fence_is_over(void *context, enum hy_code code)
{
    struct hy_event *event = context;
    struct hy_error error = {0};

    if (code != HY_OK)
        hy_fail(&error, code, "sync fence %d is in error", event->fence.fd);
    end(event, code, &error);
}

/* Called with the event's lock held. */
static enum hy_code watch_fence(struct hy_event *event, struct hy_error *err)
{
    if (event->is_watched)
        return HY_OK;
    retain(event); /* for the watcher, which ends it */
    enum hy_code code = hy_fence_watch(event->fence.fd, fence_is_over, event, err);
    event->is_watched = code == HY_OK;
    if (code != HY_OK)
        release(event); /* never the last: the app has it */
    return code;
}

/* Whether an event is over, and how; a fence of the app's is looked at. */
static bool is_over(struct hy_event *event, enum hy_code *code, struct hy_error *err)
{
    if (!event->execution) {
        if (!hy_fence_is_over(event->fence.fd, code))
            return false;
        if (*code != HY_OK)
            hy_fail(err, *code, "sync fence %d is in error", event->fence.fd);
        return true;
    }
    pthread_mutex_lock(&event->lock);
    const bool over = event->is_over;
    *code = event->code;
    if (over && event->code != HY_OK)
        *err = event->error;
    pthread_mutex_unlock(&event->lock);
    return over;
}

static enum hy_code check_dependencies(struct hy_event *const *dependencies, uint32_t count,
                                       struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        enum hy_code code;
        struct hy_error words;
        if (is_over(dependencies[i], &code, &words) && code != HY_OK)
            return hy_fail(err, HY_FAILED, "dependency %u has failed: %s", i, words.text);
    }
    return HY_OK;
}

/* Puts `waiter` into the list of one it depends on; one that is over already counts for nothing. */
static enum hy_code depend(struct hy_event *waiter, uint32_t index, struct hy_event *on,
                           struct hy_error *err)
{
    struct dependency *dependency = &waiter->dependencies[index];
    enum hy_code code = HY_OK;

    pthread_mutex_lock(&on->lock);
    if (!on->is_over && !on->execution)
        code = watch_fence(on, err);
    if (code == HY_OK && !on->is_over) {
        atomic_fetch_add_explicit(&waiter->pending, 1, memory_order_relaxed);
        *dependency = (struct dependency){.waiter = waiter, .next = on->waiters};
        on->waiters = dependency;
    } else if (code == HY_OK) {
        code = on->code;
        if (code != HY_OK)
            hy_fail(err, code, "dependency %u has failed: %s", index, on->error.text);
    }
    pthread_mutex_unlock(&on->lock);
    return code;
}

/* ---- Starting -------------------------------------------------------------------------------- */

/* An execution that has begun, on its way; it takes the app's reference and one for the worker. */
static void prepare(struct hy_event *event, struct hy_execution *execution)
{
    event->work.run = run_work;
    event->execution = hy_execution_retain(execution);
    event->deadline = hy_clock_deadline(execution->timeout);
    event->work.priority = execution->compilation->priority;
    retain(event);
}

enum hy_code hy_event_start(struct hy_execution *execution, struct hy_event **ret,
                            struct hy_error *err)
{
    struct hy_event *event = create(0, err);
    if (!event)
        return HY_OUT_OF_MEMORY;

    enum hy_code code = hy_execution_begin(execution, err);
    if (code == HY_OK) {
        code = hy_execution_check_inputs(execution, err);
        if (code != HY_OK)
            hy_execution_abandon(execution);
    }
    if (code != HY_OK) {
        release(event);
        return code;
    }
    prepare(event, execution);
    *ret = event;
    one_less_pending(event);
    return HY_OK;
}

/* What only fenced executions must keep to. */
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
    struct hy_event *event = create(dependency_count, err);
    if (!event)
        return HY_OUT_OF_MEMORY;

    enum hy_code code = hy_execution_begin(execution, err);
    if (code == HY_OK) {
        code = check_fenced(execution, dependencies, dependency_count, duration, err);
        if (code != HY_OK)
            hy_execution_abandon(execution);
    }
    if (code != HY_OK) {
        release(event);
        return code;
    }

    event->is_fenced = true;
    event->duration = duration;
    prepare(event, execution);
    *ret = event;
    for (uint32_t i = 0; i < dependency_count; i++) {
        struct hy_error words;
        code = depend(event, i, dependencies[i], &words);
        if (code != HY_OK) { /* it failed just now: as if it had failed later */
            pthread_mutex_lock(&event->lock);
            event->code = HY_FAILED;
            event->error = words;
            pthread_mutex_unlock(&event->lock);
            break;
        }
    }
    one_less_pending(event);
    return HY_OK;
}

/* ---- Fences ---------------------------------------------------------------------------------- */

enum hy_code hy_event_from_fence(int fd, struct hy_event **ret, struct hy_error *err)
{
    struct hy_event *event = create(0, err);
    if (!event)
        return HY_OUT_OF_MEMORY;

    event->is_fenced = true;
    event->fence.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (event->fence.fd < 0) {
        enum hy_code code = hy_fail(err, HY_BAD_DATA, "sync fence %d cannot be duplicated: %s", fd,
                                    strerror(errno));
        release(event);
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

    pthread_mutex_lock(&event->lock);
    enum hy_code code = need_fence(event, err);
    int copy = code == HY_OK ? fcntl(event->fence.fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (code == HY_OK && copy < 0)
        code =
            hy_fail(err, HY_BAD_DATA, "the sync fence cannot be duplicated: %s", strerror(errno));
    pthread_mutex_unlock(&event->lock);
    if (code == HY_OK)
        *fd = copy;
    return code;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static void wait_for_end(struct hy_event *event)
{
    pthread_mutex_lock(&event->lock);
    while (!event->is_over)
        pthread_cond_wait(&event->ended, &event->lock);
    pthread_mutex_unlock(&event->lock);
}

enum hy_code hy_event_wait(struct hy_event *event, struct hy_error *err)
{
    if (!event->execution)
        return hy_fence_wait(event->fence.fd, err);
    wait_for_end(event);
    if (event->code != HY_OK && err)
        *err = event->error;
    return event->code;
}

void hy_event_destroy(struct hy_event *event)
{
    if (!event)
        return;
    if (event->execution) {
        wait_for_end(event);
        hy_execution_release(event->execution); /* the worker is done with it */
    }
    release(event);
}
