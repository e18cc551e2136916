#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/real_math.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

static HY_REAL largest(const HY_T *in, size_t count, size_t step)
{
    HY_REAL max = -INFINITY;

    for (size_t i = 0; i < count; i++)
        max = HY_MATH(fmax)(max, HY_LOAD(in[i * step]));
    return max;
}

/* Adds in double, because a sum may have millions of terms. */
static HY_REAL sum_powers(const HY_T *in, size_t count, size_t step, HY_REAL beta, HY_REAL max)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (double)HY_MATH(exp)((HY_LOAD(in[i * step]) - max) * beta);
    return (HY_REAL)sum;
}

/* One softmax over `count` elements, `step` apart. */
static void softmax_line(const HY_T *in, HY_T *out, size_t count, size_t step, HY_REAL beta)
{
    const HY_REAL max = largest(in, count, step), sum = sum_powers(in, count, step, beta, max);

    for (size_t i = 0; i < count; i++)
        out[i * step] = HY_STORE(HY_MATH(exp)((HY_LOAD(in[i * step]) - max) * beta) / sum);
}

static void log_softmax_line(const HY_T *in, HY_T *out, size_t count, size_t step, HY_REAL beta)
{
    const HY_REAL max = largest(in, count, step);
    const HY_REAL log_sum = HY_MATH(log)(sum_powers(in, count, step, beta, max));

    for (size_t i = 0; i < count; i++)
        out[i * step] = HY_STORE((HY_LOAD(in[i * step]) - max) * beta - log_sum);
}

#define SOFTMAX(name) \
    void HY_FN(name)(const struct hy_softmax_params *params, const void *in, void *out) \
    { \
        struct hy_stop_watch *watch = hy_stop_here(); \
\
        for (size_t o = 0; o < params->outer; o++) \
            for (size_t i = 0; i < params->inner; i++) { \
                if (hy_stop_after(watch, 2 * params->count)) \
                    return; \
                size_t begin = o * params->count * params->inner + i; \
                name##_line((const HY_T *)in + begin, (HY_T *)out + begin, params->count, \
                            params->inner, (HY_REAL)params->beta); \
            } \
    }

SOFTMAX(softmax)
SOFTMAX(log_softmax)
