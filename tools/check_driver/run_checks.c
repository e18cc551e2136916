#include "tools/check_driver/run_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check_driver/rules/check.h"
#include "tools/interrupt.h"
#include "tools/progress.h"

#define DEVICES_MAX 64u

#define R(rule) (UINT64_C(1) << HY_RULE_##rule)

/* The rules of a successful execution. */
#define RUNS_WELL (R(B8) | R(B9) | R(B10) | R(B11) | R(B12))

/* The checks in order, with their rules and their prerequisites. */
static const struct entry {
    void (*run)(struct hy_check *check);
    uint64_t rules;
    uint64_t needs;
    bool has_to_open;  /* the device, before the check itself begins */
    bool needs_models; /* models that the device supports */
    bool is_loud;      /* the runtime may write to stderr */
} entries[] = {
    {.run = hy_check_library,
     .rules = R(M1) | R(M2) | R(M3) | R(M4) | R(M5) | R(M6) | R(M7),
     .needs = R(M8)},
    {.run = hy_check_device,
     .rules = R(D1) | R(D2) | R(D3) | R(D4) | R(D5) | R(D6) | R(D7) | R(D8) | R(D9)},
    {hy_check_supported, R(B1) | R(B2) | R(B3), R(D1) | R(D2) | R(D4) | R(D5), true, false, false},
    {hy_check_prepare, R(B4) | R(B6), R(B1), true, true, false},
    {hy_check_execute, RUNS_WELL, R(B4) | R(B6), true, true, false},
    {hy_check_invalid_models, R(B5), R(B4), true, true, false},
    {hy_check_deadlines, R(B7), RUNS_WELL, true, true, false},
    {hy_check_memory, R(B13) | R(B14) | R(B26), RUNS_WELL, true, true, false},
    {hy_check_requests, R(B15), RUNS_WELL, true, true, false},
    {hy_check_small_outputs, R(B16), RUNS_WELL, true, true, false},
    {hy_check_threads, R(B17), RUNS_WELL, true, true, false},
    {hy_check_times, R(B18), RUNS_WELL, true, true, false},
    {hy_check_leaks, R(B19), RUNS_WELL, true, true, false},
    {hy_check_bursts, R(B20), RUNS_WELL | R(D3), true, true, false},
    {hy_check_reusable, R(B21), RUNS_WELL | R(D3), true, true, false},
    {hy_check_fenced, R(B22), RUNS_WELL | R(D3), true, true, false},
    {hy_check_buffers, R(B23), RUNS_WELL | R(D3), true, true, false},
    {hy_check_buffer_create, R(B33) | R(B35), R(B23), true, true, false},
    {hy_check_buffer_states, R(B36), R(B23), true, true, false},
    {hy_check_buffer_copies, R(B37), R(B23), true, true, false},
    {hy_check_buffer_use, R(B34), R(B23) | R(B36), true, true, false},
    {hy_check_buffer_threads, R(B38), R(B23) | R(B36), true, true, false},
    {hy_check_images, R(B39), RUNS_WELL, true, true, false},
    {hy_check_cache, R(B24), RUNS_WELL | R(D6), true, true, false},
    {hy_check_cache_restored, R(B30), RUNS_WELL | R(D6), true, true, false},
    {hy_check_cache_changed, R(B31), RUNS_WELL | R(D6), true, true, false},
    {hy_check_cache_owned, R(B32), RUNS_WELL | R(D6), true, true, false},
    {hy_check_open_extents, R(B27), RUNS_WELL, true, true, false},
    {hy_check_scratch, R(B28), RUNS_WELL, true, true, false},
    {hy_check_quota, R(B40), RUNS_WELL, true, true, false},
    {hy_check_blobs, R(B41), RUNS_WELL, true, true, false},
    {hy_check_chains, R(B29), RUNS_WELL, true, true, false},
    {hy_check_wait, R(B25), R(D1) | R(D2) | R(D4) | R(D5), true, false, false},
    {hy_check_vectors, R(V1), RUNS_WELL | R(D3) | R(D6) | R(D7) | R(D8), false, true, true},
};
#define ENTRY_COUNT (sizeof entries / sizeof *entries)

/* What the child gets. */
struct work {
    const struct entry *entry;
    struct hy_check check;
};

static void do_work(void *argument)
{
    struct work *work = argument;
    if (!work->entry->has_to_open || hy_check_open(&work->check))
        work->entry->run(&work->check);
}

static void skip(struct hy_group *group, uint64_t rules, const char *reason)
{
    for (uint32_t rule = 0; rule < HY_RULE_COUNT; rule++)
        if (rules >> rule & 1)
            hy_group_set(group, rule, HY_RULE_SKIPPED, reason);
}

