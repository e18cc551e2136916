#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/shorts.h"

/*
 * hy_rescale of 16 bits. Without zero points and with multipliers between 2^-16 and 2^14, a number
 * is split into a pair: its part above zero and its part below zero, one of them zero. The products
 * with a pair of multipliers then need no selection. With a mantissa = high * 2^16 + low, an
 * exponent, and shifts that round down, a number becomes
 *     (x * high + (x * low >> 16) + half) >> (15 - exponent)
 * All terms fit 32 bits. `half` replaces both roundings of fixed_point.h, in units of 2^16.
 */
#define GROUP ((size_t)2 * HY_LANES)

enum { LEAST_EXPONENT = -15, MOST_EXPONENT = 14 };

struct pairs {
    vi high, low; /* of the multipliers above and below */
    vi half_above, half_below, shift_above, shift_below;
    vi min, max;
};

static int32_t high_of(struct hy_multiplier m)
{
    return (int32_t)(((int64_t)m.mantissa + (1 << 15)) >> 16);
}

static bool is_pair_possible(struct hy_multiplier m)
{
    return m.exponent >= LEAST_EXPONENT && m.exponent <= MOST_EXPONENT && high_of(m) <= INT16_MAX;
}

static vi both_of(int32_t above, int32_t below)
{
    return vi_set1((int32_t)((uint32_t)(uint16_t)above | (uint32_t)(uint16_t)below << 16));
}

/* In a second rounding, halves below zero go down. */
static int32_t half_of(struct hy_multiplier m, bool is_below)
{
    if (m.exponent >= 0)
        return 1 << (14 - m.exponent);
    return (1 << 14) + (1 << (14 - m.exponent)) - (is_below ? 1 << 15 : 0);
}

static struct pairs pairs_of(const struct hy_rescale_params *p)
{
    const int32_t high_above = high_of(p->above), high_below = high_of(p->below);

    return (struct pairs){
        .high = both_of(high_above, high_below),
        .low = both_of(p->above.mantissa - high_above * (1 << 16),
                       p->below.mantissa - high_below * (1 << 16)),
        .half_above = vi_set1(half_of(p->above, false)),
        .half_below = vi_set1(half_of(p->below, true)),
        .shift_above = vi_set1(15 - p->above.exponent),
        .shift_below = vi_set1(15 - p->below.exponent),
        .min = vs_set1(p->min),
        .max = vs_set1(p->max),
    };
}

static inline vi choose_below(vi pairs, vi below, vi above)
{
    return vi_of_bits(vf_if_less(pairs, vi_set1(0), vf_of_bits(below), vf_of_bits(above)));
}

static inline vi rescale_pairs(const struct pairs *p, vi pairs)
{
    const vi low = vi_shift_right_by(vs_dot(vi_set1(0), pairs, p->low), 16);
    const vi half = choose_below(pairs, p->half_below, p->half_above);
    const vi shift = choose_below(pairs, p->shift_below, p->shift_above);

    return vi_shift_right(vs_dot(vi_add(low, half), pairs, p->high), shift);
}

static inline vi rescale_group(const struct pairs *p, vi x)
{
    const vi above = vs_max(x, vi_set1(0)), below = vs_min(x, vi_set1(0));
    const vi result = vs_narrow(rescale_pairs(p, vb_zip_low(above, below, 2)),
                                rescale_pairs(p, vb_zip_high(above, below, 2)));

    return vs_min(vs_max(result, p->min), p->max);
}

static void rescale_in_pairs(const struct hy_rescale_params *params, const int16_t *in,
                             int16_t *out)
{
    const size_t rest = params->count % GROUP, whole = params->count - rest;
    const struct pairs p = pairs_of(params);

    for (size_t i = 0; i < whole; i += GROUP)
        vi_store(out + i, rescale_group(&p, vi_load(in + i)));
    if (rest > 0)
        vs_store_part(out + whole, rescale_group(&p, vs_load_part(in + whole, rest)), rest);
}

/* ---- Any multipliers and zero points --------------------------------------------------------- */

struct scales {
    struct vi_scale above, below;
    bool is_straight; /* both sides of zero have the same multiplier and sign */
    vi in_zero_point, out_zero_point;
    vi min, max; /* before the zero point is added */
};

static struct vi_scale scale_of(struct hy_multiplier multiplier)
{
    return vi_scale_from(vi_set1(multiplier.mantissa), vi_set1(multiplier.exponent));
}

static inline vi rescale(const struct scales *s, bool negates_below, vi q)
{
    const vi zero = vi_set1(0), x = vi_sub(q, s->in_zero_point);
    vi result = vi_scale_half_away(x, &s->above);

    if (!s->is_straight) {
        const vi scaled = vi_scale_half_away(x, &s->below);
        const vi below = negates_below ? vi_sub(zero, scaled) : scaled;
        result = vi_of_bits(vf_if_less(x, zero, vf_of_bits(below), vf_of_bits(result)));
    }
    return vi_add(vi_clamp(result, s->min, s->max), s->out_zero_point);
}

static void rescale_lanes(const struct hy_rescale_params *params, const int16_t *values,
                          int16_t *results)
{
    const size_t rest = params->count % HY_LANES, whole = params->count - rest;
    const bool negates_below = params->negates_below;
    const struct scales s = {
        .above = scale_of(params->above),
        .below = scale_of(params->below),
        .is_straight = !negates_below && params->above.mantissa == params->below.mantissa &&
                       params->above.exponent == params->below.exponent,
        .in_zero_point = vi_set1(params->in_zero_point),
        .out_zero_point = vi_set1(params->out_zero_point),
        .min = vi_set1(params->min - params->out_zero_point),
        .max = vi_set1(params->max - params->out_zero_point),
    };

    for (size_t i = 0; i < whole; i += HY_LANES)
        vi_store_words_part(results + i,
                            rescale(&s, negates_below, vi_load_s16_part(values + i, HY_LANES)),
                            HY_LANES);
    if (rest > 0)
        vi_store_words_part(results + whole,
                            rescale(&s, negates_below, vi_load_s16_part(values + whole, rest)),
                            rest);
}

void HY_SIMD_FN(rescale)(const struct hy_rescale_params *params, const void *in, void *out)
{
    if (params->in_zero_point == 0 && params->out_zero_point == 0 && !params->negates_below &&
        is_pair_possible(params->above) && is_pair_possible(params->below))
        rescale_in_pairs(params, in, out);
    else
        rescale_lanes(params, in, out);
}
