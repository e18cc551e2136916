#ifndef HY_CPU_FALLBACK_KERNELS_FAST_FIXED_POINT_PAIR_H
#define HY_CPU_FALLBACK_KERNELS_FAST_FIXED_POINT_PAIR_H

/*
 * Two quantised operands of a binary kernel in fixed point: the constants of each operand, and the
 * conversion of elements of the template's type to vectors. Include simd/simd.h first.
 */
typedef vi vector;

struct side {
    struct vi_scale scale;
    vi zero_point;
};

struct constants {
    struct side a, b;
    struct vi_scale scale;
    vi min, max, zero_point; /* bounds of the sum before the zero point is added */
};

static struct vi_scale scale_of(struct hy_multiplier multiplier)
{
    return vi_scale_from(vi_set1(multiplier.mantissa), vi_set1(multiplier.exponent));
}

static struct constants constants_of(const struct hy_binary_params *p)
{
    return (struct constants){
        .a = {scale_of(p->a_multiplier), vi_set1(p->a_zero_point)},
        .b = {scale_of(p->b_multiplier), vi_set1(p->b_zero_point)},
        .scale = scale_of(p->out_multiplier),
        .min = vi_set1(p->activation.q_min - p->out_zero_point),
        .max = vi_set1(p->activation.q_max - p->out_zero_point),
        .zero_point = vi_set1(p->out_zero_point),
    };
}

static inline vi repeat(const HY_T *from)
{
    return vi_set1(*from);
}

static inline vi load_part(const HY_T *from, size_t count)
{
#if defined(HY_S16)
    return vi_load_s16_part(from, count);
#elif defined(HY_S8)
    return vi_load_s8_part(from, count);
#else
    return vi_load_u8_part(from, count);
#endif
}

/* An element less its zero point, on the scale of the sum, with `shift` more fractional bits. */
static inline vi scale_side(const struct side *side, vi x, int shift)
{
    return vi_scale_half_away(vi_shift_left_by(x, shift), &side->scale);
}

#endif
