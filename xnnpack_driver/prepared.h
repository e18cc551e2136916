/* Prepared models: a program and its instances. */
#ifndef XD_PREPARED_H
#define XD_PREPARED_H

#include "driver_kit/device_buffer.h"
#include "driver_kit/pool_map.h"
#include "program.h"

/* hy_device.prepare, prepared_destroy and execute, on a host; requests may name the buffers. */
int32_t xd_prepare(const struct hy_host *host, struct hy_device_buffers *buffers,
                   const struct hy_model *model, const struct hy_prepare_options *options,
                   void **prepared);
void xd_prepared_destroy(void *prepared);
int32_t xd_execute(void *prepared, const struct hy_request *request,
                   const struct hy_run_options *options, struct hy_result *result);

/* The same in a burst, which has the map. */
int32_t xd_execute_in(void *prepared, struct hy_pool_map *pools, const struct hy_request *request,
                      const struct hy_run_options *options, struct hy_result *result);

/* The host that the model was prepared for. */
const struct hy_host *xd_prepared_host(const void *prepared);

/* The tensor that an input or output of a prepared model is. NULL: it has no such one. */
const struct xd_tensor *xd_prepared_argument(const void *prepared, bool is_output, uint32_t index);

#endif
