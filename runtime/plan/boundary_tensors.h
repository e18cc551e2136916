#ifndef HY_RUNTIME_PLAN_BOUNDARY_TENSORS_H
#define HY_RUNTIME_PLAN_BOUNDARY_TENSORS_H

#include "runtime/plan/plan.h"

/*
 * The boundary tensors of a plan, and which of them stay on the device that computes them. A tensor
 * that one step of a device writes and another step of it reads may lie in a buffer of its driver,
 * where moving it costs something: the steps of devices without such costs share one block of
 * memory already. Steps of other devices may read it as well, if what the first device saves is
 * worth a copy out of the buffer. The model has to tell the size, and what the app is to get never
 * lies there.
 */

/* Sums the boundary tensors of the plan up, and sets device and is_copied_out of each. Linear.
 * Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_boundary_tensors_count(struct hy_plan *plan, struct hy_error *err);

/* Bytes of the step's inputs and outputs that no longer cross its boundary. */
uint64_t hy_boundary_tensors_spared(const struct hy_plan *plan, const struct hy_step *step);

#endif
