#include "tools/explanation.h"
#include "tools/print_json.h"

static json_t *operation_object(const struct hy_explanation *explanation, uint32_t index)
{
    const struct halyard_plan_operation *operation = &explanation->operations[index];
    const struct hy_converted_model *model = hy_session_model(explanation->session);
    json_t *object = json_pack(
        "{s:I, s:I, s:s, s:i, s:I, s:o, s:f, s:o}", "index", (json_int_t)index, "operator",
        (json_int_t)hy_converted_model_operator(model, index), "name", operation->name, "type",
        (int)operation->type, "step", (json_int_t)operation->step, "device",
        hy_json_text(hy_device_name(operation->device)), "cost", operation->cost, "reason",
        hy_json_text(operation->reason));
    if (object && operation->runner_up) {
        json_object_set_new(object, "runner_up",
                            hy_json_text(hy_device_name(operation->runner_up)));
        json_object_set_new(object, "runner_up_cost", json_real(operation->runner_up_cost));
    }
    return object;
}

static json_t *step_object(const struct halyard_plan_step *step)
{
    char token[HY_TOKEN_TEXT_SIZE];
    hy_token_text(step->token, token);
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:s}", "device",
                     hy_json_text(hy_device_name(step->device)), "operations",
                     (json_int_t)step->operation_count, "input_bytes",
                     (json_int_t)step->input_bytes, "output_bytes", (json_int_t)step->output_bytes,
                     "prepare_ns", (json_int_t)step->prepare_ns, "token", token);
}

static json_t *refusal_object(const struct hy_refusal *refusal)
{
    return json_pack("{s:I, s:o, s:o}", "operation", (json_int_t)refusal->operation, "device",
                     hy_json_text(refusal->device), "reason", hy_json_text(refusal->reason));
}

enum hy_code hy_explanation_print_json(const struct hy_explanation *explanation,
                                       struct hy_error *err)
{
    const struct halyard_plan *plan = &explanation->plan;
    json_t *operations = json_array();
    json_t *steps = json_array();
    json_t *refusals = json_array();
    for (uint32_t i = 0; i < plan->operation_count; i++)
        json_array_append_new(operations, operation_object(explanation, i));
    for (uint32_t i = 0; i < plan->step_count; i++)
        json_array_append_new(steps, step_object(&explanation->steps[i]));
    for (uint32_t i = 0; i < explanation->refusal_count; i++)
        json_array_append_new(refusals, refusal_object(&explanation->refusals[i]));

    return hy_json_print(
        json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "operations", operations, "steps", steps,
                  "refusals", refusals, "border_bytes", (json_int_t)plan->border_bytes, "fallbacks",
                  (json_int_t)plan->fallback_count, "compile_ns", (json_int_t)plan->compile_ns),
        err);
}
