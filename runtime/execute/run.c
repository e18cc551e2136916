/* Running an execution: the steps in order, each checked, or run again by the CPU. */
#include "runtime/clock.h"
#include "runtime/driver_status.h"
#include "runtime/execute/answer.h"
#include "runtime/execute/burst.h"
#include "runtime/log.h"

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
static enum hy_code call(struct run *run, const struct place *place, struct hy_bound_step *step,
                         struct hy_error *err)
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

/* Outputs that are too small are so on the CPU. Where the app has set a deadline there is one
 * device only, and nobody to stand by for it. */
static bool may_help(enum hy_code code)
{
    return code != HY_OK && code != HY_INSUFFICIENT_SIZE;
}

/* The driver's call is over, so nothing of it still writes into the memory used again here. */
static enum hy_code call_spare(struct run *run, struct hy_step *step, struct hy_bound_step *bound,
                               enum hy_code failure, struct hy_error *err)
{
    const struct hy_spare *spare;
    struct hy_error none;

    if (hy_plan_spare(run->execution->compilation->plan, step, &spare, &none) != HY_OK)
        return failure;
    hy_log(HY_LOG_WARNING, "execute", "%s; running the step again on %s", err->text,
           spare->device->info.name);
    const struct place place = {
        .device = spare->device,
        .prepared = spare->prepared,
        .operation_count = step->operation_count,
    };
    return call(run, &place, bound, err);
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

static enum hy_code run_step(struct run *run, uint32_t index, struct hy_error *err)
{
    struct hy_execution *execution = run->execution;
    struct hy_compilation *compilation = execution->compilation;
    struct hy_step *step = &compilation->plan->steps[index];
    struct hy_bound_step *bound = &execution->binding->steps[index];
    const bool measure = atomic_load_explicit(&compilation->measure_steps, memory_order_relaxed);
    const uint64_t start = measure ? hy_clock_now() : 0;
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
    enum hy_code code = call(run, &place, bound, err);
    bound->has_run |= code == HY_OK;
    if (code != HY_OK)
        leave_plan(run, index);
    if (may_help(code))
        code = call_spare(run, step, bound, code, err);
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

    reset_outputs(execution);
    enum hy_code code = hy_execution_check_inputs(execution, err);
    if (code == HY_OK)
        code = run_steps(&run, err);
    execution->time_on_device = execution->measure ? run.on_device : HY_NO_TIME;
    execution->time_in_driver = execution->measure ? run.in_driver : HY_NO_TIME;
    if (code == HY_OK && !run.has_left_plan)
        hy_work_count_run(execution);
    else
        hy_work_count_other(execution->compilation);
    hy_execution_end(execution, code);
    return code;
}
