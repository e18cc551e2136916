#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_WIDE_SUMS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_WIDE_SUMS_H

#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/fixed_point_wide.h"

/*
 * From sums of int16 data to outputs, fixed_point_wide.h.
 *
 * A group of channels is narrow when no sum of theirs leaves 32 bits, whatever the inputs are, and
 * no multiplier is above 1: most of them are. Its sums start with the biases and stay in vectors.
 * Others are added up in 64 bits.
 *
 * The header of a group of `width` channels, in 32-bit words: WIDE_FLAGS of which the first tells
 * whether the group is narrow, then mantissas, then shifts less 1, then the biases, of 64 bits or,
 * where the group is narrow, of 32. A channel that does not exist has zeros.
 */
#define WIDE_FLAGS 16

static inline size_t wide_header_words(size_t width)
{
    return WIDE_FLAGS + 4 * width;
}

struct wide_header {
    bool is_narrow;
    const int32_t *mantissas, *shifts, *biases; /* `biases` are int64_t where it is not narrow */
};

static inline struct wide_header wide_header_at(const int32_t *words, size_t width)
{
    const int32_t *mantissas = words + WIDE_FLAGS;

    return (struct wide_header){words[0] != 0, mantissas, mantissas + width, mantissas + 2 * width};
}

/* What packing knows of a channel: `reach` is the largest sum of its products. */
struct wide_channel {
    int64_t bias;
    struct hy_multiplier multiplier;
    int64_t reach;
};

static inline bool is_wide_channel_narrow(const struct wide_channel *c)
{
    return c->reach <= INT32_MAX && c->bias <= INT32_MAX - c->reach &&
           c->bias >= c->reach - INT32_MAX && c->multiplier.exponent <= 0;
}

/* The header of `count` channels in a group of `width`; the words are zeros. */
static inline void wide_header_pack(const struct wide_channel *channels, size_t count, size_t width,
                                    int32_t *words)
{
    int32_t *mantissas = words + WIDE_FLAGS, *shifts = mantissas + width, *biases = shifts + width;
    bool is_narrow = true;

    for (size_t i = 0; i < count; i++)
        is_narrow = is_narrow && is_wide_channel_narrow(&channels[i]);
    words[0] = is_narrow;
    for (size_t i = 0; i < count; i++) {
        const struct hy_wide_multiplier shortened = hy_shorten_multiplier(channels[i].multiplier);
        const int64_t bias = hy_saturate_48(channels[i].bias);
        mantissas[i] = shortened.mantissa;
        shifts[i] = shortened.shift - 1;
        if (is_narrow)
            biases[i] = (int32_t)bias;
        else
            memcpy(biases + 2 * i, &bias, sizeof bias);
    }
}

/* `count` outputs of sums in 64 bits; there is room for whole vectors of sums. */
#if defined(HY_AVX512)
static inline void wide_store(const struct hy_conv_params *p, const int64_t *sums,
                              const struct wide_header *h, size_t count, int16_t *out)
{
    const __m512i min = _mm512_set1_epi64(p->activation.q_min);
    const __m512i max = _mm512_set1_epi64(p->activation.q_max), one = _mm512_set1_epi64(1);
    const __m512i most = _mm512_set1_epi64((INT64_C(1) << 47) - 1);
    const __m512i least = _mm512_sub_epi64(_mm512_setzero_si512(), most);

    for (size_t i = 0; i < count; i += 8) {
        const __m512i mantissa =
            _mm512_cvtepi32_epi64(_mm256_loadu_si256((const void *)(h->mantissas + i)));
        const __m512i below =
            _mm512_cvtepi32_epi64(_mm256_loadu_si256((const void *)(h->shifts + i)));
        const __m512i sum =
            _mm512_min_epi64(_mm512_max_epi64(_mm512_loadu_si512(sums + i), least), most);
        const __m512i rounded =
            _mm512_add_epi64(_mm512_mullo_epi64(sum, mantissa), _mm512_sllv_epi64(one, below));
        const __m512i scaled = _mm512_srav_epi64(rounded, _mm512_add_epi64(below, one));
        const __m512i kept = _mm512_min_epi64(_mm512_max_epi64(scaled, min), max);
        const __mmask8 lanes = (__mmask8)(count - i < 8 ? (1u << (count - i)) - 1 : 0xff);
        _mm512_mask_cvtepi64_storeu_epi16(out + i, lanes, kept);
    }
}
#else
static __attribute__((noinline)) void wide_store(const struct hy_conv_params *p,
                                                 const int64_t *sums, const struct wide_header *h,
                                                 size_t count, int16_t *out)
{
    const int32_t min = p->activation.q_min, max = p->activation.q_max;

    for (size_t i = 0; i < count; i++) {
        const struct hy_wide_multiplier multiplier = {h->mantissas[i], h->shifts[i] + 1};
        const int64_t scaled = hy_scale_saturated(hy_saturate_48(sums[i]), multiplier);
        out[i] = (int16_t)(scaled < min ? min : scaled > max ? max : scaled);
    }
}
#endif

