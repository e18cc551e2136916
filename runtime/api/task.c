/* halyard.h: work for threads of the pool. */
#include "halyard/halyard.h"
#include "runtime/handle/last_error.h"
#include "runtime/threads/worker_pool.h"

#include <assert.h>
#include <string.h>

/* The content of the reserved members of a task. */
struct task_work {
    struct hy_work work;
    struct halyard_task *task;
};

static_assert(sizeof(struct task_work) <= sizeof((struct halyard_task *)0)->reserved,
              "the work of a task lies in the task");

/* The app may free the task as soon as the task function is called. */
static void run(struct hy_work *work)
{
    struct halyard_task *task = ((struct task_work *)work)->task;
    task->run(task);
}

static bool find_priority(int32_t priority, int32_t *own)
{
    switch (priority) {
    case ANEURALNETWORKS_PRIORITY_LOW:
        *own = HY_PRIORITY_LOW;
        return true;
    case 0:
    case ANEURALNETWORKS_PRIORITY_MEDIUM:
        *own = HY_PRIORITY_MEDIUM;
        return true;
    case ANEURALNETWORKS_PRIORITY_HIGH:
        *own = HY_PRIORITY_HIGH;
        return true;
    default:
        return false;
    }
}

static enum hy_code start(struct halyard_task *task, struct hy_error *err)
{
    struct task_work *own = (struct task_work *)task->reserved;

    if (task->struct_size < sizeof *task)
        return hy_fail(err, HY_BAD_DATA, "struct_size is %zu, a task has %zu bytes",
                       task->struct_size, sizeof *task);
    *own = (struct task_work){.work.run = run, .task = task};
    if (!find_priority(task->priority, &own->work.priority))
        return hy_fail(err, HY_BAD_DATA, "priority is %d, values are 0, 90, 100 and 110",
                       task->priority);
    if (!hy_worker_pool_add(&own->work))
        return hy_fail(err, HY_EXHAUSTED, "no thread can be made");
    return HY_OK;
}

int halyard_task_start(struct halyard_task *task)
{
    static const char name[] = "task_start";
    struct hy_error err;

    if (!task)
        return hy_api_null(name, "task");
    if (!task->run)
        return hy_api_null(name, "run");
    return hy_api_result(name, start(task, &err), &err);
}
