#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_FLOAT_ELEMENTS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_FLOAT_ELEMENTS_H

#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"

/*
 * Vectors of the template's real type: floats are loaded and stored unchanged, halves are widened
 * to floats and narrowed again. "part" forms access `count` elements of memory only, as in simd.h.
 */
static inline vf vf_load_half_part(const uint16_t *p, size_t count)
{
    uint16_t halves[HY_LANES] = {0};

    if (count == HY_LANES)
        return vf_load_half(p);
    memcpy(halves, p, count * sizeof *p);
    return vf_load_half(halves);
}

static inline void vf_store_half_part(uint16_t *p, vf x, size_t count)
{
    uint16_t halves[HY_LANES];

    if (count == HY_LANES) {
        vf_store_half(p, x);
        return;
    }
    vf_store_half(halves, x);
    memcpy(p, halves, count * sizeof *p);
}

#if defined(HY_F16)
static inline vf vr_load(const HY_T *p)
{
    return vf_load_half(p);
}

static inline void vr_store(HY_T *p, vf x)
{
    vf_store_half(p, x);
}

static inline vf vr_load_part(const HY_T *p, size_t count)
{
    return vf_load_half_part(p, count);
}

static inline void vr_store_part(HY_T *p, vf x, size_t count)
{
    vf_store_half_part(p, x, count);
}

static inline vf vr_set1(HY_T x)
{
    return vf_set1(hy_half_to_float(x));
}
#elif defined(HY_F32)
static inline vf vr_load(const HY_T *p)
{
    return vf_load(p);
}

static inline void vr_store(HY_T *p, vf x)
{
    vf_store(p, x);
}

static inline vf vr_load_part(const HY_T *p, size_t count)
{
    return vf_load_part(p, count);
}

static inline void vr_store_part(HY_T *p, vf x, size_t count)
{
    vf_store_part(p, x, count);
}

static inline vf vr_set1(HY_T x)
{
    return vf_set1(x);
}
#endif

#endif
