#include "tools/compile_times.h"

#include <halyard/halyard.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/api_result.h"
#include "tools/clock.h"

enum way { COLD, STORING, CACHED, WAYS };

static enum hy_code compile(struct hy_session *session, uint64_t *ns, struct hy_error *err)
{
    hy_session_drop_compilation(session); /* which is no part of compiling the next one */
    const uint64_t start = hy_clock_ns();
    const enum hy_code code = hy_session_compile(session, err);
    *ns = hy_clock_ns() - start;
    return code;
}

/* What the cache did for the compilation that is there. */
static enum hy_code look(const struct hy_session *session, struct hy_compile_times *out,
                         struct hy_error *err)
{
    const ANeuralNetworksCompilation *compilation = hy_session_compilation(session);
    struct halyard_plan plan = {.struct_size = sizeof plan};
    enum hy_code code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                                      "compilation_get_plan", err);
    for (uint32_t i = 0; code == HY_OK && i < plan.step_count; i++) {
        struct halyard_plan_step step = {.struct_size = sizeof step};
        code = hy_api_result(halyard_compilation_get_step(compilation, i, &step),
                             "compilation_get_step", err);
        if (code == HY_OK && step.cache == HALYARD_CACHE_HIT)
            out->is_cached = true;
        else if (code == HY_OK && !*out->reason)
            snprintf(out->reason, sizeof out->reason, "%s: %s", hy_device_name(step.device),
                     step.cache_reason);
    }
    return code;
}

static enum hy_code take_turns(struct hy_session *session, const char *folder,
                               uint64_t *samples[WAYS], struct hy_compile_times *out,
                               struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < out->compilations; i++) {
        hy_session_use_cache(session, NULL, 0);
        code = compile(session, &samples[COLD][i], err);
        hy_session_use_cache(session, folder, i);
        if (code == HY_OK)
            code = compile(session, &samples[STORING][i], err);
        if (code == HY_OK)
            code = compile(session, &samples[CACHED][i], err);
    }
    if (code == HY_OK)
        code = look(session, out, err);
    hy_session_use_cache(session, NULL, 0);
    return code == HY_OK ? hy_session_compile(session, err) : code;
}

enum hy_code hy_compile_times_make(struct hy_session *session, const char *folder,
                                   struct hy_compile_times *out, struct hy_error *err)
{
    const uint32_t count = out->compilations;
    uint64_t *room = calloc((size_t)count * WAYS, sizeof *room);
    if (!room)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u samples", count);
    uint64_t *samples[WAYS] = {room, room + count, room + 2 * (size_t)count};

    const enum hy_code code = take_turns(session, folder, samples, out, err);
    if (code == HY_OK) {
        out->cold = hy_stats_make(samples[COLD], count);
        out->storing = hy_stats_make(samples[STORING], count);
        out->cached = hy_stats_make(samples[CACHED], count);
    }
    free(room);
    return code;
}
