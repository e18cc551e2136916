#include "cpu_fallback/kernels/fixed_point.h"
#include "cpu_fallback/kernels/fixed_point_16.h"
#include "cpu_fallback/kernels/reference/normalise_lines.h"
#include "cpu_fallback/kernels/reference/reference.h"

/* The quantisation of the output is fixed: scale 1/128, zero point in the middle. */
#if defined(HY_S8)
enum { MIN = INT8_MIN, MAX = INT8_MAX, ZERO = 0 };
#else
enum { MIN = 0, MAX = UINT8_MAX, ZERO = 128 };
#endif

/* 1 / sqrt(sum); sums of long lines may exceed 32 bits. */
static struct hy_multiplier inverse_length(uint64_t sum)
{
    int halvings = 0;

    for (; sum > UINT32_MAX; sum /= 4)
        halvings++;
    struct hy_multiplier inverse = hy_inverse_sqrt((uint32_t)sum);
    inverse.exponent -= halvings;
    return inverse;
}

static void l2_line(const struct hy_normalise_params *params, const HY_T *in, HY_T *out)
{
    size_t count = params->lines.count, step = params->lines.inner;
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        int32_t x = in[i * step] - params->in_zero_point;
        sum += (uint64_t)(x * x);
    }
    struct hy_multiplier inverse = inverse_length(sum);
    for (size_t i = 0; i < count; i++) {
        int32_t x = (in[i * step] - params->in_zero_point) * 128;
        out[i * step] = (HY_T)hy_clamp_int32(hy_scale_half_away(x, inverse) + ZERO, MIN, MAX);
    }
}
HY_NORMALISE_KERNEL(l2_normalise, l2_line)
