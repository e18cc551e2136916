#ifndef HY_SERVICE_SERVER_ESTIMATE_H
#define HY_SERVICE_SERVER_ESTIMATE_H

#include "halyard/driver.h"

/*
 * Estimates the memory that a driver allocates without asking its host (hy_host.memory_reserve):
 * drivers of ABI 1.0, and Android support libraries. Allocations beyond the estimate are not
 * counted. Results are bytes; UINT64_MAX means overflow.
 */

/* Estimates a prepared model by the bytes of the model's constants: packed weights take about the
 * same amount. */
uint64_t hy_server_estimate_model(const struct hy_model *model);

/* Returns the memory need of an execution as reported by the driver; 0: not reported. */
uint64_t hy_server_estimate_run(const struct hy_device *table, void *prepared);

/* Estimates a buffer with four bytes per element, because the type is unknown here; 0: the shape is
 * not fully specified. */
uint64_t hy_server_estimate_buffer(const struct hy_buffer_desc *desc);

#endif
