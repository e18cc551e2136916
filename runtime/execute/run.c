/* Running an execution: the steps in order, each checked, or run again by another device. */
#include "common/torn_guard.h"
#include "runtime/clock.h"
#include "runtime/device/device_kind.h"
#include "runtime/device/health.h"
#include "runtime/device/pool_kinds.h"
#include "runtime/execute/burst.h"
#include "runtime/execute/copied.h"
#include "runtime/execute/device_borders.h"
#include "runtime/execute/repeat.h"
#include "runtime/execute/shared_access.h"
#include "runtime/execute/stand_in.h"
#include "runtime/execute/worker_pool.h"
#include "runtime/log.h"

/* From here on the plan is not what runs, so that each step is counted by itself. */
static void leave_plan(struct hy_run *run, uint32_t index)
{
    const struct hy_step *steps = run->execution->compilation->plan->steps;

    for (uint32_t i = 0; !run->has_left_plan && i < index; i++)
        hy_work_count_step(steps[i].device, steps[i].operation_count);
    run->has_left_plan = true;
}

static void keep_shapes(struct hy_execution *execution, const struct hy_step *step,
                        const struct hy_bound_step *bound)
{
    for (uint32_t i = 0; i < step->output_count; i++) {
        if (step->outputs[i].kind != HY_SLOT_OUTPUT || bound->outputs[i].is_omitted)
            continue;
        if (bound->outputs[i].is_settled && bound->shapes[i].sufficient)
            continue; /* as it was before the run */
        struct hy_output_state *state = &execution->output_states[step->outputs[i].index];
        state->sufficient = bound->shapes[i].sufficient;
        /* The answer has been checked: its rank is in range. */
        (void)hy_shape_set(&state->shape, bound->shapes[i].rank, bound->shapes[i].dims);
    }
}

/*
 * Requests that run again are worth a reusable: those of reusable executions, and those that a
 * later execution has taken over as they are. The latter only on our own devices, because they
 * outlive the memory that they refer to.
 */
static void make_reusable(const struct hy_run *run, const struct hy_step *step,
                          struct hy_bound_step *bound)
{
    const struct hy_device *table = step->device->table;

    if (bound->reusable || bound->refuses_reuse)
        return;
    if (!run->execution->reusable && !(bound->has_run && hy_device_is_built_in(step->device)))
        return;
    struct hy_run_options options = run->options;
    options.message = (struct hy_message){0}; /* that of the step before is gone */
    /* The word of this execution holds for all its runs; nested ones are ended by their loop. */
    options.cancelled = run->execution->mode == HY_RUN_NESTED ? NULL : &run->execution->cancelled;
    bound->refuses_reuse = !HY_HAS(table, reusable_destroy) ||
                           table->reusable_create(step->prepared, &bound->request, &options,
                                                  &bound->reusable) != HY_STATUS_OK;
    if (bound->refuses_reuse)
        bound->reusable = NULL;
}

/* A thread that has SIGBUS blocked could not answer a fault in the mapping. */
static enum hy_code call_guarded(struct hy_run *run, const struct hy_run_place *place,
                                 struct hy_bound_step *bound, struct hy_error *err)
{
    sigset_t signals;

    hy_torn_guard_enter(&signals);
    enum hy_code code = hy_run_call(run, place, bound, err);
    hy_torn_guard_leave(&signals);
    return code;
}

static bool is_torn(const struct hy_step *step)
{
    return step->cache.is_torn && atomic_load_explicit(step->cache.is_torn, memory_order_relaxed);
}

static enum hy_code call_prepared(struct hy_run *run, uint32_t index, struct hy_step *step,
                                  struct hy_bound_step *bound, struct hy_error *err)
{
    void *burst = run->burst ? hy_burst_step(run->burst, index) : NULL;
    /* A device of our own takes a reusable as a part of the burst: it asks for the fewest looks. */
    const bool may_be_reusable = !burst || hy_device_is_built_in(step->device);

    enum hy_code code = hy_pool_kinds_check(step->device, bound->pool_kinds, err);
    if (code != HY_OK)
        return code;
    if (may_be_reusable)
        make_reusable(run, step, bound);
    const struct hy_run_place place = {
        .device = step->device,
        .prepared = step->prepared,
        .burst = burst,
        .reusable = may_be_reusable ? bound->reusable : NULL,
        .operation_count = step->operation_count,
    };
    const bool may_copy = step->device->kind == HY_DEVICE_HIDDEN || bound->uses_buffers;
    const uint64_t before = may_copy ? hy_copied_by_thread() : 0;
    code = step->cache.is_torn ? call_guarded(run, &place, bound, err)
                               : hy_run_call(run, &place, bound, err);
    if (code == HY_OK && bound->uses_buffers)
        code = hy_device_borders_copy_out(run->execution->binding, index, err);
    if (may_copy)
        hy_run_note_copies(run, before);
    bound->has_run |= code == HY_OK;
    if (code == HY_OK && step->device->health && !hy_health_is_clear(step->device->health))
        hy_health_note_success(step->device->health);
    return code;
}

