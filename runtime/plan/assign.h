#ifndef HY_RUNTIME_PLAN_ASSIGN_H
#define HY_RUNTIME_PLAN_ASSIGN_H

#include "runtime/plan/plan.h"

/*
 * Plans without calling drivers, from the current support matrix: devices, steps, step models,
 * boundary tensors. Errors: OUT_OF_MEMORY; BAD_DATA (no device supports an operation); the code of
 * a failed prepare, if only the failure leaves an operation without a device; FAILED (a boundary
 * tensor of unknown size).
 */
HY_MUST_CHECK enum hy_code hy_plan_assign(struct hy_plan *plan, struct hy_plan_search *search,
                                          struct hy_error *err);

#endif
