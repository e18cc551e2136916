#include "tools/commands/compile_times.h"

#include <errno.h>
#include <halyard/halyard.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/clock.h"
#include "tools/api_result.h"
#include "tools/interrupt.h"

enum way { COLD, STORING, CACHED, WAYS };

static enum hy_code compile(struct hy_session *session, uint64_t *ns, struct hy_error *err)
{
    hy_session_drop_compilation(session); /* not part of the next compilation time */
    const uint64_t start = hy_clock_now();
    const enum hy_code code = hy_session_compile(session, err);
    *ns = hy_clock_now() - start;
    return code;
}

/* The cache results of the existing compilation. */
struct findings {
    bool has_hit;
    bool has_unstored; /* a step that is not stored, or not yet */
    char reason[256];  /* of the first step that is no hit; "" if all are */
};

static void note(const struct halyard_plan_step *step, struct findings *findings)
{
    findings->has_hit |= step->cache == HALYARD_CACHE_HIT;
    findings->has_unstored |= step->cache == HALYARD_CACHE_NOT_STORED;
    if (step->cache != HALYARD_CACHE_HIT && !*findings->reason)
        snprintf(findings->reason, sizeof findings->reason, "%s: %s", hy_device_name(step->device),
                 step->cache_reason);
}

static enum hy_code look(const struct hy_session *session, struct findings *findings,
                         struct hy_error *err)
{
    const ANeuralNetworksCompilation *compilation = hy_session_compilation(session);
    struct halyard_plan plan = {.struct_size = sizeof plan};
    enum hy_code code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                                      "compilation_get_plan", err);
    *findings = (struct findings){0};
    for (uint32_t i = 0; code == HY_OK && i < plan.step_count; i++) {
        struct halyard_plan_step step = {.struct_size = sizeof step};
        code = hy_api_result(halyard_compilation_get_step(compilation, i, &step),
                             "compilation_get_step", err);
        if (code == HY_OK)
            note(&step, findings);
    }
    return code;
}

/* A device that compiles just in time stores its entry during the first execution. */
static enum hy_code store(struct hy_session *session, uint64_t *ns, struct hy_error *err)
{
    struct findings findings;

    enum hy_code code = compile(session, ns, err);
    if (code == HY_OK)
        code = look(session, &findings, err);
    return code == HY_OK && findings.has_unstored ? hy_session_run(session, err) : code;
}

/* A separate directory for each round, so that storing finds no entry. */
static enum hy_code make_dir(const char *parent, uint32_t round, char *path, size_t size,
                             struct hy_error *err)
{
    const int length = snprintf(path, size, "%s/%u", parent, round);
    if (length < 0 || (size_t)length >= size)
        return hy_fail(err, HY_BAD_DATA, "%s: the path is too long", parent);
    if (mkdir(path, 0700) != 0)
        return hy_fail(err, HY_FAILED, "cannot create the directory %s: %s", path, strerror(errno));
    return HY_OK;
}

static enum hy_code measure_each(struct hy_session *session, const char *dir,
                                 uint64_t *samples[WAYS], struct hy_compile_times *out,
                                 struct hy_error *err)
{
    char own_dir[PATH_MAX];
    enum hy_code code = HY_OK;
    uint32_t done = 0;
    for (; code == HY_OK && done < out->compilations && !(done && hy_interrupt_came()); done++) {
        hy_session_use_cache(session, NULL);
        code = compile(session, &samples[COLD][done], err);
        if (code == HY_OK)
            code = make_dir(dir, done, own_dir, sizeof own_dir, err);
        hy_session_use_cache(session, own_dir);
        if (code == HY_OK)
            code = store(session, &samples[STORING][done], err);
        if (code == HY_OK)
            code = compile(session, &samples[CACHED][done], err);
    }
    struct findings findings;
    out->compilations = done;
    if (code == HY_OK)
        code = look(session, &findings, err);
    if (code == HY_OK) {
        out->is_cached = findings.has_hit;
        memcpy(out->reason, findings.reason, sizeof out->reason);
    }
    hy_session_use_cache(session, NULL);
    return code == HY_OK ? hy_session_compile(session, err) : code;
}

enum hy_code hy_compile_times_make(struct hy_session *session, const char *dir,
                                   struct hy_compile_times *out, struct hy_error *err)
{
    const uint32_t count = out->compilations;
    uint64_t *capacity = calloc((size_t)count * WAYS, sizeof *capacity);
    if (!capacity)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u samples", count);
    uint64_t *samples[WAYS] = {capacity, capacity + count, capacity + 2 * (size_t)count};

    const enum hy_code code = measure_each(session, dir, samples, out, err);
    if (code == HY_OK) {
        out->cold = hy_stats_make(samples[COLD], out->compilations);
        out->storing = hy_stats_make(samples[STORING], out->compilations);
        out->cached = hy_stats_make(samples[CACHED], out->compilations);
    }
    free(capacity);
    return code;
}
