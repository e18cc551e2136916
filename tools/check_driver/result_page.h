#ifndef HY_TOOLS_CHECK_DRIVER_RESULT_PAGE_H
#define HY_TOOLS_CHECK_DRIVER_RESULT_PAGE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "tools/check_driver/rules/operation_support.h"
#include "tools/check_driver/rules/rules.h"

/*
 * The results of a child process, in memory shared with its parent. Results that the child has
 * written survive the end of the child. A faulty driver may overwrite the memory: the parent copies
 * and checks all values.
 */
#define HY_FINDINGS_MAX     24u
#define HY_FINDING_SIZE     400u
#define HY_DEVICE_NAME_SIZE 256u

struct hy_finding {
    uint32_t rule;
    char text[HY_FINDING_SIZE];
};

struct hy_result_page {
    _Atomic uint64_t beat; /* changes with every step: a child whose `beat` stays constant hangs */
    _Atomic uint32_t rule; /* the rule under check */
    char doing[HY_FINDING_SIZE];
    _Atomic uint32_t is_finished;
    _Atomic uint64_t passed; /* a bit for each completely checked rule */
    uint32_t finding_count;
    struct hy_finding findings[HY_FINDINGS_MAX];
    uint32_t skip_count;
    struct hy_finding skips[HY_FINDINGS_MAX];

    /* Information for later checks. */
    uint32_t device_count;
    char device_name[HY_DEVICE_NAME_SIZE];
    uint32_t claimed_count; /* models whose operations the device supports completely */
    uint32_t model_count;
    struct hy_operation_support operations[HY_OP_COUNT];
    uint8_t is_claimed[]; /* for each model, in the order of the list */
};
static_assert(HY_RULE_COUNT <= 64, "a bit for each rule");

HY_MUST_CHECK enum hy_code hy_result_page_create(uint32_t model_count, struct hy_result_page **out,
                                                 struct hy_error *err);
void hy_result_page_destroy(struct hy_result_page *page);

/* Clears everything but the information for later checks. */
void hy_result_page_clear(struct hy_result_page *page);

/* Begins a check of `rule`; the text names the step. A death of the child becomes a finding about
 * the rule. */
void hy_result_page_step(struct hy_result_page *page, enum hy_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a finding: the driver breaks the rule, as the text describes. A rule has at most three
 * findings. */
void hy_result_page_report(struct hy_result_page *page, enum hy_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Marks the rule as completely checked: the rule holds unless a finding exists. */
void hy_result_page_pass(struct hy_result_page *page, enum hy_rule rule);

/* Marks the rule as not checkable. */
void hy_result_page_skip(struct hy_result_page *page, enum hy_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True if the rule has a finding. */
bool hy_result_page_has_finding(const struct hy_result_page *page, enum hy_rule rule);

#endif
