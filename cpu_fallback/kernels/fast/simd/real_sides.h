#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_REAL_SIDES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_REAL_SIDES_H

#include "cpu_fallback/kernels/fast/simd/reals.h"

/* The sides of a binary kernel of float32 or float16, as binary_walk.h reads them. */
typedef vf vector;

static inline vf load_part(const HY_T *from, size_t count)
{
    return vr_load_part(from, count);
}

static inline vf repeat(const HY_T *from)
{
    return vr_set1(*from);
}

static inline size_t before_boundary(const HY_T *from, size_t count)
{
    return vr_before_boundary(from, count);
}

#endif
