#include "plugins/support_library/reuse.h"

#include <stdlib.h>
#include <string.h>

struct hy_sl_reused_argument {
    struct hy_argument argument; /* dims are ignored */
    uint64_t pool_id;            /* 0: omitted */
    uint32_t dims[HY_MAX_RANK];
};

enum hy_code hy_sl_reuse_init(struct hy_sl_reuse *reuse, const struct hy_sl_prepared *prepared,
                              struct hy_error *err)
{
    const size_t count = (size_t)prepared->input_count + prepared->output_count;

    *reuse = (struct hy_sl_reuse){.prepared = prepared,
                                  .arguments = calloc(count, sizeof *reuse->arguments)};
    return reuse->arguments ? HY_OK
                            : hy_fail(err, HY_OUT_OF_MEMORY, "description of %zu arguments", count);
}

static void drop(struct hy_sl_reuse *reuse)
{
    if (reuse->execution)
        reuse->prepared->api->ANeuralNetworksExecution_free(reuse->execution);
    reuse->execution = NULL;
}

void hy_sl_reuse_finish(struct hy_sl_reuse *reuse)
{
    drop(reuse);
    free(reuse->arguments);
}

static bool can_cache(const struct hy_request *request, uint32_t count,
                      const struct hy_argument *arguments)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct hy_argument *argument = &arguments[i];
        if (argument->flags & HY_ARGUMENT_NO_VALUE)
            continue;
        if (argument->location.pool >= request->pool_count || argument->rank > HY_MAX_RANK ||
            (argument->rank > 0 && !argument->dims))
            return false; /* invalid; reported by later checks */
        const struct hy_pool *pool = &request->pools[argument->location.pool];
        if (pool->id == 0 || !hy_sl_memory_has_fd(pool))
            return false;
    }
    return true;
}

/* A deadline and hints apply to a single run, so such an execution is not cached. */
bool hy_sl_reuse_is_possible(const struct hy_request *request, const struct hy_run_options *options)
{
    return options->deadline == HY_NO_DEADLINE && options->hint_count == 0 &&
           can_cache(request, request->input_count, request->inputs) &&
           can_cache(request, request->output_count, request->outputs);
}

static uint64_t pool_id(const struct hy_request *request, const struct hy_argument *argument)
{
    return argument->flags & HY_ARGUMENT_NO_VALUE ? 0 : request->pools[argument->location.pool].id;
}

static bool is_same(const struct hy_sl_reused_argument *saved, const struct hy_request *request,
                    const struct hy_argument *argument)
{
    const struct hy_location *a = &saved->argument.location, *b = &argument->location;

    return saved->pool_id == pool_id(request, argument) &&
           saved->argument.flags == argument->flags && saved->argument.rank == argument->rank &&
           a->offset == b->offset && a->length == b->length && a->padding == b->padding &&
           (argument->rank == 0 ||
            memcmp(saved->dims, argument->dims, argument->rank * sizeof *saved->dims) == 0);
}

static bool are_same(const struct hy_sl_reused_argument *saved, const struct hy_request *request,
                     uint32_t count, const struct hy_argument *arguments)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!is_same(&saved[i], request, &arguments[i]))
            return false;
    }
    return true;
}

ANeuralNetworksExecution *hy_sl_reuse_claim(struct hy_sl_reuse *reuse,
                                            const struct hy_request *request,
                                            const struct hy_run_options *options)
{
    ANeuralNetworksExecution *execution = reuse->execution;
    const uint32_t input_count = reuse->prepared->input_count;

    if (!execution || reuse->measure != options->measure ||
        reuse->loop_timeout != options->loop_timeout ||
        !are_same(reuse->arguments, request, input_count, request->inputs) ||
        !are_same(reuse->arguments + input_count, request, request->output_count, request->outputs))
        return NULL;
    reuse->execution = NULL;
    return execution;
}

static void describe(struct hy_sl_reused_argument *saved, const struct hy_request *request,
                     uint32_t count, const struct hy_argument *arguments)
{
    for (uint32_t i = 0; i < count; i++) {
        saved[i].argument = arguments[i];
        saved[i].pool_id = pool_id(request, &arguments[i]);
        if (arguments[i].rank > 0)
            memcpy(saved[i].dims, arguments[i].dims, arguments[i].rank * sizeof *saved[i].dims);
    }
}

void hy_sl_reuse_store(struct hy_sl_reuse *reuse, const struct hy_request *request,
                       const struct hy_run_options *options, ANeuralNetworksExecution *execution)
{
    drop(reuse);
    reuse->execution = execution;
    reuse->measure = options->measure;
    reuse->loop_timeout = options->loop_timeout;
    describe(reuse->arguments, request, request->input_count, request->inputs);
    describe(reuse->arguments + request->input_count, request, request->output_count,
             request->outputs);
}

void hy_sl_reuse_invalidate(struct hy_sl_reuse *reuse, uint64_t id)
{
    const size_t count = (size_t)reuse->prepared->input_count + reuse->prepared->output_count;

    for (size_t i = 0; reuse->execution && i < count; i++) {
        if (reuse->arguments[i].pool_id == id)
            drop(reuse);
    }
}
