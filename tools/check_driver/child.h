#ifndef HY_TOOLS_CHECK_DRIVER_CHILD_H
#define HY_TOOLS_CHECK_DRIVER_CHILD_H

#include <stdbool.h>

#include "tools/check_driver/result_page.h"

/* The end of a process of a check. */
enum hy_child_end {
    HY_CHILD_FINISHED, /* the check is complete */
    HY_CHILD_EXITED,   /* exited with status `number` during the check */
    HY_CHILD_KILLED,   /* by the signal `number` */
    HY_CHILD_HUNG,     /* killed after a step beyond the time limit */
};

struct hy_child_report {
    enum hy_child_end end;
    int number;
    char printed[128];   /* the start of the output to stdout or stderr */
    char last_line[128]; /* the last line of the output, if the check is not complete */
};

/* The work of a child. `argument` is the child's own copy, like all memory but the result page. */
typedef void (*hy_child_work)(void *argument);

/*
 * Runs `work` in a separate process. Waits for its end, or until `beat` has not changed for
 * `hang_timeout` seconds. If `is_quiet`, changed signal handlers become a finding about R8 and the
 * report has the output; else both are ignored.
 */
HY_MUST_CHECK enum hy_code hy_child_run(hy_child_work work, void *argument,
                                        struct hy_result_page *page, unsigned hang_timeout,
                                        bool is_quiet, struct hy_child_report *out,
                                        struct hy_error *err);

#endif
