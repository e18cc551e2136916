#ifndef HY_TOOLS_VECTORS_REPORT_H
#define HY_TOOLS_VECTORS_REPORT_H

#include "tools/vectors/skip.h"
#include "tools/vectors/vector.h"

enum hy_outcome {
    HY_PASSED,
    HY_TEST_FAILED,
    HY_SKIPPED,
};

struct hy_test_result {
    const char *spec; /* of the vector file, as the name */
    const char *name;
    enum hy_outcome outcome;
    enum hy_skip_rule rule; /* of HY_SKIPPED */
    char *detail;           /* "" for a pass, and where the rule says all */
    double seconds;
};

struct hy_conformance_report {
    uint32_t passed;
    uint32_t failed;
    uint32_t skipped;
    uint32_t skipped_by[HY_SKIP_RULE_COUNT];
    uint32_t model_count; /* of merged tests, and what their plans are like; 0: none are merged */
    uint32_t split_count; /* models of more than one step */
    uint32_t step_count;
    bool is_cached;          /* tests are compiled twice, with a cache */
    uint32_t compiled_count; /* models that were then compiled, on devices that cache */
    uint32_t hit_count;      /* of those, how many came from the cache the second time */
    uint32_t count;
    struct hy_test_result *results;
};

/* Takes a zeroed report. `result->detail` is copied. */
HY_MUST_CHECK enum hy_code hy_report_add(struct hy_conformance_report *report,
                                         const struct hy_test_result *result, struct hy_error *err);
void hy_report_finish(struct hy_conformance_report *report);

/* "passed", "failed", "skipped". */
const char *hy_outcome_name(enum hy_outcome outcome);

/* Failures, what was skipped and why, and counts, to stdout. */
void hy_report_print(const struct hy_conformance_report *report);

/* {"passed", "failed", "skipped", "skipped_by_reason": {reason: count}, "tests": [{"name",
 * "result", "detail"}]}, to stdout. A skipped test has its "reason" too. Of merged tests also
 * "merged": {"models", "split", "steps"}, with a cache "cached": {"models", "hits"}. */
HY_MUST_CHECK enum hy_code hy_report_print_json(const struct hy_conformance_report *report,
                                                struct hy_error *err);

/* The same for several modes: each adds its report to `*modes`, NULL at first, and in the end
 * {"modes": {mode: report}} is printed, which takes them. */
struct json_t;
HY_MUST_CHECK enum hy_code hy_report_add_json(struct json_t **modes, const char *mode,
                                              const struct hy_conformance_report *report,
                                              struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_report_print_modes_json(struct json_t *modes, struct hy_error *err);

/* The form that build servers read: one test suite, a class per vector file. */
HY_MUST_CHECK enum hy_code hy_report_write_junit(const struct hy_conformance_report *report,
                                                 const char *path, struct hy_error *err);

#endif
