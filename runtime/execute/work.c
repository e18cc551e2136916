#include "runtime/execute/work.h"

#include "runtime/execute/execution.h"
#include "runtime/fork_guard.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    struct hy_compilation *first;
} asked = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Counting -------------------------------------------------------------------------------- */

static void add(atomic_uint_fast64_t *count, uint64_t more)
{
    atomic_fetch_add_explicit(count, more, memory_order_relaxed);
}

void hy_work_count_step(const struct hy_runtime_device *device, uint32_t operation_count)
{
    add(&device->work->execution_count, 1);
    add(&device->work->operation_count, operation_count);
}

void hy_work_count_other(struct hy_compilation *compilation)
{
    add(&compilation->execution_count, 1);
}

/* Planned runs that are not included in the counts of the devices. */
static uint64_t planned_runs(const struct hy_compilation *compilation)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < HY_EXECUTIONS_CACHED; i++)
        sum +=
            atomic_load_explicit(&compilation->executions.slots[i].run_count, memory_order_relaxed);
    return sum;
}

void hy_work_count_run(struct hy_execution *execution)
{
    const struct hy_plan *plan = execution->compilation->plan;

    if (execution->slot) { /* only the owner writes: no atomic addition needed */
        atomic_uint_fast64_t *count = &execution->slot->run_count;
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                              memory_order_relaxed);
        return;
    }
    for (uint32_t i = 0; i < plan->step_count; i++)
        hy_work_count_step(plan->steps[i].device, plan->steps[i].operation_count);
    hy_work_count_other(execution->compilation);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

uint64_t hy_work_executions(const struct hy_compilation *compilation)
{
    return atomic_load_explicit(&compilation->execution_count, memory_order_relaxed) +
           planned_runs(compilation);
}

/* Adds the work of a compilation on one device. */
static void add_compilation(const struct hy_compilation *compilation,
                            const struct hy_runtime_device *device, struct hy_work_sum *sum)
{
    const struct hy_plan *plan = compilation->plan;
    const uint64_t runs = planned_runs(compilation);

    for (uint32_t i = 0; i < plan->step_count; i++) {
        if (plan->steps[i].device != device)
            continue;
        sum->steps += runs;
        sum->operations += runs * plan->steps[i].operation_count;
    }
}

struct hy_work_sum hy_work_of_device(const struct hy_runtime_device *device)
{
    pthread_mutex_lock(&asked.lock);
    struct hy_work_sum sum = {
        .steps = atomic_load_explicit(&device->work->execution_count, memory_order_relaxed),
        .operations = atomic_load_explicit(&device->work->operation_count, memory_order_relaxed),
    };
    for (const struct hy_compilation *at = asked.first; at; at = at->work.next)
        add_compilation(at, device, &sum);
    pthread_mutex_unlock(&asked.lock);
    return sum;
}

/* ---- List of compilations -------------------------------------------------------------------- */

void hy_work_list_add(struct hy_compilation *compilation)
{
    struct hy_work_entry *entry = &compilation->work;

    pthread_mutex_lock(&asked.lock);
    *entry = (struct hy_work_entry){.next = asked.first, .at = &asked.first};
    if (entry->next)
        entry->next->work.at = &entry->next;
    asked.first = compilation;
    pthread_mutex_unlock(&asked.lock);
}

/* Moves the counts of the compilation to the devices, atomically with its removal. */
void hy_work_list_remove(struct hy_compilation *compilation)
{
    const struct hy_plan *plan = compilation->plan;
    struct hy_work_entry *entry = &compilation->work;

    if (compilation->state != HY_COMPILATION_FINISHED) /* was never in the list */
        return;
    pthread_mutex_lock(&asked.lock);
    const uint64_t runs = planned_runs(compilation);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        struct hy_device_work *work = plan->steps[i].device->work;
        add(&work->execution_count, runs);
        add(&work->operation_count, runs * plan->steps[i].operation_count);
    }
    *entry->at = entry->next;
    if (entry->next)
        entry->next->work.at = entry->at;
    pthread_mutex_unlock(&asked.lock);
}

static void at_fork(enum hy_fork_phase phase)
{
    if (phase == HY_FORK_BEFORE)
        pthread_mutex_lock(&asked.lock);
    else
        pthread_mutex_unlock(&asked.lock);
}

HY_AT_FORK(HY_FORK_WORK, at_fork)
