#include "cpu_fallback/run/cpu_reusable.h"

#include "cpu_fallback/buffers/arguments.h"
#include "cpu_fallback/entry.h"
#include "cpu_fallback/run/resolved_request.h"

struct hy_cpu_reusable {
    const struct hy_request *request;
    struct hy_cpu_block given;
    uint64_t loop_timeout;
    const uint32_t *cancelled;
    bool measure;
    struct hy_cpu_resolved_request resolved; /* plan NULL: each run checks and binds the request */
    struct hy_cpu_context *context;          /* loaded for `settled`; NULL: acquired in each run */
};

/* The most bytes of tensors and scratch for which the object owns a context. Small models spend
 * more time on the search for a context than on their tensors. */
#define OWN_CONTEXT_BYTES 16384u

static bool wants_context(const struct hy_cpu_plan *plan)
{
    return plan->arena.total <= OWN_CONTEXT_BYTES &&
           plan->scratch_size <= OWN_CONTEXT_BYTES - plan->arena.total;
}

/* Makes the bound context the context of all runs. */
static enum hy_code retain_context(struct hy_cpu_reusable *reusable, struct hy_cpu_context *context,
                                   struct hy_error *err)
{
    hy_cpu_context_detach(context);
    reusable->context = context;
    return hy_cpu_resolved_request_load(&reusable->resolved, &reusable->given, context, err);
}

/* Finalizes the request if possible. */
static enum hy_code finalize(struct hy_cpu_reusable *reusable, struct hy_cpu_context *context,
                             struct hy_error *err)
{
    struct hy_cpu_prepared *prepared = reusable->resolved.prepared;
    enum hy_code code = hy_cpu_prepared_bind(prepared, reusable->request, context, err);

    if (context->has_buffers) /* each run looks up their contents */
        return code == HY_FAILED ? HY_OK : code;
    if (code == HY_OK)
        code = hy_cpu_bind_arguments(&prepared->program.graph, context, err);
    if (code != HY_OK)
        return code;
    hy_cpu_resolved_request_capture(&reusable->resolved, context, reusable->request);
    return HY_OK;
}

static struct hy_cpu_reusable *allocate(struct hy_cpu_prepared *prepared)
{
    struct hy_cpu_reusable *reusable = hy_cpu_calloc(prepared->program.host, 1, sizeof *reusable);

    if (!reusable || hy_cpu_resolved_request_init(&reusable->resolved, prepared))
        return reusable;
    hy_cpu_reusable_destroy(reusable);
    return NULL;
}

enum hy_code hy_cpu_reusable_create(struct hy_cpu_prepared *prepared,
                                    const struct hy_request *request, struct hy_cpu_block given,
                                    uint64_t loop_timeout, const uint32_t *cancelled, bool measure,
                                    struct hy_cpu_reusable **out, struct hy_error *err)
{
    const struct hy_cpu_graph *graph = &prepared->program.graph;
    struct hy_cpu_reusable *reusable = allocate(prepared);
    struct hy_cpu_context *context = hy_cpu_context_acquire(&prepared->contexts, graph);
    enum hy_code code = HY_OK;

    if (reusable && context) {
        reusable->request = request;
        reusable->given = context->given = given;
        reusable->loop_timeout = loop_timeout;
        reusable->cancelled = cancelled;
        reusable->measure = measure;
        code = finalize(reusable, context, err);
    } else {
        code = hy_fail(err, HY_OUT_OF_MEMORY, "no memory for a reusable execution");
    }
    if (context)
        hy_cpu_buffers_leave(context, graph);
    if (code == HY_OK && reusable->resolved.plan && wants_context(reusable->resolved.plan))
        code = retain_context(reusable, context, err);
    else if (context)
        hy_cpu_context_release(context);
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
    hy_cpu_resolved_request_finish(&reusable->resolved);
    hy_cpu_free(reusable);
}

enum hy_code hy_cpu_reusable_execute(struct hy_cpu_reusable *reusable, int64_t deadline,
                                     struct hy_result *result, struct hy_error *err)
{
    const struct hy_cpu_resolved_request *resolved = &reusable->resolved;
    struct hy_stop stop = {reusable->cancelled, deadline, 0};
    const struct hy_cpu_limits limits = {
        .deadline = deadline, .loop_timeout = reusable->loop_timeout, .stop = &stop};

    if (result->output_count != resolved->prepared->program.graph.output_count)
        return hy_fail(err, HY_BAD_DATA, "the result has space for %u outputs",
                       result->output_count);
    const int64_t start = reusable->measure ? hy_clock_boot() : 0;
    const struct hy_cpu_entry before = hy_cpu_enter(&stop);
    enum hy_code code =
        resolved->plan ? hy_cpu_resolved_request_run(resolved, &reusable->given, reusable->context,
                                                     &limits, result->outputs, err)
                       : hy_cpu_prepared_execute(resolved->prepared, reusable->request,
                                                 reusable->given, &limits, result->outputs, err);

    hy_cpu_leave(before);
    result->time_on_device = HY_NO_TIME; /* the device is the driver's own processor */
    result->time_in_driver =
        code == HY_OK && reusable->measure ? (uint64_t)(hy_clock_boot() - start) : HY_NO_TIME;
    return code;
}
