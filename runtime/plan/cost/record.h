#ifndef HY_RUNTIME_PLAN_COST_RECORD_H
#define HY_RUNTIME_PLAN_COST_RECORD_H

#include "runtime/plan/plan.h"
#include "runtime/profile/profile.h"

/*
 * Records `ns` as the measured time of a step with a single operation. Subtracts launch and
 * transfer, and stores the rest in a profile of the step's device. Errors: BAD_DATA (a step with
 * several operations, or an operation that cannot be recorded), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_record(const struct hy_plan *plan, uint32_t operation, double ns,
                                          struct hy_profile *profile, struct hy_error *err);

#endif
