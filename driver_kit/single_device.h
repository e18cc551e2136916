/*
 * Common code for a driver with one device: the instance is also the device, and each prepared
 * model has one execute function. The functions are members of hy_driver and hy_device. The structs
 * of the driver must begin with the structs below.
 */
#ifndef HY_DRIVER_KIT_SINGLE_DEVICE_H
#define HY_DRIVER_KIT_SINGLE_DEVICE_H

#include "driver_kit/device_buffer.h"
#include "driver_kit/mapped_burst.h"

/* The first member of the instance struct of the driver. */
struct hy_single_device {
    const struct hy_device *table;
    const struct hy_host *host;
    struct hy_device_buffers buffers;
};

/* The first member of the prepared model struct of the driver. */
struct hy_single_prepared {
    struct hy_single_device *device;
    hy_execute_mapped_fn *execute;
};

/* ---- hy_driver ------------------------------------------------------------------------------- */

/* Implements hy_driver.device_count; returns 1. */
uint32_t hy_single_device_count(void *instance);

/* Implements hy_driver.device. Error: INVALID_ARGUMENT (the index is not 0). */
int32_t hy_single_device_get(void *instance, uint32_t index, const struct hy_device **table,
                             void **device);

/* ---- hy_device ------------------------------------------------------------------------------- */

/* Implements hy_device.wait, for a device that is always available. */
int32_t hy_single_device_wait(void *device, int64_t deadline);

/* Implements hy_device.buffer_create. Errors: those of hy_device_buffer_create. */
int32_t hy_single_buffer_create(void *device, const struct hy_buffer_desc *desc, uint32_t *token,
                                void **buffer);

/* Implements hy_device.execute: runs without a pool map. Errors: those of the execute function. */
int32_t hy_single_execute(void *prepared, const struct hy_request *request,
                          const struct hy_run_options *options, struct hy_result *result);

/* Implements hy_device.execute_fenced by hy_fenced_execute (driver_kit/fenced.h). */
int32_t hy_single_execute_fenced(void *prepared, const struct hy_request *request,
                                 const struct hy_run_options *options, const int32_t *wait_for,
                                 uint32_t wait_count, int32_t *fence, void **fenced);

/* Implements hy_device.burst_open by hy_mapped_burst_open. */
int32_t hy_single_burst_open(void *prepared, void **burst);

/* Implements hy_device.reusable_create by hy_reusable_create (driver_kit/reusable.h). */
int32_t hy_single_reusable_create(void *prepared, const struct hy_request *request,
                                  const struct hy_run_options *options, void **reusable);

#endif
