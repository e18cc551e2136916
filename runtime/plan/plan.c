#include "runtime/plan/plan.h"

#include "common/operation.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/plan/partition.h"
#include "runtime/plan/prepare.h"
#include "runtime/plan/report.h"
#include "runtime/plan/step_model.h"
#include "runtime/plan/take.h"

#include <stdio.h>
#include <stdlib.h>

/* Gives back what the steps hold, so that they can be made anew. */
static void drop_steps(struct hy_plan *plan)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        struct hy_step *step = &plan->steps[i];
        struct hy_spare *spare = atomic_load_explicit(&step->spare, memory_order_acquire);
        if (step->prepared)
            step->device->table->prepared_destroy(step->prepared);
        if (spare)
            spare->device->table->prepared_destroy(spare->prepared);
        free(spare);
    }
    plan->step_count = 0;
}

void hy_plan_destroy(struct hy_plan *plan)
{
    if (!plan)
        return;
    drop_steps(plan);
    pthread_mutex_destroy(&plan->spare_lock);
    hy_arena_finish(&plan->arena);
    free(plan);
}

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

/* Assignment, steps, step models, borders: everything before the drivers come in. */
static enum hy_code split(struct hy_plan *plan, hy_planner *planner, struct hy_error *err)
{
    const struct hy_model *model = plan->request.model;
    struct hy_partition partition;

    planner(model, &plan->matrix, plan->choices);
    enum hy_code code = check_choices(plan, err);
    if (code == HY_OK)
        code = hy_partition_make(model->main, &plan->uses, plan->choices, plan->matrix.device_count,
                                 &plan->arena, &partition, err);
    if (code == HY_OK)
        code = hy_step_models_make(plan, &partition, err);
    return code;
}

static bool has_unknown_border(const struct hy_plan *plan)
{
    for (uint32_t i = 0; i < plan->border_count; i++) {
        if (plan->borders[i].bytes == 0)
            return true;
    }
    return false;
}

static enum hy_code assign(struct hy_plan *plan, struct hy_error *err)
{
    struct hy_error unknown;

    plan->pinned = NULL;
    enum hy_code code = split(plan, hy_planner_cheapest, err);
    if (code != HY_OK || !has_unknown_border(plan))
        return code == HY_OK ? hy_borders_place(plan, err) : code;

    /* A border of unknown size cannot be given memory yet; one device for all needs none. */
    code = hy_borders_place(plan, &unknown);
    hy_planner_whole(plan->request.model, &plan->matrix, plan->choices);
    if (code != HY_FAILED || plan->choices[0].device == HY_NO_DEVICE) {
        if (err)
            *err = unknown;
        return code;
    }
    plan->pinned = hy_plan_text(&plan->arena, unknown.text);
    if (!plan->pinned)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%s", unknown.text);
    code = split(plan, hy_planner_whole, err);
    return code == HY_OK ? hy_borders_place(plan, err) : code;
}

/* Stops at the first step that fails, and tells which device it was. */
static enum hy_code prepare_steps(struct hy_plan *plan, uint32_t *failed_device,
                                  struct hy_error *err)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        struct hy_step *step = &plan->steps[i];
        const uint64_t start = hy_clock_now();
        enum hy_code code =
            hy_prepare(step->device, step->model, &plan->request, &step->prepared, err);
        if (code != HY_OK) {
            *failed_device = plan->choices[step->operations[0]].device;
            return code;
        }
        step->prepare_ns = hy_clock_now() - start;
    }
    return HY_OK;
}

/* Each round either ends or has one device less. */
static enum hy_code settle(struct hy_plan *plan, struct hy_error *err)
{
    for (;;) {
        struct hy_error why;
        uint32_t failed;
        enum hy_code code = assign(plan, err);
        if (code != HY_OK)
            return code;
        if (prepare_steps(plan, &failed, &why) == HY_OK)
            return HY_OK;

        hy_log(HY_LOG_WARNING, "plan", "%s; planning without it", why.text);
        drop_steps(plan);
        code = hy_plan_matrix_exclude(&plan->matrix, &plan->arena, failed, &why, err);
        if (code != HY_OK)
            return code;
    }
}

static enum hy_code fill(struct hy_plan *plan, struct hy_error *err)
{
    struct hy_plan_request *request = &plan->request;
    const struct hy_subgraph *graph = request->model->main;

    plan->choices = hy_plan_take(&plan->arena, graph->operation_count, sizeof *plan->choices);
    request->devices = hy_arena_copy(&plan->arena, request->devices, request->device_count,
                                     sizeof *request->devices);
    if (!plan->choices || !request->devices)
        return hy_fail(err, HY_OUT_OF_MEMORY, "plan of %u operations", graph->operation_count);

    plan->matrix.device_count = request->device_count;
    plan->matrix.operation_count = graph->operation_count;
    plan->matrix.devices = request->devices;
    enum hy_code code = hy_operand_uses_find(graph, &plan->arena, &plan->uses, err);
    if (code == HY_OK)
        code = hy_plan_matrix_fill(&plan->matrix, &plan->arena, request->model, request->preference,
                                   err);
    if (code == HY_OK)
        code = settle(plan, err);
    return code == HY_OK ? hy_plan_explain(plan, err) : code;
}

enum hy_code hy_plan_create(const struct hy_plan_request *request, struct hy_plan **ret,
                            struct hy_error *err)
{
    const uint64_t start = hy_clock_now();
    struct hy_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return hy_fail(err, HY_OUT_OF_MEMORY, "plan of %zu bytes", sizeof *plan);

    pthread_mutex_init(&plan->spare_lock, NULL);
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
