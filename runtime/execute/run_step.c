/* One step of a run: its device with checks, or a fallback device. */
#include "runtime/execute/run_step.h"

#include "common/clock.h"
#include "common/sigbus_guard.h"
#include "runtime/device/device_kind.h"
#include "runtime/device/health.h"
#include "runtime/device/pool_kinds.h"
#include "runtime/execute/boundary/device_tensors.h"
#include "runtime/execute/copied.h"
#include "runtime/execute/execution_burst.h"
#include "runtime/execute/fallback.h"
#include "runtime/log.h"
#include "runtime/plan/plan_counters.h"

static struct hy_step_counters *counters_of(const struct hy_run *run, uint32_t index)
{
    return &run->execution->compilation->plan->counters->steps[index];
}

/* Marks the run as diverged from the plan; each step is counted separately from here on. */
static void mark_diverged(struct hy_run *run, uint32_t index)
{
    const struct hy_step *steps = run->execution->compilation->plan->steps;

    for (uint32_t i = 0; !run->has_diverged && i < index; i++)
        hy_work_count_step(steps[i].device, steps[i].operation_count);
    run->has_diverged = true;
}

static void save_shapes(struct hy_execution *execution, const struct hy_step *step,
                        const struct hy_bound_step *bound)
{
    for (uint32_t i = 0; i < step->output_count; i++) {
        if (step->outputs[i].kind != HY_SLOT_OUTPUT || bound->outputs[i].is_omitted)
            continue;
        if (bound->outputs[i].is_determined && bound->shapes[i].sufficient)
            continue; /* unchanged by the run */
        struct hy_output_state *state = &execution->output_states[step->outputs[i].index];
        state->sufficient = bound->shapes[i].sufficient;
        /* Checked before: the rank is in range. */
        (void)hy_shape_set(&state->shape, bound->shapes[i].rank, bound->shapes[i].dims);
    }
}

/*
 * Creates a reusable for requests that run again: those of reusable executions, and those that a
 * later execution has taken over unchanged. The latter only on built-in devices, because the
 * reusable outlives the memory that it refers to.
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
    options.message = (struct hy_message){0}; /* without the message of the previous step */
    /* The cancel word of the execution is valid for all its runs; a loop ends its nested runs. */
    options.cancelled = run->execution->mode == HY_RUN_NESTED ? NULL : &run->execution->cancelled;
    bound->refuses_reuse = !HY_HAS(table, reusable_destroy) ||
                           table->reusable_create(step->prepared, &bound->request, &options,
                                                  &bound->reusable) != HY_STATUS_OK;
    if (bound->refuses_reuse)
        bound->reusable = NULL;
}

/* A thread with SIGBUS blocked cannot handle a fault in the mapping. */
static enum hy_code call_guarded(struct hy_run *run, const struct hy_run_target *position,
                                 struct hy_bound_step *bound, struct hy_error *err)
{
    sigset_t signals;

    const bool was_blocked = hy_sigbus_guard_enter(&signals);
    enum hy_code code = hy_run_call(run, position, bound, err);
    if (was_blocked)
        hy_sigbus_guard_leave(&signals);
    return code;
}

static bool is_truncated(const struct hy_step *step)
{
    return step->cache.is_truncated &&
           atomic_load_explicit(step->cache.is_truncated, memory_order_relaxed);
}

static enum hy_code call_prepared(struct hy_run *run, uint32_t index, const struct hy_step *step,
                                  struct hy_bound_step *bound, struct hy_error *err)
{
    void *burst = run->burst ? hy_burst_step(run->burst, index) : NULL;
    /* A built-in device gets the reusable inside a burst too, as it needs the fewest checks. */
    const bool may_be_reusable = !burst || hy_device_is_built_in(step->device);

    enum hy_code code = hy_pool_kinds_check(step->device, bound->pool_kinds, err);
    if (code != HY_OK)
        return code;
    if (may_be_reusable)
        make_reusable(run, step, bound);
    const struct hy_run_target position = {
        .device = step->device,
        .prepared = step->prepared,
        .burst = burst,
        .reusable = may_be_reusable ? bound->reusable : NULL,
        .operation_count = step->operation_count,
    };
    const bool may_copy = step->device->kind == HY_DEVICE_HIDDEN || bound->uses_buffers;
    const uint64_t before = may_copy ? hy_copied_by_thread() : 0;
    code = step->cache.is_truncated ? call_guarded(run, &position, bound, err)
                                    : hy_run_call(run, &position, bound, err);
    if (code == HY_OK && bound->uses_buffers)
        code = hy_device_tensors_copy_out(run->execution->binding, index, err);
    if (may_copy)
        hy_run_note_copies(run, before);
    bound->has_run |= code == HY_OK;
    if (code == HY_OK && step->device->health && !hy_health_is_clear(step->device->health))
        hy_health_note_success(step->device->health);
    return code;
}

