#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#if HY_IS_QUANT
#include "cpu_fallback/kernels/fast/simd/simd.h"
#else
#include "cpu_fallback/kernels/fast/simd/doubles.h"
#include "cpu_fallback/kernels/fast/simd/vectors.h"
#endif

/*
 * ADD, SUB, MUL and PRELU in real types and 8 bits, DIV, MAXIMUM and MINIMUM in real types,
 * SQUARED_DIFFERENCE of float32, and ADD, SUB, MUL, DIV, MAXIMUM and MINIMUM of whole numbers. Sums
 * of 8 bits use a linear form if the plan has found one, and otherwise fixed point.
 */
typedef HY_T output;

#if HY_IS_FLOAT
struct constants {
    vf min, max;
};

static struct constants constants_of(const struct hy_binary_params *p)
{
    return (struct constants){vf_set1(p->activation.min), vf_set1(p->activation.max)};
}

static inline vf compute(enum hy_binary op, const struct constants *c, vf a, vf b)
{
    switch (op) {
    case HY_BINARY_ADD:
        return vf_clamp(vf_add(a, b), c->min, c->max);
    case HY_BINARY_SUB:
        return vf_clamp(vf_sub(a, b), c->min, c->max);
    case HY_BINARY_MUL:
        return vf_clamp(vf_multiply(a, b), c->min, c->max);
    case HY_BINARY_DIV:
        return vf_clamp(vf_divide(a, b), c->min, c->max);
    case HY_BINARY_MAXIMUM:
        return vf_max(b, a); /* gives a if either is a NaN */
    case HY_BINARY_MINIMUM:
        return vf_min(b, a);
    case HY_BINARY_SQUARED_DIFFERENCE:
        a = vf_sub(a, b);
        return vf_multiply(a, a);
    default: /* PRELU: a NaN in a is kept */
        return vf_if_below(a, vf_set1(0), vf_multiply(a, b), a);
    }
}

static inline void combine(enum hy_binary op, const struct constants *c, vf a, vf b, HY_T *out,
                           size_t count)
{
    vr_store_part(out, compute(op, c, a, b), count);
}
#elif defined(HY_I32)
struct constants {
    char none;
};

static struct constants constants_of(const struct hy_binary_params *p)
{
    (void)p;
    return (struct constants){0};
}

/* The quotient rounded down, modulo 2^32; 0 if b is 0. The double nearest to a quotient that is not
 * whole lies between the same two whole numbers as the quotient. The quotient is at least 1 / |b|
 * away from whole numbers, and the double is off by at most 2^-22 / |b|. */
static inline vi quotient(vi a, vi b)
{
    const vi zero = vi_set1(0);
    const vf q = vf_of_bits(vi_floor_doubles(vd_divide(vd_from_vi(a), vd_from_vi(b))));
    const vf none = vf_of_bits(zero);

    return vi_of_bits(vf_if_less(b, zero, q, vf_if_less(zero, b, q, none)));
}

static inline vi compute(enum hy_binary op, vi a, vi b)
{
    switch (op) {
    case HY_BINARY_ADD:
        return vi_add(a, b);
    case HY_BINARY_SUB:
        return vi_sub(a, b);
    case HY_BINARY_MUL:
        return vi_multiply(a, b);
    case HY_BINARY_DIV:
        return quotient(a, b);
    case HY_BINARY_MAXIMUM:
        return vi_max(a, b);
    default: /* MINIMUM */
        return vi_min(a, b);
    }
}

static inline void combine(enum hy_binary op, const struct constants *c, vi a, vi b, int32_t *out,
                           size_t count)
{
    (void)c;
    store_part(out, compute(op, a, b), count);
}
#else
#include "cpu_fallback/kernels/fast/fixed_point_pair.h"

static inline size_t before_boundary(const HY_T *from, size_t count)
{
    (void)from, (void)count;
    return 0;
}

/* The result before bounds and zero point. */
static inline vi compute(enum hy_binary op, const struct constants *c, vi a, vi b)
{
    if (op == HY_BINARY_MUL)
        return vi_scale_half_away(vi_multiply(a, b), &c->scale);
    if (op == HY_BINARY_PRELU) {
        const vf above = vf_of_bits(vi_scale_half_away(a, &c->a.scale));
        const vf below = vf_of_bits(vi_scale_half_away(vi_multiply(a, b), &c->scale));
        return vi_of_bits(vf_if_less(a, vi_set1(0), below, above));
    }
    a = scale_side(&c->a, a, HY_SUM_SHIFT);
    b = scale_side(&c->b, b, HY_SUM_SHIFT);
    return vi_scale_half_away(op == HY_BINARY_ADD ? vi_add(a, b) : vi_sub(a, b), &c->scale);
}

