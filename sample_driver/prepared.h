/*
 * A prepared model of the sample device: a program to run, and one that it becomes when it has been
 * compiled with care, at once or just in time.
 */
#ifndef SAMPLE_PREPARED_H
#define SAMPLE_PREPARED_H

#include "arguments.h"
#include "driver_kit/single_device.h"
#include "operations.h"
#include "program.h"

/* What create makes for one manifest: an instance with exactly one device, itself. */
struct sample_device {
    struct hy_single_device base;
    struct sample_arguments arguments;
    struct hy_operand_performance figures[2]; /* live as long as the device: see capabilities */
    uint32_t figure_count;
    struct hy_device table; /* the plain one, or with buffers */
};

/* Compiles the main subgraph of `source->reader.model`, all of whose operations must be supported;
 * without a source, restores the cache files. A prepared model begins with hy_single_prepared. */
int32_t sample_prepare(struct sample_device *device, struct sample_source *source,
                       const struct hy_prepare_options *options, void **prepared);

/* hy_device.prepare_from_cache. */
int32_t sample_prepare_from_cache(void *device, const struct hy_prepare_options *options,
                                  void **prepared);
void sample_prepared_destroy(void *prepared);

/* The tensor of an input or output; NULL: there is none of this number. */
const struct sample_tensor *sample_prepared_argument(const void *prepared, uint32_t is_output,
                                                     uint32_t index);

#endif
