/*
 * A prepared model of the sample device: a program to run, and one that it becomes when it has been
 * compiled with care, at once or just in time.
 */
#ifndef SAMPLE_PREPARED_H
#define SAMPLE_PREPARED_H

#include "arguments.h"
#include "operations.h"

/* Compiles the main subgraph of `source->model`. All of its operations must be supported. The
 * arguments live as long as the device. */
int32_t sample_prepare(struct sample_source *source, const struct sample_arguments *arguments,
                       const struct hy_prepare_options *options, void **prepared);

/* hy_device.prepare_from_cache. */
int32_t sample_prepare_from_cache(const struct hy_host *host,
                                  const struct sample_arguments *arguments,
                                  const struct hy_prepare_options *options, void **prepared);
void sample_prepared_destroy(void *prepared);

/* hy_device.execute. */
int32_t sample_execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result);

#endif
