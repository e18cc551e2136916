/* Running an execution: the stages of a run, in order. */
#include "runtime/execute/copied.h"
#include "runtime/execute/dma_buf_access.h"
#include "runtime/execute/execution_burst.h"
#include "runtime/execute/fallback.h"
#include "runtime/execute/repeat.h"
#include "runtime/execute/run_step.h"
#include "runtime/memory/memory_quota.h"
#include "runtime/threads/worker_pool.h"

/* Resets the outputs to the shapes of app and model. */
static void reset_outputs(struct hy_execution *execution)
{
    for (uint32_t i = 0; i < execution->output_count; i++) {
        execution->output_states[i].sufficient = true;
        execution->output_states[i].shape = execution->outputs[i].shape;
    }
}

/* Copies staged arguments in or out, and counts the copied bytes. */
static enum hy_code copy_staged(const struct hy_run *run,
                                enum hy_code (*copy)(const struct hy_staged_arguments *staged,
                                                     const struct hy_execution *execution,
                                                     struct hy_error *err),
                                struct hy_error *err)
{
    const struct hy_staged_arguments *staged = &run->execution->binding->staged;
    const uint64_t before = hy_copied_by_thread();

    if (!staged->is_needed)
        return HY_OK;
    const enum hy_code code = copy(staged, run->execution, err);
    hy_run_note_copies(run, before);
    return code;
}

/* True if a device in quarantine holds boundary tensors in its memory. */
static bool has_quarantined_buffers(const struct hy_execution *execution)
{
    const struct hy_plan *plan = execution->compilation->plan;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        if (execution->binding->steps[i].uses_buffers &&
            hy_fallback_is_in_quarantine(plan->steps[i].device))
            return true;
    }
    return false;
}

static enum hy_code run_steps(struct hy_run *run, struct hy_error *err)
{
    const uint32_t step_count = run->execution->compilation->plan->step_count;
    struct hy_error own; /* hy_run_step() logs the text even if `err` is NULL */

    for (uint32_t i = 0; i < step_count; i++) {
        if (hy_is_cancelled(run->options.cancelled))
            return hy_fail(err, HY_BAD_STATE, "cancelled before step %u of %u", i, step_count);
        const enum hy_code code = hy_run_step(run, i, &own);
        if (code != HY_OK && hy_is_cancelled(run->options.cancelled))
            return hy_fail(err, HY_BAD_STATE, "cancelled in step %u of %u", i, step_count);
        if (code != HY_OK) {
            if (err)
                *err = own;
            return code;
        }
    }
    return HY_OK;
}

/*
 * Runs all steps, with boundary tensors in device memory if possible. A fallback device cannot
 * access device memory, and a failed device may not return its data. In these cases all steps run
 * with host memory, if necessary from the start. Running again is safe, as no step changes its
 * inputs.
 */
static enum hy_code run_steps_in_reach(struct hy_run *run, struct hy_error *err)
{
    struct hy_binding *binding = run->execution->binding;

    if (!binding->memory.buffers || !has_quarantined_buffers(run->execution)) {
        const enum hy_code code = run_steps(run, err);
        if (!run->has_lost_buffers) /* hy_run_step() sets the flag */
            return code;
    }
    run->has_lost_buffers = false;
    run->on_device = run->in_driver = 0;
    const enum hy_code code = hy_binding_bypass_buffers(binding, run->execution, err);
    return code == HY_OK ? run_steps(run, err) : code;
}

/* Returns `code`, the result of the steps, or the error of the end if the steps succeeded. */
static enum hy_code end_dma_buf_access(const struct hy_run *run, enum hy_code code,
                                       struct hy_error *err)
{
    struct hy_error own;
    const enum hy_code end = hy_dma_buf_access_end(run->execution, &own);

    if (code != HY_OK || end == HY_OK)
        return code;
    if (err)
        *err = own;
    return end;
}

static void count_run(const struct hy_run *run, enum hy_code code)
{
    if (code == HY_OK && !run->has_diverged)
        hy_work_count_run(run->execution);
    else
        hy_work_count_other(run->execution->compilation);
}

/*
 * The stages of a begun execution (hy_execution_begin): check the inputs, bind the arguments to the
 * steps, copy in, begin CPU access to dma-bufs, run the steps, end CPU access, copy out, take the
 * times, count, end. A failure skips the stages up to the copies out; unneeded stages do nothing.
 */
static enum hy_code run_stages(struct hy_run *run, struct hy_error *err)
{
    struct hy_execution *execution = run->execution;

    execution->binding->is_repeatable = false; /* until this run has succeeded */
    reset_outputs(execution);
    enum hy_code code = hy_execution_check_inputs(execution, err);
    if (code == HY_OK)
        code = hy_binding_refresh(execution->binding, execution, err);
    if (code == HY_OK)
        code = copy_staged(run, hy_staged_arguments_copy_in, err);
    if (code == HY_OK && execution->has_dma_bufs)
        code = hy_dma_buf_access_begin(execution, err);
    const bool has_access = code == HY_OK && execution->has_dma_bufs;
    if (code == HY_OK)
        code = run_steps_in_reach(run, err);
    if (has_access)
        code = end_dma_buf_access(run, code, err);
    if (code == HY_OK)
        code = copy_staged(run, hy_staged_arguments_copy_out, err);
    execution->time_on_device = execution->measure ? run->on_device : HY_NO_TIME;
    execution->time_in_driver = execution->measure ? run->in_driver : HY_NO_TIME;
    if (code == HY_OK)
        hy_repeat_learn(run);
    count_run(run, code);
    hy_execution_end(execution, code);
    return code;
}

/* The driver's text names the refused reservation; add the app's limit. */
static enum hy_code tell_memory_limit(const struct hy_memory_quota *quota, enum hy_code code,
                                      struct hy_error *err)
{
    if (!hy_memory_quota_is_over(code))
        return code;
    return hy_error_prefix(err, HY_OUT_OF_MEMORY, "more than the memory limit of %llu bytes",
                           (unsigned long long)hy_memory_quota_limit(quota));
}

enum hy_code hy_execution_run(struct hy_execution *execution, const struct hy_burst *burst,
                              int64_t deadline, struct hy_error *err)
{
    const uint32_t limit_before = hy_worker_pool_limit(execution->compilation->threads);
    struct hy_memory_quota *quota = execution->compilation->memory; /* seldom */
    struct hy_memory_quota *quota_before = quota ? hy_memory_quota_use(quota) : NULL;
    enum hy_code code = HY_OK;

    if (!hy_repeat_run(execution, deadline)) {
        struct hy_run run = {
            .execution = execution,
            .burst = burst,
            .options = {.struct_size = sizeof run.options,
                        .measure = execution->measure,
                        .deadline = deadline,
                        .loop_timeout = execution->loop_timeout,
                        .hints = execution->attributes.hints,
                        .hint_count = execution->attributes.count,
                        .cancelled = &execution->cancelled},
        };
        code = tell_memory_limit(quota, run_stages(&run, err), err);
    }
    if (quota)
        (void)hy_memory_quota_use(quota_before);
    (void)hy_worker_pool_limit(limit_before);
    return code;
}

enum hy_code hy_execution_run_nested(struct hy_execution *execution,
                                     const struct hy_run_options *options, struct hy_error *err)
{
    struct hy_run run = {.execution = execution, .options = *options};
    return run_stages(&run, err);
}
