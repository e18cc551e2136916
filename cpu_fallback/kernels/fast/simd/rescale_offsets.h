#ifndef HY_CPU_FALLBACK_KERNELS_FAST_SIMD_RESCALE_OFFSETS_H
#define HY_CPU_FALLBACK_KERNELS_FAST_SIMD_RESCALE_OFFSETS_H

#include <math.h>
#include <stdlib.h>

#include "cpu_fallback/kernels/fast/simd/rescale.h"
#include "cpu_fallback/kernels/fixed_point.h"

#if !defined(HY_FIXED_POINT_IS_QUICK)

/*
 * Packing: the offsets of rescale.h, and the proof that an offset is right for every sum.
 *
 * Let m be a mantissa and d = 2^(31 - exponent), so that f = m / d. The result of a sum x in two
 * roundings, before the zero point, never falls as x grows. The result is at least k exactly if x *
 * m >= k * d - c; the least such integer x is x_k. c depends on the rounding only:
 *     d / 2            with no second rounding (exponent >= 0)
 *     d / 2 + 2^30     with a second rounding: the first adds half a unit of 2^exponent
 *     d / 2 - 2^30     halves away from zero and k <= 0: a unit is subtracted again
 * Let r_k = x_k * m - (k * d - c), a number in [0, m). Then (x * m + b) / d, rounded down, equals
 * the result for all x if for all k in the range of a byte
 *     c - r_k  <=  b  <  c - r_k + m
 * and b / d, plus the zero point, is an offset. b in the middle leaves the largest margin on both
 * sides.
 *
 * From k to k + 1, r_k falls by d modulo m. The least and the largest r_k are found by walking
 * through all k (255 in all), a vector of channels at once.
 *
 * Halves away from zero have one b for k > 0 and another for k <= 0. The first b is used for sums
 * from 0 on, whose results are not negative, and the second b for sums below 0. The result becomes
 * k between the sums x_k - 1 and x_k. Both sums have the same b, or x_k has the larger b, which is
 * valid too.
 */

/* Constants derived from the multiplier of a channel. */
struct rescale_offsets {
    double f;
    float factor, rest;
    double shift; /* added to START */
    double offset, offset_below;
    bool proven; /* checked for sums that are exact floats */
};

/* Results up to this magnitude are checked; larger results end at a bound of the byte. */
static inline double rescale_reach(double f)
{
    return 257 + 4 * f;
}

/* The range of valid b for some of the k. */
struct rescale_range {
    double low, high;
};

static inline struct rescale_range rescale_range_of(int64_t c, int32_t m, int32_t least,
                                                    int32_t largest)
{
    return (struct rescale_range){(double)(c - least), (double)(c - largest + m)};
}

static inline double rescale_middle(struct rescale_range range)
{
    return (range.low + range.high) / 2;
}

static inline double rescale_margin(struct rescale_range range)
{
    return (range.high - range.low) / 2;
}

/*
 * Converts the ranges to floats and checks the margin. The inner float sum has an error of 2^-23 of
 * its magnitude in any rounding mode, the offset an error of 2^-24, and the doubles are rounded
 * too.
 */
static inline struct rescale_offsets rescale_offsets_from(int32_t m, double d,
                                                          struct rescale_range range,
                                                          struct rescale_range below,
                                                          int32_t zero_point)
{
    const double f = m / d, b = rescale_middle(range) / d, b_below = rescale_middle(below) / d;
    const double shift = floor((b + zero_point) / f + 0.5);
    const float factor = (float)m;
    struct rescale_offsets o = {.f = f,
                                .factor = (float)(factor / d),
                                .rest = (float)(((double)m - (double)factor) / d),
                                .shift = shift,
                                .offset = b + zero_point - shift * f,
                                .offset_below = b_below + zero_point - shift * f};
    const double inner =
        rescale_reach(f) / f * fabs((double)o.rest) + fmax(fabs(o.offset), fabs(o.offset_below));
    o.proven = fmin(rescale_margin(range), rescale_margin(below)) / d >
               0x1p-22 * inner + 0x1p-42 * (1 + f);
    return o;
}

/* x modulo m, in [0, m). */
static inline int32_t rescale_modulo(int64_t x, int32_t m)
{
    const int64_t rest = x % m;
    return (int32_t)(rest < 0 ? rest + m : rest);
}

/* Multipliers with smaller exponents get offsets only if all sums are too small to differ from
 * 0. */
#define RESCALE_LEAST_EXPONENT (-20)

