#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"

/* hy_rescale of 16 bits, a vector at a time. */

struct scales {
    struct vi_scale above, below;
    bool is_straight; /* both are one, and so are the sides */
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

void HY_SIMD_FN(rescale)(const struct hy_rescale_params *params, const void *in, void *out)
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
    const int16_t *values = in;
    int16_t *results = out;

    for (size_t i = 0; i < whole; i += HY_LANES)
        vi_store_words_part(results + i,
                            rescale(&s, negates_below, vi_load_s16_part(values + i, HY_LANES)),
                            HY_LANES);
    if (rest > 0)
        vi_store_words_part(results + whole,
                            rescale(&s, negates_below, vi_load_s16_part(values + whole, rest)),
                            rest);
}
