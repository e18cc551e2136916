#include "range.h"

#include <math.h>

static const float bounds[][2] = {
    [ANEURALNETWORKS_FUSED_NONE] = {-INFINITY, INFINITY},
    [ANEURALNETWORKS_FUSED_RELU] = {0, INFINITY},
    [ANEURALNETWORKS_FUSED_RELU1] = {-1, 1},
    [ANEURALNETWORKS_FUSED_RELU6] = {0, 6},
};

struct xd_range xd_full_range(const struct xd_tensor *output)
{
    const bool is_unsigned = XD_HAS(XD_QU8, output);
    return (struct xd_range){.low = -INFINITY,
                             .high = INFINITY,
                             .quant_low = is_unsigned ? 0 : INT8_MIN,
                             .quant_high = is_unsigned ? UINT8_MAX : INT8_MAX};
}

bool xd_range_is_full(const struct xd_range *range, const struct xd_tensor *output)
{
    const struct xd_range full = xd_full_range(output);
    if (xd_is_quantised(output))
        return range->quant_low == full.quant_low && range->quant_high == full.quant_high;
    return range->low == full.low && range->high == full.high;
}

/* Half away from zero, kept away from what an integer cannot hold. */
static int32_t quantise(const struct xd_tensor *output, float value)
{
    const float steps = roundf(value / output->quant.scale);
    return output->quant.zero + (int32_t)fminf(fmaxf(steps, -65536), 65536);
}

bool xd_range_of(struct xd_build *build, int32_t activation, const struct xd_tensor *output,
                 struct xd_range *ret)
{
    if (activation < ANEURALNETWORKS_FUSED_NONE || activation > ANEURALNETWORKS_FUSED_RELU6)
        return xd_refuse(&build->source, "the activation is %d, needs 0 to 3", activation);

    struct xd_range range = xd_full_range(output);
    range.low = bounds[activation][0];
    range.high = bounds[activation][1];
    if (xd_is_quantised(output)) {
        const int32_t low = quantise(output, range.low), high = quantise(output, range.high);
        range.quant_low = low > range.quant_low ? low : range.quant_low;
        range.quant_high = high < range.quant_high ? high : range.quant_high;
        if (range.quant_low >= range.quant_high)
            return xd_refuse(&build->source,
                             "activation %d leaves %d to %d at scale %g, zero point %d; XNNPACK "
                             "needs two values at least",
                             activation, range.quant_low, range.quant_high,
                             (double)output->quant.scale, output->quant.zero);
    }
    *ret = range;
    return true;
}

bool xd_activation(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                   const struct xd_tensor *output, struct xd_range *ret)
{
    int32_t code = 0;
    return xd_scalar_i32(build, operation, position, &code) &&
           xd_range_of(build, code, output, ret);
}
