#include "runtime/report/report.h"

#include "runtime/extension/code_text.h"
#include "runtime/plan/plan_counters.h"
#include "runtime/plan/report.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Driver texts were converted to valid UTF-8 on receipt. A text that jansson still refuses is
 * omitted. */
static json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    return value ? value : json_string("");
}

static json_t *device_name(const struct hy_runtime_device *device)
{
    return text_value(device->info.name);
}

static json_t *operation_object(const struct hy_plan *plan, uint32_t number)
{
    const uint32_t operation = plan->index_of[number];
    const struct hy_support_matrix *support_matrix = &plan->support_matrix;
    const struct hy_plan_assignment assignment = plan->assigned[operation];
    const int32_t type = plan->request.model->main->operations[operation].type;

    json_t *object = json_pack("{s:I, s:s, s:i, s:I, s:o, s:f, s:o}", "index", (json_int_t)number,
                               "name", hy_operation_text(type), "type", (int)type, "step",
                               (json_int_t)plan->step_of[operation], "device",
                               device_name(support_matrix->devices[assignment.device]), "cost",
                               hy_support_matrix_cost(support_matrix, assignment.device, operation),
                               "reason", text_value(plan->why[operation]));
    if (object && assignment.runner_up != HY_NO_DEVICE) {
        json_object_set_new(object, "runner_up",
                            device_name(support_matrix->devices[assignment.runner_up]));
        json_object_set_new(
            object, "runner_up_cost",
            json_real(hy_support_matrix_cost(support_matrix, assignment.runner_up, operation)));
    }
    return object;
}

static json_t *token_text(const struct hy_plan *plan, const struct hy_step *step)
{
    uint8_t token[HY_TOKEN_SIZE];
    char text[2 * HY_TOKEN_SIZE + 1];
    struct hy_error none;

    if (hy_plan_step_token(plan, step, token, &none) != HY_OK)
        return NULL;
    for (size_t i = 0; i < HY_TOKEN_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", token[i]);
    return json_string(text);
}

const char *hy_report_cache_text(enum hy_cache_kind kind)
{
    switch (kind) {
    case HY_CACHE_OFF:
        return "off";
    case HY_CACHE_UNUSED:
        return "unused";
    case HY_CACHE_HIT:
        return "hit";
    case HY_CACHE_STORED:
        return "stored";
    case HY_CACHE_NOT_STORED:
        return "not stored";
    }
    return "unknown";
}

static json_t *cache_object(const struct hy_cache_session *session)
{
    const struct hy_cache_outcome cache = hy_cache_session_outcome(session);

    return json_pack("{s:s, s:o, s:I, s:I, s:I}", "outcome", hy_report_cache_text(cache.kind),
                     "reason", text_value(cache.reason), "bytes", (json_int_t)cache.bytes,
                     "find_ns", (json_int_t)cache.find_ns, "publish_ns",
                     (json_int_t)cache.publish_ns);
}

static json_t *step_object(const struct hy_plan *plan, uint32_t index)
{
    const struct hy_step *step = &plan->steps[index];
    const struct hy_step_counters *counters = &plan->counters->steps[index];
    const uint64_t runs = atomic_load_explicit(&counters->run_count, memory_order_relaxed);
    const uint64_t total = atomic_load_explicit(&counters->total_ns, memory_order_relaxed);
    json_t *object = json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "device", device_name(step->device),
        "operations", (json_int_t)step->operation_count, "input_bytes",
        (json_int_t)step->input_bytes, "output_bytes", (json_int_t)step->output_bytes, "prepare_ns",
        (json_int_t)step->prepare_ns, "predicted_ns", (json_int_t)step->predicted_ns, "runs",
        (json_int_t)runs, "token", token_text(plan, step));
    if (object && runs > 0)
        json_object_set_new(object, "measured_ns", json_integer((json_int_t)(total / runs)));
    if (object && step->cache.kind != HY_CACHE_OFF)
        json_object_set_new(object, "cache", cache_object(&step->cache));
    return object;
}

static json_t *refusals_array(const struct hy_plan *plan)
{
    const struct hy_support_matrix *support_matrix = &plan->support_matrix;
    json_t *array = json_array();

    for (uint32_t device = 0; device < support_matrix->device_count; device++) {
        for (uint32_t i = 0; i < support_matrix->operation_count; i++) {
            const uint32_t operation = plan->index_of[i];
            if (hy_support_matrix_can(support_matrix, device, operation))
                continue;
            json_array_append_new(
                array, json_pack("{s:I, s:o, s:o}", "operation", (json_int_t)i, "device",
                                 device_name(support_matrix->devices[device]), "reason",
                                 text_value(hy_support_matrix_refusal(support_matrix, device,
                                                                      operation))));
        }
    }
    return array;
}

static json_t *devices_array(const struct hy_plan *plan)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < plan->support_matrix.device_count; i++)
        json_array_append_new(array, device_name(plan->support_matrix.devices[i]));
    return array;
}

static json_t *tensors_array(const struct hy_plan *plan)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const struct hy_boundary_tensor *tensor = &plan->tensors[i];
        json_t *object =
            json_pack("{s:I, s:I, s:I}", "first_step", (json_int_t)tensor->first_step, "last_step",
                      (json_int_t)tensor->last_step, "bytes", (json_int_t)tensor->bytes);
        if (object && tensor->device)
            json_object_set_new(object, "device", device_name(tensor->device));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *report_object(const struct hy_compilation *compilation)
{
    const struct hy_plan *plan = compilation->plan;
    json_t *operations = json_array(), *steps = json_array();

    for (uint32_t i = 0; i < plan->support_matrix.operation_count; i++)
        json_array_append_new(operations, operation_object(plan, i));
    for (uint32_t i = 0; i < plan->step_count; i++)
        json_array_append_new(steps, step_object(plan, i));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "devices",
                     devices_array(plan), "operations", operations, "steps", steps, "refusals",
                     refusals_array(plan), "boundary_tensors", tensors_array(plan),
                     "boundary_bytes", (json_int_t)plan->tensor_bytes, "device_boundary_bytes",
                     (json_int_t)plan->device_tensor_bytes, "fallbacks",
                     (json_int_t)plan->fallback_count, "compile_ns", (json_int_t)plan->compile_ns,
                     "predicted_ns", (json_int_t)plan->predicted_ns, "executions",
                     (json_int_t)hy_work_executions(compilation), "copied_bytes",
                     (json_int_t)compilation->copied_bytes);
}

enum hy_code hy_report_json(const struct hy_compilation *compilation,
                            const struct hy_report_occasion *occasion, char **text, size_t *length,
                            struct hy_error *err)
{
    json_t *report = report_object(compilation);
    if (report && occasion) {
        json_object_set_new(report, "event", json_string(occasion->event));
        json_object_set_new(report, "compilation", json_integer((json_int_t)occasion->compilation));
        json_object_set_new(report, "process", json_integer(occasion->process));
        json_object_set_new(report, "program", text_value(occasion->program));
        json_object_set_new(report, "time", json_integer((json_int_t)occasion->time));
    }
    char *line = report ? json_dumps(report, JSON_COMPACT) : NULL;
    json_decref(report);
    if (!line)
        return hy_fail(err, HY_OUT_OF_MEMORY, "report of %u operations",
                       compilation->plan->support_matrix.operation_count);
    *text = line;
    *length = strlen(line);
    return HY_OK;
}
