#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_RESCALE_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_RESCALE_H

#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/types.h"

/* The conversion of a layer's sums to bytes. */
struct rescale_layer {
    bool halves_away; /* second rounding: halves away from zero; otherwise halves up */
    bool is_signed;   /* signed bytes */
    int32_t zero_point;
};

/* Packing data of a vector of channels; all zeros beyond the last channel. */
struct rescale_channels {
    int32_t start[HY_LANES]; /* initial value of sums */
    struct hy_multiplier multipliers[HY_LANES];
    double reach[HY_LANES]; /* largest distance of any sum from its start */
};

/* The ways of rescale(). Callers pass a constant, because rescale() is inlined. */
enum rescale_way { RESCALE_ONE_OFFSET, RESCALE_TWO_OFFSETS, RESCALE_EXACTLY };

/* The headers of four vectors, each pointing to word START. The distance of the next word is
 * `step`. */
struct rescale_headers {
    const int32_t *of[4];
    size_t step;
};

#if defined(HY_FIXED_POINT_IS_QUICK)
#include "cpu_fallback/kernels/fast/simd/rescale_fixed.h"
#else

/*
 * Conversion of 32-bit sums to bytes: each sum times the multiplier of its channel, in two
 * roundings, plus a zero point, clamped. Two fused multiplications of floats and a conversion give
 * the same bits.
 *
 * With f the real multiplier, the result for a sum x is x * f + offset rounded down. Packing finds
 * an offset that is right for every x (rescale_offsets.h). Whole multiples of f in the offset move
 * to START, so the rest of the offset is a fraction of f. f has 31 bits and is held in two floats,
 * FACTOR and REST. Sums of up to 24 bits are exact floats. The expression
 *
 *     x * FACTOR + (x * REST + offset)
 *
 * therefore has a single error before the outer sum is rounded down: the tiny error of the inner
 * sum. Rounding the outer sum down to a float first and to an integer then is the same as rounding
 * down to an integer at once. Packing has checked that the offset tolerates the inner error. Sums
 * of more than 24 bits end at a bound of the byte.
 *
 * Halves away from zero need two offsets: sums below BOUND have results below zero and use the
 * second offset. Vectors without a valid offset are marked, and rescaled in fixed point.
 */

/* The header words of a packed vector of channels; each word is a vector. */
enum rescale_word {
    START,  /* initial value of sums */
    FACTOR, /* float bits, like the next three */
    REST,
    OFFSET,
    OFFSET_BELOW,
    BOUND,
    HEADER_WORDS,
    MANTISSA = FACTOR, /* used if OFFSET is RESCALE_NO_OFFSET */
    EXPONENT = REST
};

#define RESCALE_IN_REGISTERS true /* fastest: the kernel rescales while sums are in registers */

#define RESCALE_NO_OFFSET INT32_MAX /* a NaN as a float */

/* Constants of all channels. */
struct rescale {
    bool halves_away;
    vi min, max;          /* of bytes */
    int32_t q_min, q_max; /* bounds in fixed point, before the zero point is added */
    int32_t zero_point;
};

static inline struct rescale rescale_of(bool halves_away, int32_t min, int32_t max,
                                        int32_t zero_point)
{
    return (struct rescale){.halves_away = halves_away,
                            .min = vb_set1(min),
                            .max = vb_set1(max),
                            .q_min = min - zero_point,
                            .q_max = max - zero_point,
                            .zero_point = zero_point};
}

static inline vi rescale_word(const struct rescale_headers *h, int vector, enum rescale_word word)
{
    return vi_load(h->of[vector] + word * h->step);
}

/* Whether the vectors of a panel have offsets; the panel starts with its header. */
static inline bool rescale_has_offsets(const int32_t *panel, size_t step)
{
    return panel[OFFSET * step] != RESCALE_NO_OFFSET;
}

static __attribute__((noinline)) vi rescale_exactly(const struct rescale *r,
                                                    const struct rescale_headers *h,
                                                    const vi sums[4], bool is_signed)
{
    const vi q_min = vi_set1(r->q_min), q_max = vi_set1(r->q_max);
    const vi zero_point = vi_set1(r->zero_point);
    vi x[4];

    for (int i = 0; i < 4; i++) {
        const struct vi_scale scale =
            vi_scale_from(rescale_word(h, i, MANTISSA), rescale_word(h, i, EXPONENT));
        x[i] = r->halves_away ? vi_scale_half_away(sums[i], &scale)
                              : vi_scale_half_up(sums[i], &scale);
        x[i] = vi_add(vi_clamp(x[i], q_min, q_max), zero_point);
    }
    return vb_narrow(x[0], x[1], x[2], x[3], is_signed);
}

/*
 * The constants of rescale() in registers, loaded once for many sums of the same channels. Without
 * this copy the compiler would reload the constants after each store of bytes.
 */
struct rescale_numbers {
    vf factor[4], rest[4], offset[4], offset_below[4];
    vi bound[4], min, max;
};

/* Loads the constants of vector `i`. */
static inline __attribute__((always_inline)) void
rescale_read(struct rescale_numbers *n, const struct rescale_headers *h, int i)
{
    n->factor[i] = vf_of_bits(rescale_word(h, i, FACTOR));
    n->rest[i] = vf_of_bits(rescale_word(h, i, REST));
    n->offset[i] = vf_of_bits(rescale_word(h, i, OFFSET));
    n->offset_below[i] = vf_of_bits(rescale_word(h, i, OFFSET_BELOW));
    n->bound[i] = rescale_word(h, i, BOUND);
}

static inline struct rescale_numbers rescale_numbers_of(const struct rescale *r,
                                                        const struct rescale_headers *h)
{
    struct rescale_numbers n = {.min = r->min, .max = r->max};

    HY_UNROLL(4)
    for (int i = 0; i < 4; i++)
        rescale_read(&n, h, i);
    return n;
}

/* The integers that become the bytes of vector `i`, computed with an offset. */
static inline __attribute__((always_inline)) vi rescale_lanes(const struct rescale_numbers *n,
                                                              int i, vi sums, enum rescale_way way)
{
    const vf sum = vf_from_vi(sums);
    vf offset = n->offset[i];

    if (way == RESCALE_TWO_OFFSETS)
        offset = vf_if_less(sums, n->bound[i], n->offset_below[i], offset);
    return vi_floor_multiply_add(sum, n->factor[i], vf_multiply_add(sum, n->rest[i], offset));
}

/*
 * Converts four vectors of sums to bytes, in order; `n` was read from r and h. Call between
 * vi_begin_floor() and vi_end_floor().
 */
static inline __attribute__((always_inline)) vi
rescale(const struct rescale_numbers *n, const struct rescale *r, const struct rescale_headers *h,
        const vi sums[4], enum rescale_way way, bool is_signed)
{
    vi x[4];

    if (way == RESCALE_EXACTLY)
        return rescale_exactly(r, h, sums, is_signed);
    HY_UNROLL(4)
    for (int i = 0; i < 4; i++)
        x[i] = rescale_lanes(n, i, sums[i], way);
    const vi bytes = vb_narrow(x[0], x[1], x[2], x[3], is_signed);
    return vb_min(n->max, vb_max(n->min, bytes, is_signed), is_signed);
}

#endif

#endif
