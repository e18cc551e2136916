#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_NEON_BYTES_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_SIMD_NEON_BYTES_H

/*
 * The dot product extension: products of four signed bytes with four. uint8 inputs and filters are
 * lowered by 128. The caller corrects sums for the rest of the zero points. Products of 8-bit
 * matrices take the same operands. Included by simd_neon.h.
 */
#if defined(HY_I8MM)
#define HY_SIMD_SET  i8mm
#define HY_DOT_GROUP 8 /* for conv_quant_i8mm.h; vi_dot does not exist */
#else
#define HY_SIMD_SET  dotprod
#define HY_DOT_GROUP 4
#endif
typedef int8_t hy_dot_act;
typedef int8_t hy_dot_weight;

static inline int32_t dot_act_offset(int32_t zero_point, bool is_signed)
{
    (void)zero_point;
    return is_signed ? 0 : 128;
}

static inline int32_t dot_weight_offset(int32_t zero_point, bool is_signed)
{
    (void)zero_point;
    return is_signed ? 0 : 128;
}

/* to = from - offset, modulo 256: signedness does not matter. */
static inline void dot_copy(size_t count, const void *from, bool is_signed, int32_t offset,
                            hy_dot_act *to)
{
    const uint8_t *bytes = from;
    const uint8x16_t minus = vdupq_n_u8((uint8_t)offset);
    (void)is_signed;

    for (; count >= 16; count -= 16, bytes += 16, to += 16)
        vst1q_s8(to, vreinterpretq_s8_u8(vsubq_u8(vld1q_u8(bytes), minus)));
    for (size_t i = 0; i < count; i++)
        to[i] = (int8_t)(bytes[i] - offset);
}

#if !defined(HY_I8MM)
/*
 * Interleaves the bytes of HY_DOT_GROUP rows: element c * HY_DOT_GROUP + g of `to` is element c of
 * row g, converted as by dot_copy. `to` has capacity for HY_DOT_GROUP times `count`, with `count`
 * rounded up to a multiple of HY_LANES.
 */
static inline void dot_interleave(size_t count, const uint8_t *const rows[], bool is_signed,
                                  int32_t offset, hy_dot_act *to)
{
    const uint8x16_t minus = vdupq_n_u8((uint8_t)offset);
    (void)is_signed;

    for (size_t c = 0; c < count; c += HY_LANES, to += HY_LANES * HY_DOT_GROUP) {
        const size_t part = count - c < HY_LANES ? count - c : HY_LANES;
        const uint8x8_t a = load_bytes(rows[0] + c, part), b = load_bytes(rows[1] + c, part);
        const uint8x8_t x = load_bytes(rows[2] + c, part), y = load_bytes(rows[3] + c, part);
        const uint16x8_t ab = vreinterpretq_u16_u8(vcombine_u8(vzip1_u8(a, b), vzip2_u8(a, b)));
        const uint16x8_t xy = vreinterpretq_u16_u8(vcombine_u8(vzip1_u8(x, y), vzip2_u8(x, y)));
        const uint8x16_t low = vreinterpretq_u8_u16(vzip1q_u16(ab, xy));
        const uint8x16_t high = vreinterpretq_u8_u16(vzip2q_u16(ab, xy));
        vst1q_s8(to, vreinterpretq_s8_u8(vsubq_u8(low, minus)));
        vst1q_s8(to + 16, vreinterpretq_s8_u8(vsubq_u8(high, minus)));
    }
}

static inline int32x4_t dot_four(int32x4_t sum, int32x4_t activations, int32x4_t weights)
{
    return vdotq_s32(sum, vreinterpretq_s8_s32(activations), vreinterpretq_s8_s32(weights));
}

static inline vi vi_dot(vi sum, vi activations, vi weights)
{
    return (vi){dot_four(sum.low, activations.low, weights.low),
                dot_four(sum.high, activations.high, weights.high)};
}

static inline vi vi_dot_half(vi sum, vi activations, vi weights)
{
    return (vi){dot_four(sum.low, activations.low, weights.low), sum.high};
}

#endif

#endif
