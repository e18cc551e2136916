#ifndef HY_RUNTIME_PLAN_COST_RECORD_H
#define HY_RUNTIME_PLAN_COST_RECORD_H

#include "runtime/plan/plan.h"
#include "runtime/profile/profile.h"

/*
 * Takes `ns` as the time of the step that runs one operation alone, and puts what is left without
 * launch and transfer into a profile of the step's device. Errors: BAD_DATA (a step with several
 * operations, an operation that cannot be kept), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_plan_record(const struct hy_plan *plan, uint32_t operation, double ns,
                                          struct hy_profile *profile, struct hy_error *err);

#endif
