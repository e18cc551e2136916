#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/flush.h"
#include "cpu_fallback/kernels/reference/float_clamp.h"
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
#define VALUE_TYPE HY_REAL
#ifdef HY_F64
#define LOAD(x)  (x)
#define FN(name) name
#define ACTIVATE hy_activate_double
#else
#define LOAD(x)  hy_flush(HY_LOAD(x))
#define FN(name) name##f
#define ACTIVATE hy_activate
#endif
#define STORE(x) HY_STORE(x)

static HY_REAL elu(HY_REAL x, HY_REAL alpha)
{
    return x >= 0 ? x : alpha * FN(expm1)(x);
}

static HY_REAL hard_swish(HY_REAL x)
{
    static const struct hy_activation relu6 = {.min = 0, .max = 6};
    return x * ACTIVATE(&relu6, x + 3) / 6;
}

UNARY(abs, FN(fabs)(x))
UNARY(ceil, FN(ceil)(x))
UNARY(exp, FN(exp)(x))
UNARY(floor, FN(floor)(x))
UNARY(log, FN(log)(x))
UNARY(neg, -x)
UNARY(rsqrt, 1 / FN(sqrt)(x))
UNARY(sin, FN(sin)(x))
UNARY(sqrt, FN(sqrt)(x))
UNARY(clamp, ACTIVATE(&params->activation, x))
UNARY(logistic, 1 / (1 + FN(exp)(-x)))
UNARY(tanh, FN(tanh)(x))
UNARY(elu, elu(x, (HY_REAL)params->alpha))
UNARY(hard_swish, hard_swish(x))
#else
#define VALUE_TYPE uint32_t
#define LOAD(x)    (uint32_t)(x)
#define STORE(x)   (HY_T)(x)

UNARY(abs, x >> 31 ? -x : x)
UNARY(neg, -x)
#endif
