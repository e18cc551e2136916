#ifndef HY_TOOLS_CHECK_DRIVER_OUTCOME_H
#define HY_TOOLS_CHECK_DRIVER_OUTCOME_H

#include "tools/check_driver/child.h"
#include "tools/check_driver/target.h"

enum hy_rule_state {
    HY_RULE_SKIPPED, /* the rule could not be checked */
    HY_RULE_PASSED,
    HY_RULE_BROKEN,
};

struct hy_rule_outcome {
    enum hy_rule_state state;
    char *detail; /* findings, one per line; or the reason for skipping; NULL for none */
};

/* The results for the library itself, or for one of its devices. */
struct hy_group {
    char device[HY_DEVICE_NAME_SIZE]; /* "" for the library; one line of text */
    uint32_t claimed_count, model_count;
    struct hy_operation_support operations[HY_OP_COUNT];
    bool has[HY_RULE_COUNT]; /* the rules that apply to the group */
    struct hy_rule_outcome rules[HY_RULE_COUNT];
};

struct hy_outcome {
    const struct hy_target *target;
    uint32_t group_count;
    struct hy_group *groups;
};

/* Adds a text to a rule; a broken rule stays broken. Control characters of the text are replaced.
 * Without memory for the text only the state is set. */
void hy_group_set(struct hy_group *group, enum hy_rule rule, enum hy_rule_state state,
                  const char *detail);

/* Adds the results of a child, for a check of the rules whose bits are set. */
void hy_group_add_results(struct hy_group *group, const struct hy_result_page *page,
                          const struct hy_child_report *report, uint64_t rules,
                          unsigned hang_timeout);

/* Appends an empty group; NULL without memory. The pointer is valid until the next call. */
struct hy_group *hy_outcome_add(struct hy_outcome *outcome);

uint32_t hy_outcome_count(const struct hy_outcome *outcome, enum hy_rule_state state);
void hy_outcome_finish(struct hy_outcome *outcome);

/* "ok", "FAILED", "skipped". */
const char *hy_rule_state_name(enum hy_rule_state state);

/* One line per rule. */
void hy_outcome_print(const struct hy_outcome *outcome);

/*
 * {"library", "manifest", "arguments", "kept", "broken", "skipped", "groups": [{"device" (null for
 * the library), "models", "claimed", "operations": [{"operation", "asked", "taken", "reasons"}],
 * "rules": [{"rule", "words", "result", "detail"}]}]}, where "result" is "ok", "failed" or
 * "skipped".
 */
HY_MUST_CHECK enum hy_code hy_outcome_print_json(const struct hy_outcome *outcome,
                                                 struct hy_error *err);

/* Writes the format of build servers: a test suite, a class per device, a case per rule. */
HY_MUST_CHECK enum hy_code hy_outcome_write_junit(const struct hy_outcome *outcome,
                                                  const char *path, struct hy_error *err);

#endif
