#include "cpu_fallback/run/resolved_request.h"

#include <string.h>

#include "cpu_fallback/run/cpu_request.h"
#include "cpu_fallback/tuning/tuning.h"

bool hy_cpu_resolved_request_init(struct hy_cpu_resolved_request *resolved,
                                  struct hy_cpu_prepared *prepared)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    const size_t arguments = (size_t)graph->input_count + graph->output_count;

    *resolved = (struct hy_cpu_resolved_request){
        .prepared = prepared,
        .shapes = hy_cpu_calloc(graph->host, graph->output_count, sizeof *resolved->shapes),
        .arguments = hy_cpu_calloc(graph->host, arguments, sizeof *resolved->arguments),
    };
    return resolved->shapes && resolved->arguments;
}

void hy_cpu_resolved_request_finish(struct hy_cpu_resolved_request *resolved)
{
    hy_cpu_free(resolved->shapes);
    hy_cpu_free(resolved->arguments);
}

/* True if the bound request can be finalized. A plan owned by the context is gone before the next
 * run. */
static bool is_resolved(const struct hy_cpu_graph *graph, const struct hy_cpu_context *context,
                        const struct hy_request *request)
{
    if (context->plan->dynamic_count > 0 || context->plan == context->own_plan)
        return false;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (context->input_data[i] != hy_cpu_request_address(context, &request->inputs[i]))
            return false;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (context->values[graph->outputs[i]].data != context->targets[i].destination)
            return false;
    }
    return true;
}

void hy_cpu_resolved_request_capture(struct hy_cpu_resolved_request *resolved,
                                     const struct hy_cpu_context *context,
                                     const struct hy_request *request)
{
    const struct hy_cpu_graph *graph = &resolved->prepared->program.graph;
    struct hy_error none;

    resolved->plan = NULL;
    if (!is_resolved(graph, context, request) ||
        hy_cpu_report(graph, context, resolved->shapes, &none) != HY_OK)
        return; /* left to the run */
    if (graph->input_count > 0)
        memcpy(resolved->arguments, context->input_data, graph->input_count * sizeof(void *));
    for (uint32_t i = 0; i < graph->output_count; i++)
        resolved->arguments[graph->input_count + i] = context->targets[i].destination;
    resolved->plan = context->plan;
}

/* Loads the request for `plan`, the plan of the request or its successor. */
static enum hy_code load(const struct hy_cpu_resolved_request *resolved,
                         const struct hy_cpu_plan *plan, const struct hy_cpu_block *given,
                         struct hy_cpu_context *context, struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &resolved->prepared->program.graph;
    void *const *argument = resolved->arguments;
    context->given = *given;
    enum hy_code code = hy_cpu_context_bind(context, plan, err);

    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < graph->input_count; i++)
        context->values[graph->inputs[i]].data = *argument++;
    for (uint32_t i = 0; i < graph->output_count; i++)
        context->values[graph->outputs[i]].data = *argument++;
    return HY_OK;
}

enum hy_code hy_cpu_resolved_request_load(const struct hy_cpu_resolved_request *resolved,
                                          const struct hy_cpu_block *given,
                                          struct hy_cpu_context *context, struct hy_error *err)
{
    return load(resolved, resolved->plan, given, context, err);
}

static enum hy_code run(const struct hy_cpu_resolved_request *resolved,
                        const struct hy_cpu_block *given, struct hy_cpu_context *own,
                        const struct hy_cpu_limits *limits, struct hy_error *err)
{
    struct hy_cpu_prepared *prepared = resolved->prepared;
    const struct hy_cpu_plan *plan = hy_cpu_plan_newest(resolved->plan);
    struct hy_cpu_context *context = own;
    enum hy_code code = HY_OK;

    if (!context)
        context = hy_cpu_context_acquire(&prepared->contexts, &prepared->program.graph);
    if (!context)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for an execution");
    if (!own || context->plan != plan)
        code = load(resolved, plan, given, context, err);
    if (code == HY_OK)
        code = hy_cpu_run_steps(&prepared->program, context, limits, err);
    if (code == HY_OK)
        hy_cpu_tuning_note_run(prepared->tuning, context);
    if (!own)
        hy_cpu_context_release(context);
    return code;
}

enum hy_code hy_cpu_resolved_request_run(const struct hy_cpu_resolved_request *resolved,
                                         const struct hy_cpu_block *given,
                                         struct hy_cpu_context *own,
                                         const struct hy_cpu_limits *limits,
                                         struct hy_output_shape *shapes, struct hy_error *err)
{
    enum hy_code code = hy_cpu_check_start(limits, err);

    if (code == HY_OK)
        code = run(resolved, given, own, limits, err);
    for (uint32_t i = 0; i < resolved->prepared->program.graph.output_count; i++)
        shapes[i] = resolved->shapes[i];
    return code;
}
