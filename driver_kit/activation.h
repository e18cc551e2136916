/* The range of output values after a fused activation. */
#ifndef HY_DRIVER_KIT_ACTIVATION_H
#define HY_DRIVER_KIT_ACTIVATION_H

#include "driver_kit/model_reader.h"

/* A range of values, both ends included. */
struct hy_value_range {
    float low, high;               /* of real values */
    int32_t quant_low, quant_high; /* of quantised elements; all bytes for other types */
};

/* The full range of elements of `type` (OperandCode). */
struct hy_value_range hy_full_range(int32_t type);

/*
 * The range of the activation ANEURALNETWORKS_FUSED_* `code` for an output of type `type`.
 * Quantised bounds are rounded half away from zero and clamped to the range of the type. False: the
 * code is unknown; the reader holds the reason.
 */
bool hy_activation_range(struct hy_model_reader *reader, int32_t code, int32_t type, float scale,
                         int32_t zero_point, struct hy_value_range *range);

/* Same as hy_activation_range, for the constant scalar input at `position`. The caller has checked
 * `output`. */
bool hy_read_activation(struct hy_model_reader *reader, const struct hy_operation *operation,
                        uint32_t position, const struct hy_operand *output,
                        struct hy_value_range *range);

#endif
