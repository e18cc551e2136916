#include "cpu_fallback/run/execute.h"

#include <string.h>

#include "common/inference/infer.h"
#include "common/operations/control_flow.h"
#include "cpu_fallback/kernels/stop.h"
#include "cpu_fallback/run/control_flow.h"
#include "cpu_fallback/run/output.h"

static bool is_sufficient(const struct hy_cpu_target *target, const struct hy_value *value)
{
    return target->is_omitted || target->length >= hy_cpu_value_bytes(value);
}

enum hy_code hy_cpu_report(const struct hy_cpu_graph *graph, const struct hy_cpu_context *context,
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

enum hy_code hy_cpu_bind_arguments(const struct hy_cpu_graph *graph, struct hy_cpu_context *context,
                                   struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < graph->input_count; i++)
        context->values[graph->inputs[i]].data = context->input_data[i];
    for (uint32_t i = 0; i < graph->output_count && code == HY_OK; i++) {
        if (context->plan->values[graph->outputs[i]].known)
            code = hy_cpu_output_alloc(graph, context, i, err);
    }
    return code;
}

static enum hy_code prepare_dynamic_step(const struct hy_cpu_program *program,
                                         struct hy_cpu_context *context, uint32_t operation,
                                         const struct hy_call *call, struct hy_error *err)
{
    struct hy_cpu_dynamic_step *dynamic = &context->dynamic[operation];
    enum hy_code code =
        hy_cpu_dynamic_step_resolve(dynamic, program, operation, call, context->plan->values, err);

    if (code == HY_OK)
        code = hy_cpu_output_alloc_dynamic(&program->graph, context, call, err);
    if (code == HY_OK &&
        !hy_cpu_block_reserve(context->host, &context->scratch, dynamic->step.scratch + 1))
        code = hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %zu bytes of scratch",
                       dynamic->step.scratch);
    context->work =
        context->scratch.bytes; /* plans with dynamic steps never use the host's memory */
    return code;
}

/* See struct hy_cpu_work. */
static const struct hy_cpu_cached_weights_ref *
cached_weights_of(const struct hy_cpu_context *context, const struct hy_call *call,
                  const struct hy_cpu_op *op)
{
    return context->cached_weights && hy_cpu_op_packs(op, 1)
               ? &context->cached_weights[call->inputs[1]]
               : NULL;
}

static enum hy_code run_op(const struct hy_cpu_program *program, struct hy_cpu_context *context,
                           uint32_t operation, const struct hy_call *call,
                           const struct hy_cpu_step *step, uint8_t *scratch, struct hy_error *err)
{
    const struct hy_cpu_work work = {
        .call = call,
        .calls = context->calls,
        .params = step->params,
        .scratch = scratch,
        .host = program->host,
        .is_alone = context->is_alone,
        .operation = operation,
        .cached_weights = context->has_buffers ? cached_weights_of(context, call, step->op) : NULL,
    };

    return step->op->run(&work, err);
}

/* Runs a dynamic step. */
static enum hy_code run_dynamic_step(const struct hy_cpu_program *program,
                                     struct hy_cpu_context *context, uint32_t operation,
                                     const struct hy_call *call, const struct hy_cpu_limits *limits,
                                     struct hy_error *err)
{
    const struct hy_cpu_dynamic_step *dynamic = &context->dynamic[operation];

    if (hy_is_control_flow(call->operation))
        return hy_cpu_control_flow_run(program, context, call, limits, err);
    enum hy_code code = prepare_dynamic_step(program, context, operation, call, err);
    if (code == HY_OK && !dynamic->is_empty)
        code = run_op(program, context, operation, call, &dynamic->step, context->work, err);
    if (code == HY_OK && hy_infer_gives_limits(call->operation))
        code = hy_cpu_output_check_set(&program->graph, context, call, err);
    return code;
}

static uint8_t *scratch_of(const struct hy_cpu_context *context,
                           const struct hy_cpu_plan_step *step)
{
    return step->scratch_offset == HY_CPU_NO_OFFSET ? context->work
                                                    : context->tensors + step->scratch_offset;
}