static inline bool rescale_can_have_offsets(struct hy_multiplier multiplier)
{
    return multiplier.mantissa > 0 && multiplier.exponent >= RESCALE_LEAST_EXPONENT;
}

/* Walks through `count` values of k and keeps the extremes of r, all lanes at once. */
struct rescale_walk {
    int32_t first[HY_LANES], least[HY_LANES], largest[HY_LANES];
};

static inline void rescale_follow(struct rescale_walk *walk, const int32_t fall[HY_LANES],
                                  const int32_t modulus[HY_LANES], int32_t count)
{
    const vi by = vi_load(fall), m = vi_load(modulus);
    vi r = vi_load(walk->first), least = vi_sub(m, vi_set1(1)), largest = vi_set1(0);

    for (int32_t i = 0; i < count; i++) {
        least = vi_min(least, r);
        largest = vi_max(largest, r);
        const vi next = vi_sub(r, by);
        r = vi_min_unsigned(next, vi_add(next, m)); /* negative numbers count as large */
    }
    vi_store(walk->least, least);
    vi_store(walk->largest, largest);
}

/* The offsets of a vector of channels. */
static __attribute__((noinline)) void rescale_find_offsets(const struct rescale_layer *layer,
                                                           const struct hy_multiplier *multipliers,
                                                           struct rescale_offsets *offsets)
{
    const int32_t first = (layer->is_signed ? INT8_MIN : 0) + 1 - layer->zero_point;
    const int32_t count_below = 1 - first; /* number of k <= 0 */
    struct rescale_walk above, below;
    int32_t fall[HY_LANES], modulus[HY_LANES];
    int64_t c[HY_LANES], c_below[HY_LANES];

    for (int i = 0; i < HY_LANES; i++) {
        const bool possible = rescale_can_have_offsets(multipliers[i]);
        const int32_t m = possible ? multipliers[i].mantissa : 1 << 30;
        const int exponent = possible ? multipliers[i].exponent : 0;
        const int64_t d = INT64_C(1) << (31 - exponent), unit = INT64_C(1) << 31;
        c[i] = d / 2 + (exponent < 0 ? unit / 2 : 0);
        c_below[i] = c[i] - (exponent < 0 && layer->halves_away ? unit : 0);
        modulus[i] = m;
        fall[i] = rescale_modulo(d, m);
        above.first[i] = rescale_modulo(c[i] - d, m);
        below.first[i] = rescale_modulo(c_below[i] - first * d, m);
    }
    rescale_follow(&above, fall, modulus, UINT8_MAX - count_below);
    rescale_follow(&below, fall, modulus, count_below);
    for (int i = 0; i < HY_LANES; i++) {
        if (!rescale_can_have_offsets(multipliers[i])) {
            offsets[i] = (struct rescale_offsets){.f = 0};
            continue;
        }
        struct rescale_range high =
            rescale_range_of(c[i], modulus[i], above.least[i], above.largest[i]);
        struct rescale_range low =
            rescale_range_of(c_below[i], modulus[i], below.least[i], below.largest[i]);
        if (c[i] == c_below[i])
            high = low = (struct rescale_range){fmax(high.low, low.low), fmin(high.high, low.high)};
        offsets[i] =
            rescale_offsets_from(modulus[i], (double)(INT64_C(1) << (31 - multipliers[i].exponent)),
                                 high, low, layer->zero_point);
    }
}

