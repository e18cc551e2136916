#include "runtime/plan/spare.h"

#include "runtime/device/device_kind.h"
#include "runtime/plan/prepare.h"
#include "runtime/plan/sub_executor.h"

#include <stdio.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* Takes the place of a spare that cannot be made, so that nobody tries again. */
static struct hy_spare nobody;

static bool takes_step(const struct hy_plan *plan, uint32_t device, const struct hy_step *step)
{
    for (uint32_t i = 0; i < step->operation_count; i++) {
        if (!hy_support_matrix_can(&plan->matrix, device, step->operations[i]))
            return false;
    }
    return true;
}

/* halyard-cpu, if it takes the step and has not had it; or NONE. */
static uint32_t find_cpu(const struct hy_plan *plan, const struct hy_step *step)
{
    for (uint32_t i = 0; i < plan->request.device_count; i++) {
        const struct hy_runtime_device *device = plan->request.devices[i];
        if (hy_device_is_cpu(device) && device != step->device && takes_step(plan, i, step))
            return i;
    }
    return NONE;
}

/* All that have neither had the step nor failed to prepare, but `but`; returns how many. */
static uint32_t list_rest(const struct hy_plan *plan, const struct hy_step *step, uint32_t but,
                          uint32_t *rows)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->request.device_count; i++) {
        if (i != but && plan->request.devices[i] != step->device && !plan->matrix.excluded[i])
            rows[count++] = i;
    }
    return count;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* The compilation's deadline is long over; and an execution waits, with no time for files. */
static struct hy_plan_request make_request(const struct hy_plan *plan)
{
    struct hy_plan_request request = plan->request;
    request.deadline = HY_NO_DEADLINE;
    request.caching = NULL;
    return request;
}

static enum hy_code make_single(const struct hy_plan *plan, const struct hy_step *step,
                                const struct hy_runtime_device *device, struct hy_spare *spare,
                                struct hy_error *err)
{
    const struct hy_plan_request request = make_request(plan);

    spare->device = device;
    return hy_prepare(spare->device, step->model, &request, &spare->prepared, err);
}

static void name_group(struct hy_spare *spare)
{
    const struct hy_plan *plan = spare->plan;
    size_t used = 0;

    for (uint32_t i = 0; i < plan->step_count && used < sizeof spare->names; i++) {
        const char *name = plan->steps[i].device->info.name;
        bool is_named = false;
        for (uint32_t j = 0; j < i; j++)
            is_named |= plan->steps[j].device == plan->steps[i].device;
        if (is_named)
            continue;
        const int length = snprintf(spare->names + used, sizeof spare->names - used, "%s%s",
                                    used ? " and " : "", name);
        used += length > 0 ? (size_t)length : 0;
    }
    spare->group = *plan->request.executor->group;
    spare->group.info.name = spare->names;
    spare->device = &spare->group;
}

static enum hy_code make_group(const struct hy_plan *plan, const struct hy_step *step,
                               const struct hy_runtime_device *const *devices, uint32_t count,
                               struct hy_spare *spare, struct hy_error *err)
{
    struct hy_plan_request request = make_request(plan);

    spare->order = calloc(step->operation_count, sizeof *spare->order);
    if (!spare->order)
        return hy_fail(err, HY_OUT_OF_MEMORY, "order of %u operations", step->operation_count);
    for (uint32_t i = 0; i < step->operation_count; i++)
        spare->order[i] = i;
    request.model = step->model;
    request.operation_order = spare->order;
    request.devices = devices;
    request.device_count = count;
    request.is_part = true;
    request.bodies = NULL; /* they have been planned for the device that failed, too */
    enum hy_code code = hy_plan_create(&request, &spare->plan, err);
    if (code != HY_OK)
        return code;
    name_group(spare);
    return plan->request.executor->group_create(spare->plan, &spare->prepared, err);
}

static enum hy_code make_of_rest(const struct hy_plan *plan, const struct hy_step *step,
                                 struct hy_spare *spare, struct hy_error *err)
{
    const uint32_t count = plan->request.device_count;
    const struct hy_runtime_device **devices = calloc(count, sizeof *devices);
    uint32_t *rows = calloc(count, sizeof *rows);
    enum hy_code code = HY_OK;

    if (devices && rows) {
        const uint32_t left = list_rest(plan, step, find_cpu(plan, step), rows);
        for (uint32_t i = 0; i < left; i++)
            devices[i] = plan->request.devices[rows[i]];
        if (left == 1 && takes_step(plan, rows[0], step))
            code = make_single(plan, step, devices[0], spare, err);
        else if (left > 0 && plan->request.executor)
            code = make_group(plan, step, devices, left, spare, err);
        else
            code = HY_BAD_DATA;
    } else {
        code = hy_fail(err, HY_OUT_OF_MEMORY, "list of %u devices", count);
    }
    free(rows);
    free(devices);
    return code;
}

void hy_spare_destroy(struct hy_spare *spare)
{
    if (!spare || spare == &nobody)
        return;
    if (spare->prepared)
        spare->device->table->prepared_destroy(spare->prepared);
    hy_plan_destroy(spare->plan);
    free(spare->order);
    free(spare);
}

/* BAD_DATA: no device that is left takes it, and none ever will. */
static enum hy_code fill(const struct hy_plan *plan, const struct hy_step *step, uint32_t number,
                         struct hy_spare *spare, struct hy_error *err)
{
    const uint32_t cpu = find_cpu(plan, step);

    if (number == HY_SPARE_ANEW)
        return make_single(plan, step, step->device, spare, err);
    if (number > 0)
        return make_of_rest(plan, step, spare, err);
    return cpu == NONE ? HY_BAD_DATA
                       : make_single(plan, step, plan->request.devices[cpu], spare, err);
}

static enum hy_code make(const struct hy_plan *plan, const struct hy_step *step, uint32_t number,
                         struct hy_spare **ret, struct hy_error *err)
{
    struct hy_spare *spare = calloc(1, sizeof *spare);
    if (!spare)
        return hy_fail(err, HY_OUT_OF_MEMORY, "spare of a step");

    enum hy_code code = fill(plan, step, number, spare, err);
    if (code != HY_OK) {
        hy_spare_destroy(spare);
        spare = &nobody;
    }
    *ret = spare;
    return code == HY_BAD_DATA ? HY_OK : code;
}

enum hy_code hy_plan_spare(struct hy_plan *plan, struct hy_step *step, uint32_t number,
                           const struct hy_spare **ret, struct hy_error *err)
{
    struct hy_spare *spare = atomic_load_explicit(&step->spares[number], memory_order_acquire);
    enum hy_code code = HY_OK;

    /* An interpreted operation has used up the list inside its bodies. */
    if (step->device->kind == HY_DEVICE_HIDDEN)
        spare = &nobody;
    if (!spare) {
        pthread_mutex_lock(&plan->spare_lock);
        spare = atomic_load_explicit(&step->spares[number], memory_order_acquire);
        if (!spare) {
            code = make(plan, step, number, &spare, err);
            if (code == HY_OK)
                atomic_store_explicit(&step->spares[number], spare, memory_order_release);
        }
        pthread_mutex_unlock(&plan->spare_lock);
    }
    if (code == HY_OK)
        *ret = spare == &nobody ? NULL : spare;
    return code;
}
