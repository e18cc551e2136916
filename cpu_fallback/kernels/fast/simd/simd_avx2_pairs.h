#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_AVX2_PAIRS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_AVX2_PAIRS_H

/*
 * AVX2 alone: dot products of two 16-bit integers with two. Zero points are subtracted beforehand,
 * so no correction is needed. Included by simd_avx2.h.
 */
#define HY_SIMD_SET  avx2
#define HY_DOT_GROUP 2
typedef int16_t hy_dot_act;
typedef int16_t hy_dot_weight;

static inline int32_t dot_act_offset(int32_t zero_point, bool is_signed)
{
    (void)is_signed;
    return zero_point;
}

static inline int32_t dot_weight_offset(int32_t zero_point, bool is_signed)
{
    (void)is_signed;
    return zero_point;
}

#define HY_WIDENS_WEIGHTS

static inline vi dot_load(const int8_t *weights)
{
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)weights));
}

/*
 * Converts DOT_TRANSPOSED_STEPS steps of HY_LANES channels: subtracts `offset` and transposes. In
 * `from`, the bytes of a channel are `apart` from those of the channel before. In `to`, a step is
 * the pairs of all channels, and steps are `step` bytes apart.
 */
#define DOT_TRANSPOSED_STEPS 8

static inline void dot_transpose(const void *from, size_t apart, int32_t offset, int8_t *to,
                                 size_t step)
{
    const __m128i minus = _mm_set1_epi8((char)offset);
    const uint8_t *bytes = from;
    __m128i channels[8], twos[8], fours[8];

    for (int i = 0; i < 8; i++)
        channels[i] =
            _mm_sub_epi8(_mm_loadu_si128((const void *)(bytes + (size_t)i * apart)), minus);
    for (int i = 0; i < 8; i += 2) {
        twos[i] = _mm_unpacklo_epi16(channels[i], channels[i + 1]);
        twos[i + 1] = _mm_unpackhi_epi16(channels[i], channels[i + 1]);
    }
    for (int i = 0; i < 2; i++)
        for (int half = 0; half < 2; half++) {
            const __m128i a = twos[4 * i + half], b = twos[4 * i + 2 + half];
            fours[4 * i + 2 * half] = _mm_unpacklo_epi32(a, b);
            fours[4 * i + 2 * half + 1] = _mm_unpackhi_epi32(a, b);
        }
    for (int i = 0; i < 4; i++, to += 2 * step) {
        _mm_storeu_si128((void *)to, _mm_unpacklo_epi64(fours[i], fours[4 + i]));
        _mm_storeu_si128((void *)(to + step), _mm_unpackhi_epi64(fours[i], fours[4 + i]));
    }
}

static inline __m256i widen_to_16(__m128i bytes, bool is_signed)
{
    return is_signed ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
}

/* to = from - offset */
static inline void dot_copy(size_t count, const void *from, bool is_signed, int32_t offset,
                            hy_dot_act *to)
{
    const uint8_t *bytes = from;
    __m256i minus = _mm256_set1_epi16((int16_t)offset);

    for (; count >= 16; count -= 16, bytes += 16, to += 16) {
        __m256i wide = widen_to_16(_mm_loadu_si128((const void *)bytes), is_signed);
        _mm256_storeu_si256((void *)to, _mm256_sub_epi16(wide, minus));
    }
    for (size_t i = 0; i < count; i++)
        to[i] = (int16_t)((is_signed ? (int8_t)bytes[i] : bytes[i]) - offset);
}

static inline void store_pairs(__m128i bytes, bool is_signed, __m256i minus, hy_dot_act *to)
{
    _mm256_storeu_si256((void *)to, _mm256_sub_epi16(widen_to_16(bytes, is_signed), minus));
}

/*
 * Interleaves the bytes of HY_DOT_GROUP rows: element c * HY_DOT_GROUP + g of `to` is element c of
 * row g, converted as by dot_copy. `to` has capacity for HY_DOT_GROUP times `count`, with `count`
 * rounded up to a multiple of HY_LANES.
 */
static inline void dot_interleave(size_t count, const uint8_t *const rows[], bool is_signed,
                                  int32_t offset, hy_dot_act *to)
{
    const __m256i minus = _mm256_set1_epi16((int16_t)offset);
    size_t c = 0;

    for (; c + 2 * HY_LANES <= count; c += 2 * HY_LANES, to += 2 * HY_LANES * HY_DOT_GROUP) {
        const __m128i a = _mm_loadu_si128((const void *)(rows[0] + c));
        const __m128i b = _mm_loadu_si128((const void *)(rows[1] + c));
        store_pairs(_mm_unpacklo_epi8(a, b), is_signed, minus, to);
        store_pairs(_mm_unpackhi_epi8(a, b), is_signed, minus, to + HY_LANES * HY_DOT_GROUP);
    }
    for (; c < count; c += HY_LANES, to += HY_LANES * HY_DOT_GROUP) {
        const size_t part = count - c < HY_LANES ? count - c : HY_LANES;
        const __m128i a = load_bytes(rows[0] + c, part), b = load_bytes(rows[1] + c, part);
        store_pairs(_mm_unpacklo_epi8(a, b), is_signed, minus, to);
    }
}

static inline vi vi_dot(vi sum, vi activations, vi weights)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(activations, weights));
}

#endif
