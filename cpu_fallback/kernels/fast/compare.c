#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/vectors.h"

/* EQUAL and the other comparisons of real types and whole numbers. A lane becomes the byte 1 or 0.
 * A NaN gives 0, but 1 for NOT_EQUAL. */
typedef uint8_t output;

struct constants {
    vf yes, no; /* as bits */
};

#if HY_IS_FLOAT
static inline vf if_below(vf a, vf b, vf yes, vf no)
{
    return vf_if_below(a, b, yes, no);
}

static inline vf if_equal(vf a, vf b, vf yes, vf no)
{
    return vf_if_equal(a, b, yes, no);
}
#else
static inline vf if_below(vi a, vi b, vf yes, vf no)
{
    return vf_if_less(a, b, yes, no);
}

static inline vf if_equal(vi a, vi b, vf yes, vf no)
{
    return vf_if_less(a, b, no, vf_if_less(b, a, no, yes));
}
#endif

static inline vf compare(enum hy_binary op, const struct constants *c, vector a, vector b)
{
    switch (op) {
    case HY_BINARY_EQUAL:
        return if_equal(a, b, c->yes, c->no);
    case HY_BINARY_NOT_EQUAL:
        return if_equal(a, b, c->no, c->yes);
    case HY_BINARY_LESS:
        return if_below(a, b, c->yes, c->no);
    case HY_BINARY_LESS_EQUAL:
        return if_equal(a, b, c->yes, if_below(a, b, c->yes, c->no));
    case HY_BINARY_GREATER:
        return if_below(b, a, c->yes, c->no);
    default: /* GREATER_EQUAL */
        return if_equal(a, b, c->yes, if_below(b, a, c->yes, c->no));
    }
}

static inline void combine(enum hy_binary op, const struct constants *c, vector a, vector b,
                           output *out, size_t count)
{
    vi_store_bytes_part(out, vi_of_bits(compare(op, c, a, b)), count);
}

#include "cpu_fallback/kernels/fast/binary_walk.h"

/* The kernel hy_<name>_<set>_<type>. */
#define COMPARISON(name, op) \
    void HY_SIMD_FN(name)(const struct hy_binary_params *params, const void *a, const void *b, \
                          void *out) \
    { \
        const struct constants constants = {vf_of_bits(vi_set1(1)), vf_of_bits(vi_set1(0))}; \
        combine_all(op, &params->shape, &constants, a, b, out); \
    }

COMPARISON(equal, HY_BINARY_EQUAL)
COMPARISON(not_equal, HY_BINARY_NOT_EQUAL)
COMPARISON(less, HY_BINARY_LESS)
COMPARISON(less_equal, HY_BINARY_LESS_EQUAL)
COMPARISON(greater, HY_BINARY_GREATER)
COMPARISON(greater_equal, HY_BINARY_GREATER_EQUAL)
