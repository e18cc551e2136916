#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu_fallback/kernels/fast/simd/unroll.h"
#include "cpu_fallback/kernels/sum_form.h"

/*
 * One vector interface for all instruction sets: a fast kernel is written once and compiled per
 * set. A vector has HY_LANES 32-bit lanes; `vf` holds floats, `vi` integers. "part" forms access
 * `count` elements of memory only, count in 0..HY_LANES, and read zeros for the rest. Functions
 * called _half compute the first half of the lanes; the other lanes are undefined. Sets with
 * HY_HALF_VECTORS save work in _half functions. Functions called vb_ take a `vi` of HY_BYTE_LANES
 * bytes, in blocks of 16.
 *
 * Integer dot products have operand types by set. A 32-bit lane holds HY_DOT_GROUP activations of
 * type hy_dot_act, multiplied by HY_DOT_GROUP weights of type hy_dot_weight. Sums are modulo 2^32
 * and never saturate. dot_load reads the weights of a vector from bytes for any set; sets that
 * widen weights define HY_WIDENS_WEIGHTS.
 *
 * struct vi_scale holds the multipliers of one vector of channels, made by vi_scale_from of
 * mantissas and exponents. vi_scale_half_up and vi_scale_half_away compute hy_scale_half_up and
 * hy_scale_half_away of fixed_point.h in each lane. A left shift saturates earlier than in
 * fixed_point.h, but only for sums that the later clamp to 8 bits limits anyway.
 *
 * struct vb_form holds a linear form of sum_form.h, made by vb_form_of. vb_sum computes the results
 * for two vectors of bytes, saturated to bytes.
 */
#if defined(HY_AVX512) || defined(HY_AVX512VBMI) || defined(HY_AMX)
#include "cpu_fallback/kernels/fast/simd/simd_avx512.h"
#elif defined(HY_AVX2) || defined(HY_AVXVNNI) || defined(HY_VNNI256)
#include "cpu_fallback/kernels/fast/simd/simd_avx2.h"
#elif defined(HY_NEON) || defined(HY_DOTPROD) || defined(HY_I8MM)
#include "cpu_fallback/kernels/fast/simd/simd_neon.h"
#else
#error "compile fast kernels for an instruction set"
#endif

/* The function's name in this set, before the element type: hy_conv_avx2_f32 */
#define HY_SIMD_JOIN_(name, set) name##_##set
#define HY_SIMD_JOIN(name, set)  HY_SIMD_JOIN_(name, set)
#define HY_SIMD_FN(name)         HY_FN_EXPANDED(HY_SIMD_JOIN(name, HY_SIMD_SET))
#define HY_FN_EXPANDED(name)     HY_FN(name)

#if !defined(HY_WIDENS_WEIGHTS)
static inline vi dot_load(const int8_t *weights)
{
    return vi_load(weights);
}
#endif

#if !defined(HY_HALF_VECTORS)
static inline vf vf_set1_half(float x)
{
    return vf_set1(x);
}

static inline vf vf_multiply_add_half(vf a, vf b, vf sum)
{
    return vf_multiply_add(a, b, sum);
}

static inline vi vi_dot_half(vi sum, vi activations, vi weights)
{
    return vi_dot(sum, activations, weights);
}
#endif

/* NaN passes: vf_min and vf_max return their second operand if an operand is NaN. */
static inline vf vf_clamp(vf x, vf min, vf max)
{
    return vf_min(max, vf_max(min, x));
}

static inline vi vi_clamp(vi x, vi min, vi max)
{
    return vi_min(max, vi_max(min, x));
}

/*
 * The number of elements (of `count`, of `size` bytes each) to treat as a part before vectors are
 * aligned. A vector across two cache lines takes two reads, and memory of apps often starts 16
 * bytes after the start of a cache line. In short rows the alignment saves less than the part
 * costs.
 */
static inline size_t elements_before_boundary(const void *p, size_t size, size_t count)
{
    const size_t beyond = (uintptr_t)p / size % HY_LANES;
    return beyond == 0 || count < 64 * HY_LANES ? 0 : HY_LANES - beyond;
}

#endif
