/* Running an execution: the steps in order, each checked, or run again by another device. */
#include "runtime/clock.h"
#include "runtime/device/health.h"
#include "runtime/driver_status.h"
#include "runtime/execute/answer.h"
#include "runtime/execute/burst.h"
#include "runtime/execute/copied.h"
#include "runtime/execute/lent_memory.h"
#include "runtime/execute/open_borders.h"
#include "runtime/execute/shared_access.h"
#include "runtime/log.h"
#include "runtime/plan/spare.h"

#include <stdio.h>
#include <string.h>

/* One run, on the stack of the thread that makes it. */
struct run {
    struct hy_execution *execution;
    const struct hy_burst *burst;  /* NULL outside bursts */
    struct hy_run_options options; /* the message is that of the call */
    uint64_t on_device;            /* sums over the steps so far, HY_NO_TIME once one is unknown */
    uint64_t in_driver;
    bool has_left_plan; /* a step has failed */
};

static uint64_t add_times(uint64_t sum, uint64_t time)
{
    uint64_t both;
    if (sum == HY_NO_TIME || time == HY_NO_TIME || __builtin_add_overflow(sum, time, &both))
        return HY_NO_TIME;
    return both;
}

/* Where a step can run: a prepared model, or the driver's burst or reusable over it. */
struct place {
    const struct hy_runtime_device *device;
    void *prepared;
    void *burst;    /* NULL: the ordinary way */
    void *reusable; /* the same */
    uint32_t operation_count;
};

/* A failure of a reusable comes without words, so that the ordinary way has to tell what is wrong.
 * Not where there is no time left. */
static bool needs_words(int32_t status)
{
    return status != HY_STATUS_OK && status != HY_STATUS_MISSED_DEADLINE_TRANSIENT &&
           status != HY_STATUS_MISSED_DEADLINE_PERSISTENT;
}

static int32_t execute(const struct place *place, struct hy_bound_step *step,
                       const struct hy_run_options *options, struct hy_result *result)
{
    const struct hy_device *table = place->device->table;

    hy_answer_reset(step);
    if (place->burst)
        return table->burst_execute(place->burst, &step->request, options, result);
    if (place->reusable) {
        int32_t status = table->reusable_execute(place->reusable, options->deadline, result);
        if (!needs_words(status))
            return status;
        hy_answer_reset(step);
    }
    return table->execute(place->prepared, &step->request, options, result);
}

/* From here on the plan is not what runs, so that each step is counted by itself. */
static void leave_plan(struct run *run, uint32_t index)
{
    const struct hy_step *steps = run->execution->compilation->plan->steps;

    for (uint32_t i = 0; !run->has_left_plan && i < index; i++)
        hy_work_count_step(steps[i].device, steps[i].operation_count);
    run->has_left_plan = true;
}

/* One call of a driver, its answer checked. */
static enum hy_code call_once(struct run *run, const struct place *place,
                              struct hy_bound_step *step, struct hy_error *err)
{
    char words[HY_DRIVER_TEXT_SIZE];
    struct hy_result result = {
        .struct_size = sizeof result,
        .output_count = step->request.output_count,
        .outputs = step->shapes,
        .time_on_device = HY_NO_TIME,
        .time_in_driver = HY_NO_TIME,
    };

