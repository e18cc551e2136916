/*
 * Reusable executions built on plain executions, for a driver without a fast path for repeated
 * requests. Each run executes the original request, which must outlive the reusable execution.
 */
#ifndef HY_DRIVER_KIT_REUSABLE_H
#define HY_DRIVER_KIT_REUSABLE_H

#include "driver_kit/execute_fn.h"

/* Implements hy_device.reusable_create with `execute`. Errors: INVALID_ARGUMENT (options without
 * the member scratch_bytes), RESOURCE_EXHAUSTED_TRANSIENT. An invalid request only fails in
 * reusable_execute. */
int32_t hy_reusable_create(hy_execute_fn *execute, void *prepared, const struct hy_request *request,
                           const struct hy_run_options *options, void **reusable);

/* Implements hy_device.reusable_execute. Errors: those of `execute`. */
int32_t hy_reusable_execute(void *reusable, int64_t deadline, struct hy_result *result);

/* Implements hy_device.reusable_destroy. */
void hy_reusable_destroy(void *reusable);

#endif
