#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/exponential.h"
#include "cpu_fallback/kernels/fast/fast.h"

/* The exponential functions among the operations on single elements. */

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
        for (size_t i = 0; i < params->count; i += HY_LANES) { \
            const size_t left = params->count - i, part = left < HY_LANES ? left : HY_LANES; \
            const vf x = vf_load_part(values + i, part); \
            vf_store_part(results + i, expression, part); \
        } \
    }

UNARY(elu, elu(x, params->alpha))
UNARY(exp, vf_exp(x))
UNARY(logistic, vf_logistic(x))
UNARY(tanh, vf_tanh(x))
