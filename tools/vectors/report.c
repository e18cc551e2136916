#include "tools/vectors/report.h"
#include "common/array.h"
#include "common/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *hy_outcome_name(enum hy_outcome outcome)
{
    switch (outcome) {
    case HY_PASSED:
        return "passed";
    case HY_TEST_FAILED:
        return "failed";
    case HY_SKIPPED:
        return "skipped";
    }
    return "unknown";
}

enum hy_code hy_report_add(struct hy_conformance_report *report,
                           const struct hy_test_result *result, struct hy_error *err)
{
    struct hy_test_result *results = hy_array_grow(report->results, report->count, sizeof *results);
    if (results)
        report->results = results;
    char *detail = strdup(result->detail);
    if (!results || !detail) {
        free(detail);
        return hy_fail(err, HY_OUT_OF_MEMORY, "the result of %s", result->name);
    }
    struct hy_test_result *own = &report->results[report->count++];
    *own = *result;
    own->detail = detail;
    report->passed += result->outcome == HY_PASSED;
    report->failed += result->outcome == HY_TEST_FAILED;
    report->skipped += result->outcome == HY_SKIPPED;
    report->skipped_by[result->rule] += result->outcome == HY_SKIPPED;
    return HY_OK;
}

void hy_report_finish(struct hy_conformance_report *report)
{
    for (uint32_t i = 0; i < report->count; i++)
        free(report->results[i].detail);
    free(report->results);
    *report = (struct hy_conformance_report){0};
}

static int compare_details(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One line per detail, " 84 LSTM", for a rule with details. */
static void print_details(const struct hy_conformance_report *report, enum hy_skip_rule rule)
{
    const char **details = calloc(report->skipped_by[rule], sizeof *details);
    if (!details)
        return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        const struct hy_test_result *result = &report->results[i];
        if (result->outcome == HY_SKIPPED && result->rule == rule && *result->detail)
            details[count++] = result->detail;
    }
    qsort(details, count, sizeof *details, compare_details);

    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && strcmp(details[i], details[next]) == 0;)
            next++;
        printf("  %6u  %s\n", next - i, hy_text_line(details[i]).text);
    }
    free(details);
}

static void print_skipped(const struct hy_conformance_report *report)
{
    for (int rule = HY_SKIP_NONE + 1; rule < HY_SKIP_RULE_COUNT; rule++) {
        if (report->skipped_by[rule] == 0)
            continue;
        printf("skipped %u, %s\n", report->skipped_by[rule], hy_skip_reason(rule));
        print_details(report, rule);
    }
}

void hy_report_print(const struct hy_conformance_report *report)
{
    for (uint32_t i = 0; i < report->count; i++)
        if (report->results[i].outcome == HY_TEST_FAILED)
            printf("FAILED %s/%s\n       %s\n", hy_text_line(report->results[i].spec).text,
                   hy_text_line(report->results[i].name).text,
                   hy_text_line(report->results[i].detail).text);
    print_skipped(report);
    if (report->model_count)
        printf("%u models, %u of them split, %u steps\n", report->model_count, report->split_count,
               report->step_count);
    if (report->is_cached)
        printf("%u of %u models came from the cache\n", report->hit_count, report->compiled_count);
    printf("%u passed, %u failed, %u skipped\n", report->passed, report->failed, report->skipped);
}
