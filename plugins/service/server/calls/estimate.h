#ifndef HY_SERVICE_SERVER_ESTIMATE_H
#define HY_SERVICE_SERVER_ESTIMATE_H

#include "halyard/driver.h"

/*
 * What a driver is taken to allocate that does not ask its host (hy_host.memory_reserve): drivers
 * of ABI 1.0, and Android support libraries. Nobody counts what such a driver allocates beyond
 * that. UINT64_MAX stands for more than can be counted.
 */

/* The constants of the model: packed weights take about as much. */
uint64_t hy_server_estimate_model(const struct hy_model *model);

/* What the driver says an execution needs; 0: it does not say. */
uint64_t hy_server_estimate_run(const struct hy_device *table, void *prepared);

/* A buffer: four bytes an element, as the type is not known here; 0: its shape is open. */
uint64_t hy_server_estimate_buffer(const struct hy_buffer_desc *desc);

#endif
