#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_HARD_SWISH_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_HARD_SWISH_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu_fallback/kernels/reference/float_clamp.h"

/* HARD_SWISH, NNAPI code 99: x * clamp(x + 3, 0, 6) / 6. */
static inline float hy_hard_swish_real(float x)
{
    static const struct hy_activation relu6 = {.min = 0, .max = 6};
    return x * hy_activate(&relu6, x + 3) / 6;
}

/* The 8-bit form in the 16-bit steps of TensorFlow Lite: both multipliers have 15 bits. */
struct hy_hard_swish {
    struct hy_multiplier to_output; /* exponent 0 or below */
    struct hy_multiplier to_gate;   /* to units of 3 / 32768 */
};

/* False if the output scale is less than a 128th of the input scale: too fine for the 16-bit
 * steps. */
bool hy_hard_swish_init(float in_scale, float out_scale, struct hy_hard_swish *params);

/* The result for the input `value` (zero point subtracted), before the zero point is added. */
int32_t hy_hard_swish_steps(const struct hy_hard_swish *params, int32_t value);

#endif
