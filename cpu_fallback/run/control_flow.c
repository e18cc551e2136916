#include "cpu_fallback/run/control_flow.h"

#include <string.h>

#include "common/clock.h"
#include "common/operations/control_flow.h"
#include "cpu_fallback/cpu_prepared.h"
#include "cpu_fallback/run/output.h"

/* A body and its context, which holds the outputs of the body's last run. */
struct frame {
    const char *name; /* for messages */
    struct hy_cpu_prepared *body;
    struct hy_cpu_context *context;
};

/*
 * The current values of a loop or branch: the outputs of the body that ran last. Before the first
 * run, and for indices beyond the outputs, the inputs of the operation.
 */
struct state {
    const struct hy_call *call;
    const struct frame *last; /* NULL before the first run */
};

static const struct hy_value *state_value(const struct state *state, uint32_t index)
{
    if (state->last) {
        const struct hy_cpu_graph *graph = &state->last->body->program.graph;
        if (index < graph->output_count)
            return &state->last->context->values[graph->outputs[index]];
    }
    return hy_call_input(state->call, hy_control_flow_first_value(state->call->operation) + index);
}

/* Opens a frame for the body that input `input` of the call refers to. */
static enum hy_code enter(const struct hy_cpu_program *program, const struct hy_call *call,
                          uint32_t input, const char *name, struct frame *frame,
                          struct hy_error *err)
{
    struct hy_cpu_prepared *body =
        program->bodies[program->graph.operands[call->inputs[input]].body];
    struct hy_cpu_context *context = hy_cpu_context_acquire(&body->contexts, &body->program.graph);

    if (!context)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the %s", name);
    memset(context->targets, 0, body->program.graph.output_count * sizeof *context->targets);
    *frame = (struct frame){name, body, context};
    return HY_OK;
}

static void leave(struct frame *frame)
{
    if (frame->context)
        hy_cpu_context_release(frame->context);
}

/* Passes the inputs to the body in place, without copies. */
static enum hy_code pass_inputs(const struct frame *frame, const struct state *state,
                                struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &frame->body->program.graph;
    char declared[HY_SHAPE_TEXT_SIZE], actual[HY_SHAPE_TEXT_SIZE];

    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct hy_value *value = state_value(state, i);
        const struct hy_shape *shape = &graph->values[graph->inputs[i]].shape;
        if (!value->omitted && !hy_shape_fits(shape, &value->shape))
            return hy_fail(err, HY_FAILED, "input %u is declared as %s, but has shape %s", i,
                           hy_shape_text(shape, declared), hy_shape_text(&value->shape, actual));
        frame->context->inputs[i] = (struct hy_cpu_input){
            .shape = value->shape, .is_known = true, .is_omitted = value->omitted};
        frame->context->input_data[i] = value->data;
    }
    return HY_OK;
}

static enum hy_code run_body(const struct frame *frame, const struct state *state,
                             const struct hy_cpu_limits *limits, struct hy_error *err)
{
    enum hy_code code = pass_inputs(frame, state, err);

    if (code == HY_OK)
        code = hy_cpu_prepared_run(frame->body, frame->context, limits, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "%s", frame->name);
}

/* Gives the outputs of the operation their shapes. */
static enum hy_code copy_shapes(const struct hy_cpu_context *context, const struct state *state,
                                struct hy_error *err)
{
    char declared[HY_SHAPE_TEXT_SIZE], actual[HY_SHAPE_TEXT_SIZE];

    for (uint32_t i = 0; i < state->call->output_count; i++) {
        const struct hy_value *planned = &context->plan->values[state->call->outputs[i]];
        const struct hy_value *from = state_value(state, i);
        struct hy_value *to = hy_call_output(state->call, i);
        if (from->omitted)
            return hy_fail(err, HY_FAILED, "output %u is an input that was left out", i);
        if (!hy_shape_fits(&planned->shape, &from->shape))
            return hy_fail(err, HY_FAILED, "output %u is declared as %s, but has shape %s", i,
                           hy_shape_text(&planned->shape, declared),
                           hy_shape_text(&from->shape, actual));
        to->shape = from->shape;
        to->known = true;
    }
    return HY_OK;
}

/* Copies the values of the last body to the outputs of the operation. */
static enum hy_code copy_outputs(const struct hy_cpu_program *program,
                                 struct hy_cpu_context *context, const struct state *state,
                                 struct hy_error *err)
{
    enum hy_code code = copy_shapes(context, state, err);

