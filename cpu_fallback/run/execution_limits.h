#ifndef HY_CPU_FALLBACK_RUN_EXECUTION_LIMITS_H
#define HY_CPU_FALLBACK_RUN_EXECUTION_LIMITS_H

#include "common/clock.h"
#include "common/error.h"
#include "cpu_fallback/kernels/stop.h"

/* When an execution gives up. */
struct hy_cpu_limits {
    int64_t deadline;      /* as hy_clock_boot, or HY_NO_DEADLINE */
    uint64_t loop_timeout; /* nanoseconds for each WHILE, from its start */
    /* NULL, or the same deadline and the word that says that nobody wants the result any more: what
     * the thread has entered, so that kernels end as well. */
    struct hy_stop *stop;
};

bool hy_cpu_is_late(const struct hy_cpu_limits *limits);

/* Of a call that has no such limits at hand, but whose thread has entered its stop: for work that
 * is no execution. Errors: HY_MISSED_DEADLINE. */
enum hy_code hy_cpu_check_wanted(struct hy_error *err);

/* Before the first operation. Errors: MISSED_DEADLINE (nobody waits), MISSED_DEADLINE_FOR_GOOD
 * (what has not begun would be late), BAD_DATA (no deadline that there is). */
enum hy_code hy_cpu_check_start(const struct hy_cpu_limits *limits, struct hy_error *err);

#endif
