#include "runtime/plan/plan.h"

#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/plan/assign.h"
#include "runtime/plan/prepare.h"
#include "runtime/plan/report.h"
#include "runtime/plan/take.h"

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
        enum hy_code code = hy_plan_assign(plan, err);
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
    enum hy_code code =
        hy_plan_matrix_fill(&plan->matrix, &plan->arena, request->model, request->preference, err);
    if (code == HY_OK)
        code = settle(plan, err);
    if (code != HY_OK)
        return code;
    hy_plan_predict(plan);
    return hy_plan_explain(plan, err);
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
