#include "runtime/plan/report.h"

#include "runtime/cache/identity.h"
#include "runtime/device/device_kind.h"
#include "runtime/extension/code_text.h"
#include "runtime/log.h"
#include "runtime/plan/alloc.h"
#include "runtime/plan/bodies.h"
#include "runtime/plan/boundary_tensors.h"
#include "runtime/plan/cost/cost_model.h"
#include "runtime/plan/search/flow.h"

#include <stdio.h>
#include <string.h>

#define TEXT_SIZE 384

/* About a century: limits meaningless times to 64 bits. */
#define LONGEST_NS 3e18

/* The first non-CPU device that does not support the operation. HY_NO_DEVICE if a non-CPU device
 * supports it. */
static uint32_t refusing_device(const struct hy_plan *plan, uint32_t operation)
{
    const struct hy_support_matrix *support_matrix = &plan->support_matrix;
    const uint32_t count = hy_support_matrix_listed(support_matrix);
    uint32_t first = HY_NO_DEVICE;

    for (uint32_t i = 0; i < count; i++) {
        if (hy_device_is_backend(support_matrix->devices[i]))
            continue;
        if (hy_support_matrix_can(support_matrix, i, operation))
            return HY_NO_DEVICE;
        if (first == HY_NO_DEVICE)
            first = i;
    }
    return first;
}

/* True if the operation is on the CPU only because another device refuses it; `text` gets the
 * reason. */
static bool describe_fallback(const struct hy_plan *plan, uint32_t operation, char *text)
{
    const struct hy_support_matrix *support_matrix = &plan->support_matrix;
    const uint32_t refusing = refusing_device(plan, operation);

    if (refusing == HY_NO_DEVICE ||
        !hy_device_is_backend(support_matrix->devices[plan->assigned[operation].device]))
        return false;
    snprintf(text, TEXT_SIZE, "%s refuses the operation: %s",
             support_matrix->devices[refusing]->info.name,
             hy_support_matrix_refusal(support_matrix, refusing, operation));
    return true;
}

static void describe_assignment(const struct hy_plan *plan, uint32_t operation, char *text)
{
    const struct hy_support_matrix *support_matrix = &plan->support_matrix;
    const struct hy_plan_assignment assignment = plan->assigned[operation];

    if (assignment.runner_up == HY_NO_DEVICE) {
        snprintf(text, TEXT_SIZE, "the only device that supports the operation");
        return;
    }
    const struct hy_runtime_device *other = support_matrix->devices[assignment.runner_up];
    const double cost = hy_support_matrix_cost(support_matrix, assignment.device, operation);
    const double other_cost =
        hy_support_matrix_cost(support_matrix, assignment.runner_up, operation);
    if (hy_device_is_reference(other))
        snprintf(text, TEXT_SIZE, "the only device apart from %s, the last resort",
                 other->info.name);
    else if (plan->request.split_operations)
        snprintf(text, TEXT_SIZE, "the first device that supports the operation");
    else if (cost < other_cost)
        snprintf(text, TEXT_SIZE, "lowest cost");
    else if (cost > other_cost)
        snprintf(text, TEXT_SIZE,
                 "same device as the neighbours: a step on %s would save less than the extra "
                 "transfers cost",
                 other->info.name);
    else
        snprintf(text, TEXT_SIZE, "same cost as on %s, %s", other->info.name,
                 hy_device_is_cpu(support_matrix->devices[assignment.device])
                     ? "ties go to the CPU"
                     : "ties go to the first");
}

/* True if an operation of its bodies fell back. */
static bool describe_interpreted(const struct hy_plan *plan, uint32_t operation, char *text)
{
    const uint32_t fallbacks = hy_bodies_fallback_count(plan, operation);
    char devices[TEXT_SIZE / 2];

    hy_bodies_list_devices(plan, operation, devices, sizeof devices);
    if (fallbacks > 0)
        snprintf(text, TEXT_SIZE, "interpreted: bodies on %s; %u operations of bodies fall back",
                 devices, fallbacks);
    else
        snprintf(text, TEXT_SIZE, "interpreted: bodies on %s", devices);
    return fallbacks > 0;
}

/* Writes the reason of one operation; true if it fell back. */
static bool describe(const struct hy_plan *plan, uint32_t operation, char *text)
{
    if (plan->assigned[operation].device >= hy_support_matrix_listed(&plan->support_matrix))
        return describe_interpreted(plan, operation, text);
    if (describe_fallback(plan, operation, text))
        return true;
    describe_assignment(plan, operation, text);
    return false;
}

