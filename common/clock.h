#ifndef HY_COMMON_CLOCK_H
#define HY_COMMON_CLOCK_H

#include "halyard/driver.h"

#include <stdint.h>
#include <time.h>

/* Times are in nanoseconds. Deadlines of the driver ABI use CLOCK_BOOTTIME, which includes
 * suspended time; durations and waits of threads use CLOCK_MONOTONIC. */
#define HY_SECOND      INT64_C(1000000000)
#define HY_MILLISECOND INT64_C(1000000)

static inline int64_t hy_clock_read(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * HY_SECOND + now.tv_nsec;
}

/* A monotonic time for durations. */
static inline uint64_t hy_clock_now(void)
{
    return (uint64_t)hy_clock_read(CLOCK_MONOTONIC);
}

static inline double hy_clock_seconds(void)
{
    return (double)hy_clock_now() * 1e-9;
}

/* The clock of deadlines. */
static inline int64_t hy_clock_boot(void)
{
    return hy_clock_read(CLOCK_BOOTTIME);
}

/* The deadline `timeout` ns from now; 0: HY_NO_DEADLINE. */
static inline int64_t hy_clock_deadline(uint64_t timeout)
{
    if (timeout == 0)
        return HY_NO_DEADLINE;

    const int64_t start = hy_clock_boot();
    return timeout > (uint64_t)(INT64_MAX - start) ? INT64_MAX : start + (int64_t)timeout;
}

/* Time left until `deadline`, 0 or less after the deadline; INT64_MAX without a deadline. */
static inline int64_t hy_clock_left(int64_t deadline)
{
    return deadline < 0 ? INT64_MAX : deadline - hy_clock_boot();
}

static inline int hy_clock_is_past(int64_t deadline)
{
    return deadline != HY_NO_DEADLINE && hy_clock_boot() >= deadline;
}

/* The end of a wait of `duration` on CLOCK_MONOTONIC, for pthread_cond_clockwait() and similar
 * calls: now for a negative duration, the last time of the clock for INT64_MAX. */
static inline struct timespec hy_clock_wait_end(int64_t duration)
{
    const int64_t now = hy_clock_read(CLOCK_MONOTONIC);
    const int64_t part = duration > 0 ? duration : 0;
    const int64_t end = part > INT64_MAX - now ? INT64_MAX : now + part;

    return (struct timespec){.tv_sec = (time_t)(end / HY_SECOND),
                             .tv_nsec = (long)(end % HY_SECOND)};
}

#endif
