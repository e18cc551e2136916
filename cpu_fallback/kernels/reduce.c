#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/reference.h"
#include "cpu_fallback/kernels/stop.h"

/*
 * The kernel hy_reduce_<name>_<type>: `value` starts as `start` and becomes `step` for each element
 * x; what is stored in the end is `result`, with `count` the elements that went in.
 */
#define REDUCE(name, value_type, start, step, result) \
    static HY_T name##_one(const struct hy_reduce_params *params, const HY_T *in, \
                           struct hy_stop_watch *watch) \
    { \
        const struct hy_walk *walk = &params->reduced; \
        value_type value = start; \
\
        for (size_t i = 0; i < walk->dims[0] && !hy_stop_after(watch, walk->dims[1]); i++) \
            for (size_t j = 0; j < walk->dims[1]; j++) { \
                value_type x = LOAD(in[i * walk->strides[0] + j * walk->strides[1]]); \
                value = step; \
            } \
        value_type count = (value_type)(walk->dims[0] * walk->dims[1]); \
        (void)count; \
        return STORE(result); \
    } \
\
    void HY_FN(reduce_##name)(const struct hy_reduce_params *params, const void *in, void *out) \
    { \
        const struct hy_walk *kept = &params->kept; \
        const HY_T *values = in; \
        HY_T *results = out; \
        struct hy_stop_watch *watch = hy_stop_here(); \
\
        for (size_t i = 0; i < kept->dims[0]; i++) \
            for (size_t j = 0; j < kept->dims[1]; j++) { \
                if (hy_stop_after(watch, 1)) \
                    return; \
                size_t begin = i * kept->strides[0] + j * kept->strides[1]; \
                *results++ = name##_one(params, values + begin, watch); \
            } \
    }

#if HY_IS_FLOAT
#define LOAD(x)  (double)HY_LOAD(x)
#define STORE(x) HY_STORE((float)(x))

REDUCE(max, double, -INFINITY, x > value ? x : value, value)
REDUCE(min, double, INFINITY, x < value ? x : value, value)
REDUCE(prod, double, 1, x == 0 || value == 0 ? 0 : value * x, value)
REDUCE(sum, double, 0, value + x, value)
REDUCE(mean, double, 0, value + x, value / count)

#elif HY_IS_QUANT
#if defined(HY_S8)
enum { MIN = INT8_MIN, MAX = INT8_MAX };
#else
enum { MIN = 0, MAX = UINT8_MAX };
#endif
#define LOAD(x)  (x)
#define STORE(x) (HY_T)(x)

REDUCE(max, int64_t, INT64_MIN, x > value ? x : value, value)
REDUCE(min, int64_t, INT64_MAX, x < value ? x : value, value)
REDUCE(mean, int64_t, 0, value + x, value / count)

/* The two types have kernels of different authors in TensorFlow Lite: int8 is divided, uint8
 * scaled. */
static HY_T nearest(const struct hy_reduce_params *params, int64_t sum)
{
#if defined(HY_S8)
    const int64_t count = (int64_t)(params->reduced.dims[0] * params->reduced.dims[1]);

    sum -= count * params->zero_point;
    if (params->scale_ratio != 1)
        sum = hy_scale_sum_half_away(sum, params->multiplier);
    const int64_t mean = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
    return (HY_T)hy_clamp_int32(mean + params->out_zero_point, MIN, MAX);
#else
    return (HY_T)hy_clamp_int32(hy_scale_sum_half_away(sum, params->multiplier) + params->bias, MIN,
                                MAX);
#endif
}

REDUCE(mean_nearest, int64_t, 0, value + x, nearest(params, value))

static HY_T rescaled(const struct hy_reduce_params *params, int64_t sum)
{
    const float mean = (float)sum / (float)(params->reduced.dims[0] * params->reduced.dims[1]);
    const float bias = (float)-params->zero_point * params->scale_ratio;
    const float steps = roundf(mean * params->scale_ratio + bias) + (float)params->out_zero_point;

    return (HY_T)fmaxf(fminf(steps, MAX), MIN);
}

REDUCE(mean_rescaled, int64_t, 0, value + x, rescaled(params, value))

#else
#define LOAD(x)  ((x) != 0)
#define STORE(x) (HY_T)(x)

REDUCE(all, int, 1, value &&x, value)
REDUCE(any, int, 0, value || x, value)
#endif
