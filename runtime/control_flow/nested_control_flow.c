#include "runtime/control_flow/nested_control_flow.h"

#include "common/clock.h"
#include "common/operations/control_flow.h"
#include "common/status.h"
#include "runtime/control_flow/nested_interpreted.h"
#include "runtime/execute/copied.h"

#include <string.h>

static const char *const body_names[2][2] = {{"then-model", "else-model"},
                                             {"condition model", "body model"}};

static const char *body_name(const struct hy_interpreted *own, uint32_t which)
{
    return body_names[own->type == HY_OP_WHILE][which];
}

/* One run of the operation. */
struct run {
    struct hy_interpreted *own;
    struct hy_nested_frame *frame;
    const struct hy_request *request;
    const struct hy_run_options *options;
    uint64_t on_device; /* sums over the bodies */
    uint64_t in_driver;
};

static enum hy_code find_given(const struct run *run, const struct hy_nested_source *source,
                               struct hy_nested_argument *ret, struct hy_error *err)
{
    if (source->input != HY_NOT_GIVEN)
        return hy_nested_find_argument(run->request, &run->request->inputs[source->input],
                                       HY_PROTECT_READ, ret, err);
    *ret = source->constant;
    return HY_OK;
}

static enum hy_code find_output(const struct run *run, uint32_t index,
                                struct hy_nested_argument *ret, struct hy_error *err)
{
    const uint32_t output = run->own->outputs[index];

    if (output != HY_NOT_GIVEN)
        return hy_nested_find_argument(run->request, &run->request->outputs[output],
                                       HY_PROTECT_WRITE, ret, err);
    *ret = (struct hy_nested_argument){0}; /* no body reads the argument */
    return HY_OK;
}

static enum hy_code open_body(const struct run *run, uint32_t which, struct hy_execution **ret,
                              struct hy_error *err)
{
    return hy_nested_open(run->own->bodies[which], hy_nested_frame_inputs(run->own, run->frame),
                          hy_nested_frame_outputs(run->own, run->frame), run->options, ret, err);
}

static enum hy_code run_body(struct run *run, uint32_t which, struct hy_execution *execution,
                             struct hy_error *err)
{
    enum hy_code code = hy_nested_run(execution, run->options, err);

    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s", body_name(run->own, which));
    run->on_device = hy_nested_add_times(run->on_device, execution->time_on_device);
    run->in_driver = hy_nested_add_times(run->in_driver, execution->time_in_driver);
    return HY_OK;
}

/* ---- IF -------------------------------------------------------------------------------------- */

static enum hy_code read_condition(const struct run *run, bool *ret, struct hy_error *err)
{
    struct hy_nested_argument condition;
    enum hy_code code = find_given(run, &run->own->condition, &condition, err);

    if (code == HY_OK && !condition.address)
        code = hy_fail(err, HY_FAILED, "the condition is left out");
    if (code == HY_OK)
        *ret = *(const uint8_t *)condition.address != 0;
    return code;
}

/* The branch writes directly to the outputs of the step. */
static enum hy_code run_if(struct run *run, struct hy_error *err)
{
    const struct hy_interpreted *own = run->own;
    struct hy_nested_argument *outputs = hy_nested_frame_outputs(own, run->frame);
    struct hy_execution *execution = NULL;
    bool is_true = false;

    enum hy_code code = read_condition(run, &is_true, err);
    memcpy(hy_nested_frame_inputs(own, run->frame), hy_nested_frame_given(run->frame),
           own->value_count * sizeof *run->frame->arguments);
    const uint32_t branch = is_true ? 0 : 1;
    for (uint32_t i = 0; code == HY_OK && i < own->output_count; i++)
        code = find_output(run, i, &outputs[i], err);
    if (code == HY_OK)
        code = open_body(run, branch, &execution, err);
    if (code != HY_OK)
        return code;
    code = run_body(run, branch, execution, err);
    hy_execution_release(execution);
    return code;
}

/* ---- WHILE ----------------------------------------------------------------------------------- */

/* Memory of the states of an iteration: the arguments of the step, or one of the two blocks. */
enum position { GIVEN, FIRST, SECOND, STATE_SLOTS };

/* Each body is bound once for each state memory, and the loop reuses the bindings. */
struct loop {
    struct run *run;
    struct hy_execution *executions[2][STATE_SLOTS];
    uint64_t start;
};

static enum position next_slot(enum position position)
{
    return position == FIRST ? SECOND : FIRST;
}

static char *state_address(const struct run *run, enum position position, uint32_t state)
{
    const uint64_t block = position == SECOND ? run->own->block_bytes : 0;
    return run->frame->memory + HY_BOUNDARY_ALIGNMENT + block + run->own->offsets[state];
}

static struct hy_nested_argument state_at(const struct run *run, enum position position,
                                          uint32_t state)
{
    if (position == GIVEN)
        return hy_nested_frame_given(run->frame)[state];
    return (struct hy_nested_argument){.address = state_address(run, position, state),
                                       .length = run->own->lengths[state]};
}

