#include "runtime/drivers/later.h"

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
    const struct hy_later_owner *owner;
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
} later = {.running = PTHREAD_MUTEX_INITIALIZER,
           .lock = PTHREAD_MUTEX_INITIALIZER,
           .has_run = PTHREAD_COND_INITIALIZER};

/* This is the background thread: its task may fork. */
static _Thread_local bool is_inside;

/* NULL: no task; the thread counts as ended. */
static struct waiting_task *take(void)
{
    pthread_mutex_lock(&later.lock);
    struct waiting_task *task = later.first;
    if (task) {
        later.first = task->next;
        if (!later.first)
            later.last = NULL;
    } else {
        later.has_thread = false;
    }
    later.current = task;
    pthread_mutex_unlock(&later.lock);
    return task;
}

static void note_end(void)
{
    pthread_mutex_lock(&later.lock);
    later.current = NULL;
    pthread_cond_broadcast(&later.has_run);
    pthread_mutex_unlock(&later.lock);
}

static bool run_one(void)
{
    pthread_mutex_lock(&later.running);
    struct waiting_task *task = take();
    if (task) {
        task->run(task->argument);
        note_end();
    }
    free(task); /* cannot be interrupted by a fork */
    pthread_mutex_unlock(&later.running);
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
    if (!later.has_thread)
        later.has_thread = hy_own_thread_start(serve, NULL) == 0;
    return later.has_thread;
}

static void append(struct waiting_task *task)
{
    if (later.last)
        later.last->next = task;
    else
        later.first = task;
    later.last = task;
}

bool hy_later_add(struct hy_later_owner *owner, void (*task)(void *argument), void *argument)
{
    if (!task || hy_worker_pool_threads() == 1)
        return false;
    struct waiting_task *waiting = calloc(1, sizeof *waiting);
    if (!waiting)
        return false;

    waiting->owner = owner;
    waiting->run = task;
    waiting->argument = argument;
    pthread_mutex_lock(&later.lock);
    const bool is_served = !(owner && owner->has_ended) && need_thread();
    if (is_served)
        append(waiting);
    pthread_mutex_unlock(&later.lock);
    if (!is_served)
        free(waiting);
    return is_served;
}

/* Removes a pending task of `owner` from the list. Call with the lock held. NULL: no task. */
static struct waiting_task *take_of(const struct hy_later_owner *owner)
{
    struct waiting_task *before = NULL, *task = later.first;

    while (task && task->owner != owner) {
        before = task;
        task = task->next;
    }
    if (!task)
        return NULL;
    if (before)
        before->next = task->next;
    else
        later.first = task->next;
    if (later.last == task)
        later.last = before;
    return task;
}

void hy_later_end(struct hy_later_owner *owner)
{
    pthread_mutex_lock(&later.lock);
    owner->has_ended = true;
    for (;;) {
        struct waiting_task *task = take_of(owner);
        if (task) {
            pthread_mutex_unlock(&later.lock);
            task->run(task->argument);
            free(task);
            pthread_mutex_lock(&later.lock);
        } else if (later.current && later.current->owner == owner) {
            pthread_cond_wait(&later.has_run, &later.lock);
        } else {
            break;
        }
    }
    pthread_mutex_unlock(&later.lock);
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE) {
        if (!is_inside)
            pthread_mutex_lock(&later.running);
        pthread_mutex_lock(&later.lock);
        return;
    }
    if (phase == HY_FORK_CHILD) {
        later.has_thread = is_inside;
        later.has_run = (pthread_cond_t)PTHREAD_COND_INITIALIZER; /* none waits here */
        if (later.first)
            (void)need_thread();
    }
    pthread_mutex_unlock(&later.lock);
    if (!is_inside)
        pthread_mutex_unlock(&later.running);
}

HY_AT_FORK(HY_FORK_LATER, at_fork)
