#ifndef HY_CPU_FALLBACK_KERNELS_FAST_RESCALE_H
#define HY_CPU_FALLBACK_KERNELS_FAST_RESCALE_H

#include <math.h>

#include "cpu_fallback/kernels/fast/simd.h"
#include "cpu_fallback/kernels/types.h"

#if defined(HY_FIXED_POINT_IS_QUICK)
#include "cpu_fallback/kernels/fast/rescale_fixed.h"
#else

/*
 * From 32-bit sums to bytes: each times the multiplier of its channel, in two roundings, plus a
 * zero point, clamped. Floats do nearly all of it in half the instructions of fixed point.
 *
 * With f the real multiplier and r its right shift, the two roundings of a sum x come to one:
 *     halves up           the integer below or at  x * f + nudge + 1/2,  nudge = 2^-(r + 1), or 0
 * if r = 0 halves from zero    the same, but the nudge has the sign of x because the first rounding
 * adds half a unit of 2^-r, and the second takes one unit off where what it rounds is negative.
 * Estimates are floats turned to integers with RESCALE_BITS binary places: the integer below is
 * what is above these bits. It is right unless they are within RESCALE_DOUBT of where it changes.
 * That is rare; fixed point decides then.
 *
 * The error: f, x and the fused sum are rounded to 24 bits, which makes 3 * 2^-24 of the
 * magnitude, and the places to half a unit. Only magnitudes up to 256 matter, as larger ones end
 * at a bound of the byte either way: less than 4 units in all.
 *
 * Estimates must fit 32 bits: where the largest sum could be RESCALE_LARGEST or more, the numbers
 * are such that the estimate is always in doubt.
 */
#define RESCALE_BITS    16
#define RESCALE_DOUBT   4
#define RESCALE_LARGEST 32000.0

/* The words that a packed vector of channels begins with: a vector of each. */
enum rescale_word {
    START, /* what sums start with */
    MANTISSA,
    EXPONENT,
    FACTOR, /* float bits, like the next; both times 2^RESCALE_BITS */
    NUDGE,
    HEADER_WORDS
};

/* Fills the words of one channel, `step` elements apart. No sum is larger than `largest`. */
static inline void rescale_pack(int32_t start, struct hy_multiplier multiplier, double largest,
                                size_t step, int32_t *to)
{
    const int exponent = multiplier.exponent;
    const double most = fmin(largest, 0x1p31) * ldexp(multiplier.mantissa, exponent - 31);
    float factor = 0, nudge = ldexpf(0.5f, RESCALE_BITS); /* always in doubt */

    if (most < RESCALE_LARGEST) {
        factor = ldexpf((float)multiplier.mantissa, exponent - 31 + RESCALE_BITS);
        nudge = exponent < 0 ? ldexpf(1, exponent - 1 + RESCALE_BITS) : 0;
    }
    to[START * step] = start;
    to[MANTISSA * step] = multiplier.mantissa;
    to[EXPONENT * step] = exponent;
    memcpy(&to[FACTOR * step], &factor, sizeof factor);
    memcpy(&to[NUDGE * step], &nudge, sizeof nudge);
}

/* What is the same for all channels. */
struct rescale {
    bool halves_away;
    vi signs;        /* the sign bit if halves go away from zero */
    vi plus;         /* the zero point, a half, and RESCALE_DOUBT, in units of 2^-RESCALE_BITS */
    vi min, max;     /* of bytes */
    vi q_min, q_max; /* of integers */
    vi q_zero_point;
};

static inline struct rescale rescale_of(bool halves_away, int32_t min, int32_t max,
                                        int32_t zero_point)
{
    const int32_t one = 1 << RESCALE_BITS;
    return (struct rescale){.halves_away = halves_away,
                            .signs = vi_set1(halves_away ? INT32_MIN : 0),
                            .plus = vi_set1(zero_point * one + one / 2 + RESCALE_DOUBT),
                            .min = vb_set1(min),
                            .max = vb_set1(max),
                            .q_min = vi_set1(min - zero_point),
                            .q_max = vi_set1(max - zero_point),
                            .q_zero_point = vi_set1(zero_point)};
}

/* The headers of four vectors, each at its word START; the next words lie `step` on. */
struct rescale_headers {
    const int32_t *of[4];
    size_t step;
};

static inline vi rescale_word(const struct rescale_headers *h, int vector, enum rescale_word word)
{
    return vi_load(h->of[vector] + word * h->step);
}

static __attribute__((noinline)) vi rescale_exactly(const struct rescale *r,
                                                    const struct rescale_headers *h,
                                                    const vi sums[4], bool is_signed)
{
    vi x[4];

    for (int i = 0; i < 4; i++) {
        const struct vi_scale scale =
            vi_scale_from(rescale_word(h, i, MANTISSA), rescale_word(h, i, EXPONENT));
        x[i] = r->halves_away ? vi_scale_half_away(sums[i], &scale)
                              : vi_scale_half_up(sums[i], &scale);
        x[i] = vi_add(vi_clamp(x[i], r->q_min, r->q_max), r->q_zero_point);
        x[i] = vi_shift_left(x[i], vi_set1(RESCALE_BITS));
    }
    return vb_narrow_high(x[0], x[1], x[2], x[3], is_signed);
}

/*
 * What rescale() has in registers while it goes from sums to sums of the same channels: the bytes
 * that are stored in between could change any memory.
 */
struct rescale_numbers {
    vf factor[4], nudge[4];
    vi signs, plus, min, max;
};

static inline struct rescale_numbers rescale_numbers_of(const struct rescale *r,
                                                        const struct rescale_headers *h)
{
    struct rescale_numbers n = {.signs = r->signs, .plus = r->plus, .min = r->min, .max = r->max};

#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        n.factor[i] = vf_of_bits(rescale_word(h, i, FACTOR));
        n.nudge[i] = vf_of_bits(rescale_word(h, i, NUDGE));
    }
    return n;
}

/* The bytes of four vectors of sums, one after the other; `n` is of r and h. */
static inline __attribute__((always_inline)) vi rescale(const struct rescale_numbers *n,
                                                        const struct rescale *r,
                                                        const struct rescale_headers *h,
                                                        const vi sums[4], bool is_signed)
{
    vi x[4], least;

#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const vf sum = vf_from_vi(sums[i]);
        const vf nudge = vf_with_sign(n->nudge[i], sum, n->signs);
        x[i] = vi_add(vi_nearest(vf_multiply_add(sum, n->factor[i], nudge)), n->plus);
        least = i == 0 ? x[i] : vh_min(least, x[i]);
    }
    if (__builtin_expect(vi_any_low_below(least, 2 * RESCALE_DOUBT), 0))
        return rescale_exactly(r, h, sums, is_signed);
    const vi bytes = vb_narrow_high(x[0], x[1], x[2], x[3], is_signed);
    return vb_min(n->max, vb_max(n->min, bytes, is_signed), is_signed);
}

#endif

#endif
