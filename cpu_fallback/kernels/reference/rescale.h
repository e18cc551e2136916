#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_RESCALE_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_RESCALE_H

#include <stdbool.h>

#include "cpu_fallback/kernels/fixed_point.h"

/**
 * Requantisation, linear on each side of zero. With x = q - zero_in the result is zero_out + x *
 * above for x >= 0. For x < 0 the result is zero_out + x * below, or zero_out - x * below if
 * `negates_below`. Products are rounded by hy_scale_half_away, and sums clamped to [min, max].
 *   in, out  s16
 */
struct hy_rescale_params {
    size_t count;
    struct hy_multiplier above, below;
    bool negates_below;
    int32_t in_zero_point, out_zero_point;
    int32_t min, max; /* within the type */
};

typedef void hy_rescale_fn(const struct hy_rescale_params *params, const void *in, void *out);

/* Rescales one number of any type. */
static inline int32_t hy_rescale_one(const struct hy_rescale_params *p, int64_t q)
{
    const int32_t x = hy_clamp_int32(q - p->in_zero_point, INT32_MIN, INT32_MAX);
    const int64_t scaled = hy_scale_half_away(x, x < 0 ? p->below : p->above);
    const int64_t turned = x < 0 && p->negates_below ? -scaled : scaled;

    return hy_clamp_int32(turned + p->out_zero_point, p->min, p->max);
}

#endif
