#include "runtime/compile/compile.h"

#include "common/clock.h"
#include "runtime/compile/observer.h"
#include "runtime/control_flow/nested.h"
#include "runtime/environment.h"
#include "runtime/memory/memory_quota.h"
#include "runtime/model/constant_files.h"
#include "runtime/model/shared_pools.h"
#include "runtime/plan/overrides.h"
#include "runtime/plan/plan_counters.h"

static bool is_cached(const struct hy_caching *caching)
{
    return caching->is_wanted || caching->is_automatic;
}

/* Applies the cache settings of the environment. */
static void finalize_caching(struct hy_caching *caching)
{
    const struct hy_environment *environment = hy_environment();

    if (environment && environment->cache_dir)
        hy_caching_set_automatic(caching, environment->cache_dir);
    if (is_cached(caching))
        caching->limit = hy_caching_limit(environment ? environment->cache_limit : NULL);
}

/* Boundary tensors belong to the runtime, so no driver reserves them. */
static void limit_boundary_tensors(const struct hy_compilation *compilation)
{
    uint64_t *limit = &compilation->plan->counters->capacity_limit;

    if (compilation->memory && hy_memory_quota_limit(compilation->memory) < *limit)
        *limit = hy_memory_quota_limit(compilation->memory);
}

enum hy_code hy_compilation_finish(struct hy_compilation *compilation, struct hy_error *err)
{
    enum hy_code code = hy_compilation_check_building(compilation, err);
    if (code != HY_OK)
        return code;

    const uint64_t begun = hy_observer_begin(compilation->observer, HY_OBSERVES_COMPILATIONS);
    finalize_caching(&compilation->caching);
    const struct hy_pool *shared_pools = NULL;
    code = hy_app_model_check_files_again(compilation->model, err);
    if (code == HY_OK)
        code = hy_app_model_make_shared_pools(compilation->model, compilation->devices,
                                              compilation->device_count, &shared_pools, err);
    const struct hy_plan_request request = {
        .shared_pools = shared_pools,
        .model = hy_app_model_view(compilation->model),
        .operation_order = hy_app_model_operation_order(compilation->model),
        .devices = compilation->devices,
        .device_count = compilation->device_count,
        .preference = compilation->preference,
        .priority = compilation->priority,
        .attributes = &compilation->attributes,
        .caching = is_cached(&compilation->caching) ? &compilation->caching : NULL,
        .overrides = hy_plan_overrides(),
        .executor = &hy_nested_executor,
        .split_operations = compilation->split_operations,
        .only_cached = compilation->only_cached,
        .deadline = hy_clock_deadline(compilation->timeout),
    };
    if (code == HY_OK)
        code = hy_plan_create(&request, &compilation->plan, err);
    if (code == HY_OK) {
        hy_inline_policy_init(&compilation->inline_policy, compilation->plan);
        hy_work_list_add(compilation);
        limit_boundary_tensors(compilation);
    }
    compilation->state = code == HY_OK ? HY_COMPILATION_FINISHED : HY_COMPILATION_FAILED;
    if (compilation->observer)
        compilation->observer->compilation_finished(compilation, code, begun);
    return code;
}
