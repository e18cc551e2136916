/* Averages over everything between the batches and the channels. */
#ifndef XD_AVERAGE_H
#define XD_AVERAGE_H

#include "xnnpack_driver/xd_operands.h"

/*
 * `input` is `batches` times `width` rows of channels of what elements are left; each
 * batch becomes one row. Input and output have the same quantisation. At most 2^23 rows.
 */
bool xd_emit_average(struct xd_build *build, const struct xd_tensor *input,
                     struct xd_tensor *output, size_t batches, size_t width,
                     const struct hy_value_range *range);

#endif
