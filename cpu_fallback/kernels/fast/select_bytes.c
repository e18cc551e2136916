#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/byte_lookup.h"

/* SELECT of bytes, a vector at a time. */

/* One side of the selection. */
struct side {
    const uint8_t *values;
    struct vb_table table;
    bool has_table, repeats;
};

static inline struct side side_of(const void *values, bool repeats, const uint8_t *table)
{
    struct side side = {.values = values, .has_table = table, .repeats = repeats};

    if (table)
        side.table = vb_table_of(table);
    return side;
}

static inline vi load_part(const struct side *side, size_t at, size_t count)
{
    const vi stored =
        side->repeats ? vb_set1(*side->values) : vb_load_part(side->values + at, count);
    return side->has_table ? vb_lookup(&side->table, stored) : stored;
}

static inline void select_part(const struct side *condition, const struct side *a,
                               const struct side *b, size_t at, size_t count, uint8_t *out)
{
    const vi result = vb_choose(load_part(condition, at, count), load_part(a, at, count),
                                load_part(b, at, count));

    vb_store_part(out + at, result, count);
}

void HY_SIMD_FN(select)(const struct hy_select_params *params, const void *condition, const void *a,
                        const void *b, void *out)
{
    const struct side is_a = side_of(condition, params->condition_repeats, NULL);
    const struct side a_side = side_of(a, params->a_repeats, params->a_table);
    const struct side b_side = side_of(b, params->b_repeats, params->b_table);
    const size_t rest = params->count % HY_BYTE_LANES, whole = params->count - rest;

    for (size_t i = 0; i < whole; i += HY_BYTE_LANES)
        select_part(&is_a, &a_side, &b_side, i, HY_BYTE_LANES, out);
    if (rest > 0)
        select_part(&is_a, &a_side, &b_side, whole, rest, out);
}
