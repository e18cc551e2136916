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
    bool is_fence;                  /* the app's: there is no execution */
    struct hy_execution *execution; /* counted; NULL if it was over before the app had the event */
    struct hy_fence fence;          /* what others wait for outside; fd -1 until it is asked for */
    bool is_fenced;                 /* it may be asked for */
    int64_t deadline;               /* of the run */
    uint64_t duration;              /* ns from the end of the last dependency; 0 = none */
    atomic_uint pending; /* dependencies that are not over, and one while they are being listed */

    unsigned generation; /* of the process that made it, see fork_guard.h */
    atomic_bool is_over; /* the execution; set once, after code and error */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t ended;
    bool is_settled; /* the execution has left COMPUTING */
    bool is_watched; /* the fence of the app's */
    enum hy_code code;
    struct hy_error error;
    struct dependency *waiters;

    struct dependency dependencies[];
};

/* ---- Life ------------------------------------------------------------------------------------ */

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

static struct hy_event *create(uint32_t dependency_count, struct hy_error *err)
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

/*
 * True in a child of fork() that has but a copy: nobody there would ever end the event or give back
 * its lock.
 */
static bool is_copy(const struct hy_event *event)
{
    return event->generation != hy_fork_generation();
}

static void retain(struct hy_event *event)
{
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
}

static void discard(void *argument)
{
    struct hy_event *event = argument;

    hy_fence_close(&event->fence);
    if (!is_copy(event)) { /* the condition would wait for the parent's waiters to leave */
        pthread_cond_destroy(&event->ended);
        pthread_mutex_destroy(&event->lock);
    }
    free(event);
}

/*
 * Each thread keeps the last plain event that it had to do with, so that apps that start one
 * execution after the other allocate nothing. The key is there for the end of the thread alone.
 */
static _Thread_local struct hy_event *spare;
static _Thread_local bool is_end_told; /* the thread's end will hear of the key */
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

/* False: it is not for keeping. */
static bool keep(struct hy_event *event)
{
    if (spare || event->is_fenced || is_copy(event) || !has_spare_key)
        return false;
    if (!is_end_told)
        is_end_told = pthread_setspecific(spare_key, &spare) == 0;
    if (is_end_told)
        spare = event;
    return is_end_told;
}

/* An event without dependencies. */
static struct hy_event *create_plain(struct hy_error *err)
{
    struct hy_event *event = spare;

    if (!event || is_copy(event))
        return create(0, err);
    spare = NULL;
    reset(event);
    return event;
}

static void release(struct hy_event *event)
{
    /* A reference that is the only one has nobody to race with. */
    if (atomic_load_explicit(&event->references, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) != 1)
        return;
    if (!keep(event))
        discard(event);
}

/* ---- The end --------------------------------------------------------------------------------- */

static void dependency_is_over(struct hy_event *waiter, enum hy_code code,
                               const struct hy_error *error);