/* What was computed from a cache file that somebody has cut counts for nothing, be it a failure or
 * not. Memory of the device goes with the prepared model that it was made for. */
static enum hy_code call_anew(struct hy_run *run, uint32_t index, struct hy_step *step,
                              struct hy_bound_step *bound, struct hy_error *err)
{
    if (!atomic_exchange_explicit(&step->has_told_of_cut, true, memory_order_relaxed))
        hy_log(HY_LOG_WARNING, "execute", "%s: a data cache file was cut short; compiling anew",
               step->device->info.name);
    leave_plan(run, index);
    if (bound->uses_buffers)
        return hy_fail(err, HY_FAILED, "%s: a data cache file was cut short",
                       step->device->info.name);
    return hy_stand_in_call_anew(run, step, bound, err);
}

static enum hy_code call_planned(struct hy_run *run, uint32_t index, struct hy_step *step,
                                 struct hy_bound_step *bound, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (!is_torn(step))
        code = call_prepared(run, index, step, bound, err);
    return is_torn(step) ? call_anew(run, index, step, bound, err) : code;
}

/* A device in quarantine is for when all that stand in for it have failed. */
static enum hy_code pass_over(struct hy_run *run, uint32_t index, struct hy_step *step,
                              struct hy_bound_step *bound, struct hy_error *err)
{
    leave_plan(run, index);
    (void)hy_fail(err, HY_UNAVAILABLE, "%s is left out after %u failures", step->device->info.name,
                  hy_health_failures(step->device->health));
    const enum hy_code code = hy_stand_in_call(run, step, bound, false, err);
    return hy_stand_in_may_help(run, step->device, code)
               ? call_planned(run, index, step, bound, err)
               : code;
}

/* A device that does not take the memory has not failed. It will be so in every execution with such
 * memory, which is worth a line once. */
static enum hy_code pass_by(struct hy_run *run, struct hy_step *step, struct hy_bound_step *bound,
                            struct hy_error *err)
{
    const bool is_told =
        !atomic_exchange_explicit(&step->has_told_of_kinds, true, memory_order_relaxed);
    return hy_stand_in_call(run, step, bound, is_told, err);
}

static enum hy_code try_devices(struct hy_run *run, uint32_t index, struct hy_step *step,
                                struct hy_bound_step *bound, struct hy_error *err)
{
    if (hy_stand_in_is_due(step->device))
        return pass_over(run, index, step, bound, err);

    enum hy_code code = call_planned(run, index, step, bound, err);
    const enum hy_code failure = code;
    if (code == HY_OK)
        return code;
    leave_plan(run, index);
    if (!hy_stand_in_may_help(run, step->device, code))
        return code;
    if (bound->uses_buffers) {
        run->has_lost_buffers = true;
        return code;
    }
    if (hy_pool_kinds_check(step->device, bound->pool_kinds, NULL) != HY_OK)
        return pass_by(run, step, bound, err);
    code = hy_stand_in_call(run, step, bound, true, err);
    hy_stand_in_note_failure(step->device, failure, code);
    return code;
}

/* Steps that do not trust each other do not share memory. */
static enum hy_code pass_on(struct hy_run *run, uint32_t index, struct hy_error *err)
{
    const uint64_t before = hy_copied_by_thread();
    const enum hy_code code =
        hy_binding_pass_on(run->execution->binding, run->execution, index, err);

    hy_run_note_copies(run, before);
    return code;
}

static enum hy_code run_step(struct hy_run *run, uint32_t index, struct hy_error *err)
{
    struct hy_execution *execution = run->execution;
    struct hy_compilation *compilation = execution->compilation;
    struct hy_step *step = &compilation->plan->steps[index];
    struct hy_bound_step *bound = &execution->binding->steps[index];
    const bool measure = atomic_load_explicit(&compilation->measure_steps, memory_order_relaxed);
    const uint64_t start = measure ? hy_clock_now() : 0;

    run->options.scratch = bound->scratch;
    run->options.scratch_bytes = bound->scratch_bytes;
    enum hy_code code = try_devices(run, index, step, bound, err);
    if (code == HY_OK || code == HY_INSUFFICIENT_SIZE)
        keep_shapes(execution, step, bound);
    if (code == HY_OK && compilation->plan->has_several_domains)
        code = pass_on(run, index, err);
    if (measure && code == HY_OK) {
        atomic_fetch_add_explicit(&step->total_ns, hy_clock_now() - start, memory_order_relaxed);
        atomic_fetch_add_explicit(&step->run_count, 1, memory_order_relaxed);
    }
    return code;
}

/* Before a run an output is what the app and the model say it is. */
static void reset_outputs(struct hy_execution *execution)
{
    for (uint32_t i = 0; i < execution->output_count; i++) {
        execution->output_states[i].sufficient = true;
        execution->output_states[i].shape = execution->outputs[i].shape;
    }
}

