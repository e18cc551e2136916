#ifndef HY_RUNTIME_PLAN_DEADLINE_H
#define HY_RUNTIME_PLAN_DEADLINE_H

#include "common/clock.h"
#include "common/error.h"

/*
 * MISSED_DEADLINE_FOR_GOOD after the deadline of the compilation. Called between the slow parts of
 * a compilation: each support query, each planned body, each planning round, each prepared step.
 * Not called before the first part: the driver decides by itself.
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
