#ifndef HY_PLUGINS_SUPPORT_LIBRARY_DEADLINE_H
#define HY_PLUGINS_SUPPORT_LIBRARY_DEADLINE_H

#include "common/error.h"
#include "halyard/driver.h"

#include <time.h>

/*
 * The nanoseconds that are left of a deadline, which is a point in time here and a duration in the
 * support library's API; 0, which is "no limit" there, for HY_NO_DEADLINE. A deadline that has
 * passed is HY_MISSED_DEADLINE_FOR_GOOD.
 */
HY_MUST_CHECK static inline enum hy_code hy_sl_time_left(int64_t deadline, uint64_t *ret,
                                                         struct hy_error *err)
{
    struct timespec now;

    *ret = 0;
    if (deadline == HY_NO_DEADLINE)
        return HY_OK;
    clock_gettime(CLOCK_BOOTTIME, &now);
    const int64_t time = (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    if (deadline <= time)
        return hy_fail(err, HY_MISSED_DEADLINE_FOR_GOOD, "the deadline has passed already");
    *ret = (uint64_t)(deadline - time);
    return HY_OK;
}

#endif
