#ifndef HY_CPU_FALLBACK_KERNELS_REFERENCE_FLOAT_CLAMP_H
#define HY_CPU_FALLBACK_KERNELS_REFERENCE_FLOAT_CLAMP_H

#include "cpu_fallback/kernels/types.h"

/* Clamps to the bounds; NaN passes through. */
static inline float hy_activate(const struct hy_activation *activation, float value)
{
    if (value < activation->min)
        return activation->min;
    return value > activation->max ? activation->max : value;
}

static inline double hy_activate_double(const struct hy_activation *activation, double value)
{
    if (value < (double)activation->min)
        return (double)activation->min;
    return value > (double)activation->max ? (double)activation->max : value;
}

#endif
