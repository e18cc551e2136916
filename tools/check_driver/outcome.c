#include "tools/check_driver/outcome.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/printable.h"

const char *hy_rule_state_name(enum hy_rule_state state)
{
    static const char *const names[] = {"skipped", "ok", "FAILED"};
    return names[state];
}

/* A line more; the old text is gone. */
static char *append_line(char *text, const char *added)
{
    char *line = strdup(added), *joined = NULL;
    if (!line)
        return text;
    hy_text_clean(line);
    if (!text)
        return line;
    if (strstr(text, line) == NULL && asprintf(&joined, "%s\n%s", text, line) > 0) {
        free(text);
        text = joined;
    }
    free(line);
    return text;
}

void hy_group_set(struct hy_group *group, enum hy_rule rule, enum hy_rule_state state,
                  const char *detail)
{
    struct hy_rule_outcome *outcome = &group->rules[rule];
    group->has[rule] = true;
    if (outcome->state > state)
        return;
    if (outcome->state < state) {
        free(outcome->detail);
        outcome->detail = NULL;
    }
    outcome->state = state;
    if (detail && *detail)
        outcome->detail = append_line(outcome->detail, detail);
}

static void add_findings(struct hy_group *group, const struct hy_finding *findings, uint32_t count,
                         enum hy_rule_state state)
{
    for (uint32_t i = 0; i < count && i < HY_FINDINGS_MAX; i++) {
        struct hy_finding finding = findings[i];
        finding.text[sizeof finding.text - 1] = '\0';
        if (finding.rule < HY_RULE_COUNT)
            hy_group_set(group, finding.rule, state, finding.text);
    }
}

/* The driver has ended the process, or has hung. */
static void add_death(struct hy_group *group, const struct hy_result_page *page,
                      const struct hy_child_report *report, unsigned hang_timeout)
{
    char doing[HY_FINDING_SIZE], text[HY_FINDING_SIZE + 128 + sizeof report->last_line];
    memcpy(doing, page->doing, sizeof doing);
    doing[sizeof doing - 1] = '\0';
    const uint32_t rule = page->rule < HY_RULE_COUNT ? page->rule : HY_RULE_R8;

    if (report->end == HY_CHILD_HUNG)
        snprintf(text, sizeof text, "%s: no end within %u s", doing, hang_timeout);
    else if (report->end == HY_CHILD_KILLED)
        snprintf(text, sizeof text, "%s: the process died of signal %d (%s)", doing, report->number,
                 strsignal(report->number));
    else
        snprintf(text, sizeof text, "%s: the process exited with status %d", doing, report->number);
    const size_t length = strlen(text);
    if (report->last_line[0])
        snprintf(text + length, sizeof text - length, "; last output: %s", report->last_line);
    hy_group_set(group, rule, HY_RULE_BROKEN, text);
    if (report->end == HY_CHILD_EXITED ||
        (report->end == HY_CHILD_KILLED && report->number == SIGABRT))
        hy_group_set(group, HY_RULE_R8, HY_RULE_BROKEN, text);
}

void hy_group_add_results(struct hy_group *group, const struct hy_result_page *page,
                          const struct hy_child_report *report, uint64_t rules,
                          unsigned hang_timeout)
{
    char text[192];
    add_findings(group, page->findings, page->finding_count, HY_RULE_BROKEN);
    add_findings(group, page->skips, page->skip_count, HY_RULE_SKIPPED);
    if (report->end != HY_CHILD_FINISHED)
        add_death(group, page, report, hang_timeout);
    if (report->printed[0]) {
        snprintf(text, sizeof text, "the driver wrote to stdout or stderr: %s", report->printed);
        hy_group_set(group, HY_RULE_R8, HY_RULE_BROKEN, text);
    }
    for (uint32_t rule = 0; rule < HY_RULE_COUNT; rule++) {
        if (page->passed >> rule & 1)
            hy_group_set(group, rule, HY_RULE_PASSED, NULL);
        else if ((rules >> rule & 1) && group->rules[rule].state == HY_RULE_SKIPPED &&
                 !group->rules[rule].detail)
            hy_group_set(group, rule, HY_RULE_SKIPPED, "an earlier step of the check failed");
    }
}

struct hy_group *hy_outcome_add(struct hy_outcome *outcome)
{
    struct hy_group *groups = hy_array_grow(outcome->groups, outcome->group_count, sizeof *groups);
    if (!groups)
        return NULL;
    outcome->groups = groups;
    struct hy_group *group = &groups[outcome->group_count++];
    memset(group, 0, sizeof *group);
    return group;
}

uint32_t hy_outcome_count(const struct hy_outcome *outcome, enum hy_rule_state state)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < outcome->group_count; g++)
        for (uint32_t i = 0; i < HY_RULE_COUNT; i++)
            count += outcome->groups[g].has[i] && outcome->groups[g].rules[i].state == state;
    return count;
}

void hy_outcome_finish(struct hy_outcome *outcome)
{
    for (uint32_t g = 0; g < outcome->group_count; g++)
        for (uint32_t i = 0; i < HY_RULE_COUNT; i++)
            free(outcome->groups[g].rules[i].detail);
    free(outcome->groups);
    *outcome = (struct hy_outcome){0};
}

/* ---- For people ------------------------------------------------------------------------------ */

/* Findings in lines below the rule; the reason of a skipped rule on the same line. */
static void print_rule(enum hy_rule rule, const struct hy_rule_outcome *outcome)
{
    const bool is_skipped = outcome->state == HY_RULE_SKIPPED;
    printf("  %-8s%-4s%s", hy_rule_state_name(outcome->state), hy_rule_name(rule),
           hy_rule_text(rule));
    printf("%s%s\n", is_skipped && outcome->detail ? ": " : "",
           is_skipped && outcome->detail ? outcome->detail : "");
    if (is_skipped || !outcome->detail)
        return;
    for (const char *line = outcome->detail; *line;) {
        const size_t length = strcspn(line, "\n");
        printf("              %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void hy_outcome_print(const struct hy_outcome *outcome)
{
    for (uint32_t g = 0; g < outcome->group_count; g++) {
        const struct hy_group *group = &outcome->groups[g];
        if (g == 0)
            printf("%s\n", *outcome->target->library ? outcome->target->library
                                                     : outcome->target->manifest);
        else
            printf("device %s: supports %u of %u models\n", group->device, group->claimed_count,
                   group->model_count);
        for (uint32_t i = 0; i < HY_RULE_COUNT; i++)
            if (group->has[i])
                print_rule(i, &group->rules[i]);
        hy_operation_supports_print(group->operations);
    }
    printf("%u ok, %u failed, %u skipped\n", hy_outcome_count(outcome, HY_RULE_PASSED),
           hy_outcome_count(outcome, HY_RULE_BROKEN), hy_outcome_count(outcome, HY_RULE_SKIPPED));
}
