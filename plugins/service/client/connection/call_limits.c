#include "plugins/service/client/connection/call_limits.h"

#include "common/clock.h"

/* Grace time in ns for a driver that keeps the deadline itself to report the miss. */
#define GRACE_NS INT64_C(2000000)

int64_t hy_service_until(int64_t deadline, int64_t nanoseconds)
{
    const int64_t then = hy_clock_boot() + nanoseconds;
    return deadline == HY_NO_DEADLINE || deadline > then ? then : deadline;
}

int64_t hy_call_limits_end(const struct hy_call_limits *limits, bool *is_hang_timeout)
{
    const int64_t now = hy_clock_boot();
    const int64_t end = now + limits->hang_timeout_ns;
    const int64_t last = limits->deadline > now ? limits->deadline : now;

    *is_hang_timeout = limits->deadline == HY_NO_DEADLINE || limits->deadline > end;
    return *is_hang_timeout ? end : last + GRACE_NS;
}
