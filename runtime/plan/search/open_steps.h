#ifndef HY_RUNTIME_PLAN_SEARCH_OPEN_STEPS_H
#define HY_RUNTIME_PLAN_SEARCH_OPEN_STEPS_H

#include "runtime/plan/plan.h"

/*
 * Asks drivers about steps at whose boundary the model leaves a size open. What a driver
 * says of the whole model does not bind it there: inside of the whole it may find the size itself.
 * What it refuses is noted in the matrix, and `*ret_refused` becomes true, so that a new plan is
 * due. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_open_steps_confirm(struct hy_plan *plan, bool *ret_refused,
                                                 struct hy_error *err);

#endif
