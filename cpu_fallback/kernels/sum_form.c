#include "cpu_fallback/kernels/sum_form.h"

#include <math.h>

#include "cpu_fallback/kernels/fixed_point.h"

/*
 * The result of a sum is a staircase: it is k or more where the real sum is not below k - 1/2, but
 * for what the three roundings move it, which is little. So is a linear form near the real one,
 * rounded down. The two can differ only where the real sum is within `reach` of a boundary, and
 * such pairs are few. They are found without a look at all 65536: for each a, the b's whose
 * fractions bring the sum there lie near each other in a table.
 *
 * Each of these pairs is computed as the reference does it, and then bounds the constant of the
 * form: from below where its result is k, from above where it is k - 1. Coefficients one off in
 * their last bit serve as well, if they leave room for a constant. Halves away from zero need such
 * where many sums are exact halves: slopes a little steeper than those of the sum.
 *
 * Sums are counted in units of 2^-32 steps of the output, so that their fractions are modulo 2^32.
 */
enum {
    BYTES = 256,
    COEFFICIENT_BITS = 23, /* after the point */
    COEFFICIENT_UNITS = 1 << (32 - COEFFICIENT_BITS),
    CONSTANT_BITS = 31,
    CONSTANT_UNITS = 1 << (32 - CONSTANT_BITS),
    FORMS = 9, /* each of two coefficients as it is, or one off */
    NONE = -1
};

/* Units by which two coefficients that are one off move a sum at most; so may the constant. */
#define MOVED (2 * 128 * COEFFICIENT_UNITS)

/* From the sum by rounded coefficients: of the forms, and of what they are rounded from. */
#define FORMS_REACH (2 * MOVED + 1)
#define REAL_REACH  (MOVED / 2 + 2)

#define BUCKET_SHIFT 24 /* of fractions */
#define MOST_REACH   (1 << (BUCKET_SHIFT - 1))

/* Sums of larger slopes might not fit. */
#define MOST_SLOPES 126

struct bucket {
    int16_t first, count;
};

struct search {
    const struct hy_binary_params *params;
    int32_t a_zero_point, b_zero_point; /* of signed bytes */
    int32_t sign;                       /* of b */
    int64_t a, b;                       /* coefficients, in 2^-COEFFICIENT_BITS */
    int64_t c;                          /* units; with the half that rounding adds */
    uint32_t reach;                     /* units */
    int32_t least[FORMS], end[FORMS];   /* what can be added to c, by form */
    struct bucket buckets[BYTES];       /* of the b's, by the highest byte of their fractions */
    int16_t next[BYTES];                /* of b + 128, in its bucket */
};

static double real_multiplier(struct hy_multiplier m)
{
    return ldexp((double)m.mantissa, m.exponent - 31);
}

/*
 * How far the three roundings can move a boundary, in steps of the output. Each side is off by one
 * of its units at most, the first rounding of their sum by half a unit of what the second shifts.
 */
static double doubt_of(struct hy_multiplier out)
{
    return 2 * real_multiplier(out) + ldexp(1, out.exponent);
}

/* The sum before its last rounding down, by the coefficients as they are. */
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

/* What a pair demands of the constants, `distance` below a boundary that its result reaches or not.
 */
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

/* The buckets, one or two, of the fractions of b that bring sums with this a near a boundary. */
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

static int32_t room_of(const struct search *s, int form)
{
    return s->end[form] - s->least[form];
}

/* The one with the most room for its constant; NONE where it is too little. */
static int best_form(const struct search *s)
{
    int best = FORMS / 2;

    for (int form = 0; form < FORMS; form++)
        if (room_of(s, form) > room_of(s, best))
            best = form;
    return room_of(s, best) > 2 * CONSTANT_UNITS ? best : NONE;
}

/* Ends early where it is seen that no form will do. */
static void test_pairs(struct search *s)
{
    for (int32_t a = -128; a < 128 && (a % 16 != 0 || best_form(s) != NONE); a++) {
        const struct near near = near_of(s, a);
        test_bucket(s, a, near.first);
        if (near.last != near.first)
            test_bucket(s, a, near.last);
    }
}

/* False where no form would fit, or nearly every pair would have to be tested. */
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
