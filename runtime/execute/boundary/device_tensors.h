#ifndef HY_RUNTIME_EXECUTE_BOUNDARY_DEVICE_TENSORS_H
#define HY_RUNTIME_EXECUTE_BOUNDARY_DEVICE_TENSORS_H

#include "runtime/execute/binding.h"

/*
 * Boundary tensors in buffers of devices, see plan/boundary_tensors.h: each binding has its own,
 * made once, so that executions run at the same time and allocate nothing.
 */

/* Asks for the buffers. Where a driver gives none the boundary tensor lies in the block, and the
 * log says so once for each plan. */
void hy_device_tensors_make(struct hy_boundary_memory *memory);

/* After a success of the step: what it has left in buffers goes to where the steps of other devices
 * read it. Errors: the driver's. */
HY_MUST_CHECK enum hy_code hy_device_tensors_copy_out(struct hy_binding *binding, uint32_t step,
                                                      struct hy_error *err);

#endif
