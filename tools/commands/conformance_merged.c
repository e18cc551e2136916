#include <string.h>

#include "common/clock.h"
#include "common/random.h"
#include "tools/commands/conformance.h"
#include "tools/interrupt.h"
#include "tools/progress.h"
#include "tools/vectors/groups.h"
#include "tools/vectors/refusal.h"

/* A selected test: its transformed vector, and its result. */
struct entry {
    struct hy_vector test;
    struct hy_test_result result;
    struct hy_error reason;
};

struct merged {
    struct hy_conformance *conformance;
    struct hy_arena arena;
    uint32_t entry_count;
    struct entry *entries;
    uint32_t runner_count;
    const struct hy_vector **tests; /* those that run */
    struct entry **runners;         /* the entries of those */
    struct hy_vector_groups groups;
};

static void admit(struct merged *merged, const char *spec, const struct hy_vector *vector)
{
    struct entry *entry = &merged->entries[merged->entry_count++];
    memset(entry, 0, sizeof *entry);
    entry->result = (struct hy_test_result){.spec = spec,
                                            .name = vector->name,
                                            .outcome = HY_TEST_FAILED,
                                            .detail = entry->reason.text};
    if (!hy_conformance_admits(merged->conformance, vector, &merged->arena, &entry->test,
                               &entry->result, &entry->reason))
        return;
    merged->tests[merged->runner_count] = &entry->test;
    merged->runners[merged->runner_count++] = entry;
}

static enum hy_code admit_all(struct merged *merged, uint32_t total, struct hy_error *err)
{
    const struct hy_vector_files *files = &merged->conformance->files;
    merged->entries = hy_arena_alloc(&merged->arena, total * sizeof *merged->entries);
    merged->tests = hy_arena_alloc(&merged->arena, total * sizeof *merged->tests);
    merged->runners = hy_arena_alloc(&merged->arena, total * sizeof *merged->runners);
    if (!merged->entries || !merged->tests || !merged->runners)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u tests", total);
    for (uint32_t f = 0; f < files->count; f++)
        for (uint32_t i = 0; i < files->files[f].count; i++)
            if (hy_conformance_wants(merged->conformance, &files->files[f].vectors[i]))
                admit(merged, files->files[f].spec, &files->files[f].vectors[i]);
    return HY_OK;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static void pass(struct entry *entry)
{
    entry->result.outcome = HY_PASSED;
    entry->reason.text[0] = '\0';
}

static void note_plan(struct hy_conformance_report *report, uint32_t step_count)
{
    report->model_count++;
    report->split_count += step_count > 1;
    report->step_count += step_count;
}

/* Merges with as many copies as the devices support; the devices support the tests separately. */
static enum hy_code merge(const struct hy_conformance *conformance,
                          const struct hy_vector *const *tests, uint32_t count, uint64_t seed,
                          struct hy_arena *arena, struct hy_merge *out, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (int copies = HY_MERGE_COPIES; code == HY_OK && copies <= HY_MERGE_NO_COPIES; copies++) {
        struct hy_error refused;
        code = hy_merge_make(tests, count, (enum hy_merge_copies)copies, seed, arena, out, err);
        if (code != HY_OK || conformance->complete ||
            !hy_vector_is_refused(&out->vector, &conformance->devices, &refused))
            return code;
    }
    return code;
}

/* An error of the merged model is the result of each test. */
static void run_as_one(struct merged *merged, const struct hy_vector *const *tests,
                       struct entry *const *entries, uint32_t count, uint64_t seed)
{
    struct hy_conformance *conformance = merged->conformance;
    struct hy_vector_result results[HY_GROUP_MOST];
    struct hy_arena arena = {0};
    struct hy_merge merged_tests;
    struct hy_error reason = {0};
    uint32_t step_count = 0;
    enum hy_code code = merge(conformance, tests, count, seed, &arena, &merged_tests, &reason);
    if (code == HY_OK)
        code = hy_merge_run(&merged_tests, &conformance->devices, &conformance->course, results,
                            &step_count, &reason);
    note_plan(&conformance->report, step_count);
    for (uint32_t i = 0; i < count; i++) {
        if (code == HY_OK && results[i].code == HY_OK)
            pass(entries[i]);
        else
            entries[i]->reason = code == HY_OK ? results[i].reason : reason;
    }
    if (code != HY_OK)
        for (uint32_t i = 0; i < count; i++)
            code = hy_error_prefix(&entries[i]->reason, code, "with %u others from %s on",
                                   count - 1, tests[0]->name);
    hy_arena_finish(&arena);
}

static void run_alone(struct merged *merged, struct entry *entry)
{
    const struct hy_conformance *conformance = merged->conformance;
    if (hy_vector_run(&entry->test, &conformance->devices, &conformance->course, &entry->reason) ==
        HY_OK)
        pass(entry);
}

static void run_group(struct merged *merged, uint32_t group)
{
    const struct hy_vector *tests[HY_GROUP_MOST];
    struct entry *entries[HY_GROUP_MOST];
    const uint32_t first = merged->groups.first[group];
    const uint32_t count = merged->groups.first[group + 1] - first;
    for (uint32_t i = 0; i < count; i++) {
        tests[i] = merged->tests[merged->groups.tests[first + i]];
        entries[i] = merged->runners[merged->groups.tests[first + i]];
    }
    const uint64_t start = hy_clock_now();
    /* A group has a test. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
    if (hy_merge_class(tests[0]) == HY_MERGE_ALONE)
        run_alone(merged, entries[0]);
    else
        run_as_one(merged, tests, entries, count, hy_random_mix(merged->conformance->seed, group));
    for (uint32_t i = 0; i < count; i++)
        entries[i]->result.seconds = (double)(hy_clock_now() - start) / 1e9 / count;
}

static enum hy_code run_groups(struct merged *merged, struct hy_error *err)
{
    struct hy_progress progress;
    const enum hy_code code =
        hy_vector_groups_make(merged->tests, merged->runner_count, merged->conformance->seed,
                              &merged->arena, &merged->groups, err);
    if (code != HY_OK)
        return code;
    hy_progress_start(&progress, "running test", merged->runner_count);
    for (uint32_t i = 0; i < merged->groups.count && !hy_interrupt_came(); i++) {
        hy_progress_report(&progress, merged->groups.first[i]);
        run_group(merged, i);
    }
    hy_progress_end(&progress);
    return HY_OK;
}

enum hy_code hy_conformance_run_merged(struct hy_conformance *conformance, uint32_t total,
                                       struct hy_error *err)
{
    struct merged merged = {.conformance = conformance};
    enum hy_code code = admit_all(&merged, total, err);
    if (code == HY_OK)
        code = run_groups(&merged, err);
    for (uint32_t i = 0; code == HY_OK && i < merged.entry_count; i++)
        code = hy_report_add(&conformance->report, &merged.entries[i].result, err);
    hy_arena_finish(&merged.arena);
    return code;
}
