#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"
#if HY_IS_QUANT
#include "cpu_fallback/kernels/mean_quant.h"
#elif !HY_IS_FLOAT && !defined(HY_BOOL)
#include "cpu_fallback/kernels/integer_limits.h"
#endif

/*
 * Defines the kernel hy_reduce_<name>_<type>. `value` starts as `start` and becomes `step` for each
 * element x. The stored result is `result`, with `count` the number of elements.
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
        const struct hy_walk *retained = &params->retained; \
        const HY_T *values = in; \
        HY_T *results = out; \
        struct hy_stop_watch *watch = hy_stop_here(); \
\
        for (size_t i = 0; i < retained->dims[0]; i++) \
            for (size_t j = 0; j < retained->dims[1]; j++) { \
                if (hy_stop_after(watch, 1)) \
                    return; \
                size_t begin = i * retained->strides[0] + j * retained->strides[1]; \
                *results++ = name##_one(params, values + begin, watch); \
            } \
    }

#if HY_IS_FLOAT
#define LOAD(x)  (double)HY_LOAD(x)
#define STORE(x) HY_STORE((HY_REAL)(x))

REDUCE(max, double, -INFINITY, x > value ? x : value, value)
REDUCE(min, double, INFINITY, x < value ? x : value, value)
REDUCE(prod, double, 1, x == 0 || value == 0 ? 0 : value * x, value)
REDUCE(sum, double, 0, value + x, value)
REDUCE(mean, double, 0, value + x, value / count)

#elif HY_IS_QUANT
#define LOAD(x)  (x)
#define STORE(x) (HY_T)(x)

REDUCE(max, int64_t, INT64_MIN, x > value ? x : value, value)
REDUCE(min, int64_t, INT64_MAX, x < value ? x : value, value)
REDUCE(sum, int64_t, 0, value + x, hy_sum_rescaled(params, value))
REDUCE(prod, double, 1,
       x == params->zero_point || value == 0
           ? 0
           : value * ((x - params->zero_point) * (double)params->in_scale),
       hy_nearest_step(params, value / (double)params->out_scale))
#if defined(HY_S16)
REDUCE(mean_rescaled, int64_t, 0, value + x, hy_wide_mean_rescaled(params, value))
#else
REDUCE(mean, int64_t, 0, value + x, hy_mean_truncated(params, value))
REDUCE(mean_nearest, int64_t, 0, value + x, hy_mean_nearest(params, value))
REDUCE(mean_rescaled, int64_t, 0, value + x, hy_mean_rescaled(params, value))
#endif

#elif defined(HY_BOOL)
#define LOAD(x)  ((x) != 0)
#define STORE(x) (HY_T)(x)

REDUCE(all, int, 1, value &&x, value)
REDUCE(any, int, 0, value || x, value)

#else
#define LOAD(x)  (x)
#define STORE(x) (HY_T)(x)

REDUCE(max, HY_T, HY_LEAST, x > value ? x : value, value)
REDUCE(min, HY_T, HY_MOST, x < value ? x : value, value)
#ifndef HY_IS_NATURAL /* modulo 2^n signed and unsigned results are the same */
REDUCE(prod, HY_WRAP_T, 1, (value * x), value)
REDUCE(sum, HY_WRAP_T, 0, value + x, value)
#endif
REDUCE(mean, uint64_t, 0, value + x, (HY_WIDEST_T)value / (HY_WIDEST_T)count)
#endif
