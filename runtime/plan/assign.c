#include "runtime/plan/assign.h"

#include "runtime/device/device_kind.h"
#include "runtime/extension/code_text.h"
#include "runtime/log.h"
#include "runtime/plan/alloc.h"
#include "runtime/plan/boundary_tensors.h"
#include "runtime/plan/deadline.h"
#include "runtime/plan/overrides.h"
#include "runtime/plan/plan_search.h"
#include "runtime/plan/search/constants.h"
#include "runtime/plan/search/open_steps.h"
#include "runtime/plan/search/search.h"
#include "runtime/plan/step_model.h"

#include <stdio.h>

/* First and last extra cost per step in nanoseconds, to reduce the number of steps. */
#define FIRST_FEE 1e3
#define LAST_FEE  1e18

/* ---- Operations without a device ------------------------------------------------------------- */

/* "halyard-cpu: <reason>; acme-npu: <reason>", truncated to the buffer. */
static void list_refusals(const struct hy_support_matrix *support_matrix, uint32_t operation,
                          char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < hy_support_matrix_listed(support_matrix) && used < size; i++) {
        int length = snprintf(text + used, size - used, "%s%s: %s", i ? "; " : "",
                              support_matrix->devices[i]->info.name,
                              hy_support_matrix_refusal(support_matrix, i, operation));
        used += length > 0 ? (size_t)length : 0;
    }
}

/* The code of a device that supported the operation but failed to prepare, or of a device that
 * could not be asked. */
static enum hy_code exhausted_code(const struct hy_support_matrix *support_matrix,
                                   uint32_t operation)
{
    for (uint32_t i = 0; i < support_matrix->device_count; i++) {
        if (support_matrix->excluded[i] &&
            support_matrix->supported[(size_t)i * support_matrix->operation_count + operation])
            return support_matrix->failure_codes[i];
    }
    const enum hy_code missing = hy_support_matrix_missing(support_matrix);
    return missing == HY_OK ? HY_BAD_DATA : missing;
}

static enum hy_code check_assignments(const struct hy_plan *plan, struct hy_error *err)
{
    const struct hy_subgraph *graph = plan->request.model->main;

    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (plan->assigned[i].device != HY_NO_DEVICE)
            continue;
        if (plan->support_matrix.wrong_scales && plan->support_matrix.wrong_scales[i])
            return hy_fail(err, HY_BAD_DATA, "operation %u: %s", plan->request.operation_order[i],
                           plan->support_matrix.wrong_scales[i]);
        char text[HY_ERROR_TEXT_SIZE];
        list_refusals(&plan->support_matrix, i, text, sizeof text);
        return hy_fail(err, exhausted_code(&plan->support_matrix, i),
                       "operation %u %s: no device supports the operation: %s",
                       plan->request.operation_order[i],
                       hy_operation_text(graph->operations[i].type), text);
    }
    return HY_OK;
}

/* ---- Devices and steps ----------------------------------------------------------------------- */

/* An empty partition with the devices of the choices. */
static enum hy_code alloc_partition(struct hy_plan *plan, struct hy_partition *ret,
                                    struct hy_error *err)
{
    enum hy_code code =
        hy_partition_alloc(plan->support_matrix.operation_count, &plan->arena, ret, err);
    for (uint32_t i = 0; code == HY_OK && i < ret->operation_count; i++)
        ret->device_of[i] = plan->assigned[i].device;
    return code;
}

/* Raises the cost of steps until few enough are left or the extra cost reaches its limit. */
static enum hy_code limit_steps(struct hy_plan *plan, struct hy_plan_search *search,
                                struct hy_cost_model *cost_model, struct hy_arena *scratch,
                                struct hy_partition *partition, struct hy_search_result *result,
                                struct hy_error *err)
{
    const uint32_t most = plan->request.overrides ? plan->request.overrides->max_steps : 0;
    double fee = FIRST_FEE;
    enum hy_code code = HY_OK;

    while (code == HY_OK && most > 0 && partition->step_count > most && fee < LAST_FEE) {
        for (uint32_t i = 0; i < cost_model->device_count; i++)
            cost_model->launch[i] += fee;
        for (uint32_t i = 0; i < partition->operation_count; i++)
            partition->device_of[i] = plan->assigned[i].device;
        code = hy_search_run(&search->flow, cost_model, partition->device_of, scratch, partition,
                             result, err);
        fee *= 4;
    }
    if (code == HY_OK && most > 0 && partition->step_count > most)
        hy_log(
            HY_LOG_WARNING, "plan",
            "HALYARD_PLAN_MAX_STEPS is %u, but the devices need at least %u steps for this model",
            most, partition->step_count);
    return code;
}

