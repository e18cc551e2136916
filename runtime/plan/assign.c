#include "runtime/plan/assign.h"

#include "common/operation.h"
#include "runtime/log.h"
#include "runtime/plan/search.h"
#include "runtime/plan/step_model.h"
#include "runtime/plan/take.h"

#include <stdio.h>

/* ---- Operations that nobody takes ------------------------------------------------------------ */

/* "halyard-cpu: <reason>; acme-npu: <reason>", as much as there is room for. */
static void list_refusals(const struct hy_plan_matrix *matrix, uint32_t operation, char *text,
                          size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < matrix->device_count && used < size; i++) {
        int length =
            snprintf(text + used, size - used, "%s%s: %s", i ? "; " : "",
                     matrix->devices[i]->info.name, hy_plan_matrix_refusal(matrix, i, operation));
        used += length > 0 ? (size_t)length : 0;
    }
}

/* The code of a device that would have taken the operation, had it not failed to prepare. */
static enum hy_code exhausted_code(const struct hy_plan_matrix *matrix, uint32_t operation)
{
    for (uint32_t i = 0; i < matrix->device_count; i++) {
        if (matrix->excluded[i] &&
            matrix->supported[(size_t)i * matrix->operation_count + operation])
            return matrix->failure_codes[i];
    }
    return HY_BAD_DATA;
}

static enum hy_code check_choices(const struct hy_plan *plan, struct hy_error *err)
{
    const struct hy_subgraph *graph = plan->request.model->main;

    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (plan->choices[i].device != HY_NO_DEVICE)
            continue;
        char text[HY_ERROR_TEXT_SIZE];
        list_refusals(&plan->matrix, i, text, sizeof text);
        return hy_fail(
            err, exhausted_code(&plan->matrix, i), "operation %u %s: no device supports it: %s",
            plan->request.operation_order[i], hy_operation_name(graph->operations[i].type), text);
    }
    return HY_OK;
}

/* ---- Devices and steps ----------------------------------------------------------------------- */

/* Made where a model is about to be split, then kept. */
static enum hy_code make_flow(struct hy_plan *plan, struct hy_error *err)
{
    if (plan->flow.writer)
        return HY_OK;
    return hy_flow_make(plan->request.model->main, &plan->arena, &plan->flow, err);
}

/* An empty partition with the devices of the choices. */
static enum hy_code take_partition(struct hy_plan *plan, struct hy_partition *ret,
                                   struct hy_error *err)
{
    enum hy_code code = hy_partition_take(plan->matrix.operation_count, &plan->arena, ret, err);
    for (uint32_t i = 0; code == HY_OK && i < ret->operation_count; i++)
        ret->device_of[i] = plan->choices[i].device;
    return code;
}

/* From the cheapest device for each operation to the cheapest plan for all. */
static enum hy_code search(struct hy_plan *plan, struct hy_arena *scratch,
                           struct hy_partition *partition, struct hy_error *err)
{
    struct hy_search_result result;
    struct hy_prices prices;

    enum hy_code code = hy_prices_make(&plan->matrix, scratch, &prices, err);
    if (code != HY_OK)
        return code;
    if (!hy_search_is_needed(&prices, partition->device_of)) {
        hy_partition_join(partition);
        return HY_OK;
    }
    code = make_flow(plan, err);
    if (code == HY_OK)
        code = hy_search_run(&plan->flow, &prices, partition->device_of, scratch, partition,
                             &result, err);
    if (code != HY_OK)
        return code;
    hy_planner_adopt(&plan->matrix, partition->device_of, plan->choices);
    hy_log(HY_LOG_DEBUG, "plan", "%u operations in %u steps, cost %.6g, found in %llu visits",
           partition->operation_count, partition->step_count, result.cost,
           (unsigned long long)result.visited);
    return HY_OK;
}

static enum hy_code assign_cheapest(struct hy_plan *plan, struct hy_partition *partition,
                                    struct hy_error *err)
{
    struct hy_arena scratch = {0};

    hy_planner_cheapest(plan->request.model, &plan->matrix, plan->choices);
    enum hy_code code = check_choices(plan, err);
    if (code == HY_OK)
        code = take_partition(plan, partition, err);
    if (code == HY_OK)
        code = search(plan, &scratch, partition, err);
    hy_arena_finish(&scratch);
    return code;
}

static enum hy_code assign_one_by_one(struct hy_plan *plan, struct hy_partition *partition,
                                      struct hy_error *err)
{
    hy_planner_first(plan->request.model, &plan->matrix, plan->choices);
    enum hy_code code = check_choices(plan, err);
    if (code == HY_OK)
        code = make_flow(plan, err);
    if (code == HY_OK)
        code = take_partition(plan, partition, err);
    if (code == HY_OK)
        hy_partition_split(partition);
    return code;
}

/* ---- Borders --------------------------------------------------------------------------------- */

static bool has_unknown_border(const struct hy_plan *plan)
{
    for (uint32_t i = 0; i < plan->border_count; i++) {
        if (plan->borders[i].bytes == 0)
            return true;
    }
    return false;
}

/* A border of unknown size cannot be given memory; one device for all needs none. */
static enum hy_code pin(struct hy_plan *plan, const struct hy_error *unknown, struct hy_error *err)
{
    struct hy_partition partition;

    plan->pinned = hy_plan_text(&plan->arena, unknown->text);
    if (!plan->pinned)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s", unknown->text);
    enum hy_code code = take_partition(plan, &partition, err);
    if (code != HY_OK)
        return code;
    hy_partition_join(&partition);
    code = hy_step_models_make(plan, &partition, err);
    return code == HY_OK ? hy_borders_place(plan, err) : code;
}

static enum hy_code place_borders(struct hy_plan *plan, struct hy_error *err)
{
    struct hy_error unknown;

    if (plan->request.split_operations || !has_unknown_border(plan))
        return hy_borders_place(plan, err);
    enum hy_code code = hy_borders_place(plan, &unknown);
    hy_planner_whole(plan->request.model, &plan->matrix, plan->choices);
    if (code == HY_FAILED && plan->choices[0].device != HY_NO_DEVICE)
        code = pin(plan, &unknown, err);
    else if (err)
        *err = unknown;
    return code;
}

enum hy_code hy_plan_assign(struct hy_plan *plan, struct hy_error *err)
{
    struct hy_partition partition;

    plan->pinned = NULL;
    enum hy_code code = plan->request.split_operations ? assign_one_by_one(plan, &partition, err)
                                                       : assign_cheapest(plan, &partition, err);
    if (code == HY_OK)
        code = hy_step_models_make(plan, &partition, err);
    return code == HY_OK ? place_borders(plan, err) : code;
}