    words[0] = '\0';
    run->options.message = (struct hy_message){.text = words, .size = sizeof words};
    int32_t status = execute(place, step, &run->options, &result);
    if (status != HY_STATUS_OK && status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
        return hy_driver_fail(err, place->device->info.name, "execute", status, words);

    const bool insufficient = status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    enum hy_code code = hy_answer_check(step, &result, insufficient, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s", place->device->info.name);
    if (insufficient)
        return hy_driver_fail(err, place->device->info.name, "execute", status, words);
    run->on_device = add_times(run->on_device, result.time_on_device);
    run->in_driver = add_times(run->in_driver, result.time_in_driver);
    if (run->has_left_plan)
        hy_work_count_step(place->device, place->operation_count);
    return HY_OK;
}

/* How often a border may turn out too small in one run; each time it at least grows. */
#define MAX_GROWTHS 24u

/* Calls again while it is but borders that are too small. */
static enum hy_code call_with_more(struct run *run, const struct place *place,
                                   struct hy_bound_step *step, struct hy_error *err)
{
    struct place again = *place;
    enum hy_code code = HY_INSUFFICIENT_SIZE;

    again.reusable = NULL; /* it was made for the borders as they were */
    for (uint32_t i = 0; i < MAX_GROWTHS && code == HY_INSUFFICIENT_SIZE; i++) {
        code = hy_open_borders_grow(run->execution->binding, step, err);
        if (code != HY_OK)
            return code;
        code = call_once(run, &again, step, err);
    }
    if (code == HY_INSUFFICIENT_SIZE)
        code = hy_fail(err, HY_FAILED, "%s needed more room %u times", place->device->info.name,
                       MAX_GROWTHS);
    return code;
}

/* The same in a plan with borders of unknown size. */
static enum hy_code call_open(struct run *run, const struct place *place,
                              struct hy_bound_step *step, struct hy_error *err)
{
    enum hy_code code = call_once(run, place, step, err);

    if (code == HY_INSUFFICIENT_SIZE)
        code = call_with_more(run, place, step, err);
    if (code == HY_OK)
        hy_open_borders_pass_on(run->execution->binding, step);
    return code;
}

static inline enum hy_code call(struct run *run, const struct place *place,
                                struct hy_bound_step *step, struct hy_error *err)
{
    return run->execution->binding->memory.open ? call_open(run, place, step, err)
                                                : call_once(run, place, step, err);
}

/* ---- Devices that fail ----------------------------------------------------------------------- */

/* Outputs that are too small are so everywhere, and who is late is late. A loop that takes too long
 * on our own devices does so on the others, too. */
static bool may_help(const struct run *run, const struct hy_runtime_device *device,
                     enum hy_code code)
{
    const bool is_late = code == HY_MISSED_DEADLINE || code == HY_MISSED_DEADLINE_FOR_GOOD;

    if (is_late && (run->options.deadline != HY_NO_DEADLINE || device->kind == HY_DEVICE_HIDDEN ||
                    hy_plan_device_is_built_in(device)))
        return false;
    return code != HY_OK && code != HY_INSUFFICIENT_SIZE;
}

/* "first; second": what there is no room for is cut. */
static void add_words(struct hy_error *err, const struct hy_error *more)
{
    const size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "; %s", more->text);
}

/* Before the first stand-in: it cannot reach memory of the step's device. */
static enum hy_code lend_memory(struct run *run, uint32_t index, struct hy_lent_memory *lent,
                                struct hy_error *err)
{
    if (!run->execution->has_domains || lent->shared ||
        !hy_lent_memory_is_needed(&run->execution->binding->steps[index]))
        return HY_OK;
    return hy_lent_memory_lend(lent, run->execution, index, err);
}

/* Runs the step on its stand-ins, one after the other, until one does; the code of the last that
 * ran is that of the step. `err` holds the failure before. `is_told`: each of them is worth a line.
 * The calls before are over, so nothing of them still writes into the memory used again here. */
static enum hy_code try_spares(struct run *run, struct hy_step *step, struct hy_bound_step *bound,
                               bool is_told, struct hy_lent_memory *lent, struct hy_error *err)
{
    struct hy_plan *plan = run->execution->compilation->plan;
    enum hy_code failure = err->code;

    for (uint32_t i = 0; i < HY_SPARES; i++) {
        const struct hy_spare *spare = NULL;
        struct hy_error why;
        enum hy_code code = hy_plan_spare(plan, step, i, &spare, &why);
        if (code == HY_OK && !spare)
            continue;
        if (code == HY_OK &&
            lend_memory(run, (uint32_t)(step - plan->steps), lent, &why) != HY_OK) {
            add_words(err, &why);
            return err->code = HY_FAILED;
        }
        if (code == HY_OK) {
            if (is_told)
                hy_log(HY_LOG_WARNING, "execute", "%s; running the step again on %s", err->text,
                       spare->device->info.name);
            const struct place place = {
                .device = spare->device,
                .prepared = spare->prepared,
                .operation_count = step->operation_count,
            };
            code = call(run, &place, bound, &why);
            if (!may_help(run, spare->device, code)) {
                if (code != HY_OK)
                    *err = why;
                return code;
            }
            failure = err->code = code;
        }
        add_words(err, &why);
    }
    return failure;
}

/* What the thread has copied since it had copied `before`. */
static void note_copies(const struct run *run, uint64_t before)
{
    const uint64_t bytes = hy_copied_by_thread() - before;

    if (bytes > 0)
        atomic_fetch_add_explicit(&run->execution->compilation->copied_bytes, bytes,
                                  memory_order_relaxed);
}

static enum hy_code call_spares(struct run *run, struct hy_step *step, struct hy_bound_step *bound,
                                bool is_told, struct hy_error *err)
{
    const uint64_t before = hy_copied_by_thread();
    struct hy_lent_memory lent = {0};

    enum hy_code code = try_spares(run, step, bound, is_told, &lent, err);
    if (lent.shared && code == HY_OK)
        code = hy_lent_memory_return(&lent, err);
    hy_lent_memory_take_back(&lent);
    note_copies(run, before);
    return code;
}

/* A device is to blame for what another can do, and for being away. */
static void note_failure(const struct hy_runtime_device *device, enum hy_code failure,
                         enum hy_code outcome)
{
    if (!device->health || (outcome != HY_OK && failure != HY_UNAVAILABLE && failure != HY_DEAD))
        return;
    const uint64_t length = hy_health_note_failure(device->health, hy_clock_now());
    if (length > 0)
        hy_log(HY_LOG_WARNING, "execute", "%s has failed %u times in a row: not used for %llu ms",
               device->info.name, hy_health_failures(device->health),
               (unsigned long long)(length / 1000000));
}

static bool is_in_quarantine(const struct hy_runtime_device *device)
{
    return device->health && !hy_health_is_clear(device->health) &&
           hy_health_left(device->health, hy_clock_now()) > 0;
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
static void make_reusable(const struct run *run, const struct hy_step *step,
                          struct hy_bound_step *bound)
{
    const struct hy_device *table = step->device->table;

    if (bound->reusable || bound->refuses_reuse)
        return;
    if (!run->execution->reusable && !(bound->has_run && hy_plan_device_is_built_in(step->device)))
        return;
    struct hy_run_options options = run->options;
    options.message = (struct hy_message){0}; /* that of the step before is gone */
    bound->refuses_reuse = !HY_HAS(table, reusable_destroy) ||
                           table->reusable_create(step->prepared, &bound->request, &options,
                                                  &bound->reusable) != HY_STATUS_OK;
    if (bound->refuses_reuse)
        bound->reusable = NULL;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static enum hy_code call_planned(struct run *run, uint32_t index, struct hy_step *step,
                                 struct hy_bound_step *bound, struct hy_error *err)
{
    void *burst = run->burst ? hy_burst_step(run->burst, index) : NULL;

    if (!burst)
        make_reusable(run, step, bound);
    const struct place place = {
        .device = step->device,
        .prepared = step->prepared,
        .burst = burst,
        .reusable = bound->reusable,
        .operation_count = step->operation_count,
    };
    const bool may_copy = step->device->kind == HY_DEVICE_HIDDEN;
    const uint64_t before = may_copy ? hy_copied_by_thread() : 0;
    enum hy_code code = call(run, &place, bound, err);
    if (may_copy)
        note_copies(run, before);
    bound->has_run |= code == HY_OK;
    if (code == HY_OK && step->device->health && !hy_health_is_clear(step->device->health))
        hy_health_note_success(step->device->health);
    return code;
}

/* A device in quarantine is for when all that stand in for it have failed. */
static enum hy_code pass_over(struct run *run, uint32_t index, struct hy_step *step,
                              struct hy_bound_step *bound, struct hy_error *err)
{
    leave_plan(run, index);
    (void)hy_fail(err, HY_UNAVAILABLE, "%s is left out after %u failures", step->device->info.name,
                  hy_health_failures(step->device->health));
    const enum hy_code code = call_spares(run, step, bound, false, err);
    return may_help(run, step->device, code) ? call_planned(run, index, step, bound, err) : code;
}

static enum hy_code try_devices(struct run *run, uint32_t index, struct hy_step *step,
                                struct hy_bound_step *bound, struct hy_error *err)
{
    if (is_in_quarantine(step->device))
        return pass_over(run, index, step, bound, err);

    enum hy_code code = call_planned(run, index, step, bound, err);
    const enum hy_code failure = code;
    if (code == HY_OK)
        return code;
    leave_plan(run, index);
    if (may_help(run, step->device, code)) {
        code = call_spares(run, step, bound, true, err);
        note_failure(step->device, failure, code);
    }
    return code;
}

static enum hy_code run_step(struct run *run, uint32_t index, struct hy_error *err)
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

static enum hy_code run_steps(struct run *run, struct hy_error *err)
{
    struct hy_error own; /* the words are needed for the log in any case */
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < run->execution->compilation->plan->step_count; i++) {
        code = run_step(run, i, &own);
        if (code != HY_OK && err)
            *err = own;
    }
    return code;
}

/* With arguments in dma-bufs. What the steps say goes before what the end of the access says. */
static enum hy_code run_steps_in_access(struct run *run, struct hy_error *err)
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

static enum hy_code run_all(struct run *run, struct hy_error *err)
{
    struct hy_execution *execution = run->execution;

    reset_outputs(execution);
    enum hy_code code = hy_execution_check_inputs(execution, err);
    if (code == HY_OK)
        code = hy_binding_refresh(execution->binding, execution, err);
    if (code == HY_OK)
        code = execution->has_dma_bufs ? run_steps_in_access(run, err) : run_steps(run, err);
    execution->time_on_device = execution->measure ? run->on_device : HY_NO_TIME;
    execution->time_in_driver = execution->measure ? run->in_driver : HY_NO_TIME;
    if (code == HY_OK && !run->has_left_plan)
        hy_work_count_run(execution);
    else
        hy_work_count_other(execution->compilation);
    hy_execution_end(execution, code);
    return code;
}

enum hy_code hy_execution_run(struct hy_execution *execution, const struct hy_burst *burst,
                              int64_t deadline, struct hy_error *err)
{
    struct run run = {
        .execution = execution,
        .burst = burst,
        .options = {.struct_size = sizeof run.options,
                    .measure = execution->measure,
                    .deadline = deadline,
                    .loop_timeout = execution->loop_timeout,
                    .hints = execution->attributes.hints,
                    .hint_count = execution->attributes.count},
    };
    return run_all(&run, err);
}

enum hy_code hy_execution_run_nested(struct hy_execution *execution,
                                     const struct hy_run_options *options, struct hy_error *err)
{
    struct run run = {.execution = execution, .options = *options};
    return run_all(&run, err);
}