/* Turns the cheapest device of each operation into the cheapest plan. */
static enum hy_code find_partition(struct hy_plan *plan, struct hy_plan_search *search,
                                   struct hy_arena *scratch, struct hy_partition *partition,
                                   struct hy_error *err)
{
    struct hy_search_result result;
    struct hy_cost_model cost_model;

    enum hy_code code = hy_cost_model_make(&plan->support_matrix, scratch, &cost_model, err);
    if (code != HY_OK)
        return code;
    if (!hy_search_is_needed(&cost_model, partition->device_of)) {
        hy_partition_join(partition);
        return HY_OK;
    }
    code = hy_plan_search_need_flow(search, plan->request.model->main, err);
    if (code == HY_OK)
        code = hy_search_run(&search->flow, &cost_model, partition->device_of, scratch, partition,
                             &result, err);
    if (code == HY_OK)
        code = limit_steps(plan, search, &cost_model, scratch, partition, &result, err);
    if (code == HY_OK)
        code = hy_partition_move_constants(&search->flow, &cost_model, scratch, partition, err);
    if (code != HY_OK)
        return code;
    hy_planner_adopt(&plan->support_matrix, partition->device_of, plan->assigned);
    hy_log(HY_LOG_DEBUG, "plan", "%u operations in %u steps, cost %.6g, found in %llu visits",
           partition->operation_count, partition->step_count, result.cost,
           (unsigned long long)result.visited);
    return HY_OK;
}

/* True if one device is the only candidate for every operation, apart from the last resort. */
static bool has_single_candidate(const struct hy_plan *plan)
{
    for (uint32_t i = 0; i < plan->support_matrix.operation_count; i++) {
        const struct hy_plan_assignment assignment = plan->assigned[i];
        if (assignment.device != plan->assigned[0].device)
            return false;
        if (assignment.runner_up != HY_NO_DEVICE &&
            !hy_device_is_reference(plan->support_matrix.devices[assignment.runner_up]))
            return false;
    }
    return true;
}

static enum hy_code assign_cheapest(struct hy_plan *plan, struct hy_plan_search *search,
                                    struct hy_partition *partition, struct hy_error *err)
{
    struct hy_arena scratch = {0};

    hy_planner_cheapest(plan->request.model, &plan->support_matrix, plan->assigned);
    enum hy_code code = check_assignments(plan, err);
    if (code == HY_OK)
        code = alloc_partition(plan, partition, err);
    if (code == HY_OK && has_single_candidate(plan))
        hy_partition_join(partition);
    else if (code == HY_OK)
        code = find_partition(plan, search, &scratch, partition, err);
    hy_arena_finish(&scratch);
    return code;
}

static enum hy_code assign_one_by_one(struct hy_plan *plan, struct hy_plan_search *search,
                                      struct hy_partition *partition, struct hy_error *err)
{
    hy_planner_first(plan->request.model, &plan->support_matrix, plan->assigned);
    enum hy_code code = check_assignments(plan, err);
    if (code == HY_OK)
        code = hy_plan_search_need_flow(search, plan->request.model->main, err);
    if (code == HY_OK)
        code = alloc_partition(plan, partition, err);
    if (code == HY_OK)
        hy_partition_split(partition);
    return code;
}

/* The interpreter runs one operation at a time. */
static enum hy_code isolate_interpreted(struct hy_plan *plan, struct hy_plan_search *search,
                                        struct hy_partition *partition, struct hy_error *err)
{
    if (plan->support_matrix.hidden_count == 0)
        return HY_OK;
    hy_partition_isolate(partition, hy_support_matrix_listed(&plan->support_matrix));
    return partition->step_count > 1
               ? hy_plan_search_need_flow(search, plan->request.model->main, err)
               : HY_OK;
}

/* One attempt. */
static enum hy_code assign(struct hy_plan *plan, struct hy_plan_search *search,
                           struct hy_error *err)
{
    struct hy_partition partition;

    enum hy_code code = plan->request.split_operations
                            ? assign_one_by_one(plan, search, &partition, err)
                            : assign_cheapest(plan, search, &partition, err);
    if (code == HY_OK)
        code = isolate_interpreted(plan, search, &partition, err);
    if (code == HY_OK)
        code = hy_step_models_make(plan, search, &partition, err);
    if (code == HY_OK)
        code = hy_boundary_tensors_count(plan, err);
    return code;
}

/* Each round ends the loop or removes an operation from a device. */
enum hy_code hy_plan_assign(struct hy_plan *plan, struct hy_plan_search *search,
                            struct hy_error *err)
{
    for (;;) {
        bool is_refused = false;
        enum hy_code code = assign(plan, search, err);
        if (code == HY_OK)
            code = hy_open_steps_confirm(plan, &is_refused, err);
        if (code != HY_OK || !is_refused)
            return code;
        code = hy_plan_check_deadline(plan->request.deadline, err);
        if (code != HY_OK)
            return code;
    }
}
