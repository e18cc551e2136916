#include "tools/print_json.h"
#include "tools/vectors/report.h"

enum hy_code hy_report_print_json(const struct hy_conformance_report *report, struct hy_error *err)
{
    json_t *tests = json_array();
    for (uint32_t i = 0; i < report->count; i++) {
        const struct hy_test_result *result = &report->results[i];
        json_array_append_new(tests,
                              json_pack("{s:o, s:s, s:o}", "name", hy_json_text(result->name),
                                        "result", hy_outcome_name(result->outcome), "detail",
                                        hy_json_text(result->detail)));
    }
    json_t *reasons = json_object();
    if (report->skipped)
        json_object_set_new(reasons, HY_SKIP_NO_OPERATION, json_integer(report->skipped));
    return hy_json_print(json_pack("{s:i, s:i, s:i, s:o, s:o}", "passed", (int)report->passed,
                                   "failed", (int)report->failed, "skipped", (int)report->skipped,
                                   "skipped_by_reason", reasons, "tests", tests),
                         err);
}
