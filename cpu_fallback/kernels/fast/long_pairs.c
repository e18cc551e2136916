#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#if HY_IS_FLOAT
#include "cpu_fallback/kernels/fast/simd/arc_tangent.h"
#include "cpu_fallback/kernels/fast/simd/remainder.h"
#include "cpu_fallback/kernels/fast/simd/vectors.h"
#else
#include "cpu_fallback/kernels/fast/simd/simd.h"
#endif

/*
 * Pairs of elements that take many instructions: ATAN2 and FLOOR_MOD of float32, MUL of quantised
 * 16 bits, SQUARED_DIFFERENCE of quantised bytes. All kinds of rows share one loop. Copies of the
 * loop for each kind, as in arithmetic.c, would be long and save little.
 */

#if HY_IS_FLOAT
struct constants {
    char none;
};

static struct constants constants_of(const struct hy_binary_params *p)
{
    (void)p;
    return (struct constants){0};
}

static inline vf compute(enum hy_binary op, vf a, vf b)
{
    switch (op) {
    case HY_BINARY_ATAN2:
        return vf_atan2(a, b);
    case HY_BINARY_FLOOR_MOD:
        return vf_floor_mod(a, b);
    case HY_BINARY_POW:
        return vf_pow(a, b);
    default: /* SQUARED_DIFFERENCE */
        a = vf_sub(a, b);
        return vf_multiply(a, a);
    }
}

static inline void combine(enum hy_binary op, const struct constants *c, vf a, vf b, HY_T *out,
                           size_t count)
{
    (void)c;
    store_part(out, compute(op, a, b), count);
}
#else
#include "cpu_fallback/kernels/fast/fixed_point_pair.h"

static inline void store_part(HY_T *to, vi x, size_t count)
{
#if defined(HY_S16)
    vi_store_words_part(to, x, count);
#else
    vi_store_bytes_part(to, x, count);
#endif
}

/* The value before scaling to the output. The square of bytes fits 31 bits. */
static inline vi compute(enum hy_binary op, const struct constants *c, vi a, vi b)
{
    if (op == HY_BINARY_MUL)
        return vi_multiply(a, b);
    a = vi_sub(scale_side(&c->a, a, HY_DIFFERENCE_SHIFT),
               scale_side(&c->b, b, HY_DIFFERENCE_SHIFT));
    return vi_multiply(a, a);
}

static inline void combine(enum hy_binary op, const struct constants *c, vi a, vi b, HY_T *out,
                           size_t count)
{
    const vi result = vi_scale_half_away(
        compute(op, c, vi_sub(a, c->a.zero_point), vi_sub(b, c->b.zero_point)), &c->scale);
    store_part(out, vi_add(vi_clamp(result, c->min, c->max), c->zero_point), count);
}
#endif

/* Every caller passes a constant operation, so the compiler makes one copy per operation. */
HY_ALWAYS_INLINE void run(enum hy_binary op, const struct hy_binary_params *params, const HY_T *a,
                          const HY_T *b, HY_T *out)
{
    const struct hy_broadcast *shape = &params->shape;
    const struct hy_broadcast_loop last = shape->loops[shape->rank - 1];
    const struct constants c = constants_of(params);
    const size_t count = hy_broadcast_count(shape);
    struct hy_broadcast_position position = {0};

    for (size_t begin = 0; begin < count;
         begin += last.size, hy_broadcast_advance(shape, shape->rank - 1, &position)) {
        const HY_T *x = a + position.a, *y = b + position.b;

        for (size_t i = 0; i < last.size; i += HY_LANES) {
            const size_t some = last.size - i < HY_LANES ? last.size - i : HY_LANES;
            const vector left = last.a_stride ? load_part(x + i, some) : repeat(x);
            const vector right = last.b_stride ? load_part(y + i, some) : repeat(y);
            combine(op, &c, left, right, out + begin + i, some);
        }
    }
}

/* The kernel hy_<name>_<set>_<type>. */
#define PAIR(name, op) \
    void HY_SIMD_FN(name)(const struct hy_binary_params *params, const void *a, const void *b, \
                          void *out) \
    { \
        run(op, params, a, b, out); \
    }

#if HY_IS_FLOAT
PAIR(atan2, HY_BINARY_ATAN2)
PAIR(floor_mod, HY_BINARY_FLOOR_MOD)
PAIR(pow, HY_BINARY_POW)
#if defined(HY_F16)
PAIR(squared_difference, HY_BINARY_SQUARED_DIFFERENCE)
#endif
#elif defined(HY_S16)
PAIR(mul, HY_BINARY_MUL)
#else
PAIR(squared_difference, HY_BINARY_SQUARED_DIFFERENCE)
#endif
