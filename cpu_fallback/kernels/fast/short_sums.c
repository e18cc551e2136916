#include "cpu_fallback/kernels/element.h"

#include <math.h>

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/shorts.h"

#include "cpu_fallback/kernels/fast/fixed_point_pair.h"

/*
 * ADD and SUB of quantised 16 bits. The result is the real sum
 *     real = a * A + b * B, of A and B computed from the multipliers,
 * rounded to nearest, except for small errors by the roundings on the way: at most `doubt` steps of
 * the output. A linear form of integers near the real sum, rounded down, is therefore the result if
 * the form is farther from a boundary between two results than `doubt` plus its own error. Vectors
 * with a nearer sum are computed again in fixed point, as in the reference: with unrelated scales
 * about a hundredth of the vectors.
 *
 * With shifts that round down, and `bits` after the point:
 *     low    = a * a_low + b * b_low + c
 *     high   = a * a_high + b * b_high + (low >> LOW_BITS)
 *     result = high >> bits
 * Here high is near (real + 1/2) * 2^bits + window / 2. The error of high is at most 2: each
 * coefficient is off by half a unit of low times 2^15, the shift by a unit of high. If the fraction
 * of high is at least window, all numbers within window / 2 of (real + 1/2) * 2^bits are rounded
 * down to the same number.
 */
#define LOW_BITS  15
#define MOST_BITS 15 /* more bits would leave no bits for c in low */

#define FORM_ERROR 2

#define GROUP ((size_t)2 * HY_LANES)

struct form {
    bool exists;
    int bits;
    vi low, high; /* coefficients of a and b in pairs */
    vi c, safe;   /* a sum that is not near a boundary has some of the bits of `safe` */
    vi min, max;
};

static double real_of(struct hy_multiplier m)
{
    return ldexp((double)m.mantissa, m.exponent - 31);
}

/* The largest change of a sum by the roundings, in steps of the output. Each side is off by at most
 * one of its units, and the first rounding of their sum by half a unit of the second rounding's
 * input. */
static double doubt_of(struct hy_multiplier out)
{
    return 2 * real_of(out) + ldexp(1, out.exponent);
}

static vi coefficients_of(int64_t a, int64_t b)
{
    return vi_set1((int32_t)((uint32_t)(uint16_t)a | (uint32_t)(uint16_t)b << 16));
}

/* x = high * 2^LOW_BITS + low, with a low part of both signs. */
static int64_t high_part(int64_t x)
{
    return (x + (1 << (LOW_BITS - 1))) >> LOW_BITS;
}

static int64_t low_part(int64_t x)
{
    return x - high_part(x) * (1 << LOW_BITS);
}

/* The largest number of bits after the point for which coefficients fit 16 bits, and sums 32
 * bits. */
static int bits_of(double a, double b)
{
    int bits = MOST_BITS;

    while (bits > 0 && (ldexp(fmax(a, b), bits) > INT16_MAX - 1 ||
                        ldexp(a + b, bits + 15) > INT32_MAX - (1 << 27)))
        bits--;
    return bits;
}

/* The form exists if both zero points are 0, no side exceeds 32 bits, and windows are narrow. */
static struct form form_of(const struct hy_binary_params *p, enum hy_binary op)
{
    const double unit = ldexp(real_of(p->out_multiplier), HY_SUM_SHIFT_16);
    const double a = real_of(p->a_multiplier) * unit, b = real_of(p->b_multiplier) * unit;
    const int bits = bits_of(a, b);
    const double reach = ldexp(doubt_of(p->out_multiplier), bits) + FORM_ERROR;
    int32_t window = 1;

    if (p->a_zero_point != 0 || p->b_zero_point != 0 || p->out_zero_point != 0 ||
        p->a_multiplier.exponent > 0 || p->b_multiplier.exponent > 0 ||
        p->out_multiplier.exponent > 0 || 8 * reach > ldexp(1, bits))
        return (struct form){.exists = false};
    while (window < 2 * reach)
        window *= 2;
    const int64_t whole_a = llround(ldexp(a, bits + LOW_BITS));
    const int64_t whole_b = llround(ldexp(op == HY_BINARY_SUB ? -b : b, bits + LOW_BITS));
    const int32_t c = (1 << bits) / 2 + window / 2;
    return (struct form){
        .exists = true,
        .bits = bits,
        .low = coefficients_of(low_part(whole_a), low_part(whole_b)),
        .high = coefficients_of(high_part(whole_a), high_part(whole_b)),
        .c = vi_set1(c * (1 << LOW_BITS)),
        .safe = vi_set1((1 << bits) - window),
        .min = vs_set1(p->activation.q_min),
        .max = vs_set1(p->activation.q_max),
    };
}