/* Discards the result, success or failure, of a run that read a truncated cache file. Memory of the
 * device is lost with its prepared model. */
static enum hy_code call_anew(struct hy_run *run, uint32_t index, const struct hy_step *step,
                              struct hy_bound_step *bound, struct hy_error *err)
{
    if (!atomic_exchange_explicit(&counters_of(run, index)->has_logged_cut, true,
                                  memory_order_relaxed))
        hy_log(HY_LOG_WARNING, "execute",
               "%s: a data cache file was truncated; the step is compiled again",
               step->device->info.name);
    mark_diverged(run, index);
    if (bound->uses_buffers)
        return hy_fail(err, HY_FAILED, "%s: a data cache file was truncated",
                       step->device->info.name);
    return hy_fallback_call_anew(run, step, bound, err);
}

static enum hy_code call_planned(struct hy_run *run, uint32_t index, const struct hy_step *step,
                                 struct hy_bound_step *bound, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (!is_truncated(step))
        code = call_prepared(run, index, step, bound, err);
    return is_truncated(step) ? call_anew(run, index, step, bound, err) : code;
}

/* Calls a device in quarantine only after all fallbacks have failed. */
static enum hy_code skip_quarantined(struct hy_run *run, uint32_t index, const struct hy_step *step,
                                     struct hy_bound_step *bound, struct hy_error *err)
{
    mark_diverged(run, index);
    (void)hy_fail(err, HY_UNAVAILABLE, "%s is in quarantine after %u failures",
                  step->device->info.name, hy_health_failures(step->device->health));
    const enum hy_code code = hy_fallback_call(run, step, bound, false, err);
    return hy_fallback_may_help(run, step->device, code)
               ? call_planned(run, index, step, bound, err)
               : code;
}

/* Skips a device that does not support the memory: this is no failure of the device. Every
 * execution with such memory repeats the case, so it is logged once. */
static enum hy_code skip_for_memory(struct hy_run *run, uint32_t index, const struct hy_step *step,
                                    struct hy_bound_step *bound, struct hy_error *err)
{
    const bool should_log = !atomic_exchange_explicit(&counters_of(run, index)->has_logged_kinds,
                                                      true, memory_order_relaxed);
    return hy_fallback_call(run, step, bound, should_log, err);
}

static enum hy_code try_devices(struct hy_run *run, uint32_t index, const struct hy_step *step,
                                struct hy_bound_step *bound, struct hy_error *err)
{
    if (hy_fallback_is_in_quarantine(step->device))
        return skip_quarantined(run, index, step, bound, err);

    enum hy_code code = call_planned(run, index, step, bound, err);
    const enum hy_code failure = code;
    if (code == HY_OK)
        return code;
    mark_diverged(run, index);
    if (!hy_fallback_may_help(run, step->device, code))
        return code;
    if (bound->uses_buffers) {
        run->has_lost_buffers = true;
        return code;
    }
    if (hy_pool_kinds_check(step->device, bound->pool_kinds, NULL) != HY_OK)
        return skip_for_memory(run, index, step, bound, err);
    code = hy_fallback_call(run, step, bound, true, err);
    hy_fallback_note_failure(step->device, failure, code);
    return code;
}

/* Steps of different trust domains do not share memory. */
static enum hy_code pass_on(struct hy_run *run, uint32_t index, struct hy_error *err)
{
    const uint64_t before = hy_copied_by_thread();
    const enum hy_code code =
        hy_binding_pass_on(run->execution->binding, run->execution, index, err);

    hy_run_note_copies(run, before);
    return code;
}

enum hy_code hy_run_step(struct hy_run *run, uint32_t index, struct hy_error *err)
{
    struct hy_execution *execution = run->execution;
    struct hy_compilation *compilation = execution->compilation;
    const struct hy_step *step = &compilation->plan->steps[index];
    struct hy_bound_step *bound = &execution->binding->steps[index];
    const bool measure = atomic_load_explicit(&compilation->measure_steps, memory_order_relaxed);
    const uint64_t start = measure ? hy_clock_now() : 0;

    run->options.scratch = bound->scratch;
    run->options.scratch_bytes = bound->scratch_bytes;
    enum hy_code code = try_devices(run, index, step, bound, err);
    if (code == HY_OK || code == HY_INSUFFICIENT_SIZE)
        save_shapes(execution, step, bound);
    if (code == HY_OK && compilation->plan->layout.has_several_domains)
        code = pass_on(run, index, err);
    if (measure && code == HY_OK) {
        struct hy_step_counters *counters = counters_of(run, index);
        atomic_fetch_add_explicit(&counters->total_ns, hy_clock_now() - start,
                                  memory_order_relaxed);
        atomic_fetch_add_explicit(&counters->run_count, 1, memory_order_relaxed);
    }
    return code;
}