/* What one vector of narrow channels is rescaled with. */
#if defined(HY_AVX512)
struct wide_scale {
    __m512i even, odd; /* mantissas, in lanes of 64 bits */
    __m512i even_shift, odd_shift, even_half, odd_half;
};

static inline struct wide_scale wide_scale_at(const struct wide_header *h, size_t first)
{
    const __m512i one = _mm512_set1_epi64(1), mantissas = vi_load(h->mantissas + first);
    const __m512i below = vi_load(h->shifts + first);
    const __m512i even = _mm512_and_si512(below, _mm512_set1_epi64(UINT32_MAX));
    const __m512i odd = _mm512_srli_epi64(below, 32);

    return (struct wide_scale){mantissas,
                               _mm512_srli_epi64(mantissas, 32),
                               _mm512_add_epi64(even, one),
                               _mm512_add_epi64(odd, one),
                               _mm512_sllv_epi64(one, even),
                               _mm512_sllv_epi64(one, odd)};
}

static inline vi wide_rescale(vi sums, const struct wide_scale *s)
{
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(sums, s->even), s->even_half);
    const __m512i odd =
        _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(sums, 32), s->odd), s->odd_half);

    return _mm512_mask_blend_epi32(0xaaaa, _mm512_srav_epi64(even, s->even_shift),
                                   _mm512_slli_epi64(_mm512_srav_epi64(odd, s->odd_shift), 32));
}

static inline void wide_store_narrow(vi outputs, int32_t min, int32_t max, size_t count,
                                     int16_t *out)
{
    const __m256i kept = _mm512_cvtepi32_epi16(vi_clamp(outputs, vi_set1(min), vi_set1(max)));

    _mm256_mask_storeu_epi16(out, first_lanes(count), kept);
}
#elif defined(HY_AVX2) || defined(HY_AVXVNNI) || defined(HY_VNNI256)
/* There is no shift of 64 bits with the sign: 2^62 keeps what is shifted above 0, and leaves
 * `beyond` of it. */
struct wide_scale {
    __m256i even, odd; /* mantissas, in lanes of 64 bits */
    __m256i even_shift, odd_shift, even_half, odd_half;
    __m256i beyond;
};

static inline struct wide_scale wide_scale_at(const struct wide_header *h, size_t first)
{
    const __m256i one = _mm256_set1_epi64x(1), above = _mm256_set1_epi64x(INT64_C(1) << 62);
    const __m256i mantissas = vi_load(h->mantissas + first), below = vi_load(h->shifts + first);
    const __m256i even = _mm256_and_si256(below, _mm256_set1_epi64x(UINT32_MAX));
    const __m256i odd = _mm256_srli_epi64(below, 32);

    return (struct wide_scale){
        mantissas,
        _mm256_srli_epi64(mantissas, 32),
        _mm256_add_epi64(even, one),
        _mm256_add_epi64(odd, one),
        _mm256_add_epi64(_mm256_sllv_epi64(one, even), above),
        _mm256_add_epi64(_mm256_sllv_epi64(one, odd), above),
        _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_sub_epi32(_mm256_set1_epi32(61), below))};
}

static inline vi wide_rescale(vi sums, const struct wide_scale *s)
{
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(sums, s->even), s->even_half);
    const __m256i odd =
        _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(sums, 32), s->odd), s->odd_half);
    const __m256i both =
        _mm256_blend_epi32(_mm256_srlv_epi64(even, s->even_shift),
                           _mm256_slli_epi64(_mm256_srlv_epi64(odd, s->odd_shift), 32), 0xaa);

    return _mm256_sub_epi32(both, s->beyond);
}

static inline void wide_store_narrow(vi outputs, int32_t min, int32_t max, size_t count,
                                     int16_t *out)
{
    const __m256i kept = vi_clamp(outputs, vi_set1(min), vi_set1(max));
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(kept), _mm256_extracti128_si256(kept, 1));
    int16_t part[8];

    if (count == 8) {
        _mm_storeu_si128((void *)out, words);
        return;
    }
    _mm_storeu_si128((void *)part, words);
    memcpy(out, part, count * sizeof *out);
}
#else
struct wide_scale {
    const int32_t *mantissas, *shifts;
};

static inline struct wide_scale wide_scale_at(const struct wide_header *h, size_t first)
{
    return (struct wide_scale){h->mantissas + first, h->shifts + first};
}

static inline vi wide_rescale(vi sums, const struct wide_scale *s)
{
    int32_t lanes[HY_LANES];

    vi_store(lanes, sums);
    for (size_t i = 0; i < HY_LANES; i++) {
        const struct hy_wide_multiplier multiplier = {s->mantissas[i], s->shifts[i] + 1};
        lanes[i] = (int32_t)hy_scale_saturated(lanes[i], multiplier);
    }
    return vi_load(lanes);
}

static inline void wide_store_narrow(vi outputs, int32_t min, int32_t max, size_t count,
                                     int16_t *out)
{
    int32_t lanes[HY_LANES];

    vi_store(lanes, vi_clamp(outputs, vi_set1(min), vi_set1(max)));
    for (size_t i = 0; i < count; i++)
        out[i] = (int16_t)lanes[i];
}
#endif

#endif