static inline int32_t rescale_bits(double x)
{
    const float single = (float)x;
    int32_t bits;

    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static inline bool rescale_serves(const struct rescale_offsets *o, double largest)
{
    const double most = largest + fabs(o->shift);

    return o->proven && fmin(most, rescale_reach(o->f) / o->f) < 0x1p24 && most < 0x1p31 - 1 &&
           most * o->f < 0x1p30;
}

/* The packing state of one layer: panel after panel, with the offsets of the last vector's
 * multipliers. */
struct rescale_packer {
    struct rescale_layer layer;
    bool any;
    struct hy_multiplier multipliers[HY_LANES];
    struct rescale_offsets offsets[HY_LANES];
};

static inline struct rescale_packer rescale_packer_of(struct rescale_layer layer)
{
    return (struct rescale_packer){.layer = layer};
}

/* Writes the words of one channel for fixed point; words are `step` elements apart. */
static inline void rescale_pack_exactly(int32_t start, struct hy_multiplier multiplier, size_t step,
                                        int32_t *to)
{
    to[START * step] = start;
    to[MANTISSA * step] = multiplier.mantissa;
    to[EXPONENT * step] = multiplier.exponent;
    to[OFFSET * step] = to[OFFSET_BELOW * step] = RESCALE_NO_OFFSET;
    to[BOUND * step] = 0;
}

/*
 * Handles a channel whose sums have at most two results, neighbouring numbers. Such a channel has a
 * multiplier so small that almost only the bias counts, as with weights near zero after training. A
 * float cannot separate neighbouring sums here. The sums are shifted to the place of the change, so
 * only their sign matters: 2^-32 of a sum, which is less than 1, is added to the larger result and
 * rounded down.
 */
static inline bool rescale_find_step(const struct rescale_layer *layer, int32_t start, double reach,
                                     struct hy_multiplier multiplier, struct rescale_offsets *o)
{
    int32_t (*const scale)(int32_t, struct hy_multiplier) =
        layer->halves_away ? hy_scale_half_away : hy_scale_half_up;
    const bool wraps = start - reach < INT32_MIN || start + reach > INT32_MAX;
    int64_t low = wraps ? INT32_MIN : start - (int64_t)reach;
    int64_t high = wraps ? INT32_MAX : start + (int64_t)reach;
    const int64_t least = scale((int32_t)low, multiplier), most = scale((int32_t)high, multiplier);

    if (most - least < 0 || most - least > 1 || llabs(least) > 1 << 20)
        return false;
    *o = (struct rescale_offsets){.offset = (double)least + layer->zero_point + 0.5};
    if (most > least) {
        if (high - low > INT32_MAX)
            return false;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (scale((int32_t)middle, multiplier) == most)
                high = middle;
            else
                low = middle + 1;
        }
        o->factor = 0x1p-32f;
        o->shift = -(double)low;
        o->offset = (double)most + layer->zero_point;
    }
    o->offset_below = o->offset;
    return true;
}

/* Writes the words of one channel. Returns false, and writes nothing, if no offsets are valid. */
static inline bool rescale_pack_offsets(const struct rescale_layer *layer,
                                        const struct rescale_offsets *o, int32_t start,
                                        struct hy_multiplier multiplier, double reach, size_t step,
                                        int32_t *to)
{
    struct rescale_offsets of_step;

    if (!rescale_serves(o, fabs((double)start) + reach)) {
        if (!rescale_find_step(layer, start, reach, multiplier, &of_step))
            return false;
        o = &of_step;
    }
    to[START * step] = (int32_t)((uint32_t)start + (uint32_t)(int64_t)o->shift);
    to[FACTOR * step] = rescale_bits(o->factor);
    to[REST * step] = rescale_bits(o->rest);
    to[OFFSET * step] = rescale_bits(o->offset);
    to[OFFSET_BELOW * step] = rescale_bits(o->offset_below);
    to[BOUND * step] = (int32_t)o->shift;
    return true;
}

/* Writes the words of a vector of channels, `step` elements apart. Returns false if some offsets
 * are not valid. */
static inline bool rescale_pack_vector(struct rescale_packer *packer,
                                       const struct rescale_channels *c, size_t step, int32_t *to)
{
    bool serve = true;

    if (!packer->any || memcmp(packer->multipliers, c->multipliers, sizeof c->multipliers) != 0) {
        rescale_find_offsets(&packer->layer, c->multipliers, packer->offsets);
        memcpy(packer->multipliers, c->multipliers, sizeof c->multipliers);
        packer->any = true;
    }
    for (size_t i = 0; serve && i < HY_LANES; i++)
        serve = rescale_pack_offsets(&packer->layer, &packer->offsets[i], c->start[i],
                                     c->multipliers[i], c->reach[i], step, to + i);
    return serve;
}

/* Packs the header of a panel of vectors. Not inlined, because kernels call the function in several
 * places, and the work is per vector. */
static __attribute__((noinline, unused)) void rescale_pack(struct rescale_packer *packer,
                                                           const struct rescale_channels *channels,
                                                           size_t vectors, int32_t *to)
{
    const size_t step = vectors * HY_LANES;
    bool serve = true;

    for (size_t v = 0; serve && v < vectors; v++)
        serve = rescale_pack_vector(packer, &channels[v], step, to + v * HY_LANES);
    for (size_t i = 0; !serve && i < step; i++) {
        const struct rescale_channels *c = &channels[i / HY_LANES];
        rescale_pack_exactly(c->start[i % HY_LANES], c->multipliers[i % HY_LANES], step, to + i);
    }
}

#endif

#endif