static inline vi form_at(const struct form *f, vi pairs)
{
    return vs_dot(vi_shift_right_by(vs_dot(f->c, pairs, f->low), LOW_BITS), pairs, f->high);
}

/* Sums a vector of shorts. Returns false if a sum is near a boundary. */
static inline bool sum_shorts(const struct form *f, vi a, vi b, vi *sums)
{
    const vi first = form_at(f, vb_zip_low(a, b, 2)), second = form_at(f, vb_zip_high(a, b, 2));
    const vi results =
        vs_narrow(vi_shift_right_by(first, f->bits), vi_shift_right_by(second, f->bits));

    *sums = vs_min(vs_max(results, f->min), f->max);
    return vi_all_have(first, f->safe) && vi_all_have(second, f->safe);
}

/* Values prepared once per call. */
struct sum {
    struct constants fixed;
    struct form form;
    vi sign; /* sign of b */
};

/* A row. A side is dense, or has step 0 and a whole vector of one repeated element. */
struct row {
    const HY_T *a, *b;
    size_t a_step, b_step, count;
    HY_T *out;
};

/* Computes elements [begin, end) in fixed point. */
static __attribute__((noinline)) void sum_fixed(const struct sum *s, const struct row *r,
                                                size_t begin, size_t end)
{
    const struct constants *c = &s->fixed;

    for (size_t i = begin; i < end; i += HY_LANES) {
        const size_t count = end - i < HY_LANES ? end - i : HY_LANES;
        const vi x = vi_sub(load_part(r->a + i * r->a_step, count), c->a.zero_point);
        const vi y = vi_sub(load_part(r->b + i * r->b_step, count), c->b.zero_point);
        const vi a = scale_side(&c->a, x, HY_SUM_SHIFT_16);
        const vi b = vi_multiply(scale_side(&c->b, y, HY_SUM_SHIFT_16), s->sign);
        const vi result = vi_clamp(vi_scale_half_away(vi_add(a, b), &c->scale), c->min, c->max);
        vi_store_words_part(r->out + i, vi_add(result, c->zero_point), count);
    }
}

static void sum_row(const struct sum *s, const struct row *r)
{
    const struct form form = s->form, *f = &form; /* local: stores cannot alias it */
    const size_t whole = r->count - r->count % GROUP, rest = r->count - whole;
    vi sums;

    for (size_t i = 0; i < whole; i += GROUP)
        if (sum_shorts(f, vi_load(r->a + i * r->a_step), vi_load(r->b + i * r->b_step), &sums))
            vi_store(r->out + i, sums);
        else
            sum_fixed(s, r, i, i + GROUP);
    if (rest == 0)
        return;
    if (sum_shorts(f, vs_load_part(r->a + whole * r->a_step, rest),
                   vs_load_part(r->b + whole * r->b_step, rest), &sums))
        vs_store_part(r->out + whole, sums, rest);
    else
        sum_fixed(s, r, whole, r->count);
}

/* A side of a row; a single element is repeated in `repeated`. */
static const HY_T *side_of(const HY_T *from, size_t step, HY_T repeated[GROUP])
{
    if (step != 0)
        return from;
    vi_store(repeated, vs_set1(*from));
    return repeated;
}

static void sum_all(enum hy_binary op, const struct hy_binary_params *params, const HY_T *a,
                    const HY_T *b, HY_T *out)
{
    const struct hy_broadcast *shape = &params->shape;
    const struct hy_broadcast_loop *last = &shape->loops[shape->rank - 1];
    const struct sum sum = {constants_of(params), form_of(params, op),
                            vi_set1(op == HY_BINARY_SUB ? -1 : 1)};
    const size_t count = hy_broadcast_count(shape);
    struct hy_broadcast_position at = {0};
    HY_T one_a[GROUP], one_b[GROUP];

    for (size_t begin = 0; begin < count;
         begin += last->size, hy_broadcast_advance(shape, shape->rank - 1, &at)) {
        const struct row row = {.a = side_of(a + at.a, last->a_stride, one_a),
                                .b = side_of(b + at.b, last->b_stride, one_b),
                                .a_step = last->a_stride,
                                .b_step = last->b_stride,
                                .count = last->size,
                                .out = out + begin};
        if (sum.form.exists)
            sum_row(&sum, &row);
        else
            sum_fixed(&sum, &row, 0, row.count);
    }
}

/* The kernel hy_<name>_<set>_s16. */
#define SUM(name, op) \
    void HY_SIMD_FN(name)(const struct hy_binary_params *params, const void *a, const void *b, \
                          void *out) \
    { \
        sum_all(op, params, a, b, out); \
    }

SUM(add, HY_BINARY_ADD)
SUM(sub, HY_BINARY_SUB)
