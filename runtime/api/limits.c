/* halyard.h: limits of compilations and executions. */
#include "halyard/halyard.h"
#include "runtime/execute/execution.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"
#include "runtime/memory/memory_quota.h"

int halyard_compilation_set_threads(ANeuralNetworksCompilation *compilation, uint32_t threads)
{
    static const char name[] = "compilation_set_threads";
    struct hy_compilation *own = hy_compilation_of(compilation);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_compilation_check_building(own, &err);
    if (code == HY_OK)
        own->threads = threads;
    return hy_api_result(name, code, &err);
}

/* Releases the former quota, which has no reservations. */
static enum hy_code set_memory_limit(struct hy_compilation *compilation, uint64_t bytes,
                                     struct hy_error *err)
{
    struct hy_memory_quota *quota = NULL;

    enum hy_code code = hy_compilation_check_building(compilation, err);
    if (code == HY_OK && bytes > 0)
        code = hy_memory_quota_create(bytes, &quota, err);
    if (code != HY_OK)
        return code;
    hy_memory_quota_release(compilation->memory);
    compilation->memory = quota;
    return HY_OK;
}

int halyard_compilation_set_memory_limit(ANeuralNetworksCompilation *compilation, uint64_t bytes)
{
    static const char name[] = "compilation_set_memory_limit";
    struct hy_compilation *own = hy_compilation_of(compilation);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    return hy_api_result(name, set_memory_limit(own, bytes, &err), &err);
}

int halyard_compilation_only_from_cache(ANeuralNetworksCompilation *compilation, bool only)
{
    static const char name[] = "compilation_only_from_cache";
    struct hy_compilation *own = hy_compilation_of(compilation);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_compilation_check_building(own, &err);
    if (code == HY_OK)
        own->only_cached = only;
    return hy_api_result(name, code, &err);
}

int halyard_compilation_set_timeout(ANeuralNetworksCompilation *compilation, uint64_t duration)
{
    static const char name[] = "compilation_set_timeout";
    struct hy_compilation *own = hy_compilation_of(compilation);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_compilation_check_building(own, &err);
    if (code == HY_OK)
        own->timeout = duration;
    return hy_api_result(name, code, &err);
}

int halyard_execution_set_timeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
    static const char name[] = "execution_set_timeout";
    struct hy_execution *own = hy_execution_of(execution);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "execution");
    enum hy_code code = hy_execution_check_preparing(own, &err);
    if (code == HY_OK)
        own->timeout = duration;
    return hy_api_result(name, code, &err);
}

int halyard_execution_cancel(ANeuralNetworksExecution *execution, bool cancel)
{
    static const char name[] = "execution_cancel";
    struct hy_execution *own = hy_execution_of(execution);

    if (!own)
        return hy_api_null(name, "execution");
    hy_execution_set_cancelled(own, cancel);
    return ANEURALNETWORKS_NO_ERROR;
}
