#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_RESCALE_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_RESCALE_H

#include "cpu_fallback/kernels/fast/simd/simd.h"
#include "cpu_fallback/kernels/types.h"

/* How a layer turns its sums into bytes. */
struct rescale_layer {
    bool halves_away; /* from zero in the second rounding; otherwise up */
    bool is_signed;   /* bytes */
    int32_t zero_point;
};

/* What packing knows of a vector of channels; all zeros beyond the last channel. */
struct rescale_channels {
    int32_t start[HY_LANES]; /* what sums start with */
    struct hy_multiplier multipliers[HY_LANES];
    double reach[HY_LANES]; /* no sum is further from its start */
};

/* The ways to rescale(): constants where it is inlined. */
enum rescale_way { RESCALE_ONE_OFFSET, RESCALE_TWO_OFFSETS, RESCALE_EXACTLY };

/* The headers of four vectors, each at its word START; the next words lie `step` on. */
struct rescale_headers {
    const int32_t *of[4];
    size_t step;
};

#if defined(HY_FIXED_POINT_IS_QUICK)
#include "cpu_fallback/kernels/fast/simd/rescale_fixed.h"
#else

/*
 * From 32-bit sums to bytes: each times the multiplier of its channel, in two roundings, plus a
 * zero point, clamped. Two fused multiplications of floats and a conversion do it, to the bit.
 *
 * With f the real multiplier, a sum x becomes the integer below or at x * f + offset: packing finds
 * offsets of which that is true for every x (rescale_offsets.h). The offset is taken off the sums'
 * START in whole multiples of f, so that no more than a fraction of f is left of it. f has 31 bits,
 * which two floats hold: FACTOR and REST. Sums of up to 24 bits are floats without an error, and so
 *
 *     x * FACTOR + (x * REST + offset)
 *
 * has a single error, that of the inner sum, which is tiny, before the outer one is rounded down:
 * down to a float and down to an integer is the same as down to an integer. Packing has compared
 * the inner error with what the offset can bear. Sums of more bits end at a bound of the byte.
 *
 * Halves away from zero need two offsets, one for the results below zero: those of sums below
 * BOUND. Vectors that no offset was found for are marked, and rescaled in fixed point.
 */

/* The words that a packed vector of channels begins with: a vector of each. */
enum rescale_word {
    START,  /* what sums start with */
    FACTOR, /* float bits, like the next three */
    REST,
    OFFSET,
    OFFSET_BELOW,
    BOUND,
    HEADER_WORDS,
    MANTISSA = FACTOR, /* where OFFSET is RESCALE_NO_OFFSET */
    EXPONENT = REST
};

#define RESCALE_IN_REGISTERS true /* quickest where sums are computed */

#define RESCALE_NO_OFFSET INT32_MAX /* no number, as a float */

/* What is the same for all channels. */
struct rescale {
    bool halves_away;
    vi min, max;          /* of bytes */
    int32_t q_min, q_max; /* of what the zero point is added to, in fixed point */
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

/* Whether the vectors of a panel have offsets, which begins with its header. */
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
 * What rescale() has in registers while it goes from sums to sums of the same channels: the bytes
 * that are stored in between could change any memory.
 */
struct rescale_numbers {
    vf factor[4], rest[4], offset[4], offset_below[4];
    vi bound[4], min, max;
};

/* Of vector `i`. */
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

/* The numbers that become the bytes of vector `i`; with an offset. */
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
 * The bytes of four vectors of sums, one after the other; `n` is of r and h. Between
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