static inline void combine(enum hy_binary op, const struct constants *c, vi a, vi b, HY_T *out,
                           size_t count)
{
    const vi result = compute(op, c, vi_sub(a, c->a.zero_point), vi_sub(b, c->b.zero_point));
    vi_store_bytes_part(out, vi_add(vi_clamp(result, c->min, c->max), c->zero_point), count);
}
#endif

#include "cpu_fallback/kernels/fast/binary_walk.h"

#if HY_IS_QUANT
#if defined(HY_S8)
#define IS_SIGNED true
#else
#define IS_SIGNED false
#endif

struct sum {
    struct vb_form form;
    vi min, max;
};

static struct sum sum_of(const struct hy_binary_params *p)
{
    return (struct sum){.form = vb_form_of(p->form),
                        .min = vb_set1(p->activation.q_min),
                        .max = vb_set1(p->activation.q_max)};
}

static inline vi sum_bytes(const struct sum *s, vi a, vi b)
{
    const vi result = vb_sum(&s->form, a, b, IS_SIGNED);
    return vb_min(vb_max(result, s->min, IS_SIGNED), s->max, IS_SIGNED);
}

/* A row, computed by the linear form of the plan. */
static void sum_row(const struct sum *constants, const HY_T *a, size_t a_step, const HY_T *b,
                    size_t b_step, size_t count, HY_T *out)
{
    const struct sum copy = *constants, *s = &copy; /* local: stores cannot alias it */
    const size_t whole = count - count % HY_BYTE_LANES, rest = count - whole;
    const vi all_a = vb_set1(*a), all_b = vb_set1(*b);

    for (size_t i = 0; i < whole; i += HY_BYTE_LANES) {
        const vi x = a_step ? vi_load(a + i) : all_a, y = b_step ? vi_load(b + i) : all_b;
        vi_store(out + i, sum_bytes(s, x, y));
    }
    if (rest > 0) {
        const vi x = a_step ? vb_load_part(a + whole, rest) : all_a;
        const vi y = b_step ? vb_load_part(b + whole, rest) : all_b;
        vb_store_part(out + whole, sum_bytes(s, x, y), rest);
    }
}

/* The same loops as combine_all(). */
static void sum_all(const struct hy_binary_params *params, const HY_T *a, const HY_T *b, HY_T *out)
{
    const struct hy_broadcast *shape = &params->shape;
    const struct hy_broadcast_loop *last = &shape->loops[shape->rank - 1];
    const size_t count = hy_broadcast_count(shape), length = last->size;
    const struct sum sum = sum_of(params);
    struct hy_broadcast_position at = {0};

    for (size_t begin = 0; begin < count;
         begin += length, hy_broadcast_advance(shape, shape->rank - 1, &at))
        sum_row(&sum, a + at.a, last->a_stride, b + at.b, last->b_stride, length, out + begin);
}
#endif

static inline void run(enum hy_binary op, const struct hy_binary_params *params, const void *a,
                       const void *b, void *out)
{
    const struct constants constants = constants_of(params);

#if HY_IS_QUANT
    if ((op == HY_BINARY_ADD || op == HY_BINARY_SUB) && params->form) {
        sum_all(params, a, b, out);
        return;
    }
#endif
    combine_all(op, &params->shape, &constants, a, b, out);
}

/* The kernel hy_<name>_<set>_<type>. */
#define BINARY(name, op) \
    void HY_SIMD_FN(name)(const struct hy_binary_params *params, const void *a, const void *b, \
                          void *out) \
    { \
        run(op, params, a, b, out); \
    }

BINARY(add, HY_BINARY_ADD)
BINARY(sub, HY_BINARY_SUB)
BINARY(mul, HY_BINARY_MUL)
#if !defined(HY_I32)
BINARY(prelu, HY_BINARY_PRELU)
#endif
#if !HY_IS_QUANT
BINARY(div, HY_BINARY_DIV)
BINARY(maximum, HY_BINARY_MAXIMUM)
BINARY(minimum, HY_BINARY_MINIMUM)
#endif
#if defined(HY_F32)
BINARY(squared_difference, HY_BINARY_SQUARED_DIFFERENCE)
#endif
