#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"

/* QUANTIZE from float32 and DEQUANTIZE to float32, with the bits of the reference. */

#if defined(HY_S8)
enum { MIN = INT8_MIN, MAX = INT8_MAX };
#define LOAD_PART vi_load_s8_part
#elif defined(HY_U8)
enum { MIN = 0, MAX = UINT8_MAX };
#define LOAD_PART vi_load_u8_part
#elif defined(HY_S16)
enum { MIN = INT16_MIN, MAX = INT16_MAX };
#define LOAD_PART vi_load_s16_part
#else
enum { MIN = 0, MAX = UINT16_MAX };
#define LOAD_PART vi_load_u16_part
#endif
#define IS_BYTE   (sizeof(HY_T) == 1)
#define IS_SIGNED ((HY_T)-1 < 0)

/* Rounds halves away from zero: rounds to even, and adds 1 if a half was lost. */
static inline vf round_half_away(vf x)
{
    const vf size = vf_abs(x), even = vf_round(size);
    const vf lost = vf_sub(size, even); /* exact */
    const vf away = vf_if_below(lost, vf_set1(0.5f), even, vf_add(even, vf_set1(1)));
    return vf_copy_sign(away, x);
}

/* The stored number is the low part of each lane. NaN gives the largest number. */
static inline vi quantise(const struct hy_quantize_params *params, vf x)
{
    const vf steps = vf_add(vf_set1((float)params->zero_point),
                            round_half_away(vf_divide(x, vf_set1(params->scale))));
    const vf inside = vf_max(vf_min(steps, vf_set1(MAX)), vf_set1(MIN));

    return vi_of_bits(vf_add(inside, vf_set1(0x1.8p23f))); /* the last bits hold the whole number */
}

static inline void store_part(HY_T *to, vi x, size_t count)
{
    if (IS_BYTE)
        vi_store_bytes_part(to, x, count);
    else
        vi_store_words_part(to, x, count);
}

/* Quantises `count` elements by division. */
static inline void quantise_exactly(const struct hy_quantize_params *p, const float *values,
                                    size_t count, HY_T *results)
{
    const size_t rest = count % HY_LANES, whole = count - rest;

    for (size_t i = 0; i < whole; i += HY_LANES)
        store_part(results + i, quantise(p, vf_load(values + i)), HY_LANES);
    if (rest > 0)
        store_part(results + whole, quantise(p, vf_load_part(values + whole, rest)), rest);
}

/*
 * For bytes, multiplying by the inverse of the scale takes a fraction of the time of a division.
 * The product is the result in units of 2^-16 step, less than MARGIN units away from the exact
 * result. Within 256 steps of zero (results beyond saturate), inverse and quotient are off by 1
 * unit each, and the sum with zero point and half a step by 1/2. The upper half of a lane is
 * therefore right unless the lower half is within MARGIN of a change. NaN, and values too large for
 * a lane, become an integer with a lower half of 0, or an integer that saturates.
 */
#define FRACTION 65536.0f
#define MARGIN   4

struct fine_steps {
    vf inverse, offset;
    vi safe; /* all but the last bits of the lower half: a result without any of these bits may be
                wrong */
};

static inline struct fine_steps fine_steps_of(const struct hy_quantize_params *p)
{
    return (struct fine_steps){
        .inverse = vf_set1(1 / p->scale * FRACTION),
        .offset = vf_set1((float)p->zero_point * FRACTION + FRACTION / 2 + MARGIN),
        .safe = vi_set1((int32_t)FRACTION - 2 * MARGIN),
    };
}

static inline vi fine_steps(const struct fine_steps *fine, const float *values)
{
    return vi_floor(vf_multiply_add(vf_load(values), fine->inverse, fine->offset));
}

/* Quantises HY_BYTE_LANES elements. Returns false, and stores nothing, if division might give
 * another result. */
static inline bool quantise_block(const struct fine_steps *fine, const float *values, HY_T *results)
{
    const vi a = fine_steps(fine, values), b = fine_steps(fine, values + HY_LANES);
    const vi c = fine_steps(fine, values + 2 * HY_LANES);
    const vi d = fine_steps(fine, values + 3 * HY_LANES);

    const vi least = vs_min_unsigned(vs_min_unsigned(a, b), vs_min_unsigned(c, d));

    if (!vi_all_have(least, fine->safe)) /* a lower half without these bits is the least */
        return false;
    vi_store(results, vb_narrow_upper(a, b, c, d, IS_SIGNED));
    return true;
}

void HY_SIMD_FN(quantize_f32)(const struct hy_quantize_params *params, const void *in, void *out)
{
    const struct hy_quantize_params p = *params; /* local: stores cannot alias it */
    const bool has_inverse = IS_BYTE && p.scale > 0x1p-100f && p.scale < 0x1p100f;
    const struct fine_steps fine = fine_steps_of(&p);
    const float *values = in;
    HY_T *results = out;
    size_t i = elements_before_boundary(values, sizeof *values, p.count);

    quantise_exactly(&p, values, i, results);
    for (; has_inverse && i + HY_BYTE_LANES <= p.count; i += HY_BYTE_LANES)
        if (!quantise_block(&fine, values + i, results + i))
            quantise_exactly(&p, values + i, HY_BYTE_LANES, results + i);
    quantise_exactly(&p, values + i, p.count - i, results + i);
}

static inline vf dequantise(const HY_T *from, vi zero_point, vf scale, size_t count)
{
    return vf_multiply(scale, vf_from_vi(vi_sub(LOAD_PART(from, count), zero_point)));
}

/* Dequantises `count` elements, each with a scale of its own, or all with the first. */
static inline void dequantise_row(const HY_T *values, vi zero_point, const float *scales,
                                  bool has_one_scale, size_t count, float *results)
{
    const size_t rest = count % HY_LANES, whole = count - rest;
    const vf scale = vf_set1(*scales);

    for (size_t i = 0; i < whole; i += HY_LANES) {
        const vf x = has_one_scale ? scale : vf_load(scales + i);
        vf_store(results + i, dequantise(values + i, zero_point, x, HY_LANES));
    }
    if (rest > 0) {
        const vf x = has_one_scale ? scale : vf_load_part(scales + whole, rest);
        vf_store_part(results + whole, dequantise(values + whole, zero_point, x, rest), rest);
    }
}

void HY_SIMD_FN(dequantize)(const struct hy_dequantize_params *params, const void *in, void *out)
{
    const size_t channels = params->channels, inner = params->inner;
    const vi zero_point = vi_set1(params->zero_point);
    const HY_T *values = in;
    float *results = out;

    if (inner == 1 && channels > 1) {
        for (size_t o = 0; o < params->outer; o++, values += channels, results += channels)
            dequantise_row(values, zero_point, params->scales, false, channels, results);
        return;
    }
    for (size_t row = 0; row < params->outer * channels; row++, values += inner, results += inner)
        dequantise_row(values, zero_point, params->scales + row % channels, true, inner, results);
}
