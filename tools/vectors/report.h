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
    const char *spec; /* spec of the vector file, as in the name */
    const char *name;
    enum hy_outcome outcome;
    enum hy_skip_rule rule; /* for HY_SKIPPED */
    char *detail;           /* "" for a pass, and if the rule needs no detail */
    double seconds;
};

struct hy_conformance_report {
    uint32_t passed;
    uint32_t failed;
    uint32_t skipped;
    uint32_t skipped_by[HY_SKIP_RULE_COUNT];
    /* merged tests: number of models and of their plans' steps; 0: no merged tests */
    uint32_t model_count;
    uint32_t split_count; /* models of more than one step */
    uint32_t step_count;
    bool is_cached;          /* tests are compiled twice, with a cache */
    uint32_t compiled_count; /* models compiled on devices that cache */
    uint32_t hit_count;      /* models that came from the cache the second time */
    uint32_t count;
    struct hy_test_result *results;
};

/* Adds to a zeroed or earlier report. `result->detail` is copied. */
HY_MUST_CHECK enum hy_code hy_report_add(struct hy_conformance_report *report,
                                         const struct hy_test_result *result, struct hy_error *err);
void hy_report_finish(struct hy_conformance_report *report);

/* "passed", "failed", "skipped". */
const char *hy_outcome_name(enum hy_outcome outcome);

/* Prints failures, skipped tests with reasons, and counts, to stdout. */
void hy_report_print(const struct hy_conformance_report *report);

/* {"passed", "failed", "skipped", "skipped_by_reason": {reason: count}, "tests": [{"name",
 * "result", "detail"}]}, to stdout. A skipped test also has its "reason". Merged tests add
 * "merged": {"models", "split", "steps"}, a cache adds "cached": {"models", "hits"}. */
HY_MUST_CHECK enum hy_code hy_report_print_json(const struct hy_conformance_report *report,
                                                struct hy_error *err);

/* The report of several modes: each mode adds its report to `*modes`, initially NULL, and the last
 * call prints and releases {"modes": {mode: report}}. */
struct json_t;
HY_MUST_CHECK enum hy_code hy_report_add_json(struct json_t **modes, const char *mode,
                                              const struct hy_conformance_report *report,
                                              struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_report_print_modes_json(struct json_t *modes, struct hy_error *err);

/* Writes the format of build servers: one test suite, a class per vector file. */
HY_MUST_CHECK enum hy_code hy_report_write_junit(const struct hy_conformance_report *report,
                                                 const char *path, struct hy_error *err);

#endif
