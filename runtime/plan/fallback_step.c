#include "runtime/plan/fallback_step.h"

#include "runtime/device/device_kind.h"
#include "runtime/plan/plan_counters.h"
#include "runtime/plan/prepare.h"
#include "runtime/plan/sub_executor.h"

#include <stdio.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* Marks a fallback that cannot be made, so that no thread tries again. */
static struct hy_fallback_step impossible;

static bool supports_step(const struct hy_plan *plan, uint32_t device, const struct hy_step *step)
{
    for (uint32_t i = 0; i < step->operation_count; i++) {
        if (!hy_support_matrix_can(&plan->support_matrix, device, step->operations[i]))
            return false;
    }
    return true;
}

/* The row of halyard-cpu if it supports the step and is not the step's device; or NONE. */
static uint32_t find_cpu(const struct hy_plan *plan, const struct hy_step *step)
{
    for (uint32_t i = 0; i < plan->request.device_count; i++) {
        const struct hy_runtime_device *device = plan->request.devices[i];
        if (hy_device_is_cpu(device) && device != step->device && supports_step(plan, i, step))
            return i;
    }
    return NONE;
}

/* Lists all devices except the step's device, failed devices and `but`; returns their number. */
static uint32_t list_rest(const struct hy_plan *plan, const struct hy_step *step, uint32_t but,
                          uint32_t *rows)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->request.device_count; i++) {
        if (i != but && plan->request.devices[i] != step->device &&
            !plan->support_matrix.excluded[i])
            rows[count++] = i;
    }
    return count;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Without the deadline of the compilation, which has passed, and without a cache, because an
 * execution waits. */
static struct hy_plan_request make_request(const struct hy_plan *plan)
{
    struct hy_plan_request request = plan->request;
    request.deadline = HY_NO_DEADLINE;
    request.caching = NULL;
    request.only_cached = false;
    return request;
}

static enum hy_code make_single(const struct hy_plan *plan, const struct hy_step *step,
                                const struct hy_runtime_device *device,
                                struct hy_fallback_step *fallback, struct hy_error *err)
{
    const struct hy_plan_request request = make_request(plan);

    fallback->device = device;
    return hy_prepare(fallback->device, step->model, &request, &fallback->prepared, err);
}

static void name_group(struct hy_fallback_step *fallback)
{
    const struct hy_plan *plan = fallback->plan;
    size_t used = 0;

    for (uint32_t i = 0; i < plan->step_count && used < sizeof fallback->names; i++) {
        const char *name = plan->steps[i].device->info.name;
        bool is_named = false;
        for (uint32_t j = 0; j < i; j++)
            is_named |= plan->steps[j].device == plan->steps[i].device;
        if (is_named)
            continue;
        const int length = snprintf(fallback->names + used, sizeof fallback->names - used, "%s%s",
                                    used ? " and " : "", name);
        used += length > 0 ? (size_t)length : 0;
    }
    fallback->group = *plan->request.executor->group;
    fallback->group.info.name = fallback->names;
    fallback->device = &fallback->group;
}

static enum hy_code make_group(const struct hy_plan *plan, const struct hy_step *step,
                               const struct hy_runtime_device *const *devices, uint32_t count,
                               struct hy_fallback_step *fallback, struct hy_error *err)
{
    struct hy_plan_request request = make_request(plan);

    fallback->order = calloc(step->operation_count, sizeof *fallback->order);
    if (!fallback->order)
        return hy_fail(err, HY_OUT_OF_MEMORY, "order of %u operations", step->operation_count);
    for (uint32_t i = 0; i < step->operation_count; i++)
        fallback->order[i] = i;
    request.model = step->model;
    request.operation_order = fallback->order;
    request.devices = devices;
    request.device_count = count;
    request.is_part = true;
    request.bodies = NULL; /* also planned for the failed device */
    enum hy_code code = hy_plan_create(&request, &fallback->plan, err);
    if (code != HY_OK)
        return code;
    name_group(fallback);
    return plan->request.executor->group_create(fallback->plan, &fallback->prepared, err);
}

