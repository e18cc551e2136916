#include "tools/commands/conformance.h"

#include <fnmatch.h>
#include <string.h>

#include "common/clock.h"
#include "tools/interrupt.h"
#include "tools/progress.h"
#include "tools/vectors/refusal.h"

bool hy_conformance_wants(const struct hy_conformance *conformance, const struct hy_vector *vector)
{
    const char *filter = conformance->filter;
    if (!filter)
        return true;
    if (strpbrk(filter, "*?["))
        return fnmatch(filter, vector->name, 0) == 0;
    return strstr(vector->name, filter) != NULL;
}

uint32_t hy_conformance_count(const struct hy_conformance *conformance)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < conformance->files.count; f++)
        for (uint32_t i = 0; i < conformance->files.files[f].count; i++)
            count += hy_conformance_wants(conformance, &conformance->files.files[f].vectors[i]);
    return count;
}

/* ---- Which tests run ------------------------------------------------------------------------- */

static enum hy_skip_rule rule_of(const struct hy_conformance *conformance,
                                 const struct hy_vector *vector, struct hy_error *reason)
{
    enum hy_skip_rule rule = hy_vector_transform_rule(vector, &conformance->passes);
    if (rule == HY_SKIP_NONE)
        rule = hy_vector_course_rule(vector, &conformance->course);
    if (rule == HY_SKIP_NONE &&
        hy_survey_missing(&conformance->survey, vector, reason->text, sizeof reason->text))
        rule = HY_SKIP_NO_OPERATION;
    return rule;
}

static bool skip(struct hy_test_result *result, enum hy_skip_rule rule)
{
    result->outcome = HY_SKIPPED;
    result->rule = rule;
    return false;
}

bool hy_conformance_admits(const struct hy_conformance *conformance, const struct hy_vector *vector,
                           struct hy_arena *arena, struct hy_vector *test,
                           struct hy_test_result *result, struct hy_error *reason)
{
    const enum hy_skip_rule rule = rule_of(conformance, vector, reason);
    if (rule != HY_SKIP_NONE)
        return skip(result, rule);
    if (hy_vector_transform(vector, &conformance->passes, arena, test, reason) != HY_OK)
        return false;
    if (!conformance->complete && hy_vector_is_refused(test, &conformance->devices, reason))
        return skip(result, HY_SKIP_UNSUPPORTED);
    return true;
}

/* ---- Each for itself ------------------------------------------------------------------------- */

static enum hy_code run_one(struct hy_conformance *conformance, const char *spec,
                            const struct hy_vector *vector, struct hy_error *err)
{
    struct hy_error reason = {0};
    struct hy_arena arena = {0};
    struct hy_vector test;
    const uint64_t start = hy_clock_now();
    struct hy_test_result result = {
        .spec = spec, .name = vector->name, .outcome = HY_TEST_FAILED, .detail = reason.text};
    if (hy_conformance_admits(conformance, vector, &arena, &test, &result, &reason) &&
        hy_conformance_compute(conformance, &test, &result, &reason) == HY_OK) {
        if (result.outcome != HY_SKIPPED)
            result.outcome = HY_PASSED;
        reason.text[0] = '\0';
    }
    hy_arena_finish(&arena);
    result.seconds = (double)(hy_clock_now() - start) / 1e9;
    return hy_report_add(&conformance->report, &result, err);
}

enum hy_code hy_conformance_run_each(struct hy_conformance *conformance, uint32_t total,
                                     struct hy_error *err)
{
    struct hy_progress progress;
    hy_progress_start(&progress, "running test", total);
    enum hy_code code = HY_OK;
    for (uint32_t f = 0; f < conformance->files.count; f++) {
        const struct hy_vector_file *file = &conformance->files.files[f];
        for (uint32_t i = 0; code == HY_OK && !hy_interrupt_came() && i < file->count; i++) {
            if (!hy_conformance_wants(conformance, &file->vectors[i]))
                continue;
            hy_progress_report(&progress, conformance->report.count);
            code = run_one(conformance, file->spec, &file->vectors[i], err);
        }
    }
    hy_progress_end(&progress);
    return code;
}
