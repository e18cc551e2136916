#include "plugins/service/client/connection/timed_out_uses.h"

#include <stdlib.h>
#include <string.h>

static bool is_whole(const struct hy_timed_out_use *piece)
{
    return piece->kind == HY_POOL_BUFFER || piece->kind == HY_POOL_HARDWARE_BUFFER;
}

/* Memory without an id may be the same as any other memory without an id. */
static bool are_of_one_pool(const struct hy_timed_out_use *one,
                            const struct hy_timed_out_use *other)
{
    if (one->kind == HY_POOL_BUFFER || other->kind == HY_POOL_BUFFER)
        return one->kind == other->kind && one->buffer_token == other->buffer_token;
    return one->id == other->id;
}

static bool overlap(const struct hy_timed_out_use *one, const struct hy_timed_out_use *other)
{
    if (!are_of_one_pool(one, other))
        return false;
    return is_whole(one) || is_whole(other) ||
           (one->offset < other->offset + other->length &&
            other->offset < one->offset + one->length);
}

/* Finds the memory of an argument. False: the argument has no memory. */
static bool find(const struct hy_request *request, const struct hy_argument *argument,
                 bool is_written, struct hy_timed_out_use *ret)
{
    const struct hy_location *at = &argument->location;

    if ((argument->flags & HY_ARGUMENT_NO_VALUE) || at->pool >= request->pool_count)
        return false;
    const struct hy_pool *pool = &request->pools[at->pool];
    *ret = (struct hy_timed_out_use){.kind = pool->kind,
                                     .buffer_token = pool->buffer_token,
                                     .id = pool->id,
                                     .offset = at->offset,
                                     .length = at->length,
                                     .is_written = is_written};
    return is_whole(ret) || at->length > 0;
}

/* ---- Noting ---------------------------------------------------------------------------------- */

static bool is_noted(const struct hy_timed_out_uses *timed_out, const struct hy_timed_out_use *use)
{
    for (uint32_t i = 0; i < timed_out->count; i++) {
        if (memcmp(&timed_out->uses[i], use, sizeof *use) == 0)
            return true;
    }
    return false;
}

/* The list has capacity for all arguments. */
static void add_some(struct hy_timed_out_uses *timed_out, const struct hy_request *request,
                     const struct hy_argument *arguments, uint32_t count, bool are_written)
{
    for (uint32_t i = 0; i < count; i++) {
        struct hy_timed_out_use use;
        if (find(request, &arguments[i], are_written, &use) && !is_noted(timed_out, &use))
            timed_out->uses[timed_out->count++] = use;
    }
}

void hy_timed_out_uses_add(struct hy_timed_out_uses *timed_out, const struct hy_request *request)
{
    const size_t more = (size_t)request->input_count + request->output_count + 1;
    struct hy_timed_out_use *uses =
        reallocarray(timed_out->uses, timed_out->count + more, sizeof *uses);

    if (!uses) {
        timed_out->are_unknown = true;
        return;
    }
    timed_out->uses = uses;
    add_some(timed_out, request, request->inputs, request->input_count, false);
    add_some(timed_out, request, request->outputs, request->output_count, true);
}

void hy_timed_out_uses_finish(struct hy_timed_out_uses *timed_out)
{
    free(timed_out->uses);
    *timed_out = (struct hy_timed_out_uses){0};
}

/* ---- Meeting --------------------------------------------------------------------------------- */

static bool meet_some(const struct hy_timed_out_uses *timed_out, const struct hy_request *request,
                      const struct hy_argument *arguments, uint32_t count, bool are_written)
{
    for (uint32_t i = 0; i < count; i++) {
        struct hy_timed_out_use use;
        const bool is_there = find(request, &arguments[i], are_written, &use);
        for (uint32_t k = 0; is_there && k < timed_out->count; k++) {
            const struct hy_timed_out_use *other = &timed_out->uses[k];
            if ((other->is_written || are_written) && overlap(other, &use))
                return true;
        }
    }
    return false;
}

bool hy_timed_out_uses_conflict(const struct hy_timed_out_uses *timed_out,
                                const struct hy_request *request)
{
    return timed_out->are_unknown ||
           meet_some(timed_out, request, request->inputs, request->input_count, false) ||
           meet_some(timed_out, request, request->outputs, request->output_count, true);
}
