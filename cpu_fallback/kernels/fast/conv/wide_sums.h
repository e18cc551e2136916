#ifndef HY_CPU_FALLBACK_KERNELS_FAST_CONV_WIDE_SUMS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_CONV_WIDE_SUMS_H

#include "cpu_fallback/kernels/conv.h"
#include "cpu_fallback/kernels/fast/simd/shorts.h"
#include "cpu_fallback/kernels/fixed_point_wide.h"

/*
 * Conversion of sums of int16 data to outputs, see fixed_point_wide.h.
 *
 * A group of channels is narrow if none of its sums can leave 32 bits for any input, and all its
 * multipliers are below 1/4; most groups are narrow. The sums of a narrow group start with the
 * biases and stay in vectors. Other groups are added up in 64 bits.
 *
 * A narrow group of two vectors has its channels in the order of vs_narrow(), see wide_index().
 *
 * The header of a group of `width` channels, in 32-bit words:
 *     WIDE_FLAGS words: the first is nonzero for a narrow group, WIDE_PIECE belongs to the kernel
 *     the mantissas
 *     narrow: the shifts less 16, the biases, the halves; otherwise: the shifts less 1, and the
 *             biases of 64 bits
 * A channel that does not exist has zeros.
 */
#define WIDE_FLAGS 16
#define WIDE_PIECE 1

static inline size_t wide_header_words(size_t width)
{
    return WIDE_FLAGS + 4 * width;
}

/* The position of channel `i` in a narrow group: groups of four alternate between the first and the
 * second vector. */
static inline size_t wide_index(size_t i, size_t width)
{
    return width == HY_LANES ? i : i / 4 % 2 * HY_LANES + i / 8 * 4 + i % 4;
}

struct wide_header {
    bool is_narrow;
    const int32_t *mantissas, *shifts, *biases; /* `biases`: int64_t if not narrow */
    const int32_t *halves;
};

static inline struct wide_header wide_header_at(const int32_t *words, size_t width)
{
    const int32_t *mantissas = words + WIDE_FLAGS;

    return (struct wide_header){words[0] != 0, mantissas, mantissas + width, mantissas + 2 * width,
                                mantissas + 3 * width};
}

/* Packing data of a channel; `reach` is the largest magnitude of the sum of its products. */
struct wide_channel {
    int64_t bias;
    struct hy_multiplier multiplier;
    int64_t reach;
};

/* The least shift of narrow channels; wide_rescale() shifts by 16 bits first. */
#define WIDE_LEAST_SHIFT 17

static inline bool is_wide_channel_narrow(const struct wide_channel *c)
{
    return c->reach <= INT32_MAX && c->bias <= INT32_MAX - c->reach &&
           c->bias >= c->reach - INT32_MAX &&
           hy_shorten_multiplier(c->multiplier).shift >= WIDE_LEAST_SHIFT;
}

/* Writes the header of `count` channels in a group of `width`; the caller has zeroed the words. */
static inline void wide_header_pack(const struct wide_channel *channels, size_t count, size_t width,
                                    int32_t *words)
{
    int32_t *mantissas = words + WIDE_FLAGS, *shifts = mantissas + width, *biases = shifts + width;
    int32_t *halves = biases + width;
    bool is_narrow = true;

    for (size_t i = 0; i < count; i++)
        is_narrow = is_narrow && is_wide_channel_narrow(&channels[i]);
    words[0] = is_narrow;
    for (size_t i = 0; i < count; i++) {
        const struct hy_wide_multiplier shortened = hy_shorten_multiplier(channels[i].multiplier);
        const int64_t bias = hy_saturate_48(channels[i].bias);
        const size_t index = is_narrow ? wide_index(i, width) : i;
        mantissas[index] = shortened.mantissa;
        if (is_narrow) {
            shifts[index] = shortened.shift - 16;
            biases[index] = (int32_t)bias;
            halves[index] = 1 << (shortened.shift - WIDE_LEAST_SHIFT);
        } else {
            shifts[index] = shortened.shift - 1;
            memcpy(biases + 2 * i, &bias, sizeof bias);
        }
    }
}

/* vs_dot with the result in the register of `sum`; gcc would use another register and then move. */
static inline vi dot_in_place(vi sum, vi pair, vi weights)
{
    sum = vs_dot(sum, pair, weights);
#if defined(HY_AVX512)
    __asm__("" : "+v"(sum));
#endif
    return sum;
}

