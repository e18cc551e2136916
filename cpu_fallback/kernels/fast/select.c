#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/simd.h"

/* SELECT of elements of 4 bytes, which are moved as they are. */

static inline void select_part(const uint8_t *condition, const float *a, const float *b, float *out,
                               size_t count)
{
    const vi is_a = vi_load_u8_part(condition, count); /* above zero or zero */
    const vf yes = vf_load_part(a, count), no = vf_load_part(b, count);

    vf_store_part(out, vf_if_less(vi_set1(0), is_a, yes, no), count);
}

void HY_SIMD_FN(select)(const struct hy_select_params *params, const void *condition, const void *a,
                        const void *b, void *out)
{
    const size_t rest = params->count % HY_LANES, whole = params->count - rest;
    const uint8_t *conditions = condition;
    const float *yes = a, *no = b;
    float *results = out;

    for (size_t i = 0; i < whole; i += HY_LANES)
        select_part(conditions + i, yes + i, no + i, results + i, HY_LANES);
    if (rest > 0)
        select_part(conditions + whole, yes + whole, no + whole, results + whole, rest);
}
