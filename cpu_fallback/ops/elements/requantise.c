#include "cpu_fallback/ops/elements/requantise.h"

#include <math.h>

#include "common/operations/operand_type.h"

/* The range of integers of a quantized type. */
static bool find_range(enum hy_element element, int32_t *min, int32_t *max)
{
    switch (element) {
    case HY_ELEMENT_U8:
        *min = 0, *max = UINT8_MAX;
        return true;
    case HY_ELEMENT_S8:
        *min = INT8_MIN, *max = INT8_MAX;
        return true;
    case HY_ELEMENT_U16:
        *min = 0, *max = UINT16_MAX;
        return true;
    case HY_ELEMENT_S16:
        *min = INT16_MIN, *max = INT16_MAX;
        return true;
    case HY_ELEMENT_I32:
        *min = INT32_MIN, *max = INT32_MAX;
        return true;
    default:
        return false;
    }
}

enum hy_code hy_cpu_requantise_init(const struct hy_kernel_table *kernels,
                                    const struct hy_value *in, const struct hy_value *out,
                                    struct hy_cpu_requantise *requantise, struct hy_error *err)
{
    const enum hy_element from = hy_cpu_element(in->type), to = hy_cpu_element(out->type);
    int32_t min, max;

    if (!find_range(from, &min, &max) || !find_range(to, &min, &max))
        return hy_fail(err, HY_FAILED, "no kernel from %s to %s", hy_operand_type_name(in->type),
                       hy_operand_type_name(out->type));
    if (!(in->scale > 0) || !(out->scale > 0))
        return hy_fail(err, HY_FAILED, "the scales are %g and %g, need to be above 0",
                       (double)in->scale, (double)out->scale);
    const struct hy_multiplier multiplier =
        hy_multiplier_from_double((double)in->scale / (double)out->scale);
    *requantise = (struct hy_cpu_requantise){
        .load = kernels->widen[from],
        .store = kernels->narrow[HY_WIDE_SIGNED][to],
        .kernel = from == to ? kernels->rescale[from] : NULL,
        .params = {.above = multiplier,
                   .below = multiplier,
                   .in_zero_point = in->zero_point,
                   .out_zero_point = out->zero_point,
                   .min = min,
                   .max = max},
        .in_bytes = hy_operand_type_bytes(in->type),
        .out_bytes = hy_operand_type_bytes(out->type),
    };
    return HY_OK;
}

void hy_cpu_requantise_slope(struct hy_cpu_requantise *requantise, const struct hy_value *in,
                             const struct hy_value *out, float alpha)
{
    requantise->params.negates_below = alpha < 0;
    requantise->params.below =
        hy_multiplier_from_double(fabs((double)alpha) * (double)in->scale / (double)out->scale);
}

/* A bound in quantized steps, clamped to the type; NaN, from invalid scales, gives the minimum. */
static int32_t steps_of(const struct hy_rescale_params *r, const struct hy_value *out, float real)
{
    const double steps = round((double)real / (double)out->scale) + out->zero_point;

    return !(steps > r->min) ? r->min : steps < r->max ? (int32_t)steps : r->max;
}

void hy_cpu_requantise_clamp(struct hy_cpu_requantise *requantise, const struct hy_value *out,
                             float min, float max)
{
    const int32_t least = steps_of(&requantise->params, out, min),
                  most = steps_of(&requantise->params, out, max);

    requantise->params.min = least;
    requantise->params.max = most;
}

void hy_cpu_requantise(const struct hy_cpu_requantise *requantise, size_t count, const void *in,
                       void *out)
{
    enum { BLOCK = 256 };
    union hy_wide_element wide[BLOCK];
    const uint8_t *values = in;
    uint8_t *results = out;

    if (requantise->kernel) {
        struct hy_rescale_params params = requantise->params;
        params.count = count;
        requantise->kernel(&params, in, out);
        return;
    }
    for (size_t at = 0, part; at < count; at += part) {
        part = count - at < BLOCK ? count - at : BLOCK;
        requantise->load(part, values + at * requantise->in_bytes, wide);
        for (size_t i = 0; i < part; i++)
            wide[i].integer = hy_rescale_one(&requantise->params, wide[i].integer);
        requantise->store(part, wide, results + at * requantise->out_bytes);
    }
}
