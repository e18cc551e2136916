#include "range.h"

bool xd_range_is_full(const struct hy_value_range *range, const struct xd_tensor *output)
{
    const struct hy_value_range full = hy_full_range(output->type);
    if (xd_is_quantised(output))
        return range->quant_low == full.quant_low && range->quant_high == full.quant_high;
    return range->low == full.low && range->high == full.high;
}

bool xd_range_of(struct xd_build *build, int32_t activation, const struct xd_tensor *output,
                 struct hy_value_range *ret)
{
    struct hy_value_range range;
    if (!hy_activation_range(&build->reader, activation, output->type, output->quant.scale,
                             output->quant.zero, &range))
        return false;
    if (xd_is_quantised(output) && range.quant_low >= range.quant_high)
        return hy_refuse(&build->reader,
                         "activation %d leaves %d to %d at scale %g, zero point %d; XNNPACK needs "
                         "two values at least",
                         activation, range.quant_low, range.quant_high, (double)output->quant.scale,
                         output->quant.zero);
    *ret = range;
    return true;
}

bool xd_activation(struct xd_build *build, const struct hy_operation *operation, uint32_t position,
                   const struct xd_tensor *output, struct hy_value_range *ret)
{
    int32_t code = 0;
    return hy_read_i32(&build->reader, operation, position, &code) &&
           xd_range_of(build, code, output, ret);
}
