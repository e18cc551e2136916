#ifndef HY_RUNTIME_CLOCK_H
#define HY_RUNTIME_CLOCK_H

#include "halyard/driver.h"

#include <time.h>

/* Nanoseconds that only grow, for durations. */
static inline uint64_t hy_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* The deadline `timeout` nanoseconds from now, on the clock of the driver ABI; 0 = none. */
static inline int64_t hy_clock_deadline(uint64_t timeout)
{
    if (timeout == 0)
        return HY_NO_DEADLINE;

    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    const int64_t start = (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    return timeout > (uint64_t)(INT64_MAX - start) ? INT64_MAX : start + (int64_t)timeout;
}

/* Whether a deadline on that clock lies behind us. */
static inline int hy_clock_is_past(int64_t deadline)
{
    struct timespec now;

    if (deadline == HY_NO_DEADLINE)
        return 0;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec >= deadline;
}

#endif
