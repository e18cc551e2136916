#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/byte_lookup.h"

/* hy_lookup, a vector at a time. */
void HY_SIMD_FN(lookup)(const struct hy_unary_params *params, const void *in, void *out)
{
    const size_t rest = params->count % HY_BYTE_LANES, whole = params->count - rest;
    const struct vb_table table = vb_table_of(params->table);
    const uint8_t *values = in;
    uint8_t *results = out;

    for (size_t i = 0; i < whole; i += HY_BYTE_LANES)
        vi_store(results + i, vb_lookup(&table, vi_load(values + i)));
    if (rest > 0)
        vb_store_part(results + whole, vb_lookup(&table, vb_load_part(values + whole, rest)), rest);
}
