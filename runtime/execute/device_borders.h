#ifndef HY_RUNTIME_EXECUTE_DEVICE_BORDERS_H
#define HY_RUNTIME_EXECUTE_DEVICE_BORDERS_H

#include "runtime/execute/binding.h"

/*
 * Borders in buffers of devices, see plan/device_borders.h: each binding has its own, made once, so
 * that executions run at the same time and allocate nothing.
 */

/* Asks for the buffers. Where a driver gives none the border lies in the block, and the log says so
 * once for each plan. */
void hy_device_borders_make(struct hy_border_memory *memory);

/* After a success of the step: what it has left in buffers goes to where the steps of other devices
 * read it. Errors: the driver's. */
HY_MUST_CHECK enum hy_code hy_device_borders_copy_out(struct hy_binding *binding, uint32_t step,
                                                      struct hy_error *err);

#endif
