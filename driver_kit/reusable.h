/*
 * Reusable executions over plain ones, for a driver that gains nothing from a request that stays
 * the same: each run is an execution of the request that was given once.
 */
#ifndef HY_DRIVER_KIT_REUSABLE_H
#define HY_DRIVER_KIT_REUSABLE_H

#include "driver_kit/execute_fn.h"

/* hy_device.reusable_create, with the function that runs. Errors: INVALID_ARGUMENT (options that
 * end before scratch_bytes), RESOURCE_EXHAUSTED_TRANSIENT. A wrong request fails when it runs. */
int32_t hy_reusable_create(hy_execute_fn *execute, void *prepared, const struct hy_request *request,
                           const struct hy_run_options *options, void **reusable);

/* hy_device.reusable_execute. Errors: those of the function that runs. */
int32_t hy_reusable_execute(void *reusable, int64_t deadline, struct hy_result *result);

/* hy_device.reusable_destroy */
void hy_reusable_destroy(void *reusable);

#endif
