/* The CPU's version of a step, for the day its device fails. */
#include "runtime/plan/plan.h"
#include "runtime/plan/prepare.h"

#include <stdlib.h>

static bool takes_step(const struct hy_plan *plan, uint32_t device, const struct hy_step *step)
{
    for (uint32_t i = 0; i < step->operation_count; i++) {
        if (!hy_plan_matrix_can(&plan->matrix, device, step->operations[i]))
            return false;
    }
    return true;
}

/* halyard-cpu before nnapi-reference, of those the compilation may use; NULL if none takes the
 * step. */
static const struct hy_runtime_device *find_cpu(const struct hy_plan *plan,
                                                const struct hy_step *step)
{
    const struct hy_runtime_device *found = NULL;

    for (uint32_t i = 0; i < plan->matrix.device_count; i++) {
        const struct hy_runtime_device *device = plan->matrix.devices[i];
        if (!hy_plan_device_is_built_in(device) || !takes_step(plan, i, step))
            continue;
        if (!found || hy_plan_device_is_cpu(device))
            found = device;
    }
    return found;
}

static enum hy_code make_spare(const struct hy_plan *plan, const struct hy_step *step,
                               struct hy_spare **ret, struct hy_error *err)
{
    const struct hy_runtime_device *device = find_cpu(plan, step);
    if (!device || hy_plan_device_is_built_in(step->device))
        return hy_fail(err, HY_FAILED, "no CPU device stands by for %s", step->device->info.name);

    struct hy_spare *spare = malloc(sizeof *spare);
    if (!spare)
        return hy_fail(err, HY_OUT_OF_MEMORY, "spare of a step");

    /* The compilation's deadline is long over. */
    struct hy_plan_request request = plan->request;
    request.deadline = HY_NO_DEADLINE;
    spare->device = device;
    enum hy_code code = hy_prepare(device, step->model, &request, &spare->prepared, err);
    if (code != HY_OK) {
        free(spare);
        return code;
    }
    *ret = spare;
    return HY_OK;
}

enum hy_code hy_plan_spare(struct hy_plan *plan, struct hy_step *step, const struct hy_spare **ret,
                           struct hy_error *err)
{
    struct hy_spare *spare = atomic_load_explicit(&step->spare, memory_order_acquire);
    enum hy_code code = HY_OK;

    if (!spare) {
        pthread_mutex_lock(&plan->spare_lock);
        spare = atomic_load_explicit(&step->spare, memory_order_acquire);
        if (!spare) {
            code = make_spare(plan, step, &spare, err);
            if (code == HY_OK)
                atomic_store_explicit(&step->spare, spare, memory_order_release);
        }
        pthread_mutex_unlock(&plan->spare_lock);
    }
    if (code == HY_OK)
        *ret = spare;
    return code;
}
