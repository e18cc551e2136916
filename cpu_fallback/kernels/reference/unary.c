#include <math.h>

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/flush.h"
#include "cpu_fallback/kernels/reference/float_clamp.h"
#include "cpu_fallback/kernels/reference/real_math.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* Defines the kernel hy_<name>_<type>; the expression uses `x` and `params`. */
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
#define ACTIVATE hy_activate_double
#else
#define LOAD(x)  hy_flush(HY_LOAD(x))
#define ACTIVATE hy_activate
#endif
#define STORE(x) HY_STORE(x)

static HY_REAL elu(HY_REAL x, HY_REAL alpha)
{
    return x >= 0 ? x : alpha * HY_MATH(expm1)(x);
}

static HY_REAL hard_swish(HY_REAL x)
{
    static const struct hy_activation relu6 = {.min = 0, .max = 6};
    return x * ACTIVATE(&relu6, x + 3) / 6;
}

static HY_REAL sign(HY_REAL x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

/* Computes in double: below zero, float32 is too coarse for the argument of the exponential
 * function. From -40 down to minus infinity, results are zero. */
static HY_REAL gelu(HY_REAL x)
{
    return x <= -40 ? (HY_REAL)-0.0 : (HY_REAL)((double)x / 2 * erfc((double)x * -M_SQRT1_2));
}

static HY_REAL gelu_tanh(HY_REAL x)
{
    const double wide = (double)x,
                 u = M_2_SQRTPI * M_SQRT1_2 * (wide + 0.044715 * wide * wide * wide);
    return x <= -40 ? (HY_REAL)-0.0 : (HY_REAL)(wide / (1 + exp(-2 * u)));
}

UNARY(abs, HY_MATH(fabs)(x))
UNARY(ceil, HY_MATH(ceil)(x))
UNARY(exp, HY_MATH(exp)(x))
UNARY(floor, HY_MATH(floor)(x))
UNARY(log, HY_MATH(log)(x))
UNARY(neg, -x)
UNARY(rsqrt, 1 / HY_MATH(sqrt)(x))
UNARY(sin, HY_MATH(sin)(x))
UNARY(sqrt, HY_MATH(sqrt)(x))
UNARY(clamp, ACTIVATE(&params->activation, x))
UNARY(logistic, 1 / (1 + HY_MATH(exp)(-x)))
UNARY(tanh, HY_MATH(tanh)(x))
UNARY(elu, elu(x, (HY_REAL)params->alpha))
UNARY(hard_swish, hard_swish(x))
UNARY(round, HY_MATH(rint)(x))
UNARY(truncate, HY_MATH(trunc)(x))
UNARY(cos, HY_MATH(cos)(x))
UNARY(square, (x * x))
UNARY(sign, sign(x))
UNARY(erf, HY_MATH(erf)(x))
UNARY(leaky_relu, x >= 0 ? x : (HY_REAL)params->alpha * x)
UNARY(gelu, gelu(x))
UNARY(gelu_tanh, gelu_tanh(x))
#else
#define VALUE_TYPE HY_WRAP_T
#define LOAD(x)    (HY_WRAP_T)(x)
#define STORE(x)   (HY_T)(x)

static int is_negative(HY_WRAP_T x)
{
    return (HY_T)-1 < 1 && x >> (8 * sizeof x - 1);
}

UNARY(abs, is_negative(x) ? -x : x)
UNARY(neg, -x)
UNARY(sign, is_negative(x) ? (HY_WRAP_T)-1 : x != 0)
UNARY(square, (x * x))
UNARY(bitwise_not, ~x)
#endif
