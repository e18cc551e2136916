#ifndef HY_TOOLS_CHECK_DRIVER_CHILD_H
#define HY_TOOLS_CHECK_DRIVER_CHILD_H

#include <stdbool.h>

#include "tools/check_driver/board.h"

/* How a process that ran a check has ended. */
enum hy_child_end {
    HY_CHILD_FINISHED, /* the check came to its end */
    HY_CHILD_EXITED,   /* with `number` as status, in the middle of the check */
    HY_CHILD_KILLED,   /* by the signal `number` */
    HY_CHILD_HUNG,     /* it was ended after a step that took too long */
};

struct hy_child_report {
    enum hy_child_end end;
    int number;
    char said[128];      /* the start of what it wrote to stdout or stderr */
    char last_line[128]; /* of it, where the check did not come to its end */
};

/* The work of a child. `argument` is its own copy, as is all memory but the board. */
typedef void (*hy_child_work)(void *argument);

/*
 * Runs `work` in a process of its own and waits for its end, or until the board has rested for
 * `patience` seconds. Where it `is_quiet`, changed signal handlers become a finding about R8 and
 * the report has what was written; else neither is looked at.
 */
HY_MUST_CHECK enum hy_code hy_child_run(hy_child_work work, void *argument, struct hy_board *board,
                                        unsigned patience, bool is_quiet,
                                        struct hy_child_report *out, struct hy_error *err);

#endif
