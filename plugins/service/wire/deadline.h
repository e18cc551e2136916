#ifndef HY_SERVICE_WIRE_DEADLINE_H
#define HY_SERVICE_WIRE_DEADLINE_H

#include "halyard/driver.h"

#include <stdint.h>
#include <time.h>

/* Nanoseconds until a deadline of CLOCK_BOOTTIME, at most 0 when it has passed; INT64_MAX: there is
 * none. */
static inline int64_t hy_time_left(int64_t deadline)
{
    struct timespec now;

    if (deadline < 0)
        return INT64_MAX;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return deadline - ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

#endif
