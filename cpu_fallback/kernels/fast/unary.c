#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/error_function.h"
#include "cpu_fallback/kernels/fast/simd/exponential.h"
#include "cpu_fallback/kernels/fast/simd/log_sin_pow.h"
#include "cpu_fallback/kernels/fast/simd/vectors.h"

/*
 * Operations on single elements: of float32 and float16, and ABS and NEG of int32. All functions
 * give the bits of the reference, except the exponential functions, LOG, SIN, COS, ERF and GELU.
 */

#if HY_IS_FLOAT
/* Flips the sign bit, because 0 - x would give no negative zero. */
static inline vf negative(vf x)
{
    return vf_of_bits(vi_add(vi_of_bits(x), vi_set1(INT32_MIN)));
}

/* The nearest whole number, less 1 if above x; -0 stays -0. */
static inline vf rounded_down(vf x)
{
    const vf nearest = vf_round(x);
    return vf_if_below(x, nearest, vf_sub(nearest, vf_set1(1)), nearest);
}

static inline vf hard_swish(vf x)
{
    const vf gate = vf_clamp(vf_add(x, vf_set1(3)), vf_set1(0), vf_set1(6));
    return vf_divide(vf_multiply(x, gate), vf_set1(6));
}

static inline vf clamp(vf x, const struct hy_activation *bounds)
{
    return vf_clamp(vf_flush(x), vf_set1(bounds->min), vf_set1(bounds->max));
}

#endif

typedef vector function(const struct hy_unary_params *params, vector x);

/* Vectors that the compiler may interleave, because each vector is a long chain of steps; fewer if
 * the constants of a function need the registers. */
enum { INTERLEAVED = 4, FEW_INTERLEAVED = 2 };

/* A part before the boundary, vectors side by side, the rest one after the other. Every caller
 * passes a constant function, so the compiler makes one copy per function. */
HY_ALWAYS_INLINE void run(function *of, size_t interleaved, const struct hy_unary_params *params,
                          const HY_T *in, HY_T *out)
{
    const size_t count = params->count;

    for (size_t i = 0, part = before_boundary(in, count); i < count; i += part, part = 0) {
        for (; part == 0 && count - i >= interleaved * HY_LANES; i += interleaved * HY_LANES) {
            vector results[INTERLEAVED];
            HY_UNROLL(4)
            for (size_t v = 0; v < interleaved; v++)
                results[v] = of(params, load_all(in + i + v * HY_LANES));
            HY_UNROLL(4)
            for (size_t v = 0; v < interleaved; v++)
                store_all(out + i + v * HY_LANES, results[v]);
        }
        if (part == 0)
            part = count - i < HY_LANES ? count - i : HY_LANES;
        store_part(out + i, of(params, load_part(in + i, part)), part);
    }
}

/* Defines the kernel hy_<name>_<set>_<type>; the expression uses `x` and `params`. */
#define UNARY(name, expression) UNARY_OF(name, INTERLEAVED, expression)
#define UNARY_OF(name, interleaved, expression) \
    static inline vector name##_of(const struct hy_unary_params *params, vector x) \
    { \
        (void)params; \
        return expression; \
    } \
\
    void HY_SIMD_FN(name)(const struct hy_unary_params *params, const void *in, void *out) \
    { \
        run(name##_of, interleaved, params, in, out); \
    }

#if HY_IS_FLOAT
UNARY(abs, vf_abs(vf_flush(x)))
UNARY(clamp, clamp(x, &params->activation))
UNARY(exp, vf_exp(x))
UNARY(floor, rounded_down(x))
UNARY(hard_swish, hard_swish(x))
UNARY(log, vf_log(x))
UNARY(logistic, vf_logistic(x))
UNARY(neg, negative(vf_flush(x)))
UNARY(rsqrt, vf_divide(vf_set1(1), vf_sqrt(x)))
UNARY(sin, vf_sin(x))
UNARY(sqrt, vf_sqrt(x))
UNARY(tanh, vf_tanh(x))

static inline vf elu_of_one(const struct hy_unary_params *params, vf x)
{
    (void)params;
    return vf_if_below(x, vf_set1(0), vf_expm1_below(x), x);
}

static inline vf elu_of_any(const struct hy_unary_params *params, vf x)
{
    const vf below = vf_multiply(vf_set1(params->alpha), vf_expm1_below(x));
    return vf_if_below(x, vf_set1(0), below, x);
}

/* An alpha of 1, as in nearly all models, needs no product. */
void HY_SIMD_FN(elu)(const struct hy_unary_params *params, const void *in, void *out)
{
    if (params->alpha == 1)
        run(elu_of_one, INTERLEAVED, params, in, out);
    else
        run(elu_of_any, INTERLEAVED, params, in, out);
}
#endif

#if defined(HY_F32)
static inline vf rounded_up(vf x)
{
    return negative(rounded_down(negative(x)));
}

/* NaN and zeros are kept. */
static inline vf sign(vf x)
{
    const vf zero = vf_set1(0), flushed = vf_flush(x);
    const vf above = vf_if_below(zero, flushed, vf_set1(1), flushed);
    return vf_if_below(flushed, zero, vf_set1(-1), above);
}

static inline vf leaky_relu(vf x, float alpha)
{
    return vf_if_below(x, vf_set1(0), vf_multiply(vf_set1(alpha), x), vf_flush(x));
}

UNARY(ceil, rounded_up(x))
UNARY(cos, vf_cos(x))
UNARY(erf, vf_erf(x))
UNARY_OF(gelu, FEW_INTERLEAVED, vf_gelu(x))
UNARY(gelu_tanh, vf_gelu_tanh(x))
UNARY(leaky_relu, leaky_relu(x, params->alpha))
UNARY(round, vf_round(x))
UNARY(sign, sign(x))
UNARY(square, vf_multiply(x, x))
UNARY(truncate, vf_copy_sign(rounded_down(vf_abs(x)), x))
#elif defined(HY_I32)
/* Modulo 2^32: the least number is its own negative. */
UNARY(abs, vi_max(x, vi_sub(vi_set1(0), x)))
UNARY(neg, vi_sub(vi_set1(0), x))
#endif