    if (code == HY_OK)
        code = hy_cpu_output_alloc_dynamic(&program->graph, context, state->call, err);
    for (uint32_t i = 0; i < state->call->output_count && code == HY_OK; i++) {
        const struct hy_value *from = state_value(state, i);
        const struct hy_value *to = hy_call_output(state->call, i);
        uint64_t bytes = hy_cpu_value_bytes(to);
        if (to->data != from->data && bytes > 0)
            memcpy(to->data, from->data, bytes);
    }
    return code;
}

/* ---- IF -------------------------------------------------------------------------------------- */

/* Lets the body write directly to outputs that already have memory. */
static void aim(const struct frame *frame, const struct hy_cpu_context *context,
                const struct hy_call *call)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        if (!context->plan->values[call->outputs[i]].known)
            continue;
        const struct hy_value *value = hy_call_output(call, i);
        frame->context->targets[i] =
            (struct hy_cpu_target){.destination = value->data, .length = hy_cpu_value_bytes(value)};
    }
}

static enum hy_code run_if(const struct hy_cpu_program *program, struct hy_cpu_context *context,
                           const struct hy_call *call, const struct hy_cpu_limits *limits,
                           struct hy_error *err)
{
    const struct hy_value *condition = hy_call_input(call, 0);
    struct frame branch = {0};

    if (!condition->data)
        return hy_fail(err, HY_FAILED, "the condition is left out");
    const bool is_true = *(const uint8_t *)condition->data != 0;
    enum hy_code code =
        enter(program, call, is_true ? 1 : 2, is_true ? "then-model" : "else-model", &branch, err);
    if (code != HY_OK)
        return code;
    aim(&branch, context, call);
    code = run_body(&branch, &(struct state){call, NULL}, limits, err);
    if (code == HY_OK)
        code = copy_outputs(program, context, &(struct state){call, &branch}, err);
    leave(&branch);
    return code;
}

/* ---- WHILE ----------------------------------------------------------------------------------- */

struct loop {
    struct frame condition;
    struct frame bodies[2]; /* used in turn: one reads the outputs of the other */
    struct state state;
    int64_t start;
};

static enum hy_code ask_condition(const struct loop *loop, const struct hy_cpu_limits *limits,
                                  bool *go_on, struct hy_error *err)
{
    const struct frame *frame = &loop->condition;
    enum hy_code code = run_body(frame, &loop->state, limits, err);

    if (code == HY_OK) {
        const uint32_t condition_output = frame->body->program.graph.outputs[0];
        *go_on = *(const uint8_t *)frame->context->values[condition_output].data != 0;
    }
    return code;
}

static enum hy_code check_time(const struct loop *loop, const struct hy_cpu_limits *limits,
                               struct hy_error *err)
{
    if ((uint64_t)(hy_clock_boot() - loop->start) >= limits->loop_timeout)
        return hy_fail(err, HY_MISSED_DEADLINE, "the loop timeout of %llu ns has passed",
                       (unsigned long long)limits->loop_timeout);
    if (hy_cpu_is_expired(limits))
        return hy_fail(err, HY_MISSED_DEADLINE, "the deadline has passed");
    return HY_OK;
}

static enum hy_code run_rounds(struct loop *loop, const struct hy_cpu_limits *limits,
                               struct hy_error *err)
{
    for (uint32_t active = 0;; active = !active) {
        bool go_on = false;
        enum hy_code code = ask_condition(loop, limits, &go_on, err);
        if (code != HY_OK || !go_on)
            return code;
        code = check_time(loop, limits, err);
        if (code == HY_OK)
            code = run_body(&loop->bodies[active], &loop->state, limits, err);
        if (code != HY_OK)
            return code;
        loop->state.last = &loop->bodies[active];
    }
}

static enum hy_code run_while(const struct hy_cpu_program *program, struct hy_cpu_context *context,
                              const struct hy_call *call, const struct hy_cpu_limits *limits,
                              struct hy_error *err)
{
    struct loop loop = {.state = {.call = call}, .start = hy_clock_boot()};
    enum hy_code code = enter(program, call, 0, "condition model", &loop.condition, err);

    for (uint32_t i = 0; i < 2 && code == HY_OK; i++)
        code = enter(program, call, 1, "body model", &loop.bodies[i], err);
    if (code == HY_OK)
        code = run_rounds(&loop, limits, err);
    if (code == HY_OK)
        code = copy_outputs(program, context, &loop.state, err);
    leave(&loop.bodies[1]);
    leave(&loop.bodies[0]);
    leave(&loop.condition);
    return code;
}

enum hy_code hy_cpu_control_flow_run(const struct hy_cpu_program *program,
                                     struct hy_cpu_context *context, const struct hy_call *call,
                                     const struct hy_cpu_limits *limits, struct hy_error *err)
{
    return call->operation == HY_OP_IF ? run_if(program, context, call, limits, err)
                                       : run_while(program, context, call, limits, err);
}
