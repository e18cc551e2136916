#include "driver_kit/single_device.h"

#include "driver_kit/fenced.h"
#include "driver_kit/reusable.h"

uint32_t hy_single_device_count(void *instance)
{
    (void)instance;
    return 1;
}

int32_t hy_single_device_get(void *instance, uint32_t index, const struct hy_device **table,
                             void **device)
{
    if (index != 0)
        return HY_STATUS_INVALID_ARGUMENT;
    *table = ((const struct hy_single_device *)instance)->table;
    *device = instance;
    return HY_STATUS_OK;
}

int32_t hy_single_device_wait(void *device, int64_t deadline)
{
    (void)device, (void)deadline;
    return HY_STATUS_OK;
}

int32_t hy_single_buffer_create(void *device, const struct hy_buffer_desc *desc, uint32_t *token,
                                void **buffer)
{
    struct hy_single_device *self = device;
    return hy_device_buffer_create(&self->buffers, desc, token, buffer);
}

int32_t hy_single_execute(void *prepared, const struct hy_request *request,
                          const struct hy_run_options *options, struct hy_result *result)
{
    return ((const struct hy_single_prepared *)prepared)
        ->execute(prepared, NULL, request, options, result);
}

int32_t hy_single_execute_fenced(void *prepared, const struct hy_request *request,
                                 const struct hy_run_options *options, const int32_t *wait_for,
                                 uint32_t wait_count, int32_t *fence, void **fenced)
{
    return hy_fenced_execute(hy_single_execute, prepared, request, options, wait_for, wait_count,
                             fence, fenced);
}

int32_t hy_single_burst_open(void *prepared, void **burst)
{
    const struct hy_single_prepared *self = prepared;
    return hy_mapped_burst_open(self->execute, self->device->host, prepared, burst);
}

int32_t hy_single_reusable_create(void *prepared, const struct hy_request *request,
                                  const struct hy_run_options *options, void **reusable)
{
    return hy_reusable_create(hy_single_execute, prepared, request, options, reusable);
}