/* Adds 32-bit sums in the order of a narrow group to 64-bit sums in the order of the channels. */
static inline void wide_add(const int32_t *narrow, size_t width, int64_t *wide)
{
    for (size_t i = 0; i < width; i += 8) {
        const int32_t *low = narrow + wide_index(i, width);
        const int32_t *high = narrow + wide_index(i + 4, width);
        for (size_t j = 0; j < 4; j++) {
            wide[i + j] += low[j];
            wide[i + 4 + j] += high[j];
        }
    }
}

/* Converts 64-bit sums to `count` outputs; `sums` has capacity for whole vectors. */
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
        const __m512i clamped = _mm512_min_epi64(_mm512_max_epi64(scaled, min), max);
        const __mmask8 lanes = (__mmask8)(count - i < 8 ? (1u << (count - i)) - 1 : 0xff);
        _mm512_mask_cvtepi64_storeu_epi16(out + i, lanes, clamped);
    }
}
#else
static __attribute__((noinline, unused)) void wide_store(const struct hy_conv_params *p,
                                                         const int64_t *sums,
                                                         const struct wide_header *h, size_t count,
                                                         int16_t *out)
{
    const int32_t min = p->activation.q_min, max = p->activation.q_max;

    for (size_t i = 0; i < count; i++) {
        const struct hy_wide_multiplier multiplier = {h->mantissas[i], h->shifts[i] + 1};
        const int64_t scaled = hy_scale_saturated(hy_saturate_48(sums[i]), multiplier);
        out[i] = (int16_t)(scaled < min ? min : scaled > max ? max : scaled);
    }
}
#endif

/*
 * The constants for rescaling one vector of narrow channels.
 *
 * For a sum = upper * 2^16 + lower, with `lower` in 0..65535, the result is
 *     (sum * mantissa + 2^(shift - 1)) >> shift
 *         = (upper * mantissa + 2^(shift - 17) + (lower * mantissa >> 16)) >> (shift - 16),
 * because rounding down twice equals rounding down once. All terms fit 32 bits: mantissas are below
 * 2^15.
 */
#if defined(HY_NEON)
struct wide_scale {
    vi mantissa, right; /* right: a negative left shift of the whole product */
};

static inline struct wide_scale wide_scale_at(const struct wide_header *h, size_t first)
{
    return (struct wide_scale){vi_load(h->mantissas + first),
                               vi_sub(vi_set1(-16), vi_load(h->shifts + first))};
}

static inline int32x4_t rescale_four(int32x4_t sums, int32x4_t mantissa, int32x4_t right)
{
    const int64x2_t low = vmull_s32(vget_low_s32(sums), vget_low_s32(mantissa));
    const int64x2_t high = vmull_high_s32(sums, mantissa);

    return vcombine_s32(vmovn_s64(vrshlq_s64(low, vmovl_s32(vget_low_s32(right)))),
                        vmovn_s64(vrshlq_s64(high, vmovl_high_s32(right))));
}

static inline vi wide_rescale(vi sums, const struct wide_scale *s)
{
    return (vi){rescale_four(sums.low, s->mantissa.low, s->right.low),
                rescale_four(sums.high, s->mantissa.high, s->right.high)};
}
#else
struct wide_scale {
    vi mantissa, upper_mantissa; /* for the lower and for the upper halves of sums */
    vi half, shift;
};

static inline struct wide_scale wide_scale_at(const struct wide_header *h, size_t first)
{
    const vi mantissa = vi_load(h->mantissas + first);

    return (struct wide_scale){mantissa, vi_shift_left_by(mantissa, 16), vi_load(h->halves + first),
                               vi_load(h->shifts + first)};
}

static inline vi wide_rescale(vi sums, const struct wide_scale *s)
{
    const vi lower = vi_add(vs_high_product(sums, s->mantissa), s->half);
    return vi_shift_right(vs_dot(lower, sums, s->upper_mantissa), s->shift);
}
#endif

/* Stores two vectors of a narrow group, in the order of the group. */
static inline void wide_store_two(vi a, vi b, int32_t min, int32_t max, size_t count, int16_t *out)
{
    const vi clamped = vs_min(vs_max(vs_narrow(a, b), vs_set1(min)), vs_set1(max));

    if (count == 2 * HY_LANES)
        vi_store(out, clamped);
    else
        vs_store_part(out, clamped, count);
}

static inline void wide_store_one(vi x, int32_t min, int32_t max, size_t count, int16_t *out)
{
    vi_store_words_part(out, vi_clamp(x, vi_set1(min), vi_set1(max)), count);
}

#endif
