/* Value ranges of fused activations. */
#ifndef XD_RANGE_H
#define XD_RANGE_H

#include "xd_operands.h"

/* Computes the range of an ANEURALNETWORKS_FUSED_* code for `output`. Refuses a quantised range of
 * less than two values, as XNNPACK does. */
bool xd_range_of(struct xd_build *build, int32_t activation, const struct xd_tensor *output,
                 struct hy_value_range *ret);

/* Same as xd_range_of, with the code of the scalar input at `position`. */
bool xd_activation(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                   const struct xd_tensor *output, struct hy_value_range *ret);

/* Whether the range is the full range of the output. */
bool xd_range_is_full(const struct hy_value_range *range, const struct xd_tensor *output);

#endif
