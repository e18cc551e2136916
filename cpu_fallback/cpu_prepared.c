#include "cpu_fallback/cpu_prepared.h"

#include "common/model/body_order.h"
#include "cpu_fallback/buffers/arguments.h"
#include "cpu_fallback/cache/cache_layout.h"
#include "cpu_fallback/cache/format.h"
#include "cpu_fallback/run/cpu_request.h"
#include "cpu_fallback/tuning/tuning.h"

/* Adds the plan to the prepared model. False: the list is full, and the caller keeps the plan. */
static bool cache_plan(struct hy_cpu_prepared *prepared, struct hy_cpu_plan *plan)
{
    if (atomic_fetch_add_explicit(&prepared->plan_count, 1, memory_order_relaxed) >= HY_CPU_PLANS) {
        atomic_fetch_sub_explicit(&prepared->plan_count, 1, memory_order_relaxed);
        return false;
    }
    plan->next = atomic_load_explicit(&prepared->plans, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&prepared->plans, &plan->next, plan,
                                                  memory_order_release, memory_order_relaxed))
        ;
    return true;
}

static const struct hy_cpu_plan *find_plan(struct hy_cpu_prepared *prepared,
                                           const struct hy_cpu_context *context)
{
    const struct hy_cpu_plan *plan = context->plan;
    uint32_t count = prepared->program.graph.input_count;

    if (plan && hy_cpu_plan_is_for(plan, context->inputs, count))
        return hy_cpu_plan_newest(plan);
    plan = atomic_load_explicit(&prepared->plans, memory_order_acquire);
    while (plan && !hy_cpu_plan_is_for(plan, context->inputs, count))
        plan = plan->next;
    return plan ? hy_cpu_plan_newest(plan) : NULL;
}

/* Binds the context to the plan for the request's shapes, and creates a plan for new shapes. */
static enum hy_code bind_plan(struct hy_cpu_prepared *prepared, struct hy_cpu_context *context,
                              struct hy_error *err)
{
    const struct hy_cpu_plan *plan = find_plan(prepared, context);
    struct hy_cpu_plan *made;

    if (plan)
        return hy_cpu_context_bind(context, plan, err);
    enum hy_code code = hy_cpu_plan_create(&prepared->program, context->inputs, NULL, &made, err);
    if (code != HY_OK)
        return code;
    if (!cache_plan(prepared, made)) {
        hy_cpu_plan_destroy(context->own_plan);
        context->own_plan = made;
        context->plan = NULL; /* may be the destroyed plan */
    }
    return hy_cpu_context_bind(context, made, err);
}

/* Creates the plan for the declared shapes. With unknown shapes the plan is discarded, but reveals
 * errors and packs weights. */
static enum hy_code plan_declared(struct hy_cpu_prepared *prepared,
                                  const struct hy_cpu_blocking *blockings, struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    struct hy_cpu_input *inputs =
        hy_cpu_calloc(graph->host, graph->input_count + (size_t)1, sizeof *inputs);
    struct hy_cpu_plan *plan;
    bool complete = true;

    if (!inputs)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u inputs", graph->input_count);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct hy_value *value = &graph->values[graph->inputs[i]];
        inputs[i] = (struct hy_cpu_input){.shape = value->shape, .is_known = value->known};
        complete &= value->known;
    }
    enum hy_code code = hy_cpu_plan_create(&prepared->program, inputs, blockings, &plan, err);
    hy_cpu_free(inputs);
    if (code == HY_OK && complete && cache_plan(prepared, plan))
        prepared->declared = plan;
    else if (code == HY_OK)
        hy_cpu_plan_destroy(plan);
    return code == HY_FAILED ? HY_BAD_DATA : code;
}

/* Frees folded constants that are read only as packed weights, or not at all. Only a model with a
 * single plan reads each constant in a single way. */
static enum hy_code release_folded(struct hy_cpu_prepared *prepared, struct hy_error *err)
{
    struct hy_cpu_program *program = &prepared->program;

    if (!prepared->declared || !program->folded_values)
        return HY_OK;
    struct hy_arena memory = hy_cpu_arena(program->host);
    const uint8_t *storage_kinds = hy_cpu_cache_layout(prepared, &memory);
    for (uint32_t i = 0; storage_kinds && i < program->graph.operand_count; i++) {
        if (storage_kinds[i] != HY_CPU_STORED_PACKED && storage_kinds[i] != HY_CPU_STORED_NONE)
            continue;
        if (program->folded_values[i])
            prepared->declared->values[i].data = NULL;
        hy_cpu_program_release_folded(program, i);
    }
    hy_arena_finish(&memory);
    return storage_kinds ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "no memory for the model");
}

