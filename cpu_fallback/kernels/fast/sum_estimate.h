/*
 * Quantised sums and differences by way of floats: a fraction of the work of the three fixed-point
 * roundings, and equal to them but for results that lie within a known distance of a half. Those
 * are few, and are computed again in fixed point. Included by arithmetic.c.
 */

/* Pairs that are estimated together. */
#define ESTIMATE_VECTORS 4
#define ESTIMATE_BLOCK   ((size_t)ESTIMATE_VECTORS * HY_LANES)

/* x + ROUNDER is x rounded to an integer, which its lowest bits hold, for small x. */
#define ROUNDER 0x1.8p23f

/* What an estimate may be off at most, in steps, to be of use. */
#define MOST_DOUBT 0x1p-6

struct estimate {
    vf a, b, base; /* result = in_a * a + in_b * b + base */
    vf min, max;
    vf sure; /* distances from the nearest integer up to which its rounding is certain */
    bool usable;
};

static double real_multiplier(struct hy_multiplier m)
{
    return ldexp((double)m.mantissa, m.exponent - 31);
}

/*
 * How far an estimate may be from the integer before it is rounded. `a`, `b`, `base` are its
 * numbers, `out` the real multiplier of the sum, `shift` that of its second rounding.
 *
 * Of floats: each of the three numbers and each of the two fused operations is off by 2^-24 of
 * `largest` at most. Of the fixed point: each side by a unit of its own, the sum by half of one
 * before its second rounding; multipliers by 2^-31, which is less than another unit.
 */
static double doubt_of(double a, double b, double base, double out, int32_t shift)
{
    const double largest = 255 * (fabs(a) + fabs(b)) + fabs(base);
    return 8 * 0x1p-24 * largest + 4 * out + (shift > 0 ? ldexp(1, -shift) : 0) + 0x1p-20;
}

static struct estimate estimate_of(const struct hy_binary_params *p, enum hy_binary op)
{
    const double unit = 1 << HY_SUM_SHIFT, out = real_multiplier(p->out_multiplier);
    const double a_side = real_multiplier(p->a_multiplier);
    const double b_side = real_multiplier(p->b_multiplier);
    const double a = a_side * unit * out, b = (op == HY_BINARY_SUB ? -b_side : b_side) * unit * out;
    const double base = p->out_zero_point - a * p->a_zero_point - b * p->b_zero_point;
    const double doubt = doubt_of(a, b, base, out, -p->out_multiplier.exponent);

    return (struct estimate){.a = vf_set1((float)a),
                             .b = vf_set1((float)b),
                             .base = vf_set1((float)base),
                             .min = vf_set1((float)p->activation.q_min),
                             .max = vf_set1((float)p->activation.q_max),
                             .sure = vf_set1((float)(0.5 - doubt)),
                             /* sides above 1 might leave 32 bits in fixed point */
                             .usable = doubt < MOST_DOUBT && a_side <= 1 && b_side <= 1};
}

/* Estimates a block; false, and nothing is written, where one of its results is in doubt. */
static inline bool estimate_block(const struct estimate *e, const HY_T *a, size_t a_step,
                                  const HY_T *b, size_t b_step, HY_T *out)
{
    const vf rounder = vf_set1(ROUNDER);
    vf rounded[ESTIMATE_VECTORS], farthest = vf_set1(0);

    HY_UNROLL(4)
    for (size_t v = 0; v < ESTIMATE_VECTORS; v++) {
        const size_t i = v * HY_LANES;
        const vf x = vf_from_vi(a_step ? load_part(a + i, HY_LANES) : repeat(a));
        const vf y = vf_from_vi(b_step ? load_part(b + i, HY_LANES) : repeat(b));
        const vf sum = vf_multiply_add(x, e->a, vf_multiply_add(y, e->b, e->base));
        const vf result = vf_clamp(sum, e->min, e->max);
        rounded[v] = vf_add(result, rounder);
        farthest = vf_max(farthest, vf_abs(vf_sub(result, vf_sub(rounded[v], rounder))));
    }
    if (vf_any_above(farthest, e->sure))
        return false;
    HY_UNROLL(4)
    for (size_t v = 0; v < ESTIMATE_VECTORS; v++)
        vi_store_bytes_part(out + v * HY_LANES, vi_of_bits(rounded[v]), HY_LANES);
    return true;
}
