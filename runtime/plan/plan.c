#include "runtime/plan/plan.h"

#include "common/clock.h"
#include "runtime/device/device_kind.h"
#include "runtime/device/health.h"
#include "runtime/log.h"
#include "runtime/plan/alloc.h"
#include "runtime/plan/assign.h"
#include "runtime/plan/bodies.h"
#include "runtime/plan/deadline.h"
#include "runtime/plan/fallback_step.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/overrides.h"
#include "runtime/plan/plan_counters.h"
#include "runtime/plan/plan_search.h"
#include "runtime/plan/prepare.h"
#include "runtime/plan/report.h"
#include "runtime/plan/sub_executor.h"
#include "runtime/plan/support/quarantine.h"

#include <stdio.h>
#include <stdlib.h>

/* Releases the resources of the steps before new steps are made. */
static void drop_steps(struct hy_plan *plan)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        struct hy_step *step = &plan->steps[i];
        if (step->prepared)
            hy_prepared_destroy(step->device, step->prepared);
        hy_cache_session_finish(&step->cache);
    }
    plan->step_count = 0;
}

static void drop_counters(struct hy_plan *plan)
{
    struct hy_plan_counters *counters = plan->counters;
    if (!counters)
        return;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        for (uint32_t k = 0; k < HY_FALLBACK_COUNT; k++)
            hy_fallback_step_destroy(
                atomic_load_explicit(&counters->steps[i].fallback_steps[k], memory_order_acquire));
    }
    pthread_mutex_destroy(&counters->fallback_lock);
}

void hy_plan_destroy(struct hy_plan *plan)
{
    if (!plan)
        return;
    hy_plan_search_destroy(plan->search);
    drop_counters(plan);
    drop_steps(plan);
    if (!plan->request.bodies)
        hy_bodies_destroy(plan->bodies);
    hy_arena_finish(&plan->arena);
    free(plan);
}

/* Open files hold a single prepared model: of the whole model, in one step. */
static bool may_cache(const struct hy_plan *plan)
{
    const struct hy_caching *caching = plan->request.caching;

    return caching && (!caching->files || (plan->step_count == 1 && !plan->request.is_part &&
                                           plan->request.device_count == 1));
}

static void note_no_cache(struct hy_step *step, enum hy_cache_kind kind, const char *reason)
{
    step->cache.kind = kind;
    snprintf(step->cache.reason, sizeof step->cache.reason, "%s", reason);
}

static bool restore_step(const struct hy_plan *plan, struct hy_step *step)
{
    return hy_prepare_restored(step->device, step->model, &plan->request, &step->cache,
                               &step->prepared);
}

static enum hy_code fail_uncached(const struct hy_plan *plan, const struct hy_step *step,
                                  struct hy_error *err)
{
    return hy_fail(err, HY_FAILED, "step %u on %s: not in the cache: %s",
                   (unsigned)(step - plan->steps), step->device->info.name,
                   *step->cache.reason ? step->cache.reason
                                       : "no cache is set for the compilation");
}

/* With assumed support the cache was checked before. A copied entry is accepted or refused by the
 * device in prepare. */
static enum hy_code prepare_cached(const struct hy_plan *plan, struct hy_step *step,
                                   struct hy_error *err)
{
    const bool only_cached = plan->request.only_cached;

    if (!plan->support_matrix.is_assumed && restore_step(plan, step))
        return HY_OK;
    if (only_cached && !step->cache.passed_entry)
        return fail_uncached(plan, step, err);
    enum hy_code code = hy_prepare_and_cache(step->device, step->model, &plan->request,
                                             &step->cache, &step->prepared, err);
    if (code == HY_OK && only_cached && step->cache.kind != HY_CACHE_HIT)
        code = fail_uncached(plan, step, err);
    return code;
}

static enum hy_code prepare_step(struct hy_plan *plan, struct hy_step *step, struct hy_error *err)
{
    const uint64_t start = hy_clock_now();
    const struct hy_sub_executor *executor = plan->request.executor;
    const bool is_interpreted = executor && step->device == executor->interpreter;
    enum hy_code code;

    if (is_interpreted && plan->request.caching)
        note_no_cache(step, HY_CACHE_UNUSED, "interpreted: the steps of its bodies are cached");
    else if (plan->request.caching && !may_cache(plan))
        note_no_cache(step, HY_CACHE_NOT_STORED,
                      "cache files of the app need a plan of one step on one device");
    if (is_interpreted)
        code = executor->interpreted_create(plan->bodies, step->model, &step->prepared, err);
    else if (may_cache(plan))
        code = prepare_cached(plan, step, err);
    else if (plan->request.only_cached)
        code = fail_uncached(plan, step, err);
    else
        code = hy_prepare(step->device, step->model, &plan->request, &step->prepared, err);
    step->prepare_ns = hy_clock_now() - start;
    return code;
}

