/*
 * The burst group of hy_device for a driver that keeps nothing but addresses from one execution to
 * the next: a burst is a prepared model and a map of pools.
 */
#ifndef HY_DRIVER_KIT_MAPPED_BURST_H
#define HY_DRIVER_KIT_MAPPED_BURST_H

#include "driver_kit/pool_map.h"

/* hy_device.execute with a map, which finds the addresses of pools instead of hy_host.map. */
typedef int32_t hy_execute_mapped_fn(void *prepared, struct hy_pool_map *pools,
                                     const struct hy_request *request,
                                     const struct hy_run_options *options,
                                     struct hy_result *result);

/* hy_device.burst_open, with the function that runs and the host of the prepared model. Error:
 * RESOURCE_EXHAUSTED_TRANSIENT. */
int32_t hy_mapped_burst_open(hy_execute_mapped_fn *execute, const struct hy_host *host,
                             void *prepared, void **burst);

/* hy_device.burst_execute. Errors: those of the function that runs. */
int32_t hy_mapped_burst_execute(void *burst, const struct hy_request *request,
                                const struct hy_run_options *options, struct hy_result *result);

/* hy_device.burst_release: from any thread, also while burst_execute uses other memory. */
void hy_mapped_burst_release(void *burst, uint64_t pool_id);

/* hy_device.burst_close */
void hy_mapped_burst_close(void *burst);

#endif
