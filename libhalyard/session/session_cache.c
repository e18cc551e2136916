/* halyard/session.h: ahead-of-time filling of a cache directory, and checking it. */
#include "common/make_dirs.h"
#include "libhalyard/session/session.h"

#include <string.h>
#include <sys/stat.h>

/* The cache results of a session's steps. */
struct findings {
    bool has_unstored;
    bool has_uncached;     /* of a device that does not cache */
    bool has_interpreted;  /* control flow that the runtime runs itself: its bodies have steps */
    struct hy_error first; /* error text of the first step that is not stored */
    halyard_step_visitor visit; /* NULL: no visitor */
    void *context;
};

static const char *device_name(const ANeuralNetworksDevice *device)
{
    const char *name = NULL;

    (void)ANeuralNetworksDevice_getName(device, &name);
    return name ? name : "";
}

static bool can_cache(const ANeuralNetworksDevice *device)
{
    struct halyard_device_info info = {.struct_size = sizeof info};

    return halyard_device_get_info(device, &info) == ANEURALNETWORKS_NO_ERROR &&
           info.model_cache_files + info.data_cache_files > 0;
}

static void note(struct findings *findings, uint32_t index, const struct halyard_plan_step *step)
{
    if (step->cache == HALYARD_CACHE_UNUSED && can_cache(step->device))
        findings->has_interpreted = true;
    else if (step->cache == HALYARD_CACHE_UNUSED)
        findings->has_uncached = true;
    if (step->cache != HALYARD_CACHE_NOT_STORED || findings->has_unstored)
        return;
    findings->has_unstored = true;
    (void)!hy_fail(&findings->first, HY_FAILED, "step %u on %s: not stored: %s", index,
                   device_name(step->device), step->cache_reason);
}

static enum hy_code look(const struct halyard_session *session, struct findings *findings,
                         struct hy_error *err)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};

    enum hy_code code =
        hy_nnapi_result(halyard_compilation_get_plan(session->compilation, &plan), err);
    for (uint32_t i = 0; code == HY_OK && i < plan.step_count; i++) {
        struct halyard_plan_step step = {.struct_size = sizeof step};
        code = hy_nnapi_result(halyard_compilation_get_step(session->compilation, i, &step), err);
        if (code != HY_OK)
            break;
        if (step.cache == HALYARD_CACHE_OFF)
            return hy_fail(
                err, HY_BAD_DATA,
                "no cache directory: neither the session nor HALYARD_CACHE_DIR names a directory");
        note(findings, i, &step);
        if (findings->visit)
            findings->visit(findings->context, i, &step);
    }
    return code;
}

/* The app has called something else. */
static void drop_call(struct hy_error *err)
{
    static const char call[] = "Compilation_finish: ";
    const size_t length = sizeof call - 1;

    if (strncmp(err->text, call, length) == 0)
        memmove(err->text, err->text + length, strlen(err->text + length) + 1);
}

static enum hy_code compile_from_cache(struct halyard_session *session, struct hy_error *err)
{
    const bool only_cached = session->options.only_cached;

    hy_session_drop_compilation(session);
    session->options.only_cached = true;
    enum hy_code code = hy_session_compile(session, err);
    session->options.only_cached = only_cached;
    if (code != HY_OK)
        drop_call(err);
    return code;
}

/* ---- Filling --------------------------------------------------------------------------------- */

static enum hy_code make_dir(const struct halyard_session *session, struct hy_error *err)
{
    const char *dir = session->options.cache_dir;
    const int failure = dir ? hy_make_dirs(dir, S_IRWXU) : 0;

    return failure == 0 ? HY_OK
                        : hy_fail(err, HY_FAILED, "cache directory %s: %s", dir, strerror(failure));
}

static enum hy_code run_once(struct halyard_session *session, struct hy_error *err)
{
    const enum hy_code code = hy_nnapi_result(halyard_session_run(session), err);

    hy_states_reset(session->states);
    return code == HY_OK
               ? HY_OK
               : hy_error_prefix(err, code, "the execution that lets a device store its entry");
}

static enum hy_code compile_and_store(struct halyard_session *session, struct hy_error *err)
{
    struct findings findings = {0};

    enum hy_code code = make_dir(session, err);
    if (code == HY_OK)
        code = hy_session_compile(session, err);
    if (code == HY_OK)
        code = look(session, &findings, err);
    return code == HY_OK && findings.has_unstored ? run_once(session, err) : code;
}

/* Steps of bodies are not visited: a compilation from the cache shows whether all are stored. */
static enum hy_code check_bodies(struct halyard_session *session, const struct findings *findings,
                                 struct hy_error *err)
{
    return findings->has_interpreted && !findings->has_uncached ? compile_from_cache(session, err)
                                                                : HY_OK;
}

int halyard_session_fill_cache(struct halyard_session *session, halyard_step_visitor visit,
                               void *context)
{
    static const char name[] = "session_fill_cache";
    struct findings findings = {.visit = visit, .context = context};
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    enum hy_code code = hy_session_check_idle(session, &err);
    if (code == HY_OK)
        code = compile_and_store(session, &err);
    if (code == HY_OK)
        code = look(session, &findings, &err);
    if (code == HY_OK && findings.has_unstored)
        return hy_public_result(HY_FAILED, &findings.first);
    if (code == HY_OK)
        code = check_bodies(session, &findings, &err);
    return hy_public_result(code, &err);
}

/* ---- Checking -------------------------------------------------------------------------------- */

int halyard_session_check_cache(struct halyard_session *session, halyard_step_visitor visit,
                                void *context)
{
    static const char name[] = "session_check_cache";
    struct findings findings = {.visit = visit, .context = context};
    struct hy_error err;

    if (!session)
        return hy_public_null(name, "session");
    enum hy_code code = hy_session_check_idle(session, &err);
    if (code == HY_OK)
        code = compile_from_cache(session, &err);
    if (code == HY_OK)
        code = look(session, &findings, &err);
    return hy_public_result(code, &err);
}
