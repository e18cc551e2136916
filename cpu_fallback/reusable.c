#include "cpu_fallback/reusable.h"

#include "cpu_fallback/buffers/arguments.h"
#include "cpu_fallback/entry.h"
#include "cpu_fallback/request.h"
#include "cpu_fallback/tuning/tuning.h"

struct hy_cpu_reusable {
    struct hy_cpu_prepared *prepared;
    const struct hy_request *request;
    struct hy_cpu_block given;
    uint64_t loop_timeout;
    const uint32_t *cancelled;
    bool measure;

    /* Where every shape is known, every output has room enough and every argument is used where it
     * lies, that is all there is to know, buffers of the device aside. Else NULL: each run goes the
     * ordinary way. */
    const struct hy_cpu_plan *plan;
    struct hy_cpu_context *context; /* NULL: it takes one for each run */
    struct hy_output_shape *shapes; /* one per output */
    void *arguments[];              /* inputs, then outputs */
};

/* Bytes of tensors and scratch up to which a context of its own is worth its memory. */
#define OWN_CONTEXT_BYTES 16384u

/* True when the context, which is set up for the request, shows that nothing is left open. A plan
 * that the prepared model does not keep is gone before the next run. */
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

/* Sets a context up for a plan and the arguments. It may have served another request before. */
static enum hy_code load(const struct hy_cpu_reusable *reusable, struct hy_cpu_context *context,
                         const struct hy_cpu_plan *plan, struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &reusable->prepared->program.graph;
    void *const *argument = reusable->arguments;
    context->given = reusable->given;
    enum hy_code code = hy_cpu_context_bind(context, plan, err);

    if (code != HY_OK)
        return code;
    for (uint32_t i = 0; i < graph->input_count; i++)
        context->values[graph->inputs[i]].data = *argument++;
    for (uint32_t i = 0; i < graph->output_count; i++)
        context->values[graph->outputs[i]].data = *argument++;
    return HY_OK;
}

/* Small models spend less on their tensors than on the search for a context. Without memory for
 * one it goes without. */
static void take_own_context(struct hy_cpu_reusable *reusable)
{
    const struct hy_cpu_plan *plan = reusable->plan;
    struct hy_error none;

    if (plan->arena.total > OWN_CONTEXT_BYTES ||
        plan->scratch_size > OWN_CONTEXT_BYTES - plan->arena.total)
        return;
    reusable->context = hy_cpu_context_create(&reusable->prepared->program.graph);
    if (reusable->context && load(reusable, reusable->context, plan, &none) != HY_OK) {
        hy_cpu_context_destroy(reusable->context);
        reusable->context = NULL;
    }
}

/* Takes from the context what the runs need, if that is all they need. */
static enum hy_code settle(struct hy_cpu_reusable *reusable, struct hy_cpu_context *context,
                           struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &reusable->prepared->program.graph;
    enum hy_code code = hy_cpu_prepared_bind(reusable->prepared, reusable->request, context, err);

    if (context->has_buffers) /* what they hold is for each run to see */
        return code == HY_FAILED ? HY_OK : code;
    if (code == HY_OK)
        code = hy_cpu_place_arguments(graph, context, err);
    if (code != HY_OK || !is_settled(graph, context, reusable->request))
        return code;
    if (hy_cpu_report(graph, context, reusable->shapes, err) != HY_OK)
        return HY_OK; /* the run will tell */
    memcpy(reusable->arguments, context->input_data, graph->input_count * sizeof(void *));
    for (uint32_t i = 0; i < graph->output_count; i++)
        reusable->arguments[graph->input_count + i] = context->targets[i].room;
    reusable->plan = context->plan;
    take_own_context(reusable);
    return HY_OK;
}

static struct hy_cpu_reusable *allocate(const struct hy_cpu_graph *graph)
{
    const size_t arguments = (size_t)graph->input_count + graph->output_count;
    struct hy_cpu_reusable *reusable =
        hy_cpu_calloc(graph->host, 1, sizeof *reusable + arguments * sizeof(void *));
    struct hy_output_shape *shapes =
        hy_cpu_calloc(graph->host, graph->output_count, sizeof *shapes);

