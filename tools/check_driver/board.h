#ifndef HY_TOOLS_CHECK_DRIVER_BOARD_H
#define HY_TOOLS_CHECK_DRIVER_BOARD_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "tools/check_driver/rules/operation_facts.h"
#include "tools/check_driver/rules/rules.h"

/*
 * What a child tells its parent, in memory that both share: the child writes, and what stands there
 * stays when the driver takes the child down. A driver may scribble over it: the parent copies and
 * checks what it reads.
 */
#define HY_FINDINGS_MAX     24u
#define HY_FINDING_SIZE     400u
#define HY_DEVICE_NAME_SIZE 256u

struct hy_finding {
    uint32_t rule;
    char text[HY_FINDING_SIZE];
};

struct hy_board {
    _Atomic uint64_t beat; /* moves with every step: a child whose board rests hangs */
    _Atomic uint32_t rule; /* that is being checked */
    char doing[HY_FINDING_SIZE];
    _Atomic uint32_t is_finished;
    _Atomic uint64_t passed; /* a bit for each rule that was looked at to the end */
    uint32_t finding_count;
    struct hy_finding findings[HY_FINDINGS_MAX];
    uint32_t skip_count;
    struct hy_finding skips[HY_FINDINGS_MAX];

    /* Facts for the checks that follow. */
    uint32_t device_count;
    char device_name[HY_DEVICE_NAME_SIZE];
    uint32_t claimed_count; /* models that the device takes whole */
    uint32_t model_count;
    struct hy_operation_fact operations[HY_OP_COUNT];
    uint8_t is_claimed[]; /* of each model, in the order of the list */
};
static_assert(HY_RULE_COUNT <= 64, "a bit for each rule");

HY_MUST_CHECK enum hy_code hy_board_create(uint32_t model_count, struct hy_board **out,
                                           struct hy_error *err);
void hy_board_destroy(struct hy_board *board);

/* Forgets everything but the facts. */
void hy_board_clear(struct hy_board *board);

/* From here on `rule` is being checked, by what the words say; a death of the child is a finding
 * about it. */
void hy_board_step(struct hy_board *board, enum hy_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The driver breaks the rule; the words say how. Three findings per rule are enough. */
void hy_board_find(struct hy_board *board, enum hy_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The rule was looked at to the end: it holds unless there is a finding. */
void hy_board_pass(struct hy_board *board, enum hy_rule rule);

/* The rule could not be looked at. */
void hy_board_skip(struct hy_board *board, enum hy_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether there is a finding about the rule. */
bool hy_board_has(const struct hy_board *board, enum hy_rule rule);

#endif
