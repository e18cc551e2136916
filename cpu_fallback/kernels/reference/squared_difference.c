#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/reference.h"

#if HY_IS_QUANT
static int64_t side(HY_T value, int32_t zero_point, struct hy_multiplier multiplier)
{
    return hy_scale_half_away((value - zero_point) * (1 << HY_DIFFERENCE_SHIFT), multiplier);
}
#endif

static HY_T squared_difference_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
#if HY_IS_FLOAT
    const HY_REAL difference = HY_LOAD(a) - HY_LOAD(b);
    (void)params;
    return HY_STORE(difference * difference);
#elif HY_IS_QUANT
    const int64_t difference = side(a, params->a_zero_point, params->a_multiplier) -
                               side(b, params->b_zero_point, params->b_multiplier);
    const int64_t scaled = hy_scale_sum_half_away(difference * difference, params->out_multiplier);
    return (HY_T)hy_clamp_int32(scaled + params->out_zero_point, params->activation.q_min,
                                params->activation.q_max);
#else
    const HY_WRAP_T difference = (HY_WRAP_T)a - (HY_WRAP_T)b;
    (void)params;
    return (HY_T)(difference * difference);
#endif
}
HY_BINARY_KERNEL(squared_difference, HY_T, squared_difference_one)
