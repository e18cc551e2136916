#ifndef HY_RUNTIME_PLAN_DEADLINE_H
#define HY_RUNTIME_PLAN_DEADLINE_H

#include "common/clock.h"
#include "common/error.h"

/*
 * Between the parts of a compilation that take time: each device asked, each body planned, each
 * round of planning, each step prepared. Not before the first of them: a driver may not mind, and
 * decides by itself. MISSED_DEADLINE_FOR_GOOD once the deadline of the compilation is past.
 */
static inline HY_MUST_CHECK enum hy_code hy_plan_check_deadline(int64_t deadline,
                                                                struct hy_error *err)
{
    if (!hy_clock_is_past(deadline))
        return HY_OK;
    return hy_fail(err, HY_MISSED_DEADLINE_FOR_GOOD,
                   "the deadline passed before the plan was made");
}

#endif
