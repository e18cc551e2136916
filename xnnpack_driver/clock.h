/* The clock of deadlines and durations. */
#ifndef XD_CLOCK_H
#define XD_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_BOOTTIME. */
static inline int64_t xd_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

#endif
