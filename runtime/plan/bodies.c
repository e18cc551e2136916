#include "runtime/plan/bodies.h"

#include "common/clock.h"
#include "common/operations/control_flow.h"
#include "runtime/device/device_kind.h"
#include "runtime/log.h"
#include "runtime/plan/alloc.h"
#include "runtime/plan/cost/cost.h"
#include "runtime/plan/plan_search.h"
#include "runtime/plan/support/open_loops.h"

#include <stdio.h>
#include <stdlib.h>

struct hy_body *hy_bodies_find(const struct hy_bodies *bodies, const struct hy_model *model,
                               const struct hy_operation *operation, uint32_t which)
{
    const uint32_t input = hy_control_flow_first_model(operation->type) + which;
    const uint32_t operand = operation->inputs[input];

    return &bodies->list[model->main->operands[operand].location.offset];
}

/* ---- Making them ----------------------------------------------------------------------------- */

static bool has_drivers(const struct hy_plan_request *request)
{
    for (uint32_t i = 0; i < request->device_count; i++) {
        if (!hy_device_is_built_in(request->devices[i]))
            return true;
    }
    return false;
}

static void weigh(struct hy_body *body)
{
    const struct hy_plan *plan = body->plan;
    const struct hy_support_matrix *support_matrix = &plan->support_matrix;

    body->time = body->cost = (double)plan->predicted_ns;
    for (uint32_t i = 0; i < support_matrix->operation_count; i++) {
        const size_t cell = (size_t)plan->assigned[i].device * support_matrix->operation_count + i;
        body->cost += support_matrix->costs[cell] - plan->search->times[cell];
    }
    for (uint32_t i = 0; i < plan->step_count; i++)
        body->uses_drivers |= !hy_device_is_built_in(plan->steps[i].device);
}

static bool refers_to_bodies(const struct hy_subgraph *graph)
{
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        if (graph->operands[i].lifetime == HY_LIFETIME_SUBGRAPH)
            return true;
    }
    return false;
}

/* Bytes of copied constants with the same effort as an operand. */
#define BYTES_PER_ENTRY 64u

/*
 * The effort of planning the bodies, in operands and operations shown to a device. Each body comes
 * with the constants of all bodies, and a body with bodies comes with all bodies before it: the
 * effort grows with the square of their number.
 */
static uint64_t planning_work(const struct hy_model *model)
{
    const uint64_t constants = model->values_size / BYTES_PER_ENTRY + model->pool_count;
    uint64_t before = 0, sum = 0;

    for (uint32_t i = 0; i < model->referenced_count; i++) {
        const struct hy_subgraph *graph = model->referenced[i];
        const uint64_t own = (uint64_t)graph->operand_count + graph->operation_count + 1;
        before += own;
        sum += constants + (refers_to_bodies(graph) ? before : own);
    }
    return sum; /* cannot overflow: the counts describe objects in memory */
}

static bool is_too_much(const struct hy_model *model)
{
    const uint64_t work = planning_work(model);

    if (work <= HY_BODIES_MOST_WORK)
        return false;
    hy_log(HY_LOG_WARNING, "plan",
           "the %u bodies of IF and WHILE are too large to split over devices (%llu operands and "
           "operations, the limit is %llu): each body runs on the device of its operation",
           model->referenced_count, (unsigned long long)work,
           (unsigned long long)HY_BODIES_MOST_WORK);
    return true;
}

/* Bodies keep the order of addition. */
static const uint32_t *alloc_order(struct hy_arena *arena, uint32_t count)
{
    uint32_t *order = hy_plan_alloc(arena, count, sizeof *order);
    for (uint32_t i = 0; order && i < count; i++)
        order[i] = i;
    return order;
}

