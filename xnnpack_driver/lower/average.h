/* Means over all dimensions between batch and channels. */
#ifndef XD_AVERAGE_H
#define XD_AVERAGE_H

#include "xnnpack_driver/xd_operands.h"

/*
 * `input` has `batches` times `width` rows, each a pixel's channels. The mean of the rows of a
 * batch is a row of `output`. Input and output have the same quantisation. `width` is at most 2^23.
 * False: out of memory.
 */
bool xd_emit_average(struct xd_build *build, const struct xd_tensor *input,
                     struct xd_tensor *output, size_t batches, size_t width,
                     const struct hy_value_range *range);

#endif
