#ifndef HY_CPU_FALLBACK_KERNELS_FLUSH_H
#define HY_CPU_FALLBACK_KERNELS_FLUSH_H

#include <math.h>

/*
 * Returns x as the arithmetic of this thread reads x. If the thread treats subnormal numbers as
 * zeros (see float_mode.h), the result for a subnormal x is a zero of the same sign. Use for
 * arguments of the C library, whose functions look at bits: otherwise LOG of a subnormal number
 * would be neither the logarithm of x nor the logarithm of zero.
 */
static inline float hy_flush(float x)
{
    return x == 0 ? copysignf(0, x) : x;
}

#endif
