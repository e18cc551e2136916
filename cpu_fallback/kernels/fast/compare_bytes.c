#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"

/* EQUAL and the other comparisons of 8 bits: a vector of real numbers at a time, none of them a
 * NaN. */

/* One side of a row: dense or one repeated byte. */
struct side {
    vf scale;
    vi zero_point;
    size_t step;
};

static inline struct side side_of(float scale, int32_t zero_point, size_t step)
{
    return (struct side){vf_set1(scale), vi_set1(zero_point), step};
}

static inline vi load_part(const struct side *side, const HY_T *row, size_t at, size_t count)
{
    if (!side->step)
        return vi_set1(*row);
#if defined(HY_S8)
    return vi_load_s8_part(row + at, count);
#else
    return vi_load_u8_part(row + at, count);
#endif
}

static inline vf real_part(const struct side *side, const HY_T *row, size_t at, size_t count)
{
    const vi stored = load_part(side, row, at, count);
    return vf_multiply(side->scale, vf_from_vi(vi_sub(stored, side->zero_point)));
}

/* 1 in the lanes where the comparison is true, 0 in the others. */
static inline vi compare(enum hy_binary op, vf a, vf b)
{
    const vf yes = vf_of_bits(vi_set1(1)), no = vf_of_bits(vi_set1(0));

    switch (op) {
    case HY_BINARY_EQUAL:
        return vi_of_bits(vf_if_below(a, b, no, vf_if_below(b, a, no, yes)));
    case HY_BINARY_NOT_EQUAL:
        return vi_of_bits(vf_if_below(a, b, yes, vf_if_below(b, a, yes, no)));
    case HY_BINARY_LESS:
        return vi_of_bits(vf_if_below(a, b, yes, no));
    case HY_BINARY_LESS_EQUAL:
        return vi_of_bits(vf_if_below(b, a, no, yes));
    case HY_BINARY_GREATER:
        return vi_of_bits(vf_if_below(b, a, yes, no));
    default: /* GREATER_EQUAL */
        return vi_of_bits(vf_if_below(a, b, no, yes));
    }
}

/* Every caller passes a constant operation, so the compiler makes one copy per operation. */
static inline void run(enum hy_binary op, const struct hy_binary_params *params, const HY_T *a,
                       const HY_T *b, uint8_t *out)
{
    const struct hy_broadcast *shape = &params->shape;
    const struct hy_broadcast_loop last = shape->loops[shape->rank - 1];
    const struct side a_side = side_of(params->a_scale, params->a_zero_point, last.a_stride);
    const struct side b_side = side_of(params->b_scale, params->b_zero_point, last.b_stride);
    const size_t count = hy_broadcast_count(shape);
    struct hy_broadcast_position position = {0};

    for (size_t begin = 0; begin < count;
         begin += last.size, hy_broadcast_advance(shape, shape->rank - 1, &position))
        for (size_t i = 0; i < last.size; i += HY_LANES) {
            const size_t some = last.size - i < HY_LANES ? last.size - i : HY_LANES;
            const vf x = real_part(&a_side, a + position.a, i, some);
            const vf y = real_part(&b_side, b + position.b, i, some);
            vi_store_bytes_part(out + begin + i, compare(op, x, y), some);
        }
}

/* The kernel hy_<name>_<set>_<type>. */
#define COMPARISON(name, op) \
    void HY_SIMD_FN(name)(const struct hy_binary_params *params, const void *a, const void *b, \
                          void *out) \
    { \
        run(op, params, a, b, out); \
    }

COMPARISON(equal, HY_BINARY_EQUAL)
COMPARISON(not_equal, HY_BINARY_NOT_EQUAL)
COMPARISON(less, HY_BINARY_LESS)
COMPARISON(less_equal, HY_BINARY_LESS_EQUAL)
COMPARISON(greater, HY_BINARY_GREATER)
COMPARISON(greater_equal, HY_BINARY_GREATER_EQUAL)
