#ifndef HY_RUNTIME_PLAN_SEARCH_OPEN_STEPS_H
#define HY_RUNTIME_PLAN_SEARCH_OPEN_STEPS_H

#include "runtime/plan/plan.h"

/*
 * Asks drivers again about steps with a boundary of unknown size. The reply for the whole model
 * does not bind a driver for such a step, because a driver may find the size inside the whole
 * model. Refused operations are noted in the matrix, and `*ret_refused` becomes true: the plan must
 * be made again. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_open_steps_confirm(struct hy_plan *plan, bool *ret_refused,
                                                 struct hy_error *err);

#endif
