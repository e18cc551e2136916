#ifndef HY_RUNTIME_PLAN_BOUNDARY_TENSORS_H
#define HY_RUNTIME_PLAN_BOUNDARY_TENSORS_H

#include "runtime/plan/plan.h"

/*
 * The boundary tensors of a plan, and the choice of tensors that stay on a device. A tensor that a
 * step writes and a step of the same device reads may lie in a buffer of the driver if the device
 * declares a cost for moving bytes. Devices without a transfer cost share one block of memory.
 * Steps of other devices may read the tensor too, if the saving of the first device exceeds the
 * cost of a copy out of the buffer. The model must define the size of the tensor. Outputs of the
 * model never lie in a device buffer.
 */

/* Sums the bytes of the boundary tensors, and sets device and is_copied_out of each tensor. Linear.
 * Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_boundary_tensors_count(struct hy_plan *plan, struct hy_error *err);

/* Bytes of the step's inputs and outputs that stay in device buffers. */
uint64_t hy_boundary_tensors_spared(const struct hy_plan *plan, const struct hy_step *step);

#endif
