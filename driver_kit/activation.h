/* What a fused activation leaves of the values of an output. */
#ifndef HY_DRIVER_KIT_ACTIVATION_H
#define HY_DRIVER_KIT_ACTIVATION_H

#include "driver_kit/model_reader.h"

/* Both ends belong to the range. */
struct hy_value_range {
    float low, high;               /* of real values */
    int32_t quant_low, quant_high; /* of quantised elements; all bytes for other types */
};

/* All that elements of the type (OperandCode) hold. */
struct hy_value_range hy_full_range(int32_t type);

/*
 * The range of ANEURALNETWORKS_FUSED_* `code` on an output of this type. Quantised bounds are
 * rounded half away from zero, and lie in the range of the type. False, with a reason: the code is
 * unknown.
 */
bool hy_activation_range(struct hy_model_reader *reader, int32_t code, int32_t type, float scale,
                         int32_t zero_point, struct hy_value_range *range);

/* The same for the constant code at `position` and an output that was checked. */
bool hy_read_activation(struct hy_model_reader *reader, const struct hy_operation *operation,
                        uint32_t position, const struct hy_operand *output,
                        struct hy_value_range *range);

#endif
