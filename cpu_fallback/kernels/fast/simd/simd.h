#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu_fallback/kernels/fast/simd/unroll.h"
#include "cpu_fallback/kernels/sum_form.h"

/*
 * One vector vocabulary for all instruction sets, so that a fast kernel is written once and
 * compiled per set. HY_LANES 32-bit lanes; `vf` holds floats, `vi` integers. "part" forms touch
 * `count` elements of memory only, count in 0..HY_LANES, and read zeros for the rest.
 * Functions called _half give the first half of the lanes, the others have no meaning; sets that
 * have HY_HALF_VECTORS do it with less work. Functions called vb_ take a `vi` for HY_BYTE_LANES
 * bytes, which are in blocks of 16.
 *
 * Integer dot products take what suits the set: a 32-bit lane holds HY_DOT_GROUP activations of
 * hy_dot_act against as many weights of hy_dot_weight, sums modulo 2^32, never saturating. dot_load
 * reads the weights of a vector that are stored in bytes, whatever suits the set: those that widen
 * them have HY_WIDENS_WEIGHTS.
 *
 * struct vi_scale holds the multipliers of one vector of channels, made ready by vi_scale_from of
 * mantissas and exponents; vi_scale_half_up and vi_scale_half_away are hy_scale_half_up and
 * hy_scale_half_away of fixed_point.h, lane by lane. A left shift saturates more coarsely than
 * there, beyond what the clamp to 8 bits that follows can see.
 *
 * struct vb_form holds a linear form of sum_form.h, made ready by vb_form_of; vb_sum gives its
 * results for two vectors of bytes, saturated to bytes.
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

/* NaN passes: vf_min and vf_max return their second operand for it. */
static inline vf vf_clamp(vf x, vf min, vf max)
{
    return vf_min(max, vf_max(min, x));
}

static inline vi vi_clamp(vi x, vi min, vi max)
{
    return vi_min(max, vi_max(min, x));
}

/*
 * How many of `count` elements of `size` bytes to treat as a part before vectors begin on their own
 * boundary. A vector across two lines of the cache takes two reads, and what an app allocates often
 * lies 16 bytes beyond a line. In short rows that saves less than a part costs.
 */
static inline size_t elements_before_boundary(const void *p, size_t size, size_t count)
{
    const size_t beyond = (uintptr_t)p / size % HY_LANES;
    return beyond == 0 || count < 64 * HY_LANES ? 0 : HY_LANES - beyond;
}

#endif
