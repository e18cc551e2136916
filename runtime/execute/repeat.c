#include "runtime/execute/repeat.h"

#include "runtime/device/device_kind.h"

static bool is_all_determined(const struct hy_bound_step *bound)
{
    for (uint32_t i = 0; i < bound->request.output_count; i++) {
        if (!bound->outputs[i].is_determined)
            return false;
    }
    return true;
}

void hy_repeat_learn(const struct hy_run *run)
{
    const struct hy_execution *execution = run->execution;
    struct hy_binding *binding = execution->binding;

    binding->is_repeatable =
        binding->plan->step_count == 1 && hy_device_is_built_in(binding->plan->steps[0].device) &&
        !binding->plan->steps[0].cache.is_truncated && !run->has_diverged && !execution->measure &&
        !execution->has_domains && !execution->has_dma_bufs && !binding->staged.is_needed &&
        !binding->memory.buffers && !binding->memory.open && is_all_determined(&binding->steps[0]);
}

/* Checks everything that may have changed since the previous run. */
static bool is_as_before(const struct hy_execution *execution)
{
    const struct hy_binding *binding = execution->binding;

    return binding->is_repeatable && binding->steps[0].reusable &&
           binding->fork_generation == hy_fork_generation() &&
           !atomic_load_explicit(&execution->compilation->measure_steps, memory_order_relaxed);
}

bool hy_repeat_run(struct hy_execution *execution, int64_t deadline)
{
    struct hy_bound_step *bound = &execution->binding->steps[0];
    struct hy_result result = {
        .struct_size = sizeof result,
        .output_count = bound->request.output_count,
        .outputs = bound->shapes,
    };

    if (deadline != HY_NO_DEADLINE || !is_as_before(execution))
        return false;
    const struct hy_device *table = execution->binding->plan->steps[0].device->table;
    if (table->reusable_execute(bound->reusable, deadline, &result) != HY_STATUS_OK)
        return false;
    hy_work_count_run(execution);
    hy_execution_end(execution, HY_OK);
    return true;
}
