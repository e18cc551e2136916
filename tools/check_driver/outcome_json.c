#include "tools/check_driver/outcome.h"
#include "tools/print_json.h"

static const char *result_name(enum hy_rule_state state)
{
    return state == HY_RULE_BROKEN ? "failed" : hy_rule_state_name(state);
}

static json_t *operations_array(const struct hy_operation_support *info)
{
    json_t *operations = json_array();
    for (uint32_t op = 0; op < HY_OP_COUNT; op++) {
        if (info[op].asked == 0)
            continue;
        json_t *reasons = json_array();
        for (uint32_t i = 0; i < HY_REASONS_MAX && info[op].reasons[i][0]; i++)
            json_array_append_new(reasons, hy_json_text(info[op].reasons[i]));
        json_array_append_new(operations, json_pack("{s:s, s:i, s:i, s:o}", "operation",
                                                    hy_operation_name(hy_op_code(op)), "queried",
                                                    (int)info[op].asked, "supported",
                                                    (int)info[op].accepted, "reasons", reasons));
    }
    return operations;
}

static json_t *group_object(const struct hy_group *group)
{
    json_t *rules = json_array();
    for (uint32_t i = 0; i < HY_RULE_COUNT; i++) {
        const struct hy_rule_outcome *outcome = &group->rules[i];
        if (group->has[i])
            json_array_append_new(
                rules, json_pack("{s:s, s:s, s:s, s:o}", "rule", hy_rule_name(i), "text",
                                 hy_rule_text(i), "result", result_name(outcome->state), "detail",
                                 hy_json_text(outcome->detail ? outcome->detail : "")));
    }
    return json_pack("{s:o, s:i, s:i, s:o, s:o}", "device",
                     group->device[0] ? hy_json_text(group->device) : json_null(), "models",
                     (int)group->model_count, "supported_models", (int)group->claimed_count,
                     "operations", operations_array(group->operations), "rules", rules);
}

enum hy_code hy_outcome_print_json(const struct hy_outcome *outcome, struct hy_error *err)
{
    json_t *groups = json_array();
    for (uint32_t i = 0; i < outcome->group_count; i++)
        json_array_append_new(groups, group_object(&outcome->groups[i]));
    return hy_json_print(
        json_pack("{s:o, s:o, s:o, s:i, s:i, s:i, s:o}", "library",
                  hy_json_text(outcome->target->library), "manifest",
                  outcome->target->dir[0] ? json_null() : hy_json_text(outcome->target->manifest),
                  "arguments", json_loads(outcome->target->arguments, 0, NULL), "ok",
                  (int)hy_outcome_count(outcome, HY_RULE_PASSED), "failed",
                  (int)hy_outcome_count(outcome, HY_RULE_BROKEN), "skipped",
                  (int)hy_outcome_count(outcome, HY_RULE_SKIPPED), "groups", groups),
        err);
}
