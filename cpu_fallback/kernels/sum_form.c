#include "cpu_fallback/kernels/sum_form.h"

#include <math.h>

#include "cpu_fallback/kernels/fixed_point.h"

/*
 * The result of a sum is a staircase: it is k or more if the real sum is at least k - 1/2, except
 * for small errors by the three roundings. A linear form near the real sum, rounded down, is a
 * staircase too. The two can differ only if the real sum is within `reach` of a boundary, and few
 * pairs are so near. The pairs are found without testing all 65536: for each a, the values of b
 * whose fractions bring the sum near a boundary are neighbours in a table.
 *
 * Each of these pairs is computed as in the reference, and its result then bounds the constant of
 * the form: from below if the result is k, from above if the result is k - 1. Coefficients one off
 * in their last bit are valid too, if a constant exists for them. Halves away from zero need such
 * coefficients if many sums are exact halves: slopes a little steeper than those of the sum.
 *
 * Sums are counted in units of 2^-32 steps of the output, so fractions are numbers modulo 2^32.
 */
enum {
    BYTES = 256,
    COEFFICIENT_BITS = 23, /* bits after the point */
    COEFFICIENT_UNITS = 1 << (32 - COEFFICIENT_BITS),
    CONSTANT_BITS = 31,
    CONSTANT_UNITS = 1 << (32 - CONSTANT_BITS),
    FORMS = 9, /* each of two coefficients unchanged, or one off */
    NONE = -1
};

/* The largest change of a sum, in units, by two coefficients one off; the constant may change as
 * much. */
#define MOVED (2 * 128 * COEFFICIENT_UNITS)

/* Distances from the sum with rounded coefficients: of the forms, and of the exact coefficients. */
#define FORMS_REACH (2 * MOVED + 1)
#define REAL_REACH  (MOVED / 2.0 + 2)

#define BUCKET_SHIFT 24 /* of fractions */
#define MOST_REACH   (1 << (BUCKET_SHIFT - 1))

/* Sums of larger slopes might overflow. */
#define MOST_SLOPES 126

struct bucket {
    int16_t first, count;
};

struct search {
    const struct hy_binary_params *params;
    int32_t a_zero_point, b_zero_point; /* zero points of signed bytes */
    int32_t sign;                       /* sign of b */
    int64_t a, b;                       /* coefficients, in 2^-COEFFICIENT_BITS */
    int64_t c;                          /* in units; includes the half for rounding */
    uint32_t reach;                     /* in units */
    int32_t least[FORMS], end[FORMS];   /* allowed range of additions to c, for each form */
    struct bucket buckets[BYTES];       /* buckets of b, by the highest byte of their fractions */
    int16_t next[BYTES];                /* next b + 128 in the same bucket */
};

static double real_multiplier(struct hy_multiplier m)
{
    return ldexp((double)m.mantissa, m.exponent - 31);
}

/*
 * The largest shift of a boundary by the three roundings, in steps of the output. Each side is off
 * by at most one of its units, and the first rounding of their sum by half a unit of the second
 * rounding's input.
 */
static double doubt_of(struct hy_multiplier out)
{
    return 2 * real_multiplier(out) + ldexp(1, out.exponent);
}

/* The sum before its last rounding down, with unchanged coefficients. */
static int64_t sum_of(const struct search *s, int32_t a, int32_t b)
{
    return (s->a * a + s->b * b) * COEFFICIENT_UNITS + s->c;
}

static int32_t side_of(int32_t value, int32_t zero_point, struct hy_multiplier multiplier)
{
    return hy_scale_half_away((value - zero_point) * (1 << HY_SUM_SHIFT), multiplier);
}

/* As the reference kernel computes it, before the activation. */
static int32_t result_of(const struct search *s, int32_t a, int32_t b)
{
    const struct hy_binary_params *p = s->params;
    const int32_t x = side_of(a, s->a_zero_point, p->a_multiplier);
    const int32_t y = side_of(b, s->b_zero_point, p->b_multiplier);

    return hy_scale_half_away(x + s->sign * y, p->out_multiplier) + p->out_zero_point;
}

/* Applies the bounds of a pair to the constants. The sum is `distance` below a boundary; `reaches`
 * is whether its result reaches the boundary. */
static void bound(struct search *s, bool reaches, int32_t distance, int32_t a, int32_t b)
{
    int32_t constants[FORMS];

    for (int form = 0; form < FORMS; form++)
        constants[form] = distance - ((form / 3 - 1) * a + (form % 3 - 1) * b) * COEFFICIENT_UNITS;
    if (reaches)
        for (int form = 0; form < FORMS; form++)
            s->least[form] = constants[form] > s->least[form] ? constants[form] : s->least[form];
    else
        for (int form = 0; form < FORMS; form++)
            s->end[form] = constants[form] < s->end[form] ? constants[form] : s->end[form];
}

static void test_pair(struct search *s, int32_t a, int32_t b)
{
    const int64_t sum = sum_of(s, a, b), k = (sum + s->reach) >> 32;
    const int64_t distance = k * (INT64_C(1) << 32) - sum;

    if (distance >= -(int64_t)s->reach && k > s->params->activation.q_min &&
        k <= s->params->activation.q_max)
        bound(s, result_of(s, a, b) >= k, (int32_t)distance, a, b);
}

