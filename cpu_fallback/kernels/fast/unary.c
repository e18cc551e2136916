#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/exponential.h"
#include "cpu_fallback/kernels/fast/fast.h"

/*
 * Operations on single elements: the exponential functions, FLOOR and HARD_SWISH. The latter two
 * give the bits of the reference.
 */

/* The nearest whole number, and one less where that is above x; -0 stays. */
static inline vf floor_of(vf x)
{
    const vf nearest = vf_round(x);
    return vf_if_below(x, nearest, vf_sub(nearest, vf_set1(1)), nearest);
}

static inline vf hard_swish(vf x)
{
    const vf gate = vf_clamp(vf_add(x, vf_set1(3)), vf_set1(0), vf_set1(6));
    return vf_divide(vf_multiply(x, gate), vf_set1(6));
}

static inline vf elu(vf x, float alpha)
{
    const vf below = vf_multiply(vf_set1(alpha), vf_expm1_below(x));
    return vf_if_below(x, vf_set1(0), below, x);
}

/* The kernel hy_<name>_<set>_<type>, with `x` and `params` in the expression. */
#define UNARY(name, expression) \
    void HY_SIMD_FN(name)(const struct hy_unary_params *params, const void *in, void *out) \
    { \
        const float *values = in; \
        float *results = out; \
\
        const size_t rest = params->count % HY_LANES, whole = params->count - rest; \
\
        for (size_t i = 0; i < whole; i += HY_LANES) { \
            const vf x = vf_load(values + i); \
            vf_store(results + i, expression); \
        } \
        if (rest > 0) { \
            const vf x = vf_load_part(values + whole, rest); \
            vf_store_part(results + whole, expression, rest); \
        } \
    }

UNARY(elu, elu(x, params->alpha))
UNARY(exp, vf_exp(x))
UNARY(floor, floor_of(x))
UNARY(hard_swish, hard_swish(x))
UNARY(logistic, vf_logistic(x))
UNARY(tanh, vf_tanh(x))
