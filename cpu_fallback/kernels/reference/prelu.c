#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/reference/binary_rows.h"
#include "cpu_fallback/kernels/reference/reference.h"

static HY_T prelu_one(const struct hy_binary_params *params, HY_T a, HY_T b)
{
#if HY_IS_FLOAT
    (void)params;
    return HY_LOAD(a) >= 0 ? a : HY_STORE(HY_LOAD(a) * HY_LOAD(b));
#else
    int32_t x = a - params->a_zero_point;
    int64_t scaled =
        x >= 0 ? hy_scale_half_away(x, params->a_multiplier)
               : hy_scale_half_away(x * (b - params->b_zero_point), params->out_multiplier);
    return (HY_T)hy_clamp_int32(scaled + params->out_zero_point, params->activation.q_min,
                                params->activation.q_max);
#endif
}
HY_BINARY_KERNEL(prelu, HY_T, prelu_one)
