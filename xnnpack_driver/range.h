/* What fused activations leave of a result. */
#ifndef XD_RANGE_H
#define XD_RANGE_H

#include "xd_operands.h"

/* The range of an ANEURALNETWORKS_FUSED_* code on this output. */
bool xd_range_of(struct xd_build *build, int32_t activation, const struct xd_tensor *output,
                 struct hy_value_range *ret);

/* The same, the code being a scalar operand. */
bool xd_activation(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                   const struct xd_tensor *output, struct hy_value_range *ret);

/* Whether the range lets everything through. */
bool xd_range_is_full(const struct hy_value_range *range, const struct xd_tensor *output);

#endif
