#ifndef HY_RUNTIME_PLAN_ASSIGN_H
#define HY_RUNTIME_PLAN_ASSIGN_H

#include "runtime/plan/plan.h"

/*
 * Everything before the drivers come in, from the matrix as it stands: devices, steps, step models,
 * boundary tensors. Errors: OUT_OF_MEMORY; BAD_DATA (an operation that no device supports); the
 * code of the failed prepare, where only that keeps an operation from running; FAILED (a boundary
 * tensor of unknown size).
 */
HY_MUST_CHECK enum hy_code hy_plan_assign(struct hy_plan *plan, struct hy_plan_search *search,
                                          struct hy_error *err);

#endif
