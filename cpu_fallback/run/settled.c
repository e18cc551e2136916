#include "cpu_fallback/run/settled.h"

#include <string.h>

#include "cpu_fallback/run/request.h"
#include "cpu_fallback/tuning/tuning.h"

bool hy_cpu_settled_init(struct hy_cpu_settled *settled, struct hy_cpu_prepared *prepared)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    const size_t arguments = (size_t)graph->input_count + graph->output_count;

    *settled = (struct hy_cpu_settled){
        .prepared = prepared,
        .shapes = hy_cpu_calloc(graph->host, graph->output_count, sizeof *settled->shapes),
        .arguments = hy_cpu_calloc(graph->host, arguments, sizeof *settled->arguments),
    };
    return settled->shapes && settled->arguments;
}

void hy_cpu_settled_finish(struct hy_cpu_settled *settled)
{
    hy_cpu_free(settled->shapes);
    hy_cpu_free(settled->arguments);
}

/* True if the bound request can be finalized. A plan owned by the context is gone before the next
 * run. */
static bool is_settled(const struct hy_cpu_graph *graph, const struct hy_cpu_context *context,
                       const struct hy_request *request)
{
    if (context->plan->late_count > 0 || context->plan == context->own_plan)
        return false;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (context->input_data[i] != hy_cpu_request_address(context, &request->inputs[i]))
            return false;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (context->values[graph->outputs[i]].data != context->targets[i].room)
            return false;
    }
    return true;
}

void hy_cpu_settled_learn(struct hy_cpu_settled *settled, const struct hy_cpu_context *context,
                          const struct hy_request *request)
{
    const struct hy_cpu_graph *graph = &settled->prepared->program.graph;
    struct hy_error none;

    settled->plan = NULL;
    if (!is_settled(graph, context, request) ||
        hy_cpu_report(graph, context, settled->shapes, &none) != HY_OK)
        return; /* left to the run */
    if (graph->input_count > 0)
        memcpy(settled->arguments, context->input_data, graph->input_count * sizeof(void *));
    for (uint32_t i = 0; i < graph->output_count; i++)
        settled->arguments[graph->input_count + i] = context->targets[i].room;
    settled->plan = context->plan;
}

/* Loads the request for `plan`, the plan of the request or its successor. */
static enum hy_code load(const struct hy_cpu_settled *settled, const struct hy_cpu_plan *plan,
                         const struct hy_cpu_block *given, struct hy_cpu_context *context,
                         struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &settled->prepared->program.graph;
    void *const *argument = settled->arguments;
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

enum hy_code hy_cpu_settled_load(const struct hy_cpu_settled *settled,
                                 const struct hy_cpu_block *given, struct hy_cpu_context *context,
                                 struct hy_error *err)
{
    return load(settled, settled->plan, given, context, err);
}

static enum hy_code run(const struct hy_cpu_settled *settled, const struct hy_cpu_block *given,
                        struct hy_cpu_context *own, const struct hy_cpu_limits *limits,
                        struct hy_error *err)
{
    struct hy_cpu_prepared *prepared = settled->prepared;
    const struct hy_cpu_plan *plan = hy_cpu_plan_newest(settled->plan);
    struct hy_cpu_context *context = own;
    enum hy_code code = HY_OK;

    if (!context)
        context = hy_cpu_context_acquire(&prepared->contexts, &prepared->program.graph);
    if (!context)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for an execution");
    if (!own || context->plan != plan)
        code = load(settled, plan, given, context, err);
    if (code == HY_OK)
        code = hy_cpu_run_steps(&prepared->program, context, limits, err);
    if (code == HY_OK)
        hy_cpu_tuning_note_run(prepared->tuning, context);
    if (!own)
        hy_cpu_context_release(context);
    return code;
}

enum hy_code hy_cpu_settled_run(const struct hy_cpu_settled *settled,
                                const struct hy_cpu_block *given, struct hy_cpu_context *own,
                                const struct hy_cpu_limits *limits, struct hy_output_shape *shapes,
                                struct hy_error *err)
{
    enum hy_code code = hy_cpu_check_start(limits, err);

    if (code == HY_OK)
        code = run(settled, given, own, limits, err);
    for (uint32_t i = 0; i < settled->prepared->program.graph.output_count; i++)
        shapes[i] = settled->shapes[i];
    return code;
}
