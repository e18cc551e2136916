#include "runtime/device/later.h"

#include "runtime/execute/own_thread.h"
#include "runtime/execute/worker_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Not SCHED_IDLE: on a busy machine that would keep whoever waits for a lock of its waiting. */
#define LOWEST_PRIORITY 19

struct waiting_task {
    void (*run)(void *argument);
    void *argument;
    struct waiting_task *next;
};

/* `running` is held while a task runs, `lock` over the rest; the first is taken first. */
static struct {
    pthread_mutex_t running;
    pthread_mutex_t lock;
    struct waiting_task *first, *last;
    bool has_thread;
} later = {.running = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

/* This thread is the one: what it runs may fork. */
static _Thread_local bool is_inside;

/* NULL: there is none, and the thread counts as gone. */
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
    pthread_mutex_unlock(&later.lock);
    return task;
}

static bool run_one(void)
{
    pthread_mutex_lock(&later.running);
    struct waiting_task *task = take();
    if (task)
        task->run(task->argument);
    pthread_mutex_unlock(&later.running);
    free(task);
    return task != NULL;
}

static void *serve(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "halyard-later");
    (void)setpriority(PRIO_PROCESS, 0, LOWEST_PRIORITY); /* of this thread alone, on Linux */
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

bool hy_later_add(void (*task)(void *argument), void *argument)
{
    if (!task || hy_worker_pool_width() == 1)
        return false;
    struct waiting_task *waiting = calloc(1, sizeof *waiting);
    if (!waiting)
        return false;

    waiting->run = task;
    waiting->argument = argument;
    pthread_mutex_lock(&later.lock);
    const bool is_served = need_thread();
    if (is_served)
        append(waiting);
    pthread_mutex_unlock(&later.lock);
    if (!is_served)
        free(waiting);
    return is_served;
}

void hy_later_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE) {
        if (!is_inside)
            pthread_mutex_lock(&later.running);
        pthread_mutex_lock(&later.lock);
        return;
    }
    if (phase == HY_FORK_CHILD) {
        later.has_thread = is_inside;
        if (later.first)
            (void)need_thread();
    }
    pthread_mutex_unlock(&later.lock);
    if (!is_inside)
        pthread_mutex_unlock(&later.running);
}
