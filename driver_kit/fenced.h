/*
 * Fenced executions over plain ones, for a driver whose device knows no fences: a thread of its own
 * waits for the descriptors, calls the driver's execute, and ends the fence. The thread lives from
 * execute_fenced to fenced_destroy, which joins it.
 *
 * Hints are not passed on. On the thread the driver acts for nobody in the sense of
 * hy_host.memory_reserve.
 */
#ifndef HY_DRIVER_KIT_FENCED_H
#define HY_DRIVER_KIT_FENCED_H

#include "driver_kit/execute_fn.h"

/*
 * hy_device.execute_fenced, with the function that runs. The descriptors are duplicated, the views
 * of the request copied. `*fence` becomes a socket, the caller's to close: readable once the
 * execution has succeeded, in error (POLLERR) once it has failed. The execution ends with
 * MISSED_DEADLINE_TRANSIENT where the deadline passes or the cancelled word is set before all
 * descriptors are signalled, and with GENERAL_FAILURE where one of them is in error.
 * Errors: INVALID_ARGUMENT (views of an older version, a wrong request, a descriptor that is not
 * open), RESOURCE_EXHAUSTED_TRANSIENT (memory, descriptors, threads).
 */
int32_t hy_fenced_execute(hy_execute_fn *execute, void *prepared, const struct hy_request *request,
                          const struct hy_run_options *options, const int32_t *wait_for,
                          uint32_t wait_count, int32_t *fence, void **fenced);

/* hy_device.fenced_result */
int32_t hy_fenced_result(void *fenced, struct hy_fenced_result *result);

/* hy_device.fenced_destroy */
void hy_fenced_destroy(void *fenced);

#endif