/* Shares the values of the plan with the graph if the plan knows no more shapes than the model. */
static void adopt_plan_values(struct hy_cpu_prepared *prepared)
{
    struct hy_cpu_graph *graph = &prepared->program.graph;
    bool are_declared = prepared->declared && prepared->declared->dynamic_count == 0;

    for (uint32_t i = 0; are_declared && i < graph->operand_count; i++)
        are_declared = graph->values[i].known == prepared->declared->values[i].known;
    if (are_declared)
        hy_cpu_graph_adopt_values(graph, prepared->declared->values);
}

/* The inputs of compiling any subgraph of a model. */
struct job {
    const struct hy_model *model;
    const struct hy_cpu_setup *setup;
};

/* Compiles a subgraph of the model into `prepared`; its bodies are compiled already. */
static enum hy_code compile(const struct job *job, const struct hy_subgraph *view,
                            const struct hy_cpu_compiled_view *compiled_view,
                            struct hy_cpu_prepared *const *bodies, struct hy_cpu_prepared *prepared,
                            struct hy_error *err)
{
    const struct hy_cpu_source source = {.model = job->model,
                                         .view = view,
                                         .bodies = bodies,
                                         .compiled_view = compiled_view,
                                         .l2_bytes = job->setup->l2_bytes};
    enum hy_code code = hy_cpu_program_init(&prepared->program, &source, job->setup->host,
                                            job->setup->kernels, job->setup->threads, err);

    if (code == HY_OK)
        code = plan_declared(prepared, compiled_view ? compiled_view->blockings : NULL, err);
    if (code == HY_OK)
        code = release_folded(prepared, err);
    if (code != HY_OK)
        return code;
    adopt_plan_values(prepared);
    hy_cpu_weights_arena_trim(&prepared->program.weights_arena);
    return HY_OK;
}

static enum hy_code compile_body(const struct job *job, uint32_t index,
                                 struct hy_cpu_prepared *prepared, struct hy_error *err)
{
    const struct hy_cpu_compiled_view *compiled_view =
        job->setup->compiled_view ? job->setup->body_views[index] : NULL;
    enum hy_code code = hy_cpu_check_wanted(err);

    if (code != HY_OK)
        return code;
    struct hy_cpu_prepared *body = hy_cpu_calloc(job->setup->host, 1, sizeof *body);
    if (!body)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for model %u", index);
    prepared->bodies[index] = body;
    code = compile(job, job->model->referenced[index], compiled_view, prepared->bodies, body, err);
    return code == HY_OK ? code : hy_error_prefix(err, code, "model %u", index);
}

static enum hy_code compile_ordered(const struct job *job, const struct hy_body_order *order,
                                    struct hy_cpu_prepared *prepared, struct hy_error *err)
{
    const uint32_t count = job->model->referenced_count;
    enum hy_code code = HY_OK;

    if (order->count == 0)
        return HY_OK;
    prepared->bodies = hy_cpu_calloc(job->setup->host, count, sizeof(struct hy_cpu_prepared *));
    if (!prepared->bodies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for %u models", order->count);
    prepared->body_count = count;
    for (uint32_t i = 0; i < order->count && code == HY_OK; i++)
        code = compile_body(job, order->bodies[i], prepared, err);
    return code;
}

/* Compiles each body before the bodies that refer to it. */
static enum hy_code compile_bodies(const struct job *job, struct hy_cpu_prepared *prepared,
                                   struct hy_error *err)
{
    struct hy_arena memory = hy_cpu_arena(job->setup->host);
    struct hy_body_order order;

    enum hy_code code = hy_body_order_find(job->model, &memory, &order, err);
    if (code == HY_OK)
        code = compile_ordered(job, &order, prepared, err);
    hy_arena_finish(&memory);
    return code;
}

enum hy_code hy_cpu_prepared_create(const struct hy_model *model, const struct hy_cpu_setup *setup,
                                    struct hy_cpu_prepared **out, struct hy_error *err)
{
    const struct job job = {model, setup};
    struct hy_cpu_prepared *prepared = hy_cpu_calloc(setup->host, 1, sizeof *prepared);

