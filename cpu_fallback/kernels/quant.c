#include <math.h>
#include <stdbool.h>

#include "cpu_fallback/kernels/types.h"

struct hy_multiplier hy_multiplier_for_product(float scale_a, float scale_b, float scale_out)
{
    float product = scale_a * scale_b;
    return hy_multiplier_from_double((double)product / (double)scale_out);
}

struct hy_multiplier hy_multiplier_for_double_product(float scale_a, float scale_b, float scale_out)
{
    return hy_multiplier_from_double((double)scale_a * (double)scale_b / (double)scale_out);
}

/* zero_point + value / scale, rounded half away from zero, clamped to the type. */
static int32_t quantise(float value, float scale, int32_t zero_point, int32_t min, int32_t max)
{
    float steps = (float)zero_point + roundf(value / scale);
    if (!(steps > (float)min))
        return min;
    return steps < (float)max ? (int32_t)steps : max;
}

struct hy_activation hy_activation_bounds(int32_t code, enum hy_element element, float scale,
                                          int32_t zero_point)
{
    static const struct {
        float min, max;
    } bounds[] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-1, 1}, {0, 6}};

    int known = code >= 0 && code < 4;
    struct hy_activation result = {.min = bounds[known ? code : 0].min,
                                   .max = bounds[known ? code : 0].max};
    const bool is_short = element == HY_ELEMENT_S16 || element == HY_ELEMENT_U16;
    const bool is_signed = element == HY_ELEMENT_S8 || element == HY_ELEMENT_S16;
    const int32_t range = is_short ? UINT16_MAX : UINT8_MAX;
    const int32_t min = is_signed ? -(range / 2) - 1 : 0, max = min + range;

    result.q_min =
        result.min == -INFINITY ? min : quantise(result.min, scale, zero_point, min, max);
    result.q_max = result.max == INFINITY ? max : quantise(result.max, scale, zero_point, min, max);
    return result;
}