static void set_arguments(const struct run *run, uint32_t which, enum position position)
{
    const struct hy_interpreted *own = run->own;
    struct hy_nested_argument *inputs = hy_nested_frame_inputs(own, run->frame);
    struct hy_nested_argument *outputs = hy_nested_frame_outputs(own, run->frame);

    for (uint32_t i = 0; i < own->value_count; i++)
        inputs[i] = state_at(run, i < own->state_count ? position : GIVEN, i);
    if (which == 0)
        outputs[0] = (struct hy_nested_argument){.address = run->frame->memory, .length = 1};
    for (uint32_t i = 0; which == 1 && i < own->state_count; i++)
        outputs[i] = state_at(run, next_slot(position), i);
}

static enum hy_code run_from(struct loop *loop, uint32_t which, enum position position,
                             struct hy_error *err)
{
    struct hy_execution **execution = &loop->executions[which][position];
    enum hy_code code = HY_OK;

    if (!*execution) {
        set_arguments(loop->run, which, position);
        code = open_body(loop->run, which, execution, err);
    }
    return code == HY_OK ? run_body(loop->run, which, *execution, err) : code;
}

static enum hy_code check_time(const struct loop *loop, struct hy_error *err)
{
    const struct hy_run_options *options = loop->run->options;

    if (hy_clock_now() - loop->start >= options->loop_timeout)
        return hy_fail(err, HY_MISSED_DEADLINE, "the loop timeout of %llu ns has passed",
                       (unsigned long long)options->loop_timeout);
    if (hy_clock_is_past(options->deadline) || hy_is_cancelled(options->cancelled))
        return hy_fail(err, HY_MISSED_DEADLINE, "the deadline has passed");
    return HY_OK;
}

static enum hy_code run_rounds(struct loop *loop, enum position *last, struct hy_error *err)
{
    for (enum position position = GIVEN;; position = next_slot(position)) {
        enum hy_code code = run_from(loop, 0, position, err);
        *last = position;
        if (code != HY_OK || !*(const uint8_t *)loop->run->frame->memory)
            return code;
        code = check_time(loop, err);
        if (code == HY_OK)
            code = run_from(loop, 1, position, err);
        if (code != HY_OK)
            return code;
    }
}

static enum hy_code copy_outputs(const struct run *run, enum position position,
                                 struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < run->own->output_count; i++) {
        const struct hy_nested_argument from = state_at(run, position, i);
        struct hy_nested_argument to;
        code = find_output(run, i, &to, err);
        if (code != HY_OK || !to.address)
            continue;
        if (!from.address)
            return hy_fail(err, HY_FAILED, "output %u is an input that was left out", i);
        memcpy(to.address, from.address, run->own->lengths[i]);
        hy_copied_add(run->own->lengths[i]);
    }
    return code;
}

static enum hy_code run_while(struct run *run, struct hy_error *err)
{
    struct loop loop = {.run = run, .start = hy_clock_now()};
    enum position last = GIVEN;
    enum hy_code code = run_rounds(&loop, &last, err);

    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t j = 0; j < STATE_SLOTS; j++)
            hy_execution_release(loop.executions[i][j]);
    }
    return code == HY_OK ? copy_outputs(run, last, err) : code;
}

/* ---- As a device ----------------------------------------------------------------------------- */

/* All shapes are as declared. */
static void report_shapes(const struct hy_interpreted *own, struct hy_result *result)
{
    for (uint32_t i = 0; i < result->output_count; i++) {
        const struct hy_operand *operand = &own->graph->operands[own->graph->outputs[i]];
        result->outputs[i].sufficient = 1;
        result->outputs[i].rank = operand->rank;
        for (uint32_t j = 0; j < operand->rank; j++)
            result->outputs[i].dims[j] = operand->dims[j];
    }
}

static enum hy_code run_operation(struct run *run, struct hy_error *err)
{
    const struct hy_interpreted *own = run->own;
    struct hy_nested_argument *given = hy_nested_frame_given(run->frame);
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < own->value_count; i++)
        code = find_given(run, &own->values[i], &given[i], err);
    if (code != HY_OK)
        return code;
    return own->type == HY_OP_IF ? run_if(run, err) : run_while(run, err);
}

static int32_t execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    struct hy_interpreted *own = self;
    struct hy_nested_frame stack_frame = {0};
    struct run run = {.own = own, .request = request, .options = options};
    struct hy_error err;
    enum hy_code code;

    run.frame = hy_nested_frame_enter(own, &stack_frame);
    if (!run.frame) {
        code = hy_fail(&err, HY_OUT_OF_MEMORY, "memory of a run");
        return hy_status_report(code, &err, &options->message);
    }
    code = run_operation(&run, &err);
    hy_nested_frame_leave(run.frame, &stack_frame);
    if (code == HY_OK)
        report_shapes(own, result);
    if (code == HY_OK && options->measure) {
        result->time_on_device = run.on_device;
        result->time_in_driver = run.in_driver;
    }
    return hy_status_report(code, &err, &options->message);
}

static const struct hy_device table = {
    .struct_size = sizeof table,
    .abi = HY_DRIVER_ABI,
    .prepared_destroy = hy_interpreted_destroy,
    .execute = execute,
};

static struct hy_device_work unseen;

const struct hy_runtime_device hy_interpreter = HY_HIDDEN_DEVICE(&table, "interpreter", &unseen);
