#include "runtime/drivers/background.h"

#include "common/own_thread.h"
#include "runtime/fork_guard.h"
#include "runtime/threads/worker_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Not SCHED_IDLE: on a busy machine an idle thread could hold its lock for a long time while others
 * wait. */
#define LOWEST_PRIORITY 19

struct waiting_task {
    const struct hy_background_owner *owner;
    void (*run)(void *argument);
    void *argument;
    struct waiting_task *next;
};

/* `running` is held while a task runs; `lock` protects the rest. Lock order: `running`, then
 * `lock`. */
static struct {
    pthread_mutex_t running;
    pthread_mutex_t lock;
    pthread_cond_t has_run;
    struct waiting_task *first, *last;
    struct waiting_task *current; /* the running task */
    bool has_thread;
} background = {.running = PTHREAD_MUTEX_INITIALIZER,
                .lock = PTHREAD_MUTEX_INITIALIZER,
                .has_run = PTHREAD_COND_INITIALIZER};

/* This is the background thread: its task may fork. */
static _Thread_local bool is_inside;

/* NULL: no task; the thread counts as ended. */
static struct waiting_task *pop(void)
{
    pthread_mutex_lock(&background.lock);
    struct waiting_task *task = background.first;
    if (task) {
        background.first = task->next;
        if (!background.first)
            background.last = NULL;
    } else {
        background.has_thread = false;
    }
    background.current = task;
    pthread_mutex_unlock(&background.lock);
    return task;
}

static void note_end(void)
{
    pthread_mutex_lock(&background.lock);
    background.current = NULL;
    pthread_cond_broadcast(&background.has_run);
    pthread_mutex_unlock(&background.lock);
}

static bool run_one(void)
{
    pthread_mutex_lock(&background.running);
    struct waiting_task *task = pop();
    if (task) {
        task->run(task->argument);
        note_end();
    }
    free(task); /* cannot be interrupted by a fork */
    pthread_mutex_unlock(&background.running);
    return task != NULL;
}

static void *serve(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "halyard-later");
    (void)setpriority(PRIO_PROCESS, 0, LOWEST_PRIORITY); /* on Linux, only this thread */
    is_inside = true;
    while (run_one())
        continue;
    return NULL;
}

/* Called with the lock held. */
static bool need_thread(void)
{
    if (!background.has_thread)
        background.has_thread = hy_own_thread_start(serve, NULL) == 0;
    return background.has_thread;
}

static void append(struct waiting_task *task)
{
    if (background.last)
        background.last->next = task;
    else
        background.first = task;
    background.last = task;
}

bool hy_background_add(struct hy_background_owner *owner, void (*task)(void *argument),
                       void *argument)
{
    if (!task || hy_worker_pool_threads() == 1)
        return false;
    struct waiting_task *waiting = calloc(1, sizeof *waiting);
    if (!waiting)
        return false;

    waiting->owner = owner;
    waiting->run = task;
    waiting->argument = argument;
    pthread_mutex_lock(&background.lock);
    const bool is_served = !(owner && owner->has_ended) && need_thread();
    if (is_served)
        append(waiting);
    pthread_mutex_unlock(&background.lock);
    if (!is_served)
        free(waiting);
    return is_served;
}

/* Removes a pending task of `owner` from the list. Call with the lock held. NULL: no task. */
static struct waiting_task *pop_of(const struct hy_background_owner *owner)
{
    struct waiting_task *before = NULL, *task = background.first;

    while (task && task->owner != owner) {
        before = task;
        task = task->next;
    }
    if (!task)
        return NULL;
    if (before)
        before->next = task->next;
    else
        background.first = task->next;
    if (background.last == task)
        background.last = before;
    return task;
}

void hy_background_end(struct hy_background_owner *owner)
{
    pthread_mutex_lock(&background.lock);
    owner->has_ended = true;
    for (;;) {
        struct waiting_task *task = pop_of(owner);
        if (task) {
            pthread_mutex_unlock(&background.lock);
            task->run(task->argument);
            free(task);
            pthread_mutex_lock(&background.lock);
        } else if (background.current && background.current->owner == owner) {
            pthread_cond_wait(&background.has_run, &background.lock);
        } else {
            break;
        }
    }
    pthread_mutex_unlock(&background.lock);
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE) {
        if (!is_inside)
            pthread_mutex_lock(&background.running);
        pthread_mutex_lock(&background.lock);
        return;
    }
    if (phase == HY_FORK_CHILD) {
        background.has_thread = is_inside;
        background.has_run = (pthread_cond_t)PTHREAD_COND_INITIALIZER; /* none waits here */
        if (background.first)
            (void)need_thread();
    }
    pthread_mutex_unlock(&background.lock);
    if (!is_inside)
        pthread_mutex_unlock(&background.running);
}

HY_AT_FORK(HY_FORK_BACKGROUND, at_fork)
