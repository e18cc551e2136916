#include "runtime/plan/search/planner.h"

#include "runtime/device/device_kind.h"

/* True if device `a` is better for the operation than `b`. */
static bool is_better(const struct hy_support_matrix *support_matrix, uint32_t operation,
                      uint32_t a, uint32_t b)
{
    const struct hy_runtime_device *first = support_matrix->devices[a],
                                   *second = support_matrix->devices[b];
    const double cost_a = hy_support_matrix_cost(support_matrix, a, operation);
    const double cost_b = hy_support_matrix_cost(support_matrix, b, operation);

    if (hy_device_is_reference(first) != hy_device_is_reference(second))
        return hy_device_is_reference(second);
    if (cost_a < cost_b || cost_a > cost_b)
        return cost_a < cost_b;
    if (hy_device_is_cpu(first) != hy_device_is_cpu(second))
        return hy_device_is_cpu(first);
    return a < b;
}

static struct hy_plan_assignment choose(const struct hy_support_matrix *support_matrix,
                                        uint32_t operation)
{
    struct hy_plan_assignment assignment = {HY_NO_DEVICE, HY_NO_DEVICE};

    for (uint32_t i = 0; i < support_matrix->device_count; i++) {
        if (!hy_support_matrix_can(support_matrix, i, operation))
            continue;
        if (assignment.device == HY_NO_DEVICE ||
            is_better(support_matrix, operation, i, assignment.device)) {
            assignment.runner_up = assignment.device;
            assignment.device = i;
        } else if (assignment.runner_up == HY_NO_DEVICE ||
                   is_better(support_matrix, operation, i, assignment.runner_up)) {
            assignment.runner_up = i;
        }
    }
    return assignment;
}

static uint32_t find_runner_up(const struct hy_support_matrix *support_matrix, uint32_t operation,
                               uint32_t device)
{
    uint32_t found = HY_NO_DEVICE;

    for (uint32_t i = 0; i < support_matrix->device_count; i++) {
        if (i == device || !hy_support_matrix_can(support_matrix, i, operation))
            continue;
        if (found == HY_NO_DEVICE || is_better(support_matrix, operation, i, found))
            found = i;
    }
    return found;
}

void hy_planner_adopt(const struct hy_support_matrix *support_matrix, const uint32_t *device_of,
                      struct hy_plan_assignment *assigned)
{
    for (uint32_t i = 0; i < support_matrix->operation_count; i++) {
        if (assigned[i].device != device_of[i])
            assigned[i] = (struct hy_plan_assignment){
                device_of[i], find_runner_up(support_matrix, i, device_of[i])};
    }
}

void hy_planner_cheapest(const struct hy_model *model,
                         const struct hy_support_matrix *support_matrix,
                         struct hy_plan_assignment *assigned)
{
    for (uint32_t i = 0; i < model->main->operation_count; i++)
        assigned[i] = choose(support_matrix, i);
}

void hy_planner_first(const struct hy_model *model, const struct hy_support_matrix *support_matrix,
                      struct hy_plan_assignment *assigned)
{
    for (uint32_t i = 0; i < model->main->operation_count; i++) {
        uint32_t device = 0;
        while (device < support_matrix->device_count &&
               !hy_support_matrix_can(support_matrix, device, i))
            device++;
        assigned[i] = (struct hy_plan_assignment){
            device < support_matrix->device_count ? device : HY_NO_DEVICE,
            find_runner_up(support_matrix, i, device),
        };
    }
}
