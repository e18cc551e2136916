#ifndef HY_CPU_FALLBACK_RUN_EXECUTION_LIMITS_H
#define HY_CPU_FALLBACK_RUN_EXECUTION_LIMITS_H

#include "common/clock.h"
#include "common/error.h"
#include "cpu_fallback/kernels/stop.h"

/* Limits of an execution. */
struct hy_cpu_limits {
    int64_t deadline;      /* on the clock hy_clock_boot, or HY_NO_DEADLINE */
    uint64_t loop_timeout; /* ns per WHILE, from its start */
    /* The stop that the thread has entered, with the same deadline and the cancellation word;
     * kernels obey it. NULL: none. */
    struct hy_stop *stop;
};

bool hy_cpu_is_expired(const struct hy_cpu_limits *limits);

/* Checks the stop that the thread has entered, for work outside an execution. Errors:
 * HY_MISSED_DEADLINE. */
enum hy_code hy_cpu_check_wanted(struct hy_error *err);

/* Checks the limits before the first operation. Errors: HY_MISSED_DEADLINE (cancelled),
 * HY_MISSED_DEADLINE_FOR_GOOD (the deadline has passed), HY_BAD_DATA (an invalid deadline). */
enum hy_code hy_cpu_check_start(const struct hy_cpu_limits *limits, struct hy_error *err);

#endif
