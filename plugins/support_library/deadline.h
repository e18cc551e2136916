#ifndef HY_PLUGINS_SUPPORT_LIBRARY_DEADLINE_H
#define HY_PLUGINS_SUPPORT_LIBRARY_DEADLINE_H

#include "common/clock.h"
#include "common/error.h"
#include "halyard/driver.h"

/*
 * The nanoseconds that are left of a deadline, which is a point in time here and a duration in the
 * support library's API; 0, which is "no limit" there, for HY_NO_DEADLINE. A deadline that has
 * passed is HY_MISSED_DEADLINE_FOR_GOOD.
 */
HY_MUST_CHECK static inline enum hy_code hy_sl_time_left(int64_t deadline, uint64_t *ret,
                                                         struct hy_error *err)
{
    *ret = 0;
    if (deadline == HY_NO_DEADLINE)
        return HY_OK;
    const int64_t left = hy_clock_left(deadline);
    if (left <= 0)
        return hy_fail(err, HY_MISSED_DEADLINE_FOR_GOOD, "the deadline has passed already");
    *ret = (uint64_t)left;
    return HY_OK;
}

#endif