static enum hy_code run_steps(const struct hy_cpu_program *program, struct hy_cpu_context *context,
                              const struct hy_cpu_limits *limits, struct hy_error *err)
{
    const struct hy_cpu_plan_step *const first = context->plan->steps;
    const struct hy_cpu_plan_step *const end = first + context->plan->step_count;
    const struct hy_call *calls = context->calls;

    for (const struct hy_cpu_plan_step *step = first; step < end; step++) {
        enum hy_code code = HY_OK;
        if (step->is_joined)
            continue;
        if (step > first && hy_cpu_is_expired(limits))
            code = hy_fail(err, HY_MISSED_DEADLINE, "the deadline has passed");
        else if (step->is_dynamic)
            code = run_dynamic_step(program, context, step->operation, &calls[step->operation],
                                    limits, err);
        else if (!step->is_empty)
            code = run_op(program, context, step->operation, &calls[step->operation], &step->step,
                          scratch_of(context, step), err);
        if (hy_stop_is_set(limits->stop)) /* the results are incomplete */
            code = hy_fail(err, HY_MISSED_DEADLINE, "the deadline has passed");
        if (code != HY_OK)
            return hy_cpu_program_annotate_error(&program->graph, step->operation, code, err);
    }
    return HY_OK;
}

enum hy_code hy_cpu_run_steps(const struct hy_cpu_program *program, struct hy_cpu_context *context,
                              const struct hy_cpu_limits *limits, struct hy_error *err)
{
    struct hy_cpu_thread_policy *thread_policy = context->plan->thread_policy;
    struct hy_cpu_thread_policy_run run = {.is_alone = true};

    if (thread_policy)
        run = hy_cpu_thread_policy_begin(thread_policy);
    context->is_alone = run.is_alone;
    enum hy_code code = run_steps(program, context, limits, err);
    if (thread_policy && code == HY_OK)
        hy_cpu_thread_policy_end(thread_policy, &run);
    if (!run.is_alone && atomic_load_explicit(&program->bursts, memory_order_relaxed) > 0)
        program->host->keep_awake(program->host->context, HY_MAX_AWAKE_NS);
    return code;
}

/* Copies outputs that were computed elsewhere to the caller's memory. */
static enum hy_code deliver(const struct hy_cpu_graph *graph, struct hy_cpu_context *context,
                            struct hy_error *err)
{
    for (uint32_t i = 0; i < graph->output_count; i++) {
        struct hy_cpu_target *target = &context->targets[i];
        const struct hy_value *value = &context->values[graph->outputs[i]];
        enum hy_code code = hy_cpu_output_reserve(target, value, err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "output %u", i);
        if (!target->destination || value->data == target->destination)
            continue;
        uint64_t bytes = hy_cpu_value_bytes(value);
        if (bytes > 0 && target->length >= bytes)
            memcpy(target->destination, value->data, bytes);
    }
    return HY_OK;
}

enum hy_code hy_cpu_run(const struct hy_cpu_program *program, struct hy_cpu_context *context,
                        const struct hy_cpu_limits *limits, struct hy_error *err)
{
    enum hy_code code = hy_cpu_bind_arguments(&program->graph, context, err);

    return code == HY_OK ? hy_cpu_run_steps(program, context, limits, err) : code;
}

enum hy_code hy_cpu_execute(const struct hy_cpu_program *program, struct hy_cpu_context *context,
                            const struct hy_cpu_limits *limits, struct hy_output_shape *shapes,
                            struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &program->graph;
    const bool is_known = context->plan->dynamic_count == 0;
    enum hy_code code = hy_cpu_check_start(limits, err);

    if (code == HY_OK)
        code = hy_cpu_bind_arguments(graph, context, err);
    /* With all shapes known, check the sizes of the outputs before computing. */
    if (code == HY_OK && is_known)
        code = hy_cpu_report(graph, context, shapes, err);
    if (code == HY_OK)
        code = hy_cpu_run_steps(program, context, limits, err);
    if (code == HY_OK)
        code = deliver(graph, context, err);
    if (code == HY_OK && !is_known)
        code = hy_cpu_report(graph, context, shapes, err);
    return code;
}
