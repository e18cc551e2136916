#include "driver_kit/activation.h"

#include <android/NeuralNetworks.h>

#include <math.h>

struct hy_value_range hy_full_range(int32_t type)
{
    const bool is_unsigned = type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
    return (struct hy_value_range){.low = -INFINITY,
                                   .high = INFINITY,
                                   .quant_low = is_unsigned ? 0 : INT8_MIN,
                                   .quant_high = is_unsigned ? UINT8_MAX : INT8_MAX};
}

/* Limits the steps to avoid integer overflow, then clamps to the full range. */
static int32_t quantise(const struct hy_value_range *full, float scale, int32_t zero_point,
                        float value)
{
    const float steps = fminf(fmaxf(roundf(value / scale), -65536), 65536);
    const int32_t element = zero_point + (int32_t)steps;
    return element < full->quant_low    ? full->quant_low
           : element > full->quant_high ? full->quant_high
                                        : element;
}

bool hy_activation_range(struct hy_model_reader *reader, int32_t code, int32_t type, float scale,
                         int32_t zero_point, struct hy_value_range *range)
{
    static const float bounds[][2] = {
        [ANEURALNETWORKS_FUSED_NONE] = {-INFINITY, INFINITY},
        [ANEURALNETWORKS_FUSED_RELU] = {0, INFINITY},
        [ANEURALNETWORKS_FUSED_RELU1] = {-1, 1},
        [ANEURALNETWORKS_FUSED_RELU6] = {0, 6},
    };
    if (code < ANEURALNETWORKS_FUSED_NONE || code > ANEURALNETWORKS_FUSED_RELU6)
        return hy_refuse(reader, "the activation is %d, needs 0 to 3", code);

    const struct hy_value_range full = hy_full_range(type);
    *range = full;
    range->low = bounds[code][0];
    range->high = bounds[code][1];
    if (type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
        type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED) {
        range->quant_low = quantise(&full, scale, zero_point, range->low);
        range->quant_high = quantise(&full, scale, zero_point, range->high);
    }
    return true;
}

bool hy_read_activation(struct hy_model_reader *reader, const struct hy_operation *operation,
                        uint32_t position, const struct hy_operand *output,
                        struct hy_value_range *range)
{
    int32_t code = 0;
    return hy_read_i32(reader, operation, position, &code) &&
           hy_activation_range(reader, code, output->type, output->scale, output->zero_point,
                               range);
}
