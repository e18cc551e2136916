#ifndef HY_CPU_FALLBACK_KERNELS_FLUSH_H
#define HY_CPU_FALLBACK_KERNELS_FLUSH_H

#include <math.h>

/*
 * x as the arithmetic of this thread reads x: where subnormal numbers count as zeros (see
 * float_mode.h), a subnormal x gives the zero of its sign. For arguments of the C library, whose
 * functions look at bits: LOG of a subnormal number would else be neither its logarithm nor that of
 * zero.
 */
static inline float hy_flush(float x)
{
    return x == 0 ? copysignf(0, x) : x;
}

#endif
