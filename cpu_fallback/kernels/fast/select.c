#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"

/* SELECT of elements of 2 and 4 bytes, which are copied unchanged. */

#if defined(HY_SIZE2)
enum { LANES = HY_BYTE_LANES / 2 };

typedef vi vector;

static inline vi load_side(const uint16_t *from, bool repeats, size_t at, size_t count)
{
    return repeats ? vs_set1(*from) : vb_load_part(from + at, count * sizeof *from);
}

static inline vi load_condition(const uint8_t *from, bool repeats, size_t at, size_t count)
{
    return repeats ? vs_set1(*from) : vs_load_bytes_part(from + at, count, false);
}

/* Both bytes of an element have the same condition. */
static inline void select_part(vi is_a, vi yes, vi no, uint16_t *out, size_t count)
{
    const vi is_a_twice = vs_add(is_a, vs_shift_left_by(is_a, 8));

    vb_store_part(out, vb_choose(is_a_twice, yes, no), count * sizeof *out);
}
#else
enum { LANES = HY_LANES };

typedef vf vector;

static inline vf load_side(const uint32_t *from, bool repeats, size_t at, size_t count)
{
    return repeats ? vf_of_bits(vi_set1((int32_t)*from))
                   : vf_load_part((const float *)(const void *)(from + at), count);
}

static inline vi load_condition(const uint8_t *from, bool repeats, size_t at, size_t count)
{
    return repeats ? vi_set1(*from) : vi_load_u8_part(from + at, count);
}

/* A condition is zero or above zero. */
static inline void select_part(vi is_a, vf yes, vf no, uint32_t *out, size_t count)
{
    vf_store_part((float *)(void *)out, vf_if_less(vi_set1(0), is_a, yes, no), count);
}
#endif

static inline void select_at(const struct hy_select_params *params, const uint8_t *condition,
                             const HY_T *a, const HY_T *b, HY_T *out, size_t at, size_t count)
{
    const vector yes = load_side(a, params->a_repeats, at, count);
    const vector no = load_side(b, params->b_repeats, at, count);

    select_part(load_condition(condition, params->condition_repeats, at, count), yes, no, out + at,
                count);
}

void HY_SIMD_FN(select)(const struct hy_select_params *params, const void *condition, const void *a,
                        const void *b, void *out)
{
    const struct hy_select_params copy = *params; /* local: stores cannot alias it */
    const size_t rest = copy.count % LANES, whole = copy.count - rest;

    for (size_t i = 0; i < whole; i += LANES)
        select_at(&copy, condition, a, b, out, i, LANES);
    if (rest > 0)
        select_at(&copy, condition, a, b, out, whole, rest);
}
