#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/float_clamp.h"
#include "cpu_fallback/kernels/reference.h"

static HY_T add_one(const struct hy_add_params *params, HY_T a, HY_T b)
{
#if HY_IS_FLOAT
    return HY_STORE(hy_activate(&params->activation, HY_LOAD(a) + HY_LOAD(b)));
#elif HY_IS_QUANT
    int32_t a_raw = (a - params->a_zero_point) * (1 << HY_ADD_SHIFT);
    int32_t b_raw = (b - params->b_zero_point) * (1 << HY_ADD_SHIFT);
    uint32_t sum = (uint32_t)hy_scale_half_away(a_raw, params->a_multiplier) +
                   (uint32_t)hy_scale_half_away(b_raw, params->b_multiplier);
    int64_t scaled = hy_scale_half_away((int32_t)sum, params->out_multiplier);
    return (HY_T)hy_clamp_int32(scaled + params->out_zero_point, params->activation.q_min,
                                params->activation.q_max);
#else
    (void)params;
    return (HY_T)((uint32_t)a + (uint32_t)b);
#endif
}

void HY_FN(add)(const struct hy_add_params *params, const void *a, const void *b, void *out)
{
    const struct hy_broadcast *shape = &params->shape;
    size_t count = hy_broadcast_count(shape), last = shape->rank - 1, length = shape->dims[last];
    size_t a_step = shape->a_strides[last], b_step = shape->b_strides[last];

    for (size_t begin = 0, row = 0; begin < count; begin += length, row++) {
        size_t a_begin, b_begin;
        hy_broadcast_row(shape, row, &a_begin, &b_begin);
        const HY_T *a_row = (const HY_T *)a + a_begin, *b_row = (const HY_T *)b + b_begin;
        HY_T *out_row = (HY_T *)out + begin;

        for (size_t i = 0; i < length; i++)
            out_row[i] = add_one(params, a_row[i * a_step], b_row[i * b_step]);
    }
}
