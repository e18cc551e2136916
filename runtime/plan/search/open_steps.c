#include "runtime/plan/search/open_steps.h"

#include "runtime/device/device_kind.h"

static bool has_open_slot(const struct hy_plan *plan, uint32_t count, const struct hy_slot *slots)
{
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i].tensor != HY_NO_TENSOR && plan->tensors[slots[i].tensor].bytes == 0)
            return true;
    }
    return false;
}

static bool is_to_be_asked(const struct hy_plan *plan, const struct hy_step *step, uint32_t device)
{
    if (device >= hy_support_matrix_listed(&plan->support_matrix) ||
        hy_device_is_built_in(step->device))
        return false;
    return has_open_slot(plan, step->input_count, step->inputs) ||
           has_open_slot(plan, step->output_count, step->outputs);
}

enum hy_code hy_open_steps_confirm(struct hy_plan *plan, bool *ret_refused, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && plan->open_tensor_count > 0 && i < plan->step_count;
         i++) {
        const struct hy_step *step = &plan->steps[i];
        const uint32_t device = plan->assigned[step->operations[0]].device;
        if (is_to_be_asked(plan, step, device))
            code =
                hy_support_matrix_confirm(&plan->support_matrix, &plan->request, &plan->arena,
                                          device, step->model, step->operations, ret_refused, err);
    }
    return code;
}