    if (!reusable || !shapes) {
        hy_cpu_free(reusable);
        hy_cpu_free(shapes);
        return NULL;
    }
    reusable->shapes = shapes;
    return reusable;
}

enum hy_code hy_cpu_reusable_create(struct hy_cpu_prepared *prepared,
                                    const struct hy_request *request, struct hy_cpu_block given,
                                    uint64_t loop_timeout, const uint32_t *cancelled, bool measure,
                                    struct hy_cpu_reusable **out, struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    struct hy_cpu_reusable *reusable = allocate(graph);
    struct hy_cpu_context *context = hy_cpu_context_acquire(&prepared->contexts, graph);
    enum hy_code code = HY_OK;

    if (reusable && context) {
        reusable->prepared = prepared;
        reusable->request = request;
        reusable->given = context->given = given;
        reusable->loop_timeout = loop_timeout;
        reusable->cancelled = cancelled;
        reusable->measure = measure;
        code = settle(reusable, context, err);
    } else {
        code = hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a reusable execution");
    }
    if (context) {
        hy_cpu_buffers_leave(context, graph);
        hy_cpu_context_release(context);
    }
    if (code != HY_OK) {
        hy_cpu_reusable_destroy(reusable);
        return code;
    }
    *out = reusable;
    return HY_OK;
}

void hy_cpu_reusable_destroy(struct hy_cpu_reusable *reusable)
{
    if (!reusable)
        return;
    hy_cpu_context_destroy(reusable->context);
    hy_cpu_free(reusable->shapes);
    hy_cpu_free(reusable);
}

static enum hy_code run_settled(const struct hy_cpu_reusable *reusable,
                                const struct hy_cpu_limits *limits, struct hy_error *err)
{
    struct hy_cpu_prepared *prepared = reusable->prepared;
    const struct hy_cpu_plan *plan = hy_cpu_plan_newest(reusable->plan);
    struct hy_cpu_context *context = reusable->context;
    enum hy_code code = HY_OK;

    if (!context)
        context = hy_cpu_context_acquire(&prepared->contexts, &prepared->program.graph);
    if (!context)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for an execution");
    if (!reusable->context || context->plan != plan)
        code = load(reusable, context, plan, err);
    if (code == HY_OK)
        code = hy_cpu_run_steps(&prepared->program, context, limits, err);
    if (code == HY_OK)
        hy_cpu_tuning_note_run(prepared->tuning, context);
    if (!reusable->context)
        hy_cpu_context_release(context);
    return code;
}

static enum hy_code execute(const struct hy_cpu_reusable *reusable,
                            const struct hy_cpu_limits *limits, struct hy_output_shape *shapes,
                            struct hy_error *err)
{
    if (!reusable->plan)
        return hy_cpu_prepared_execute(reusable->prepared, reusable->request, reusable->given,
                                       limits, shapes, err);
    enum hy_code code = hy_cpu_check_start(limits, err);
    if (code == HY_OK)
        code = run_settled(reusable, limits, err);
    for (uint32_t i = 0; i < reusable->prepared->program.graph.output_count; i++)
        shapes[i] = reusable->shapes[i];
    return code;
}

enum hy_code hy_cpu_reusable_execute(struct hy_cpu_reusable *reusable, int64_t deadline,
                                     struct hy_output_shape *shapes, struct hy_error *err)
{
    struct hy_stop stop = {reusable->cancelled, deadline, 0};
    const struct hy_cpu_limits limits = {
        .deadline = deadline, .loop_timeout = reusable->loop_timeout, .stop = &stop};
    const struct hy_cpu_entry before = hy_cpu_enter(&stop);
    enum hy_code code = execute(reusable, &limits, shapes, err);

    hy_cpu_leave(before);
    return code;
}

bool hy_cpu_reusable_measures(const struct hy_cpu_reusable *reusable)
{
    return reusable->measure;
}

uint32_t hy_cpu_reusable_output_count(const struct hy_cpu_reusable *reusable)
{
    return reusable->prepared->program.graph.output_count;
}
