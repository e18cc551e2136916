#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/flush.h"
#include "cpu_fallback/kernels/reference/float_clamp.h"
#include "cpu_fallback/kernels/reference/hard_swish.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* The kernel hy_<name>_<type>, with `x` and `params` in the expression. */
#define UNARY(name, expression) \
    void HY_FN(name)(const struct hy_unary_params *params, const void *in, void *out) \
    { \
        const HY_T *values = in; \
        HY_T *results = out; \
\
        for (size_t i = 0; i < params->count; i++) { \
            VALUE_TYPE x = LOAD(values[i]); \
            results[i] = STORE(expression); \
        } \
    }

#if HY_IS_FLOAT
#define VALUE_TYPE float
#define LOAD(x)    hy_flush(HY_LOAD(x))
#define STORE(x)   HY_STORE(x)

static float elu(float x, float alpha)
{
    return x >= 0 ? x : alpha * expm1f(x);
}

UNARY(abs, fabsf(x))
UNARY(exp, expf(x))
UNARY(floor, floorf(x))
UNARY(log, logf(x))
UNARY(neg, -x)
UNARY(rsqrt, 1 / sqrtf(x))
UNARY(sin, sinf(x))
UNARY(sqrt, sqrtf(x))
UNARY(clamp, hy_activate(&params->activation, x))
UNARY(logistic, 1 / (1 + expf(-x)))
UNARY(tanh, tanhf(x))
UNARY(elu, elu(x, params->alpha))
UNARY(hard_swish, hy_hard_swish_real(x))
#else
#define VALUE_TYPE uint32_t
#define LOAD(x)    (uint32_t)(x)
#define STORE(x)   (HY_T)(x)

UNARY(abs, x >> 31 ? -x : x)
UNARY(neg, -x)
#endif