/* Stops at the first failing step and returns its device. */
static enum hy_code prepare_steps(struct hy_plan *plan, uint32_t *failed_device,
                                  struct hy_error *err)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        struct hy_step *step = &plan->steps[i];
        enum hy_code code = HY_OK;
        if (i > 0)
            code = hy_plan_check_deadline(plan->request.deadline, err);
        if (code == HY_OK)
            code = prepare_step(plan, step, err);
        if (code != HY_OK) {
            *failed_device = plan->assigned[step->operations[0]].device;
            return code;
        }
    }
    return HY_OK;
}

/* An unavailable device fails the compilation, too. */
static void note_failure(const struct hy_runtime_device *device, enum hy_code code)
{
    if (device->health && (code == HY_UNAVAILABLE || code == HY_DEAD))
        (void)hy_health_note_failure(device->health, hy_clock_now());
}

/* The device supported a cached model when it was stored; without an entry the device is asked
 * now. */
static enum hy_code restore_or_ask(struct hy_plan *plan, struct hy_error *err)
{
    struct hy_support_matrix *support_matrix = &plan->support_matrix;
    struct hy_step *step = plan->steps;
    const uint64_t start = hy_clock_now();

    if (restore_step(plan, step)) {
        step->prepare_ns = hy_clock_now() - start;
        return HY_OK;
    }
    enum hy_code code = hy_support_matrix_ask(support_matrix, &plan->request, &plan->arena, err);
    for (uint32_t i = 0; code == HY_OK && i < support_matrix->operation_count; i++) {
        if (hy_support_matrix_can(support_matrix, 0, i))
            continue;
        drop_steps(plan);
        return hy_plan_assign(plan, plan->search, err); /* reports the reason */
    }
    return code;
}

/* Each round ends the loop or excludes a device. */
static enum hy_code finalize(struct hy_plan *plan, struct hy_error *err)
{
    if (plan->support_matrix.is_assumed) {
        enum hy_code code = restore_or_ask(plan, err);
        if (code != HY_OK || plan->steps[0].prepared)
            return code;
    }
    for (;;) {
        struct hy_error why;
        uint32_t failed;
        if (prepare_steps(plan, &failed, &why) == HY_OK)
            return HY_OK;

        if (hy_clock_is_past(plan->request.deadline)) /* too late for another device */
            return hy_fail(err, HY_MISSED_DEADLINE_FOR_GOOD, "%s", why.text);
        if (plan->request.only_cached) /* another plan is not cached either */
            return hy_fail(err, why.code, "%s", why.text);
        hy_log(HY_LOG_WARNING, "plan", "%s; planning again without the device", why.text);
        note_failure(plan->support_matrix.devices[failed], why.code);
        drop_steps(plan);
        enum hy_code code =
            hy_support_matrix_exclude(&plan->support_matrix, &plan->arena, failed, &why, err);
        if (code == HY_OK)
            code = hy_plan_assign(plan, plan->search, err);
        if (code != HY_OK)
            return code;
    }
}

/* The devices of the request, and the interpreter if the model has bodies to interpret. */
static enum hy_code list_devices(struct hy_plan *plan, struct hy_error *err)
{
    struct hy_plan_request *request = &plan->request;
    const size_t count = (size_t)request->device_count + 1;
    const struct hy_runtime_device **devices = hy_plan_alloc(&plan->arena, count, sizeof *devices);
    if (!devices)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u devices", request->device_count);

    memcpy(devices, request->devices, request->device_count * sizeof *devices);
    if (plan->bodies)
        devices[request->device_count] = request->executor->interpreter;
    request->devices = devices;
    plan->support_matrix.devices = devices;
    plan->support_matrix.hidden_count = plan->bodies ? 1 : 0;
    plan->support_matrix.device_count = request->device_count + plan->support_matrix.hidden_count;
    plan->support_matrix.operation_count = request->model->main->operation_count;
    return HY_OK;
}

/* Operations of a body have separate numbers. */
static enum hy_code apply_overrides(struct hy_plan *plan, struct hy_error *err)
{
    const struct hy_plan_request *request = &plan->request;
    const uint32_t *order = request->bodies ? NULL : request->operation_order;