/* Adjacent operations mostly have the same reason and share one text. */
static const char *save_text(struct hy_plan *plan, const char *before, const char *text)
{
    return before && strcmp(before, text) == 0 ? before : hy_plan_strdup(&plan->arena, text);
}

static void warn(const struct hy_plan *plan, uint32_t first_fallback)
{
    const struct hy_subgraph *graph = plan->request.model->main;
    const struct hy_runtime_device *device =
        hy_bodies_seen_device(plan, plan->assigned[first_fallback].device, first_fallback);

    char text[HY_LOG_TEXT_SIZE];
    snprintf(text, sizeof text,
             "%u of %u operations fall back to %s; the first is operation %u %s: %s",
             plan->fallback_count, graph->operation_count, device->info.name,
             plan->request.operation_order[first_fallback],
             hy_operation_text(graph->operations[first_fallback].type), plan->why[first_fallback]);
    hy_log_once(HY_LOG_WARNING, "plan", text); /* once, as a model may be compiled many times */
}

static bool invert_order(struct hy_plan *plan)
{
    plan->index_of =
        hy_plan_alloc(&plan->arena, plan->support_matrix.operation_count, sizeof *plan->index_of);
    for (uint32_t i = 0; plan->index_of && i < plan->support_matrix.operation_count; i++)
        plan->index_of[plan->request.operation_order[i]] = i;
    return plan->index_of != NULL;
}

enum hy_code hy_plan_explain(struct hy_plan *plan, struct hy_error *err)
{
    const uint32_t count = plan->support_matrix.operation_count;
    uint32_t first_fallback = 0;
    const char *before = NULL;

    plan->fallback_count = 0;
    plan->why = hy_plan_alloc(&plan->arena, count, sizeof *plan->why);
    for (uint32_t i = 0; plan->why && i < count; i++) {
        char text[TEXT_SIZE];
        if (describe(plan, i, text) && plan->fallback_count++ == 0)
            first_fallback = i;
        before = plan->why[i] = save_text(plan, before, text);
        if (!before)
            return hy_fail(err, HY_OUT_OF_MEMORY, "reason of operation %u", i);
    }
    if (!plan->why || !invert_order(plan))
        return hy_fail(err, HY_OUT_OF_MEMORY, "reasons of %u operations", count);
    if (plan->fallback_count > 0 && !plan->request.is_part)
        warn(plan, first_fallback);
    return HY_OK;
}

/* ---- Predictions ----------------------------------------------------------------------------- */

static double bytes_of(const struct hy_subgraph *graph, uint32_t count, const uint32_t *operands)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bytes = hy_operand_bytes(&graph->operands[operands[i]]);
        sum += bytes ? (double)bytes : HY_UNKNOWN_BYTES;
    }
    return sum;
}

static double step_time(const struct hy_plan *plan, const struct hy_step *step, const double *times)
{
    const struct hy_subgraph *graph = step->model->main;
    const uint32_t device = plan->assigned[step->operations[0]].device;
    const double *row = times + (size_t)device * plan->support_matrix.operation_count;
    const double byte = hy_byte_cost(step->device);
    double sum = hy_launch_cost(step->device);

    if (byte > 0)
        sum += byte * (bytes_of(graph, graph->input_count, graph->inputs) +
                       bytes_of(graph, graph->output_count, graph->outputs) -
                       (double)hy_boundary_tensors_spared(plan, step));
    for (uint32_t i = 0; i < step->operation_count; i++)
        sum += row[step->operations[i]];
    return sum;
}

void hy_plan_predict(struct hy_plan *plan, const double *times)
{
    double sum = 0;

    for (uint32_t i = 0; i < plan->step_count; i++) {
        const double time = step_time(plan, &plan->steps[i], times);
        plan->steps[i].predicted_ns = time < LONGEST_NS ? (uint64_t)time : (uint64_t)LONGEST_NS;
        sum += time;
    }
    plan->predicted_ns = sum < LONGEST_NS ? (uint64_t)sum : (uint64_t)LONGEST_NS;
}

/* ---- Identity -------------------------------------------------------------------------------- */

enum hy_code hy_plan_step_token(const struct hy_plan *plan, const struct hy_step *step,
                                uint8_t token[HY_TOKEN_SIZE], struct hy_error *err)
{
    const struct hy_cache_subject subject = {
        .device = step->device,
        .model = step->model,
        .attributes = plan->request.attributes,
        .preference = plan->request.preference,
        .priority = plan->request.priority,
    };

    if (!step->cache.is_listed)
        return hy_cache_identify(plan->request.caching, &subject, token, err);
    memcpy(token, step->cache.token, HY_TOKEN_SIZE);
    return HY_OK;
}
