#include "runtime/execute/event.h"

#include "runtime/clock.h"
#include "runtime/execute/worker_pool.h"

#include <stddef.h>
#include <stdlib.h>

struct hy_event {
    struct hy_work work;
    atomic_uint references; /* the app's, and that of the worker, which outlasts the answer */
    struct hy_execution *execution;
    int64_t deadline;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_over;
    enum hy_code code;
    struct hy_error error;
};

static void release(struct hy_event *event)
{
    if (atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) != 1)
        return;
    pthread_cond_destroy(&event->ended);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

static void run_work(struct hy_work *work)
{
    struct hy_event *event = (struct hy_event *)((char *)work - offsetof(struct hy_event, work));
    struct hy_error error = {0};
    enum hy_code code = hy_execution_run(event->execution, event->deadline, &error);

    pthread_mutex_lock(&event->lock);
    event->code = code;
    event->error = error;
    event->is_over = true;
    pthread_cond_broadcast(&event->ended);
    pthread_mutex_unlock(&event->lock);
    release(event);
}

enum hy_code hy_event_start(struct hy_execution *execution, struct hy_event **ret,
                            struct hy_error *err)
{
    struct hy_event *event = calloc(1, sizeof *event);
    if (!event)
        return hy_fail(err, HY_OUT_OF_MEMORY, "event of %zu bytes", sizeof *event);

    enum hy_code code = hy_execution_begin(execution, err);
    if (code != HY_OK) {
        free(event);
        return code;
    }
    event->work.run = run_work;
    event->execution = hy_execution_retain(execution);
    event->deadline = hy_clock_deadline(execution->timeout);
    atomic_init(&event->references, 2);
    pthread_mutex_init(&event->lock, NULL);
    pthread_cond_init(&event->ended, NULL);
    *ret = event;
    if (!hy_worker_pool_add(&event->work))
        run_work(&event->work);
    return HY_OK;
}

static void wait_for_end(struct hy_event *event)
{
    pthread_mutex_lock(&event->lock);
    while (!event->is_over)
        pthread_cond_wait(&event->ended, &event->lock);
    pthread_mutex_unlock(&event->lock);
}

enum hy_code hy_event_wait(struct hy_event *event, struct hy_error *err)
{
    wait_for_end(event);
    if (event->code != HY_OK && err)
        *err = event->error;
    return event->code;
}

void hy_event_destroy(struct hy_event *event)
{
    if (!event)
        return;
    wait_for_end(event);
    hy_execution_release(event->execution); /* the worker is done with it */
    release(event);
}
