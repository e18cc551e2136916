#include "tools/print_json.h"
#include "tools/vectors/report.h"

static json_t *result_object(const struct hy_test_result *result)
{
    json_t *object =
        json_pack("{s:o, s:s, s:o}", "name", hy_json_text(result->name), "result",
                  hy_outcome_name(result->outcome), "detail", hy_json_text(result->detail));
    if (object && result->outcome == HY_SKIPPED)
        json_object_set_new(object, "reason", json_string(hy_skip_reason(result->rule)));
    return object;
}

static json_t *reasons_object(const struct hy_conformance_report *report)
{
    json_t *reasons = json_object();
    for (int rule = HY_SKIP_NONE + 1; rule < HY_SKIP_RULE_COUNT; rule++)
        if (report->skipped_by[rule])
            json_object_set_new(reasons, hy_skip_reason(rule),
                                json_integer(report->skipped_by[rule]));
    return reasons;
}

static json_t *merged_object(const struct hy_conformance_report *report)
{
    return json_pack("{s:i, s:i, s:i}", "models", (int)report->model_count, "split",
                     (int)report->split_count, "steps", (int)report->step_count);
}

static json_t *report_object(const struct hy_conformance_report *report)
{
    json_t *tests = json_array();
    for (uint32_t i = 0; i < report->count; i++)
        json_array_append_new(tests, result_object(&report->results[i]));
    json_t *object = json_pack("{s:i, s:i, s:i, s:o, s:o}", "passed", (int)report->passed, "failed",
                               (int)report->failed, "skipped", (int)report->skipped,
                               "skipped_by_reason", reasons_object(report), "tests", tests);
    if (object && report->model_count)
        json_object_set_new(object, "merged", merged_object(report));
    if (object && report->is_cached)
        json_object_set_new(object, "cached",
                            json_pack("{s:i, s:i}", "models", (int)report->compiled_count, "hits",
                                      (int)report->hit_count));
    return object;
}

enum hy_code hy_report_print_json(const struct hy_conformance_report *report, struct hy_error *err)
{
    return hy_json_print(report_object(report), err);
}

enum hy_code hy_report_add_json(struct json_t **modes, const char *mode,
                                const struct hy_conformance_report *report, struct hy_error *err)
{
    if (!*modes)
        *modes = json_object();
    return json_object_set_new(*modes, mode, report_object(report)) == 0
               ? HY_OK
               : hy_fail(err, HY_OUT_OF_MEMORY, "the JSON could not be built");
}

enum hy_code hy_report_print_modes_json(struct json_t *modes, struct hy_error *err)
{
    return hy_json_print(json_pack("{s:o}", "modes", modes), err);
}
