/*
 * Fenced executions for a driver without native fences. Each fenced execution has its own thread,
 * which waits for the descriptors, calls the execute function of the driver and signals the fence.
 * fenced_destroy joins the thread.
 *
 * Hints are not passed on. Memory reserved on this thread (hy_host.memory_reserve) counts for no
 * client.
 */
#ifndef HY_DRIVER_KIT_FENCED_H
#define HY_DRIVER_KIT_FENCED_H

#include "driver_kit/execute_fn.h"

/*
 * Implements hy_device.execute_fenced with `execute`. Descriptors are duplicated; the request is
 * copied. `*fence` becomes a socket, which the caller closes: readable after success, in error
 * (POLLERR) after failure. If the deadline passes or the cancelled word is set before all
 * descriptors are signalled, the execution fails with MISSED_DEADLINE_TRANSIENT. If a descriptor
 * reports an error, the execution fails with GENERAL_FAILURE. Errors: INVALID_ARGUMENT (structs of
 * an older version, a malformed request, a descriptor that is not open),
 * RESOURCE_EXHAUSTED_TRANSIENT (memory, descriptors, threads).
 */
int32_t hy_fenced_execute(hy_execute_fn *execute, void *prepared, const struct hy_request *request,
                          const struct hy_run_options *options, const int32_t *wait_for,
                          uint32_t wait_count, int32_t *fence, void **fenced);

/* hy_device.fenced_result */
int32_t hy_fenced_result(void *fenced, struct hy_fenced_result *result);

/* hy_device.fenced_destroy */
void hy_fenced_destroy(void *fenced);

#endif
