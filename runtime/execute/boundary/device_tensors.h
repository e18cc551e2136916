#ifndef HY_RUNTIME_EXECUTE_BOUNDARY_DEVICE_TENSORS_H
#define HY_RUNTIME_EXECUTE_BOUNDARY_DEVICE_TENSORS_H

#include "runtime/execute/binding.h"

/*
 * Boundary tensors in device buffers, see plan/boundary_tensors.h. Each binding has its own
 * buffers, allocated once: concurrent executions share no buffers and allocate nothing.
 */

/* Requests the buffers from the drivers. Without a buffer the boundary tensor lies in the block,
 * and the log reports the fact once per plan. */
void hy_device_tensors_make(struct hy_boundary_memory *memory);

/* Call after a successful step. Copies the step's outputs from buffers to the memory read by steps
 * of other devices. Errors: those of the driver. */
HY_MUST_CHECK enum hy_code hy_device_tensors_copy_out(struct hy_binding *binding, uint32_t step,
                                                      struct hy_error *err);

#endif