static enum hy_code make_of_rest(const struct hy_plan *plan, const struct hy_step *step,
                                 struct hy_fallback_step *fallback, struct hy_error *err)
{
    const uint32_t count = plan->request.device_count;
    const struct hy_runtime_device **devices = calloc(count, sizeof *devices);
    uint32_t *rows = calloc(count, sizeof *rows);
    enum hy_code code = HY_OK;

    if (devices && rows) {
        const uint32_t left = list_rest(plan, step, find_cpu(plan, step), rows);
        for (uint32_t i = 0; i < left; i++)
            devices[i] = plan->request.devices[rows[i]];
        if (left == 1 && supports_step(plan, rows[0], step))
            code = make_single(plan, step, devices[0], fallback, err);
        else if (left > 0 && plan->request.executor)
            code = make_group(plan, step, devices, left, fallback, err);
        else
            code = HY_BAD_DATA;
    } else {
        code = hy_fail(err, HY_OUT_OF_MEMORY, "list of %u devices", count);
    }
    free(rows);
    free(devices);
    return code;
}

void hy_fallback_step_destroy(struct hy_fallback_step *fallback)
{
    if (!fallback || fallback == &impossible)
        return;
    if (fallback->prepared)
        hy_prepared_destroy(fallback->device, fallback->prepared);
    hy_plan_destroy(fallback->plan);
    free(fallback->order);
    free(fallback);
}

/* BAD_DATA: no remaining device supports the step. */
static enum hy_code fill(const struct hy_plan *plan, const struct hy_step *step, uint32_t number,
                         struct hy_fallback_step *fallback, struct hy_error *err)
{
    const uint32_t cpu = find_cpu(plan, step);

    if (number == HY_FALLBACK_ANEW)
        return make_single(plan, step, step->device, fallback, err);
    if (number > 0)
        return make_of_rest(plan, step, fallback, err);
    return cpu == NONE ? HY_BAD_DATA
                       : make_single(plan, step, plan->request.devices[cpu], fallback, err);
}

static enum hy_code make(const struct hy_plan *plan, const struct hy_step *step, uint32_t number,
                         struct hy_fallback_step **ret, struct hy_error *err)
{
    struct hy_fallback_step *fallback = calloc(1, sizeof *fallback);
    if (!fallback)
        return hy_fail(err, HY_OUT_OF_MEMORY, "fallback step");

    enum hy_code code = fill(plan, step, number, fallback, err);
    if (code != HY_OK) {
        hy_fallback_step_destroy(fallback);
        fallback = &impossible;
    }
    *ret = fallback;
    return code == HY_BAD_DATA ? HY_OK : code;
}

enum hy_code hy_plan_fallback_step(const struct hy_plan *plan, const struct hy_step *step,
                                   uint32_t number, const struct hy_fallback_step **ret,
                                   struct hy_error *err)
{
    struct hy_plan_counters *counters = plan->counters;
    _Atomic(struct hy_fallback_step *) *position =
        &counters->steps[step - plan->steps].fallback_steps[number];
    struct hy_fallback_step *fallback = atomic_load_explicit(position, memory_order_acquire);
    enum hy_code code = HY_OK;

    /* An interpreted operation has tried the devices inside its bodies. */
    if (step->device->kind == HY_DEVICE_HIDDEN)
        fallback = &impossible;
    if (!fallback) {
        pthread_mutex_lock(&counters->fallback_lock);
        fallback = atomic_load_explicit(position, memory_order_acquire);
        if (!fallback) {
            code = make(plan, step, number, &fallback, err);
            if (code == HY_OK)
                atomic_store_explicit(position, fallback, memory_order_release);
        }
        pthread_mutex_unlock(&counters->fallback_lock);
    }
    if (code == HY_OK)
        *ret = fallback == &impossible ? NULL : fallback;
    return code;
}
