#include "runtime/execute/execution_burst.h"

#include "common/clock.h"
#include "runtime/device/driver_call.h"
#include "runtime/execute/execution.h"
#include "runtime/log.h"
#include "runtime/memory/watch.h"

#include <stdlib.h>

struct hy_burst {
    struct hy_compilation *compilation;
    atomic_bool busy;
    struct hy_memory_watch watch;
    void *steps[]; /* the driver's burst of each step, or NULL */
};

/* Drivers cache mappings by memory id, so they are notified when the memory is freed. */
static void invalidate_memory(void *context, uint64_t id)
{
    struct hy_burst *burst = context;
    const struct hy_plan *plan = burst->compilation->plan;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        if (burst->steps[i])
            plan->steps[i].device->table->burst_release(burst->steps[i], id);
    }
}

static void open_steps(struct hy_burst *burst)
{
    const struct hy_plan *plan = burst->compilation->plan;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_step *step = &plan->steps[i];
        const struct hy_device *table = step->device->table;
        void *opened = NULL;

        if (!HY_HAS(table, burst_close))
            continue;
        const struct hy_driver_call call = hy_driver_call_begin(step->device, "burst_open");
        const int32_t status = table->burst_open(step->prepared, &opened);
        hy_driver_call_end(call);
        if (status == HY_STATUS_OK && opened)
            burst->steps[i] = opened;
        else
            hy_log(HY_LOG_INFO, "execute", "%s opened no burst; step %u runs without a burst",
                   step->device->info.name, i);
    }
}

enum hy_code hy_burst_create(struct hy_compilation *compilation, struct hy_burst **ret,
                             struct hy_error *err)
{
    enum hy_code code = hy_compilation_check_finished(compilation, err);
    if (code != HY_OK)
        return code;

    const uint32_t count = compilation->plan->step_count;
    struct hy_burst *burst = calloc(1, sizeof *burst + count * sizeof burst->steps[0]);
    if (!burst)
        return hy_fail(err, HY_OUT_OF_MEMORY, "burst over %u steps", count);
    burst->compilation = hy_compilation_retain(compilation);
    atomic_init(&burst->busy, false);
    open_steps(burst);
    hy_memory_watch_start(&burst->watch, invalidate_memory, burst);
    *ret = burst;
    return HY_OK;
}

void hy_burst_destroy(struct hy_burst *burst)
{
    if (!burst)
        return;
    hy_memory_watch_stop(&burst->watch);
    const struct hy_plan *plan = burst->compilation->plan;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_runtime_device *device = plan->steps[i].device;
        if (!burst->steps[i])
            continue;
        const struct hy_driver_call call = hy_driver_call_begin(device, "burst_close");
        device->table->burst_close(burst->steps[i]);
        hy_driver_call_end(call);
    }
    hy_compilation_release(burst->compilation);
    free(burst);
}

enum hy_code hy_burst_compute(struct hy_burst *burst, struct hy_execution *execution,
                              struct hy_error *err)
{
    if (execution->compilation != burst->compilation)
        return hy_fail(err, HY_BAD_DATA, "the execution belongs to another compilation");
    if (atomic_exchange_explicit(&burst->busy, true, memory_order_acquire))
        return hy_fail(err, HY_BAD_STATE, "the burst is running another execution");

    enum hy_code code = hy_execution_begin(execution, HY_RUN_BURST, err);
    if (code == HY_OK)
        code = hy_execution_run(execution, burst, hy_clock_deadline(execution->timeout), err);
    atomic_store_explicit(&burst->busy, false, memory_order_release);
    return code;
}

void *hy_burst_step(const struct hy_burst *burst, uint32_t step)
{
    return burst->steps[step];
}