static enum hy_code build(struct hy_bodies *bodies, const struct hy_plan_request *whole,
                          uint32_t index, struct hy_error *err)
{
    struct hy_body *body = &bodies->list[index];
    struct hy_plan_request request = *whole;
    struct hy_error why;

    body->model = *whole->model;
    body->model.struct_size = sizeof body->model;
    body->model.main = whole->model->referenced[index];
    /* Referenced bodies have lower indices. */
    body->model.referenced_count = refers_to_bodies(body->model.main) ? index : 0;
    request.model = &body->model;
    request.bodies = bodies;
    request.is_part = true;
    request.operation_order = alloc_order(&bodies->arena, body->model.main->operation_count);
    if (!request.operation_order)
        return hy_fail(err, HY_OUT_OF_MEMORY, "order of body %u", index);
    enum hy_code code = hy_plan_build(&request, &body->plan, &why);
    if (code == HY_OK)
        weigh(body);
    if (code == HY_OUT_OF_MEMORY || hy_clock_is_past(request.deadline))
        return hy_fail(err, code == HY_OUT_OF_MEMORY ? code : HY_MISSED_DEADLINE_FOR_GOOD, "%s",
                       code == HY_OK ? "the deadline passed while bodies were planned" : why.text);
    return HY_OK;
}

static enum hy_code build_all(struct hy_bodies *bodies, const struct hy_plan_request *request,
                              struct hy_error *err)
{
    const struct hy_model *model = request->model;
    const bool *open;

    bodies->device_count = request->device_count;
    bodies->list = hy_plan_alloc(&bodies->arena, model->referenced_count, sizeof *bodies->list);
    if (!bodies->list)
        return hy_fail(err, HY_OUT_OF_MEMORY, "plans of %u bodies", model->referenced_count);
    bodies->count = model->referenced_count;
    for (uint32_t i = 0; i < bodies->count; i++) {
        bodies->list[i].device_ns =
            hy_plan_alloc(&bodies->arena, request->device_count, sizeof(double));
        if (!bodies->list[i].device_ns)
            return hy_fail(err, HY_OUT_OF_MEMORY, "devices of body %u", i);
    }
    enum hy_code code = hy_plan_find_open_bodies(model, &bodies->arena, &open, err);
    for (uint32_t i = 0; code == HY_OK && i < bodies->count; i++) {
        if (!open[i])
            code = build(bodies, request, i, err);
    }
    return code;
}

enum hy_code hy_bodies_create(const struct hy_plan_request *request, struct hy_bodies **ret,
                              struct hy_error *err)
{
    *ret = NULL;
    if (request->model->referenced_count == 0 || !request->executor || !has_drivers(request) ||
        is_too_much(request->model))
        return HY_OK;
    struct hy_bodies *bodies = calloc(1, sizeof *bodies);
    if (!bodies)
        return hy_fail(err, HY_OUT_OF_MEMORY, "plans of bodies");
    bodies->executor = request->executor;

    enum hy_code code = build_all(bodies, request, err);
    if (code != HY_OK) {
        hy_bodies_destroy(bodies);
        return code;
    }
    *ret = bodies;
    return HY_OK;
}

/* Outer bodies first, as they refer to others. */
void hy_bodies_destroy(struct hy_bodies *bodies)
{
    if (!bodies)
        return;
    for (uint32_t i = bodies->count; i-- > 0;) {
        bodies->executor->body_release(bodies->list[i].compilation);
        hy_plan_destroy(bodies->list[i].plan);
    }
    hy_arena_finish(&bodies->arena);
    free(bodies);
}

/* ---- Cost of interpreting -------------------------------------------------------------------- */

/* Expected number of runs of the first and the second body. */
static void expected_runs(const struct hy_operation *operation, double runs[2])
{
    const bool is_loop = operation->type == HY_OP_WHILE;

    runs[0] = is_loop ? HY_ASSUMED_ITERATIONS + 1 : .5;
    runs[1] = is_loop ? HY_ASSUMED_ITERATIONS : .5;
}

static const char *fill_cell(const struct hy_bodies *bodies, const struct hy_model *model,
                             const struct hy_operation *operation, double *time, double *cost)
{
    bool uses_drivers = false;
    double runs[2];

    if (!hy_is_control_flow(operation->type))
        return "not a control flow operation";
    expected_runs(operation, runs);
    *time = *cost = HY_CONTROL_FLOW_NS;
    for (uint32_t i = 0; i < 2; i++) {
        const struct hy_body *body = hy_bodies_find(bodies, model, operation, i);
        if (!body->plan)
            return "a body has no plan";
        *time += runs[i] * (body->time + HY_BODY_RUN_NS);
        *cost += runs[i] * (body->cost + HY_BODY_RUN_NS);
        uses_drivers |= body->uses_drivers;
    }
    return uses_drivers ? NULL : "no driver supports an operation of a body";
}

