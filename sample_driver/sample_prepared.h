/*
 * A prepared model of the sample device. The model has a plain program and, after the search for
 * the best packing, a compiled program. The search runs in prepare or in the first execution.
 */
#ifndef SAMPLE_PREPARED_H
#define SAMPLE_PREPARED_H

#include "arguments.h"
#include "driver_kit/single_device.h"
#include "operations.h"
#include "program.h"

/* The instance for one manifest. The instance is also its only device. */
struct sample_device {
    struct hy_single_device base;
    struct sample_arguments arguments;
    struct hy_operand_performance
        figures[2]; /* returned by capabilities; live as long as the device */
    uint32_t figure_count;
    struct hy_device table; /* function table, with or without buffers */
};

/* Compiles the main subgraph of `source->reader.model`; all of its operations must be supported. If
 * `source` is NULL, restores the cache files. A prepared model begins with hy_single_prepared. */
int32_t sample_prepare(struct sample_device *device, struct sample_source *source,
                       const struct hy_prepare_options *options, void **prepared);

/* Implements hy_device.prepare_from_cache. */
int32_t sample_prepare_from_cache(void *device, const struct hy_prepare_options *options,
                                  void **prepared);
void sample_prepared_destroy(void *prepared);

/* Returns the tensor of an input or output. NULL: the index is out of range. */
const struct sample_tensor *sample_prepared_argument(const void *prepared, uint32_t is_output,
                                                     uint32_t index);

#endif
