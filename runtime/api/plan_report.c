/* halyard.h: the device of each operation of a compilation, and the reason. */
#include "halyard/halyard.h"
#include "out_struct.h"
#include "runtime/extension/code_text.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"
#include "runtime/plan/bodies.h"
#include "runtime/plan/plan_counters.h"
#include "runtime/plan/report.h"
#include "runtime/report/report.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static_assert((int)HY_CACHE_OFF == HALYARD_CACHE_OFF &&
                  (int)HY_CACHE_UNUSED == HALYARD_CACHE_UNUSED &&
                  (int)HY_CACHE_HIT == HALYARD_CACHE_HIT &&
                  (int)HY_CACHE_STORED == HALYARD_CACHE_STORED &&
                  (int)HY_CACHE_NOT_STORED == HALYARD_CACHE_NOT_STORED,
              "values are passed on");

int halyard_compilation_get_plan(const ANeuralNetworksCompilation *handle, struct halyard_plan *out)
{
    static const char name[] = "compilation_get_plan";
    const struct hy_compilation *own = hy_compilation_of(handle);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    if (!out)
        return hy_api_null(name, "plan");
    enum hy_code code = hy_compilation_check_finished(own, &err);
    if (code != HY_OK)
        return hy_api_result(name, code, &err);

    const struct hy_plan *plan = own->plan;
    const struct halyard_plan full = {
        .operation_count = plan->support_matrix.operation_count,
        .step_count = plan->step_count,
        .device_count = plan->request.device_count,
        .fallback_count = plan->fallback_count,
        .compile_ns = plan->compile_ns,
        .boundary_bytes = plan->tensor_bytes,
        .execution_count = hy_work_executions(own),
        .predicted_ns = plan->predicted_ns,
        .copied_bytes = atomic_load_explicit(&own->copied_bytes, memory_order_relaxed),
        .device_boundary_bytes = plan->device_tensor_bytes,
    };
    return hy_api_result(name, hy_out_struct_copy(out, &full, sizeof full, &err), &err);
}

static const struct hy_runtime_device *seen_device(const struct hy_plan *plan, uint32_t operation)
{
    return hy_bodies_seen_device(plan, plan->assigned[operation].device, operation);
}

static enum hy_code fill_step(const struct hy_plan *plan, uint32_t index,
                              struct halyard_plan_step *full, struct hy_error *err)
{
    if (index >= plan->step_count)
        return hy_fail(err, HY_BAD_DATA, "step %u does not exist, the plan has %u", index,
                       plan->step_count);

    const struct hy_step *step = &plan->steps[index];
    const struct hy_step_counters *counters = &plan->counters->steps[index];
    const struct hy_cache_outcome cache = hy_cache_session_outcome(&step->cache);
    *full = (struct halyard_plan_step){
        .device = hy_device_handle(seen_device(plan, step->operations[0])),
        .operation_count = step->operation_count,
        .input_bytes = step->input_bytes,
        .output_bytes = step->output_bytes,
        .prepare_ns = step->prepare_ns,
        .run_count = atomic_load_explicit(&counters->run_count, memory_order_relaxed),
        .total_ns = atomic_load_explicit(&counters->total_ns, memory_order_relaxed),
        .predicted_ns = step->predicted_ns,
        .cache = (int32_t)cache.kind,
        .cache_reason = cache.reason,
        .cache_bytes = cache.bytes,
        .fallback_run_count =
            atomic_load_explicit(&counters->fallback_run_count, memory_order_relaxed),
    };
    return HY_OK;
}

int halyard_compilation_get_step(const ANeuralNetworksCompilation *handle, uint32_t step,
                                 struct halyard_plan_step *out)
{
    static const char name[] = "compilation_get_step";
    const struct hy_compilation *own = hy_compilation_of(handle);
    struct halyard_plan_step full;
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    if (!out)
        return hy_api_null(name, "out");
    enum hy_code code = hy_compilation_check_finished(own, &err);
    if (code == HY_OK)
        code = fill_step(own->plan, step, &full, &err);
    if (code == HY_OK && out->struct_size > offsetof(struct halyard_plan_step, token))
        code = hy_plan_step_token(own->plan, &own->plan->steps[step], full.token, &err);
    if (code == HY_OK)
        code = hy_out_struct_copy(out, &full, sizeof full, &err);
    return hy_api_result(name, code, &err);
}

/* Maps an operation number of the app to a number of the view. */
static enum hy_code find_operation(const struct hy_plan *plan, uint32_t number, uint32_t *ret,
                                   struct hy_error *err)
{
    const uint32_t count = plan->support_matrix.operation_count;

    if (number >= count)
        return hy_fail(err, HY_BAD_DATA, "operation %u does not exist, the model has %u", number,
                       count);
    *ret = plan->index_of[number];
    return HY_OK;
}

static void fill_operation(const struct hy_plan *plan, uint32_t operation,
                           struct halyard_plan_operation *full)
{
    const struct hy_support_matrix *support_matrix = &plan->support_matrix;
    const struct hy_plan_assignment assignment = plan->assigned[operation];
    const bool alone = assignment.runner_up == HY_NO_DEVICE;