static void end(struct hy_event *event, enum hy_code code, const struct hy_error *error)
{
    pthread_mutex_lock(&event->lock);
    event->code = code;
    event->error = *error;
    atomic_store_explicit(&event->is_over, true, memory_order_release);
    if (!event->is_fence && event->fence.fd >= 0)
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

static enum hy_code run_timed(struct hy_execution *execution, int64_t deadline,
                              struct hy_error *err)
{
    struct hy_pace *pace = &execution->compilation->pace;
    const uint64_t start = hy_pace_start(pace);
    enum hy_code code = hy_execution_run(execution, NULL, deadline, err);

    hy_pace_end(pace, start, code == HY_OK);
    return code;
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
    if (code == HY_OK)
        code = run_timed(event->execution, event->deadline, &error);
    else
        hy_execution_end(event->execution, code);
    end(event, code, &error);
}

/* All dependencies are over: the rest is for a worker, or for this thread where there is none. */
static void launch(struct hy_event *event)
{
    event->deadline = sooner(event->deadline, hy_clock_deadline(event->duration));
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

/* Whether an event is over, and how, as far as can be told without waiting. */
static bool is_over(struct hy_event *event, enum hy_code *code, struct hy_error *err)
{
    const bool over = event->is_fence ? hy_fence_is_over(event->fence.fd, code)
                                      : atomic_load_explicit(&event->is_over, memory_order_acquire);

    if (!over && is_copy(event)) {
        *code = hy_fail(err, HY_FAILED, "it was made before fork(), and ends in another process");
        return true;
    }
    if (over && !event->is_fence) {
        *code = event->code;
        if (*code != HY_OK)
            *err = event->error;
    } else if (over && *code != HY_OK) {
        hy_fail(err, *code, "sync fence %d is in error", event->fence.fd);
    }
    return over;
}

static enum hy_code blame(uint32_t index, const struct hy_error *words, struct hy_error *err)
{
    return hy_fail(err, HY_FAILED, "dependency %u has failed: %s", index, words->text);
}

static enum hy_code check_dependencies(struct hy_event *const *dependencies, uint32_t count,
                                       struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        enum hy_code code;
        struct hy_error words;
        if (is_over(dependencies[i], &code, &words) && code != HY_OK)
            return blame(i, &words, err);
    }
    return HY_OK;
}

/* Puts `waiter` into the list of one it depends on; one that is over already counts for nothing. */
static enum hy_code depend(struct hy_event *waiter, uint32_t index, struct hy_event *on,
                           struct hy_error *err)
{
    struct dependency *dependency = &waiter->dependencies[index];
    enum hy_code code = HY_OK;
    struct hy_error words;

    /* Also because a file, which is always readable, cannot be watched. */
    if (is_over(on, &code, &words))
        return code == HY_OK ? HY_OK : blame(index, &words, err);

    pthread_mutex_lock(&on->lock);
    code = on->is_fence ? watch_fence(on, err) : HY_OK;
    if (code == HY_OK && !on->is_over) {
        atomic_fetch_add_explicit(&waiter->pending, 1, memory_order_relaxed);
        *dependency = (struct dependency){.waiter = waiter, .next = on->waiters};
        on->waiters = dependency;
    } else if (code == HY_OK && on->code != HY_OK) {
        code = blame(index, &on->error, err);
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

static void send(struct hy_event *event, struct hy_execution *execution)
{
    prepare(event, execution);
    one_less_pending(event);
}

/* Nobody else knows the event yet. */
static void run_at_once(struct hy_event *event, struct hy_execution *execution)
{
    event->code = run_timed(execution, hy_clock_deadline(execution->timeout), &event->error);
    atomic_store_explicit(&event->is_over, true, memory_order_release);
}

enum hy_code hy_event_start(struct hy_execution *execution, struct hy_event **ret,
                            struct hy_error *err)
{
    struct hy_event *event = create_plain(err);
    if (!event)
        return HY_OUT_OF_MEMORY;

    enum hy_code code = hy_execution_begin(execution, HY_RUN_ASYNC, err);
    if (code == HY_OK) {
        code = hy_execution_check_inputs(execution, err);
        if (code != HY_OK)
            hy_execution_end(execution, code);
    }
    if (code != HY_OK) {
        release(event);
        return code;
    }
    *ret = event;
    if (hy_pace_is_quick(&execution->compilation->pace))
        run_at_once(event, execution);
    else
        send(event, execution);
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

    enum hy_code code = hy_execution_begin(execution, HY_RUN_FENCED, err);
    if (code == HY_OK) {
        code = check_fenced(execution, dependencies, dependency_count, duration, err);
        if (code != HY_OK)
            hy_execution_end(execution, code);
    }
    if (code != HY_OK) {
        release(event);
        return code;
    }

    execution->settles_later = true;
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

    event->is_fence = true;
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
    if (is_copy(event))
        return hy_fail(err, HY_BAD_DATA, "the event was made before fork()");

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

/* The first to hear of the end of a fenced execution completes it; its app may start it again. */
static enum hy_code wait_for_end(struct hy_event *event, struct hy_error *words)
{
    enum hy_code code;

    if (is_copy(event)) {
        (void)is_over(event, &code, words);
        return code;
    }
    if (!event->is_fenced && is_over(event, &code, words))
        return code;
    pthread_mutex_lock(&event->lock);
    while (!event->is_over)
        pthread_cond_wait(&event->ended, &event->lock);
    if (event->is_fenced && !event->is_settled)
        hy_execution_settle(event->execution, event->code);
    event->is_settled = true;
    pthread_mutex_unlock(&event->lock);
    *words = event->error;
    return event->code;
}

enum hy_code hy_event_wait(struct hy_event *event, struct hy_error *err)
{
    struct hy_error words;

    if (event->is_fence)
        return hy_fence_wait(event->fence.fd, err);
    enum hy_code code = wait_for_end(event, &words);
    if (code != HY_OK && err)
        *err = words;
    return code;
}

void hy_event_destroy(struct hy_event *event)
{
    struct hy_error words;

    if (!event)
        return;
    if (!event->is_fence)
        (void)wait_for_end(event, &words);
    hy_execution_release(event->execution); /* the worker is done with it */
    release(event);
}