    hy_plan_overrides_pick_devices(request->overrides, &plan->support_matrix);
    return hy_plan_overrides_assign(request->overrides, request->model, order,
                                    &plan->support_matrix, &plan->arena, err);
}

/* True for a single built-in device and one step that may be cached. */
static bool may_ask_later(const struct hy_plan *plan)
{
    const struct hy_plan_request *request = &plan->request;

    return request->caching && plan->support_matrix.device_count == 1 &&
           hy_device_is_built_in(plan->support_matrix.devices[0]) && !request->is_part &&
           !request->bodies &&
           !(request->overrides && hy_plan_overrides_refuse(request->overrides)) &&
           !request->split_operations;
}

static enum hy_code fill_support_matrix(struct hy_plan *plan, struct hy_error *err)
{
    const struct hy_plan_request *request = &plan->request;
    struct hy_support_matrix *support_matrix = &plan->support_matrix;

    enum hy_code code = hy_support_matrix_make(support_matrix, request->model, &plan->arena, err);
    if (code == HY_OK && may_ask_later(plan))
        hy_support_matrix_assume(support_matrix);
    else if (code == HY_OK)
        code = hy_support_matrix_ask(support_matrix, request, &plan->arena, err);
    if (code == HY_OK)
        code = hy_plan_search_create(support_matrix->device_count, support_matrix->operation_count,
                                     &plan->search, err);
    if (code == HY_OK)
        code = hy_support_matrix_fill_costs(support_matrix, request, plan->search, err);
    if (code != HY_OK)
        return code;
    if (plan->bodies)
        hy_bodies_fill_row(plan->bodies, request->model, support_matrix, plan->search->times);
    if (request->overrides)
        code = apply_overrides(plan, err);
    return code == HY_OK
               ? hy_plan_apply_quarantine(support_matrix, &plan->arena, hy_clock_now(), err)
               : code;
}

static enum hy_code fill(struct hy_plan *plan, struct hy_error *err)
{
    const uint32_t count = plan->request.model->main->operation_count;
    enum hy_code code = HY_OK;

    plan->assigned = hy_plan_alloc(&plan->arena, count, sizeof *plan->assigned);
    if (!plan->assigned)
        return hy_fail(err, HY_OUT_OF_MEMORY, "plan of %u operations", count);
    plan->bodies = plan->request.bodies;
    if (!plan->bodies)
        code = hy_bodies_create(&plan->request, &plan->bodies, err);
    if (code == HY_OK)
        code = list_devices(plan, err);
    if (code == HY_OK)
        code = fill_support_matrix(plan, err);
    if (code == HY_OK)
        code = hy_plan_assign(plan, plan->search, err);
    if (code == HY_OK)
        hy_plan_predict(plan, plan->search->times);
    return code;
}

enum hy_code hy_plan_build(const struct hy_plan_request *request, struct hy_plan **ret,
                           struct hy_error *err)
{
    const uint64_t start = hy_clock_now();
    struct hy_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return hy_fail(err, HY_OUT_OF_MEMORY, "plan of %zu bytes", sizeof *plan);

    plan->request = *request;
    enum hy_code code = fill(plan, err);
    if (code != HY_OK) {
        hy_plan_destroy(plan);
        return code;
    }
    plan->compile_ns = hy_clock_now() - start;
    *ret = plan;
    return HY_OK;
}

enum hy_code hy_plan_prepare(struct hy_plan *plan, struct hy_error *err)
{
    const uint64_t start = hy_clock_now();

    enum hy_code code = finalize(plan, err);
    if (code != HY_OK)
        return code;
    if (plan->bodies && !plan->request.bodies) {
        hy_bodies_note_device_times(plan->bodies);
        hy_bodies_end_search(plan->bodies);
    }
    hy_plan_predict(plan, plan->search->times);
    code = hy_plan_explain(plan, err);
    if (code == HY_OK)
        code = hy_plan_counters_create(plan, &plan->arena, &plan->counters, err);
    if (code == HY_OK)
        code = hy_plan_lay_out(plan, err);
    hy_plan_search_destroy(plan->search);
    plan->search = NULL;
    plan->compile_ns += hy_clock_now() - start;
    return code;
}

enum hy_code hy_plan_create(const struct hy_plan_request *request, struct hy_plan **ret,
                            struct hy_error *err)
{
    struct hy_plan *plan = NULL;
    enum hy_code code = hy_plan_build(request, &plan, err);

    if (code == HY_OK)
        code = hy_plan_prepare(plan, err);
    if (code != HY_OK) {
        hy_plan_destroy(plan);
        return code;
    }
    *ret = plan;
    return HY_OK;
}
