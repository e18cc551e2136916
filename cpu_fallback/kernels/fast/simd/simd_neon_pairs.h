#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_NEON_PAIRS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_NEON_PAIRS_H

/*
 * The baseline NEON dot product: two 16-bit integers with two. Zero points are subtracted
 * beforehand, so no correction is needed. Included by simd_neon.h.
 */
#define HY_SIMD_SET  neon
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
    const int8x16_t bytes = vld1q_s8(weights);
    return (vi){vreinterpretq_s32_s16(vmovl_s8(vget_low_s8(bytes))),
                vreinterpretq_s32_s16(vmovl_high_s8(bytes))};
}

/* to = from - offset */
static inline void dot_copy(size_t count, const void *from, bool is_signed, int32_t offset,
                            hy_dot_act *to)
{
    const uint8_t *bytes = from;
    const int16x8_t minus = vdupq_n_s16((int16_t)offset);

    for (; count >= 8; count -= 8, bytes += 8, to += 8)
        vst1q_s16(to, vsubq_s16(widen_bytes(vld1_u8(bytes), is_signed), minus));
    for (size_t i = 0; i < count; i++)
        to[i] = (int16_t)((is_signed ? (int8_t)bytes[i] : bytes[i]) - offset);
}

/*
 * Interleaves the bytes of HY_DOT_GROUP rows: element c * HY_DOT_GROUP + g of `to` is element c of
 * row g, converted as by dot_copy. `to` has capacity for HY_DOT_GROUP times `count`, with `count`
 * rounded up to a multiple of HY_LANES.
 */
static inline void dot_interleave(size_t count, const uint8_t *const rows[], bool is_signed,
                                  int32_t offset, hy_dot_act *to)
{
    const int16x8_t minus = vdupq_n_s16((int16_t)offset);

    for (size_t c = 0; c < count; c += HY_LANES, to += HY_LANES * HY_DOT_GROUP) {
        const size_t part = count - c < HY_LANES ? count - c : HY_LANES;
        const uint8x8_t a = load_bytes(rows[0] + c, part), b = load_bytes(rows[1] + c, part);
        vst1q_s16(to, vsubq_s16(widen_bytes(vzip1_u8(a, b), is_signed), minus));
        vst1q_s16(to + 8, vsubq_s16(widen_bytes(vzip2_u8(a, b), is_signed), minus));
    }
}

static inline int32x4_t dot_four(int32x4_t sum, int32x4_t activations, int32x4_t weights)
{
    const int16x8_t a = vreinterpretq_s16_s32(activations), w = vreinterpretq_s16_s32(weights);
    const int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(w));

    return vaddq_s32(sum, vpaddq_s32(low, vmull_high_s16(a, w)));
}

static inline vi vi_dot(vi sum, vi activations, vi weights)
{
    return (vi){dot_four(sum.low, activations.low, weights.low),
                dot_four(sum.high, activations.high, weights.high)};
}

/* The name used by sets with another vi_dot. */
static inline vi vs_dot(vi sum, vi a, vi b)
{
    return vi_dot(sum, a, b);
}

static inline vi vi_dot_half(vi sum, vi activations, vi weights)
{
    return (vi){dot_four(sum.low, activations.low, weights.low), sum.high};
}

#endif
