#include "cpu_fallback/execute.h"

#include <string.h>
#include <time.h>

#include "common/operand_type.h"

int64_t hy_cpu_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Memory of the context's own for an operand that has no place in the arena. */
static enum hy_code spill(struct hy_cpu_context *context, uint32_t operand, struct hy_error *err)
{
    struct hy_value *value = &context->values[operand];

    if (!hy_cpu_block_reserve(&context->spills[operand], hy_cpu_value_bytes(value)))
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for operand %u of %llu bytes", operand,
                       (unsigned long long)hy_cpu_value_bytes(value));
    value->data = context->spills[operand].bytes;
    return HY_OK;
}

/* Where a model output of known shape is computed: in the caller's room, if that will do. */
static enum hy_code place_output(const struct hy_cpu_graph *graph, struct hy_cpu_context *context,
                                 uint32_t index, struct hy_error *err)
{
    const struct hy_cpu_target *target = &context->targets[index];
    uint32_t operand = graph->outputs[index];
    struct hy_value *value = &context->values[operand];
    char declared[HY_SHAPE_TEXT_SIZE], actual[HY_SHAPE_TEXT_SIZE];

    if (!hy_shape_fits(&target->declared, &value->shape))
        return hy_fail(err, HY_FAILED, "output %u has shape %s, the request says %s", index,
                       hy_shape_text(&value->shape, actual),
                       hy_shape_text(&target->declared, declared));
    if (target->room && target->length >= hy_cpu_value_bytes(value) &&
        (uintptr_t)target->room % hy_operand_type_bytes(value->type) == 0) {
        value->data = target->room;
        return HY_OK;
    }
    return spill(context, operand, err);
}

static bool is_sufficient(const struct hy_cpu_target *target, const struct hy_value *value)
{
    return target->is_omitted || target->length >= hy_cpu_value_bytes(value);
}

/* Tells the shapes of all outputs; HY_INSUFFICIENT_SIZE when one had too little room. */
static enum hy_code report(const struct hy_cpu_graph *graph, const struct hy_cpu_context *context,
                           struct hy_output_shape *shapes, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct hy_value *value = &context->values[graph->outputs[i]];
        shapes[i] = (struct hy_output_shape){
            .rank = value->shape.rank,
            .sufficient = is_sufficient(&context->targets[i], value),
        };
        memcpy(shapes[i].dims, value->shape.dims, sizeof shapes[i].dims);
        if (!shapes[i].sufficient && code == HY_OK)
            code = hy_fail(err, HY_INSUFFICIENT_SIZE, "output %u needs %llu bytes, has %llu", i,
                           (unsigned long long)hy_cpu_value_bytes(value),
                           (unsigned long long)context->targets[i].length);
    }
    return code;
}

/* Points every model input and output whose shape the plan knows to its memory. */
static enum hy_code place_arguments(const struct hy_cpu_graph *graph,
                                    struct hy_cpu_context *context, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < graph->input_count; i++)
        context->values[graph->inputs[i]].data = context->input_data[i];
    for (uint32_t i = 0; i < graph->output_count && code == HY_OK; i++) {
        if (context->plan->values[graph->outputs[i]].known)
            code = place_output(graph, context, i, err);
    }
    return code;
}

/* Gives the outputs of a late operation their memory: now their shapes are known. */
static enum hy_code place_late(const struct hy_cpu_graph *graph, struct hy_cpu_context *context,
                               const struct hy_call *call, struct hy_error *err)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        uint32_t operand = call->outputs[i];
        enum hy_code code = HY_OK;
        if (context->plan->values[operand].known)
            continue; /* it has its memory */
        if (graph->operands[operand].lifetime == HY_LIFETIME_TEMPORARY) {
            code = spill(context, operand, err);
        } else {
            uint32_t index = 0;
            while (graph->outputs[index] != operand)
                index++;
            code = place_output(graph, context, index, err);
        }
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

static enum hy_code prepare_late(const struct hy_cpu_program *program,
                                 struct hy_cpu_context *context, uint32_t operation,
                                 const struct hy_call *call, struct hy_error *err)
{
    struct hy_cpu_late *late = &context->late[operation];
    enum hy_code code =
        hy_cpu_late_resolve(late, program, operation, call, context->plan->values, err);

    if (code == HY_OK)
        code = place_late(&program->graph, context, call, err);
    if (code == HY_OK && !hy_cpu_block_reserve(&context->scratch, late->step.scratch + 1))
        code = hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu bytes of scratch",
                       late->step.scratch);
    return code;
}

static enum hy_code run_step(const struct hy_cpu_program *program, struct hy_cpu_context *context,
                             const struct hy_cpu_plan_step *planned, struct hy_error *err)
{
    struct hy_call call = hy_cpu_graph_call(&program->graph, planned->operation, context->values);
    const struct hy_cpu_step *step = &planned->step;
    bool is_empty = planned->is_empty;

    if (planned->is_late) {
        enum hy_code code = prepare_late(program, context, planned->operation, &call, err);
        if (code != HY_OK)
            return code;
        step = &context->late[planned->operation].step;
        is_empty = context->late[planned->operation].is_empty;
    }
    if (is_empty)
        return HY_OK;
    struct hy_cpu_work work = {&call, step->params, context->scratch.bytes, program->host};
    return step->op->run(&work, err);
}

static enum hy_code run_steps(const struct hy_cpu_program *program, struct hy_cpu_context *context,
                              int64_t deadline, struct hy_error *err)
{
    const struct hy_cpu_plan *plan = context->plan;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        uint32_t operation = plan->steps[i].operation;
        enum hy_code code = HY_OK;
        if (i > 0 && deadline != HY_NO_DEADLINE && hy_cpu_now() >= deadline)
            code = hy_fail(err, HY_MISSED_DEADLINE, "the deadline has passed");
        if (code == HY_OK)
            code = run_step(program, context, &plan->steps[i], err);
        if (code != HY_OK)
            return hy_cpu_program_blame(&program->graph, operation, code, err);
    }
    return HY_OK;
}

/* Copies what was computed elsewhere to the caller's room. */
static void deliver(const struct hy_cpu_graph *graph, struct hy_cpu_context *context)
{
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct hy_cpu_target *target = &context->targets[i];
        const struct hy_value *value = &context->values[graph->outputs[i]];
        uint64_t bytes = hy_cpu_value_bytes(value);
        if (target->room && value->data != target->room && bytes > 0 && target->length >= bytes)
            memcpy(target->room, value->data, bytes);
    }
}

enum hy_code hy_cpu_execute(const struct hy_cpu_program *program, struct hy_cpu_context *context,
                            int64_t deadline, struct hy_output_shape *shapes, struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &program->graph;
    enum hy_code code = place_arguments(graph, context, err);

    /* With all shapes known there is no need to compute what will not fit. */
    if (code == HY_OK && context->plan->late_count == 0)
        code = report(graph, context, shapes, err);
    if (code == HY_OK)
        code = run_steps(program, context, deadline, err);
    if (code != HY_OK)
        return code;
    deliver(graph, context);
    return report(graph, context, shapes, err);
}
