/*
 * Value ranges of fused activations. struct hy_value_range (driver_kit/activation.h) has both ends
 * of the range: as real values, and, for a quantised output, as stored elements. Both ends belong
 * to the range. `build` gives the model, and gets the reason of a refusal in build->reader.
 */
#ifndef XD_RANGE_H
#define XD_RANGE_H

#include "xd_operands.h"

/* Computes the range of an ANEURALNETWORKS_FUSED_* code for `output`. False: the code is unknown,
 * or the range of a quantised output has fewer than two values, which XNNPACK refuses; `*ret` is
 * unchanged. */
bool xd_range_of(struct xd_build *build, int32_t activation, const struct xd_tensor *output,
                 struct hy_value_range *ret);

/* Same as xd_range_of, with the code from input `position` (from 0) of the operation. False also if
 * this input is not a constant INT32. */
bool xd_activation(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                   const struct xd_tensor *output, struct hy_value_range *ret);

/* True if the range is the full range of the output's type, so that clamping changes nothing.
 * Compares elements for a quantised output, and real values otherwise. */
bool xd_range_is_full(const struct hy_value_range *range, const struct xd_tensor *output);

#endif
