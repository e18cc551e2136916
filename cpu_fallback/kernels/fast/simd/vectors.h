#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_VECTORS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_VECTORS_H

#include "cpu_fallback/kernels/fast/simd/float_elements.h"

/*
 * Vectors of the template's type (float32, float16 or int32) for operations on single elements: for
 * unary.c, and for the operands of binary kernels in binary_walk.h.
 */
#if HY_IS_FLOAT
typedef vf vector;

static inline vector load_all(const HY_T *from)
{
    return vr_load(from);
}

static inline void store_all(HY_T *to, vector x)
{
    vr_store(to, x);
}

static inline vector load_part(const HY_T *from, size_t count)
{
    return vr_load_part(from, count);
}

static inline void store_part(HY_T *to, vector x, size_t count)
{
    vr_store_part(to, x, count);
}

static inline vector repeat(const HY_T *from)
{
    return vr_set1(*from);
}
#elif defined(HY_I32)
typedef vi vector;

static inline vector load_all(const HY_T *from)
{
    return vi_of_bits(vf_load((const float *)(const void *)from));
}

static inline void store_all(HY_T *to, vector x)
{
    vf_store((float *)(void *)to, vf_of_bits(x));
}

static inline vector load_part(const HY_T *from, size_t count)
{
    return vi_of_bits(vf_load_part((const float *)(const void *)from, count));
}

static inline void store_part(HY_T *to, vector x, size_t count)
{
    vf_store_part((float *)(void *)to, vf_of_bits(x), count);
}

static inline vector repeat(const HY_T *from)
{
    return vi_set1(*from);
}
#endif

static inline size_t before_boundary(const HY_T *from, size_t count)
{
    return elements_before_boundary(from, sizeof *from, count);
}

#endif
