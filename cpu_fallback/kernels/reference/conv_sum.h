#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_CONV_SUM_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_CONV_SUM_H

#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/fixed_point_wide.h"

/* Conversion of the sum of a quantised convolution to the output. Included by templates. */
#if defined(HY_S16)
typedef int64_t bias_type;

/* Limits the bias, so that no sum overflows. */
static inline int64_t bias_at(const bias_type *bias, size_t channel)
{
    return hy_saturate_48(bias[channel]);
}

static inline int64_t scale_half_up(int64_t sum, struct hy_multiplier multiplier)
{
    return hy_scale_wide(sum, multiplier);
}

static inline int64_t scale_half_away(int64_t sum, struct hy_multiplier multiplier)
{
    return hy_scale_wide(sum, multiplier);
}
#else
typedef int32_t bias_type;

static inline int64_t bias_at(const bias_type *bias, size_t channel)
{
    return bias[channel];
}

static inline int64_t scale_half_up(int64_t sum, struct hy_multiplier multiplier)
{
    return hy_scale_sum_half_up(sum, multiplier);
}

static inline int64_t scale_half_away(int64_t sum, struct hy_multiplier multiplier)
{
    return hy_scale_sum_half_away(sum, multiplier);
}
#endif

static inline HY_T output_of(const struct hy_conv_params *params, int64_t scaled)
{
    return (HY_T)hy_clamp_int32(scaled + params->out_zero_point, params->activation.q_min,
                                params->activation.q_max);
}

#endif
