#ifndef HY_PLUGINS_SUPPORT_LIBRARY_DEADLINE_H
#define HY_PLUGINS_SUPPORT_LIBRARY_DEADLINE_H

#include "common/clock.h"
#include "common/error.h"
#include "halyard/driver.h"

/*
 * Converts a deadline, a point in time in ns, to the remaining duration in ns for the support
 * library's API. HY_NO_DEADLINE becomes 0, "no limit" in the API. Errors:
 * HY_MISSED_DEADLINE_FOR_GOOD (the deadline has passed).
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