    if (!prepared)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a prepared model");
    enum hy_code code = compile_bodies(&job, prepared, err);
    if (code == HY_OK)
        code = compile(&job, model->main, setup->compiled_view, prepared->bodies, prepared, err);
    if (code != HY_OK) {
        hy_cpu_prepared_destroy(prepared);
        return code;
    }
    *out = prepared;
    return HY_OK;
}

void hy_cpu_prepared_destroy(struct hy_cpu_prepared *prepared)
{
    if (!prepared)
        return;
    hy_cpu_tuning_destroy(prepared->tuning); /* uses all other members */
    hy_cpu_context_pool_finish(&prepared->contexts);
    struct hy_cpu_plan *plan = atomic_load_explicit(&prepared->plans, memory_order_acquire);
    while (plan) {
        struct hy_cpu_plan *next = plan->next;
        hy_cpu_plan_destroy(plan);
        plan = next;
    }
    hy_cpu_program_finish(&prepared->program);
    for (uint32_t i = 0; i < prepared->body_count; i++)
        hy_cpu_prepared_destroy(prepared->bodies[i]);
    hy_cpu_free(prepared->bodies);
    if (prepared->owner.release)
        prepared->owner.release(prepared->owner.resource);
    hy_cpu_free(prepared);
}

enum hy_code hy_cpu_prepared_bind(struct hy_cpu_prepared *prepared,
                                  const struct hy_request *request, struct hy_cpu_context *context,
                                  struct hy_error *err)
{
    enum hy_code code = hy_cpu_request_bind(prepared, request, context, err);

    return code == HY_OK ? bind_plan(prepared, context, err) : code;
}

enum hy_code hy_cpu_prepared_execute_in(struct hy_cpu_prepared *prepared,
                                        const struct hy_request *request,
                                        struct hy_cpu_context *context,
                                        const struct hy_cpu_limits *limits,
                                        struct hy_output_shape *shapes, struct hy_error *err)
{
    const struct hy_cpu_program *program = &prepared->program;
    enum hy_code code = hy_cpu_prepared_bind(prepared, request, context, err);

    if (code == HY_OK) {
        hy_cpu_buffers_begin(context, &program->graph);
        code = hy_cpu_execute(program, context, limits, shapes, err);
        hy_cpu_buffers_end(context, &program->graph, code);
    }
    if (code == HY_OK)
        hy_cpu_tuning_note_run(prepared->tuning, context);
    hy_cpu_buffers_leave(context, &program->graph);
    return code;
}

enum hy_code hy_cpu_prepared_execute(struct hy_cpu_prepared *prepared,
                                     const struct hy_request *request, struct hy_cpu_block given,
                                     const struct hy_cpu_limits *limits,
                                     struct hy_output_shape *shapes, struct hy_error *err)
{
    struct hy_cpu_context *context =
        hy_cpu_context_acquire(&prepared->contexts, &prepared->program.graph);

    if (!context)
        return hy_fail(err, HY_OUT_OF_MEMORY, "no memory for an execution");
    context->given = given;
    enum hy_code code = hy_cpu_prepared_execute_in(prepared, request, context, limits, shapes, err);
    hy_cpu_context_release(context);
    return code;
}

enum hy_code hy_cpu_prepared_run(struct hy_cpu_prepared *body, struct hy_cpu_context *context,
                                 const struct hy_cpu_limits *limits, struct hy_error *err)
{
    enum hy_code code = bind_plan(body, context, err);

    return code == HY_OK ? hy_cpu_run(&body->program, context, limits, err) : code;
}

uint64_t hy_cpu_prepared_memory(const struct hy_cpu_prepared *prepared)
{
    return prepared->declared ? hy_cpu_plan_memory(prepared->declared) : 0;
}

struct hy_cpu_stats hy_cpu_prepared_stats(const struct hy_cpu_prepared *prepared)
{
    const struct hy_cpu_program *program = &prepared->program;
    const struct hy_cpu_plan *plan = atomic_load_explicit(&prepared->plans, memory_order_acquire);
    struct hy_cpu_stats stats = {
        .operations = program->graph.operation_count,
        .folded = program->folded,
        .dropped = program->dropped,
        .plans = atomic_load_explicit(&prepared->plan_count, memory_order_relaxed),
        .blockings = plan ? plan->blocking_count : 0,
        .arena_bytes = plan ? plan->arena.total : 0,
        .arena_least = plan ? plan->arena.least : 0,
    };

    for (uint32_t i = 0; i < stats.operations; i++)
        stats.packed += hy_cpu_weights_peek(&program->weights[i]) != NULL;
    for (uint32_t i = 0; plan && i < plan->step_count; i++)
        stats.joined += plan->steps[i].is_joined;
    for (; plan; plan = plan->next)
        stats.successors += hy_cpu_plan_newest(plan) != plan;
    return stats;
}