void hy_bodies_fill_row(const struct hy_bodies *bodies, const struct hy_model *model,
                        struct hy_support_matrix *support_matrix, double *times)
{
    const uint32_t row = hy_support_matrix_listed(support_matrix);

    for (uint32_t i = 0; i < support_matrix->operation_count; i++) {
        const size_t cell = (size_t)row * support_matrix->operation_count + i;
        const char *reason = fill_cell(bodies, model, &model->main->operations[i], &times[cell],
                                       &support_matrix->costs[cell]);
        if (!reason & &support_matrix->open_loops & &support_matrix->open_loops[i])
            reason = "the operation has tensors of unknown size";
        support_matrix->reasons[cell] = reason;
        support_matrix->supported[cell] = reason = = NULL;
    }
}

/* ---- Reports --------------------------------------------------------------------------------- */

static void add_device_times(double *to, const struct hy_body *from, uint32_t device_count)
{
    for (uint32_t i = 0; i < device_count; i++)
        to[i] += from->device_ns[i];
}

static void note_step(struct hy_bodies *bodies, struct hy_body *body, const struct hy_step *step)
{
    const struct hy_plan *plan = body->plan;
    const uint32_t row = plan->assigned[step->operations[0]].device;

    if (row < bodies->device_count) {
        body->device_ns[row] += 1.0 + (double)step->predicted_ns;
        return;
    }
    for (uint32_t i = 0; i < 2; i++)
        add_device_times(body->device_ns,
                         hy_bodies_find(bodies, step->model, &step->model->main->operations[0], i),
                         bodies->device_count);
}

void hy_bodies_note_device_times(struct hy_bodies *bodies)
{
    for (uint32_t i = 0; i < bodies->count; i++) {
        struct hy_body *body = &bodies->list[i];
        memset(body->device_ns, 0, bodies->device_count * sizeof *body->device_ns);
        for (uint32_t j = 0; body->plan && j < body->plan->step_count; j++)
            note_step(bodies, body, &body->plan->steps[j]);
    }
}

void hy_bodies_end_search(struct hy_bodies *bodies)
{
    for (uint32_t i = 0; i < bodies->count; i++) {
        struct hy_plan *plan = bodies->list[i].plan;
        if (!plan)
            continue;
        hy_plan_search_destroy(plan->search);
        plan->search = NULL;
    }
}

/* The share of a device of the request in both bodies of an operation. */
static double device_ns_of(const struct hy_plan *plan, uint32_t operation, uint32_t device)
{
    const struct hy_model *model = plan->request.model;
    const struct hy_operation *own = &model->main->operations[operation];

    return hy_bodies_find(plan->bodies, model, own, 0)->device_ns[device] +
           hy_bodies_find(plan->bodies, model, own, 1)->device_ns[device];
}

void hy_bodies_list_devices(const struct hy_plan *plan, uint32_t operation, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < plan->request.device_count && used < size; i++) {
        if (device_ns_of(plan, operation, i) <= 0)
            continue;
        const int length = snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                    plan->request.devices[i]->info.name);
        used += length > 0 ? (size_t)length : 0;
    }
}

const struct hy_runtime_device *hy_bodies_seen_device(const struct hy_plan *plan, uint32_t row,
                                                      uint32_t operation)
{
    uint32_t most = 0;

    if (row < plan->request.device_count)
        return plan->request.devices[row];
    for (uint32_t i = 1; i < plan->request.device_count; i++) {
        if (device_ns_of(plan, operation, i) > device_ns_of(plan, operation, most))
            most = i;
    }
    return plan->request.devices[most];
}

uint32_t hy_bodies_fallback_count(const struct hy_plan *plan, uint32_t operation)
{
    const struct hy_model *model = plan->request.model;
    uint32_t count = 0;

    for (uint32_t i = 0; i < 2; i++)
        count += hy_bodies_find(plan->bodies, model, &model->main->operations[operation], i)
                     ->plan->fallback_count;
    return count;
}