    *full = (struct halyard_plan_operation){
        .type = plan->request.model->main->operations[operation].type,
        .step = plan->step_of[operation],
        .device = hy_device_handle(seen_device(plan, operation)),
        .runner_up =
            alone ? NULL
                  : hy_device_handle(hy_bodies_seen_device(plan, assignment.runner_up, operation)),
        .cost = hy_support_matrix_cost(support_matrix, assignment.device, operation),
        .runner_up_cost =
            alone ? HALYARD_NO_COST
                  : hy_support_matrix_cost(support_matrix, assignment.runner_up, operation),
        .reason = plan->why[operation],
    };
    full->name = hy_operation_text(full->type);
}

int halyard_compilation_get_operation(const ANeuralNetworksCompilation *handle, uint32_t operation,
                                      struct halyard_plan_operation *out)
{
    static const char name[] = "compilation_get_operation";
    const struct hy_compilation *own = hy_compilation_of(handle);
    struct halyard_plan_operation full;
    struct hy_error err;
    uint32_t index = 0;

    if (!own)
        return hy_api_null(name, "compilation");
    if (!out)
        return hy_api_null(name, "out");
    enum hy_code code = hy_compilation_check_finished(own, &err);
    if (code == HY_OK)
        code = find_operation(own->plan, operation, &index, &err);
    if (code == HY_OK) {
        fill_operation(own->plan, index, &full);
        code = hy_out_struct_copy(out, &full, sizeof full, &err);
    }
    return hy_api_result(name, code, &err);
}

static enum hy_code find_device(const struct hy_plan *plan, const ANeuralNetworksDevice *device,
                                uint32_t *ret, struct hy_error *err)
{
    for (uint32_t i = 0; i < plan->request.device_count; i++) {
        if (plan->support_matrix.devices[i] == hy_device_of(device)) {
            *ret = i;
            return HY_OK;
        }
    }
    return hy_fail(err, HY_BAD_DATA, "device %p was not among the devices of the compilation",
                   (const void *)device);
}

int halyard_compilation_get_refusal(const ANeuralNetworksCompilation *handle, uint32_t operation,
                                    const ANeuralNetworksDevice *device, const char **reason)
{
    static const char name[] = "compilation_get_refusal";
    const struct hy_compilation *own = hy_compilation_of(handle);
    struct hy_error err;
    uint32_t index = 0, row = 0;

    if (!own)
        return hy_api_null(name, "compilation");
    if (!device)
        return hy_api_null(name, "device");
    if (!reason)
        return hy_api_null(name, "reason");
    enum hy_code code = hy_compilation_check_finished(own, &err);
    if (code == HY_OK)
        code = find_operation(own->plan, operation, &index, &err);
    if (code == HY_OK)
        code = find_device(own->plan, device, &row, &err);
    if (code == HY_OK)
        *reason = hy_support_matrix_refusal(&own->plan->support_matrix, row, index);
    return hy_api_result(name, code, &err);
}

static enum hy_code make_report(const struct hy_compilation *own, int32_t format, char **text,
                                size_t *length, struct hy_error *err)
{
    switch (format) {
    case HALYARD_REPORT_JSON:
        return hy_report_json(own, NULL, text, length, err);
    case HALYARD_REPORT_DOT:
        return hy_report_dot(own, text, length, err);
    default:
        return hy_fail(err, HY_BAD_DATA, "format %d, needs 0 or 1", format);
    }
}

int halyard_compilation_write_report(const ANeuralNetworksCompilation *handle, int32_t format,
                                     char *text, size_t capacity, size_t *length)
{
    static const char name[] = "compilation_write_report";
    const struct hy_compilation *own = hy_compilation_of(handle);
    struct hy_error err;
    char *whole = NULL;
    size_t whole_length = 0;

    if (!own)
        return hy_api_null(name, "compilation");
    if (!text && capacity > 0)
        return hy_api_null(name, "text");
    if (!length)
        return hy_api_null(name, "length");
    enum hy_code code = hy_compilation_check_finished(own, &err);
    if (code == HY_OK)
        code = make_report(own, format, &whole, &whole_length, &err);
    if (code == HY_OK) {
        if (capacity > 0)
            snprintf(text, capacity, "%s", whole);
        *length = whole_length;
        free(whole);
    }
    return hy_api_result(name, code, &err);
}

int halyard_compilation_measure_steps(ANeuralNetworksCompilation *handle, bool measure)
{
    static const char name[] = "compilation_measure_steps";
    struct hy_compilation *own = hy_compilation_of(handle);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_compilation_check_finished(own, &err);
    if (code == HY_OK)
        atomic_store_explicit(&own->measure_steps, measure, memory_order_relaxed);
    return hy_api_result(name, code, &err);
}

int halyard_compilation_split_operations(ANeuralNetworksCompilation *handle, bool split)
{
    static const char name[] = "compilation_split_operations";
    struct hy_compilation *own = hy_compilation_of(handle);
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    enum hy_code code = hy_compilation_check_building(own, &err);
    if (code == HY_OK)
        own->split_operations = split;
    return hy_api_result(name, code, &err);
}
