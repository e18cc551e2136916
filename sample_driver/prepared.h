/* A compiled model of the sample device, and how it runs. */
#ifndef SAMPLE_PREPARED_H
#define SAMPLE_PREPARED_H

#include "operations.h"

/* Compiles the main subgraph of `source->model`. All of its operations must be supported. */
int32_t sample_prepare(struct sample_source *source, const struct hy_message *message,
                       void **prepared);
void sample_prepared_destroy(void *prepared);

/* hy_device.execute. */
int32_t sample_execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);

#endif