static enum hy_code run_steps(struct hy_run *run, struct hy_error *err)
{
    const uint32_t step_count = run->execution->compilation->plan->step_count;
    struct hy_error own; /* the words are needed for the log in any case */

    for (uint32_t i = 0; i < step_count; i++) {
        if (hy_is_cancelled(run->options.cancelled))
            return hy_fail(err, HY_BAD_STATE, "cancelled before step %u of %u", i, step_count);
        const enum hy_code code = run_step(run, i, &own);
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

/* With arguments in dma-bufs. What the steps say goes before what the end of the access says. */
static enum hy_code run_steps_in_access(struct hy_run *run, struct hy_error *err)
{
    struct hy_error late;

    enum hy_code code = hy_shared_access_begin(run->execution, err);
    if (code != HY_OK)
        return code;
    code = run_steps(run, err);
    const enum hy_code end = hy_shared_access_end(run->execution, &late);
    if (code != HY_OK || end == HY_OK)
        return code;
    if (err)
        *err = late;
    return end;
}

static enum hy_code run_bound(struct hy_run *run, struct hy_error *err)
{
    return run->execution->has_dma_bufs ? run_steps_in_access(run, err) : run_steps(run, err);
}

/* Whether a device that is in quarantine has memory that borders lie in. */
static bool shuns_buffers(const struct hy_execution *execution)
{
    const struct hy_plan *plan = execution->compilation->plan;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        if (execution->binding->steps[i].uses_buffers && hy_stand_in_is_due(plan->steps[i].device))
            return true;
    }
    return false;
}

/*
 * With borders in memory of devices. Nobody who stands in for such a device can reach what lies
 * there, and a device that has failed may not give it back: all steps run once more then, with
 * borders in our own memory. Nothing of the first time is missed, as no step changes its inputs.
 */
static enum hy_code run_on_devices(struct hy_run *run, struct hy_error *err)
{
    struct hy_execution *execution = run->execution;

    run->has_lost_buffers = shuns_buffers(execution);
    enum hy_code code = run->has_lost_buffers ? HY_OK : run_bound(run, err);
    if (!run->has_lost_buffers)
        return code;
    run->has_lost_buffers = false;
    run->on_device = run->in_driver = 0;
    code = hy_binding_shun_buffers(execution->binding, execution, err);
    return code == HY_OK ? run_bound(run, err) : code;
}

static enum hy_code run_placed(struct hy_run *run, struct hy_error *err)
{
    return run->execution->binding->memory.buffers ? run_on_devices(run, err) : run_bound(run, err);
}

/* With arguments by address, some of which devices of the plan do not take. */
static enum hy_code run_staged(struct hy_run *run, struct hy_error *err)
{
    const struct hy_execution *execution = run->execution;
    const uint64_t before = hy_copied_by_thread();

    enum hy_code code = hy_staged_arguments_copy_in(&execution->binding->staged, execution, err);
    hy_run_note_copies(run, before);
    if (code == HY_OK)
        code = run_placed(run, err);
    if (code != HY_OK)
        return code;
    const uint64_t between = hy_copied_by_thread();
    code = hy_staged_arguments_copy_out(&execution->binding->staged, execution, err);
    hy_run_note_copies(run, between);
    return code;
}

static enum hy_code run_all(struct hy_run *run, struct hy_error *err)
{
    struct hy_execution *execution = run->execution;

    execution->binding->is_repeatable = false; /* until this run has gone well */
    reset_outputs(execution);
    enum hy_code code = hy_execution_check_inputs(execution, err);
    if (code == HY_OK)
        code = hy_binding_refresh(execution->binding, execution, err);
    if (code == HY_OK)
        code = execution->binding->staged.is_needed ? run_staged(run, err) : run_placed(run, err);
    execution->time_on_device = execution->measure ? run->on_device : HY_NO_TIME;
    execution->time_in_driver = execution->measure ? run->in_driver : HY_NO_TIME;
    if (code == HY_OK)
        hy_repeat_learn(run);
    if (code == HY_OK && !run->has_left_plan)
        hy_work_count_run(execution);
    else
        hy_work_count_other(execution->compilation);
    hy_execution_end(execution, code);
    return code;
}

static enum hy_code run_on_threads(struct hy_execution *execution, const struct hy_burst *burst,
                                   int64_t deadline, struct hy_error *err)
{
    if (hy_repeat_run(execution, deadline))
        return HY_OK;
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
    return run_all(&run, err);
}

enum hy_code hy_execution_run(struct hy_execution *execution, const struct hy_burst *burst,
                              int64_t deadline, struct hy_error *err)
{
    const uint32_t limit = hy_worker_pool_limit(execution->compilation->threads);
    const enum hy_code code = run_on_threads(execution, burst, deadline, err);

    (void)hy_worker_pool_limit(limit);
    return code;
}

enum hy_code hy_execution_run_nested(struct hy_execution *execution,
                                     const struct hy_run_options *options, struct hy_error *err)
{
    struct hy_run run = {.execution = execution, .options = *options};
    return run_all(&run, err);
}
