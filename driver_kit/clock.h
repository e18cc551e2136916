/* The clock of deadlines and durations. */
#ifndef HY_DRIVER_KIT_CLOCK_H
#define HY_DRIVER_KIT_CLOCK_H

#include <halyard/driver.h>

#include <stdbool.h>
#include <time.h>

/* Nanoseconds of CLOCK_BOOTTIME. */
static inline int64_t hy_boottime(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* Whether the clock is beyond the deadline. HY_NO_DEADLINE never passes. */
static inline bool hy_deadline_is_past(int64_t deadline)
{
    return deadline != HY_NO_DEADLINE && hy_boottime() > deadline;
}

#endif
