#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"

/* SELECT of elements of 2 and 4 bytes, which are moved as they are. */

#if defined(HY_SIZE2)
enum { LANES = HY_BYTE_LANES / 2 };

/* Both bytes of an element have its condition. */
static inline void select_part(const uint8_t *condition, const uint16_t *a, const uint16_t *b,
                               uint16_t *out, size_t count)
{
    const size_t bytes = count * sizeof *out;
    const vi is_a = vs_load_bytes_part(condition, count, false);
    const vi is_a_twice = vs_add(is_a, vs_shift_left_by(is_a, 8));
    const vi yes = vb_load_part(a, bytes), no = vb_load_part(b, bytes);

    vb_store_part(out, vb_choose(is_a_twice, yes, no), bytes);
}
#else
enum { LANES = HY_LANES };

static inline void select_part(const uint8_t *condition, const uint32_t *a, const uint32_t *b,
                               uint32_t *out, size_t count)
{
    const vi is_a = vi_load_u8_part(condition, count); /* above zero or zero */
    const vf yes = vf_load_part((const float *)(const void *)a, count);
    const vf no = vf_load_part((const float *)(const void *)b, count);

    vf_store_part((float *)(void *)out, vf_if_less(vi_set1(0), is_a, yes, no), count);
}
#endif

void HY_SIMD_FN(select)(const struct hy_select_params *params, const void *condition, const void *a,
                        const void *b, void *out)
{
    const size_t rest = params->count % LANES, whole = params->count - rest;
    const uint8_t *conditions = condition;
    const HY_T *yes = a, *no = b;
    HY_T *results = out;

    for (size_t i = 0; i < whole; i += LANES)
        select_part(conditions + i, yes + i, no + i, results + i, LANES);
    if (rest > 0)
        select_part(conditions + whole, yes + whole, no + whole, results + whole, rest);
}
