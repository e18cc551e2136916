#ifndef HY_CPU_FALLBACK_KERNELS_MEAN_QUANT_H
#define HY_CPU_FALLBACK_KERNELS_MEAN_QUANT_H

#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/reference/reduce.h"

/*
 * Conversions of sums and means of stored numbers to output values, for the reduction kernels of a
 * type: HY_S8 is int8, HY_S16 is int16, otherwise uint8. `sum` is the sum of the stored numbers,
 * with their zero points. The kernels mean, mean_nearest and mean_rescaled use the function of
 * their name; cpu_fallback/ops/reduce.c chooses the kernel and says why TensorFlow Lite has three.
 * The count of summed elements is 1 or more. Results saturate, except those of hy_mean_truncated.
 */

#if defined(HY_S8)
enum { HY_MEAN_MIN = INT8_MIN, HY_MEAN_MAX = INT8_MAX };
#elif defined(HY_S16)
enum { HY_MEAN_MIN = INT16_MIN, HY_MEAN_MAX = INT16_MAX };
#else
enum { HY_MEAN_MIN = 0, HY_MEAN_MAX = UINT8_MAX };
#endif

static inline int64_t hy_mean_count(const struct hy_reduce_params *params)
{
    return (int64_t)(params->reduced.dims[0] * params->reduced.dims[1]);
}

/*
 * sum / count, truncated towards zero; integer division takes longer. A count has 32 bits, and a
 * mean of bytes with a fraction is farther from the next integer than the spacing of doubles of its
 * size.
 */
static inline int64_t hy_mean_quotient(int64_t sum, int64_t count)
{
    return (int64_t)((double)sum / (double)count);
}

static inline HY_T hy_mean_truncated(const struct hy_reduce_params *params, int64_t sum)
{
    return (HY_T)hy_mean_quotient(sum, hy_mean_count(params));
}

/* TensorFlow Lite has different kernels for the two types. For int8 the sum is divided here. For
 * uint8 `multiplier` and `bias` contain the count and the zero points. */
static inline HY_T hy_mean_nearest(const struct hy_reduce_params *params, int64_t sum)
{
#if defined(HY_S8)
    const int64_t count = hy_mean_count(params);

    sum -= count * params->zero_point;
    if (params->scale_ratio != 1)
        sum = hy_scale_sum_half_away(sum, params->multiplier);
    const int64_t mean = hy_mean_quotient(sum > 0 ? sum + count / 2 : sum - count / 2, count);
    return (HY_T)hy_clamp_int32(mean + params->out_zero_point, HY_MEAN_MIN, HY_MEAN_MAX);
#else
    return (HY_T)hy_clamp_int32(hy_scale_sum_half_away(sum, params->multiplier) + params->bias,
                                HY_MEAN_MIN, HY_MEAN_MAX);
#endif
}

static inline HY_T hy_mean_rescaled(const struct hy_reduce_params *params, int64_t sum)
{
    const float mean = (float)sum / (float)hy_mean_count(params);
    const float bias = (float)-params->zero_point * params->scale_ratio;
    const float steps = roundf(mean * params->scale_ratio + bias) + (float)params->out_zero_point;

    if (!(steps < HY_MEAN_MAX)) /* also NaN */
        return HY_MEAN_MAX;
    return steps > HY_MEAN_MIN ? (HY_T)steps : HY_MEAN_MIN;
}

/* `steps` of the output, rounded half away from zero. */
static inline HY_T hy_nearest_step(const struct hy_reduce_params *params, double steps)
{
    const double stored = round(steps) + params->out_zero_point;

    if (!(stored < HY_MEAN_MAX)) /* also NaN */
        return HY_MEAN_MAX;
    return stored > HY_MEAN_MIN ? (HY_T)stored : HY_MEAN_MIN;
}

/* The sum of the real numbers in steps of the output. */
static inline double hy_sum_steps(const struct hy_reduce_params *params, int64_t sum)
{
    return (double)(sum - hy_mean_count(params) * params->zero_point) *
           ((double)params->in_scale / (double)params->out_scale);
}

static inline HY_T hy_sum_rescaled(const struct hy_reduce_params *params, int64_t sum)
{
    return hy_nearest_step(params, hy_sum_steps(params, sum));
}

static inline HY_T hy_wide_mean_rescaled(const struct hy_reduce_params *params, int64_t sum)
{
    return hy_nearest_step(params, hy_sum_steps(params, sum) / (double)hy_mean_count(params));
}

#endif
