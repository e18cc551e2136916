#include "cpu_fallback/run/execution_limits.h"

#include "common/clock.h"
#include "halyard/driver.h"

bool hy_cpu_is_expired(const struct hy_cpu_limits *limits)
{
    const struct hy_stop *stop = limits->stop;

    if (stop && (hy_stop_is_set(stop) || hy_is_cancelled(stop->cancelled)))
        return true;
    return hy_clock_is_past(limits->deadline);
}

enum hy_code hy_cpu_check_wanted(struct hy_error *err)
{
    return hy_stop_look(hy_stop_here())
               ? hy_fail(err, HY_MISSED_DEADLINE,
                         "the deadline has passed, or the execution was cancelled")
               : HY_OK;
}

enum hy_code hy_cpu_check_start(const struct hy_cpu_limits *limits, struct hy_error *err)
{
    if (limits->stop && hy_is_cancelled(limits->stop->cancelled))
        return hy_fail(err, HY_MISSED_DEADLINE, "the execution was cancelled");
    if (limits->deadline < HY_NO_DEADLINE)
        return hy_fail(err, HY_BAD_DATA, "%lld is not a deadline", (long long)limits->deadline);
    if (limits->deadline != HY_NO_DEADLINE && hy_clock_is_past(limits->deadline))
        return hy_fail(err, HY_MISSED_DEADLINE_FOR_GOOD, "the deadline passed before the start");
    return HY_OK;
}