/* Whether a check can be made at all; else its rules are skipped. */
static bool is_possible(const struct entry *entry, struct hy_group *group,
                        const struct hy_result_page *page)
{
    char reason[64];
    for (uint32_t rule = 0; rule < HY_RULE_COUNT; rule++)
        if ((entry->needs >> rule & 1) && group->rules[rule].state != HY_RULE_PASSED) {
            snprintf(reason, sizeof reason,
                     group->rules[rule].state == HY_RULE_SKIPPED ? "rule %s was skipped"
                                                                 : "rule %s failed",
                     hy_rule_name(rule));
            skip(group, entry->rules, reason);
            return false;
        }
    if (entry->needs_models && page->claimed_count == 0) {
        skip(group, entry->rules, "the device supports no whole model");
        return false;
    }
    return true;
}

static enum hy_code run_entry(const struct hy_check_plan *plan, const struct entry *entry,
                              uint32_t device, struct hy_result_page *page, struct hy_group *group,
                              struct hy_error *err)
{
    struct work work = {
        .entry = entry,
        .check = {
            .target = plan->target, .models = plan->models, .page = page, .device_index = device}};
    struct hy_child_report report;
    if (hy_interrupt_came())
        skip(group, entry->rules, "interrupted");
    if (hy_interrupt_came() || !is_possible(entry, group, page))
        return HY_OK;
    const enum hy_code code =
        hy_child_run(do_work, &work, page, plan->hang_timeout, !entry->is_loud, &report, err);
    if (hy_interrupt_came()) /* the child, too */
        skip(group, entry->rules, "interrupted");
    else if (code == HY_OK)
        hy_group_add_results(group, page, &report, entry->rules, plan->hang_timeout);
    return code;
}

/* R8 is looked at by every check: it holds when none has found something. */
static void close_group(struct hy_group *group, const struct hy_result_page *page)
{
    hy_group_set(group, HY_RULE_R8, HY_RULE_PASSED, NULL);
    group->claimed_count = page->claimed_count;
    group->model_count = page->model_count;
    hy_operation_supports_sanitize(group->operations, page->operations);
}

static bool is_selected(const struct hy_check_plan *plan, const struct hy_result_page *page)
{
    return !plan->device || strncmp(plan->device, page->device_name, HY_DEVICE_NAME_SIZE) == 0;
}

static enum hy_code check_device(const struct hy_check_plan *plan, uint32_t device,
                                 struct hy_result_page *page, struct hy_outcome *out,
                                 struct hy_progress *progress, struct hy_error *err)
{
    struct hy_group *group = hy_outcome_add(out);
    if (!group)
        return hy_fail(err, HY_OUT_OF_MEMORY, "results of device %u", device);
    snprintf(page->device_name, sizeof page->device_name, "number %u", device);
    page->claimed_count = 0;
    memset(page->operations, 0, sizeof page->operations);

    enum hy_code code = HY_OK;
    for (size_t i = 1; i < ENTRY_COUNT && code == HY_OK; i++) {
        hy_progress_report(progress, device * ENTRY_COUNT + i);
        code = run_entry(plan, &entries[i], device, page, group, err);
        if (i == 1 && code == HY_OK && !is_selected(plan, page)) {
            for (uint32_t rule = 0; rule < HY_RULE_COUNT; rule++)
                free(group->rules[rule].detail);
            out->group_count--;
            return HY_OK;
        }
    }
    page->device_name[sizeof page->device_name - 1] = '\0';
    strcpy(group->device, page->device_name);
    close_group(group, page);
    return code;
}

static enum hy_code check_devices(const struct hy_check_plan *plan, struct hy_result_page *page,
                                  struct hy_outcome *out, struct hy_error *err)
{
    const uint32_t count = page->device_count < DEVICES_MAX ? page->device_count : DEVICES_MAX;
    struct hy_progress progress;
    enum hy_code code = HY_OK;
    hy_progress_start(&progress, "checking rules", count * ENTRY_COUNT);
    for (uint32_t i = 0; i < count && code == HY_OK; i++)
        code = check_device(plan, i, page, out, &progress, err);
    hy_progress_end(&progress);
    if (code == HY_OK && plan->device && out->group_count == 1)
        return hy_fail(err, HY_BAD_DATA, "the driver has no device %s", plan->device);
    return code;
}

enum hy_code hy_check_run(const struct hy_check_plan *plan, struct hy_outcome *out,
                          struct hy_error *err)
{
    struct hy_result_page *page = NULL;
    enum hy_code code = hy_result_page_create(plan->models->count, &page, err);
    out->target = plan->target;
    struct hy_group *group = code == HY_OK ? hy_outcome_add(out) : NULL;
    if (group) {
        const char *fault = plan->target->fault;
        hy_group_set(group, HY_RULE_M8, *fault ? HY_RULE_BROKEN : HY_RULE_PASSED, fault);
        code = run_entry(plan, &entries[0], 0, page, group, err);
        close_group(group, page);
        const bool is_sound = group->rules[HY_RULE_M5].state == HY_RULE_PASSED;
        if (code == HY_OK && is_sound)
            code = check_devices(plan, page, out, err);
    } else if (code == HY_OK) {
        code = hy_fail(err, HY_OUT_OF_MEMORY, "results of the checks");
    }
    hy_result_page_destroy(page);
    return code;
}
