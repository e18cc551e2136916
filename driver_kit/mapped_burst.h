/*
 * The burst functions of hy_device, for a driver that only caches addresses between executions. A
 * burst is a prepared model with a pool map.
 */
#ifndef HY_DRIVER_KIT_MAPPED_BURST_H
#define HY_DRIVER_KIT_MAPPED_BURST_H

#include "driver_kit/pool_map.h"

/* hy_device.execute with a pool map, which replaces calls of hy_host.map. `pools` is NULL outside
 * of a burst. */
typedef int32_t hy_execute_mapped_fn(void *prepared, struct hy_pool_map *pools,
                                     const struct hy_request *request,
                                     const struct hy_run_options *options,
                                     struct hy_result *result);

/* Implements hy_device.burst_open. `host` is the host of the prepared model. Error:
 * RESOURCE_EXHAUSTED_TRANSIENT. */
int32_t hy_mapped_burst_open(hy_execute_mapped_fn *execute, const struct hy_host *host,
                             void *prepared, void **burst);

/* Implements hy_device.burst_execute. Errors: those of the execute function. */
int32_t hy_mapped_burst_execute(void *burst, const struct hy_request *request,
                                const struct hy_run_options *options, struct hy_result *result);

/* Implements hy_device.burst_release. Any thread may call, even during burst_execute if the
 * execution uses other pools. */
void hy_mapped_burst_release(void *burst, uint64_t pool_id);

/* Implements hy_device.burst_close. */
void hy_mapped_burst_close(void *burst);

#endif
