/*
 * What a driver of one device begins with: an instance that is its own device, and prepared models
 * with one function that runs them. The functions here are members of hy_driver and hy_device. They
 * find what they need at the start of the driver's structs.
 */
#ifndef HY_DRIVER_KIT_SINGLE_DEVICE_H
#define HY_DRIVER_KIT_SINGLE_DEVICE_H

#include "driver_kit/device_buffer.h"
#include "driver_kit/mapped_burst.h"

/* The first member of an instance. */
struct hy_single_device {
    const struct hy_device *table;
    const struct hy_host *host;
    struct hy_device_buffers buffers;
};

/* The first member of a prepared model. */
struct hy_single_prepared {
    struct hy_single_device *device;
    hy_execute_mapped_fn *execute;
};

/* ---- hy_driver ------------------------------------------------------------------------------- */

/* hy_driver.device_count: 1 */
uint32_t hy_single_device_count(void *instance);

/* hy_driver.device. Error: INVALID_ARGUMENT (the index is not 0). */
int32_t hy_single_device_get(void *instance, uint32_t index, const struct hy_device **table,
                             void **device);

/* ---- hy_device ------------------------------------------------------------------------------- */

/* hy_device.wait, for a device that is never unavailable. */
int32_t hy_single_device_wait(void *device, int64_t deadline);

/* hy_device.buffer_create. Errors: those of hy_device_buffer_create. */
int32_t hy_single_buffer_create(void *device, const struct hy_buffer_desc *desc, uint32_t *token,
                                void **buffer);

/* hy_device.execute: outside of any burst. Errors: those of the function that runs. */
int32_t hy_single_execute(void *prepared, const struct hy_request *request,
                          const struct hy_run_options *options, struct hy_result *result);

/* hy_device.execute_fenced, as hy_fenced_execute does it (driver_kit/fenced.h). */
int32_t hy_single_execute_fenced(void *prepared, const struct hy_request *request,
                                 const struct hy_run_options *options, const int32_t *wait_for,
                                 uint32_t wait_count, int32_t *fence, void **fenced);

/* hy_device.burst_open, as hy_mapped_burst_open does it. */
int32_t hy_single_burst_open(void *prepared, void **burst);

/* hy_device.reusable_create, as hy_reusable_create does it (driver_kit/reusable.h). */
int32_t hy_single_reusable_create(void *prepared, const struct hy_request *request,
                                  const struct hy_run_options *options, void **reusable);

#endif