static void fill_table(struct search *s)
{
    for (int i = 0; i < BYTES; i++)
        s->buckets[i] = (struct bucket){.first = NONE};
    for (int i = 0; i < BYTES; i++) {
        const uint32_t fraction = (uint32_t)(s->b * (i - 128) * COEFFICIENT_UNITS);
        struct bucket *bucket = &s->buckets[fraction >> BUCKET_SHIFT];
        s->next[i] = bucket->first;
        bucket->first = (int16_t)i;
        bucket->count++;
    }
}

/* The one or two buckets with the fractions of b that bring sums with this a near a boundary. */
struct near {
    uint32_t first, last;
};

static struct near near_of(const struct search *s, int32_t a)
{
    const uint32_t least = 0 - (uint32_t)(s->a * a * COEFFICIENT_UNITS + s->c) - s->reach;
    return (struct near){least >> BUCKET_SHIFT, (least + 2 * s->reach) >> BUCKET_SHIFT};
}

static size_t count_pairs(const struct search *s)
{
    size_t count = 0;

    for (int32_t a = -128; a < 128; a++) {
        const struct near near = near_of(s, a);
        count += s->buckets[near.first].count;
        count += near.last != near.first ? s->buckets[near.last].count : 0;
    }
    return count;
}

static void test_bucket(struct search *s, int32_t a, uint32_t bucket)
{
    for (int i = s->buckets[bucket].first; i != NONE; i = s->next[i])
        test_pair(s, a, i - 128);
}

static int32_t headroom_of(const struct search *s, int form)
{
    return s->end[form] - s->least[form];
}

/* The form with the widest range for its constant; NONE if every range is too small. */
static int best_form(const struct search *s)
{
    int best = FORMS / 2;

    for (int form = 0; form < FORMS; form++)
        if (headroom_of(s, form) > headroom_of(s, best))
            best = form;
    return headroom_of(s, best) > 2 * CONSTANT_UNITS ? best : NONE;
}

/* Ends early if no form can be valid any more. */
static void test_pairs(struct search *s)
{
    for (int32_t a = -128; a < 128 && (a % 16 != 0 || best_form(s) != NONE); a++) {
        const struct near near = near_of(s, a);
        test_bucket(s, a, near.first);
        if (near.last != near.first)
            test_bucket(s, a, near.last);
    }
}

/* Returns false if no form would fit, or nearly every pair would have to be tested. */
static bool begin(struct search *s)
{
    const struct hy_binary_params *p = s->params;
    const double a_side = real_multiplier(p->a_multiplier);
    const double b_side = real_multiplier(p->b_multiplier);
    const double unit = (1 << HY_SUM_SHIFT) * real_multiplier(p->out_multiplier);
    const double a = a_side * unit, b = s->sign * b_side * unit;
    const double doubt = ldexp(doubt_of(p->out_multiplier), 32);
    const double reach = fmax(FORMS_REACH, ceil(REAL_REACH + doubt));

    /* sides above 1 might leave 32 bits in fixed point */
    if (a_side > 1 || b_side > 1 || a + fabs(b) > MOST_SLOPES || reach > MOST_REACH)
        return false;
    const double c = p->out_zero_point + 0.5 - a * s->a_zero_point - b * s->b_zero_point;
    s->a = llround(ldexp(a, COEFFICIENT_BITS));
    s->b = llround(ldexp(b, COEFFICIENT_BITS));
    s->c = llround(ldexp(c, 32) / CONSTANT_UNITS) * CONSTANT_UNITS;
    s->reach = (uint32_t)reach;
    for (int form = 0; form < FORMS; form++) {
        s->least[form] = -MOVED;
        s->end[form] = MOVED;
    }
    return true;
}

/* x = high * 2^bits + low, with a low part of both signs. */
static int16_t high_part(int64_t x, int bits)
{
    return (int16_t)((x + (INT64_C(1) << (bits - 1))) >> bits);
}

static int32_t low_part(int64_t x, int bits)
{
    return (int32_t)(x - high_part(x, bits) * (INT64_C(1) << bits));
}

static struct hy_sum_form split(int64_t a, int64_t b, int64_t c)
{
    return (struct hy_sum_form){.a_high = high_part(a, HY_SUM_FORM_LOW_BITS),
                                .a_low = (int16_t)low_part(a, HY_SUM_FORM_LOW_BITS),
                                .b_high = high_part(b, HY_SUM_FORM_LOW_BITS),
                                .b_low = (int16_t)low_part(b, HY_SUM_FORM_LOW_BITS),
                                .c_high = high_part(c, CONSTANT_BITS),
                                .c_low = low_part(c, CONSTANT_BITS)};
}

static struct hy_sum_form form_of(const struct search *s, int form)
{
    const int32_t middle = (s->least[form] + s->end[form]) / 2;
    return split(s->a + form / 3 - 1, s->b + form % 3 - 1, (s->c + middle) / CONSTANT_UNITS);
}

bool hy_sum_form_find(const struct hy_binary_params *params, enum hy_binary op, bool is_signed,
                      size_t most, struct hy_sum_form *form)
{
    const int32_t offset = is_signed ? 0 : 128;
    struct search search = {.params = params,
                            .a_zero_point = params->a_zero_point - offset,
                            .b_zero_point = params->b_zero_point - offset,
                            .sign = op == HY_BINARY_SUB ? -1 : 1};

    if (!begin(&search))
        return false;
    fill_table(&search);
    if (count_pairs(&search) > most)
        return false;
    test_pairs(&search);
    const int best = best_form(&search);
    if (best == NONE)
        return false;
    *form = form_of(&search, best);
    return true;
}
