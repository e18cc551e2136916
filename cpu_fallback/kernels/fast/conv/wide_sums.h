#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_WIDE_SUMS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_WIDE_SUMS_H

#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/fixed_point_wide.h"

/*
 * From 64-bit sums of int16 data to outputs, fixed_point_wide.h. A packed channel has a header of
 * three numbers, which lie `width` apart: what its sum starts with, mantissa and shift less 1, all
 * of them 0 where there is no channel.
 */
#define WIDE_HEADER 3

static inline void wide_header_pack(int64_t bias, struct hy_multiplier multiplier, size_t width,
                                    int64_t *header)
{
    const struct hy_wide_multiplier shortened = hy_shorten_multiplier(multiplier);

    header[0] = hy_saturate_48(bias);
    header[width] = shortened.mantissa;
    header[2 * width] = shortened.shift - 1;
}

/* `count` of the sums; `sums` and the header have room for whole vectors. */
#if defined(HY_AVX512)
static inline void wide_store(const struct hy_conv_params *p, const int64_t *sums,
                              const int64_t *header, size_t width, size_t count, int16_t *out)
{
    const __m512i min = _mm512_set1_epi64(p->activation.q_min);
    const __m512i max = _mm512_set1_epi64(p->activation.q_max), one = _mm512_set1_epi64(1);
    const __m512i most = _mm512_set1_epi64((INT64_C(1) << 47) - 1);
    const __m512i least = _mm512_sub_epi64(_mm512_setzero_si512(), most);

    for (size_t i = 0; i < count; i += 8) {
        const __m512i mantissa = _mm512_loadu_si512(header + width + i);
        const __m512i below = _mm512_loadu_si512(header + 2 * width + i);
        const __m512i sum =
            _mm512_min_epi64(_mm512_max_epi64(_mm512_loadu_si512(sums + i), least), most);
        const __m512i product = _mm512_mullo_epi64(sum, mantissa);
        const __m512i rounded = _mm512_add_epi64(product, _mm512_sllv_epi64(one, below));
        const __m512i scaled = _mm512_srav_epi64(rounded, _mm512_add_epi64(below, one));
        const __m512i kept = _mm512_min_epi64(_mm512_max_epi64(scaled, min), max);
        const __mmask8 lanes = (__mmask8)(count - i < 8 ? (1u << (count - i)) - 1 : 0xff);
        _mm512_mask_cvtepi64_storeu_epi16(out + i, lanes, kept);
    }
}
#else
static inline void wide_store(const struct hy_conv_params *p, const int64_t *sums,
                              const int64_t *header, size_t width, size_t count, int16_t *out)
{
    const int32_t min = p->activation.q_min, max = p->activation.q_max;

    for (size_t i = 0; i < count; i++) {
        const struct hy_wide_multiplier multiplier = {(int32_t)header[width + i],
                                                      (int32_t)header[2 * width + i] + 1};
        const int64_t scaled = hy_scale_saturated(hy_saturate_48(sums[i]), multiplier);
        out[i] = (int16_t)(scaled < min ? min : scaled > max ? max : scaled);
    }
}
#endif

#endif
