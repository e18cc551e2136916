#include "cpu_fallback/kernels/element.h"

#include "cpu_fallback/kernels/fast/fast.h"
#include "cpu_fallback/kernels/fast/simd/byte_lookup.h"

/* MAXIMUM and MINIMUM of 8 bits, a vector at a time. In a row each side is dense or one byte. */

#define IS_SIGNED ((HY_T)-1 < 0)

/* One side of a row. */
struct side {
    struct vb_table table;
    bool has_table;
};

static inline struct side side_of(const uint8_t *table)
{
    struct side side = {.has_table = table};

    if (table)
        side.table = vb_table_of(table);
    return side;
}

static inline vi load_part(const struct side *side, const HY_T *row, size_t step, size_t at,
                           size_t count)
{
    const vi stored = step ? vb_load_part(row + at, count) : vb_set1(*row);
    return side->has_table ? vb_lookup(&side->table, stored) : stored;
}

static inline vi extreme(enum hy_binary op, vi a, vi b)
{
    return op == HY_BINARY_MAXIMUM ? vb_max(a, b, IS_SIGNED) : vb_min(a, b, IS_SIGNED);
}

/* Every caller passes a constant operation, so the compiler makes one copy per operation. */
static inline void run(enum hy_binary op, const struct hy_binary_params *params, const void *a,
                       const void *b, void *out)
{
    const struct hy_broadcast *shape = &params->shape;
    const struct hy_broadcast_loop last = shape->loops[shape->rank - 1];
    const struct side a_side = side_of(params->a_table), b_side = side_of(params->b_table);
    const size_t count = hy_broadcast_count(shape);
    struct hy_broadcast_position position = {0};

    for (size_t begin = 0; begin < count;
         begin += last.size, hy_broadcast_advance(shape, shape->rank - 1, &position)) {
        const HY_T *x = (const HY_T *)a + position.a, *y = (const HY_T *)b + position.b;
        HY_T *row = (HY_T *)out + begin;

        for (size_t i = 0; i < last.size; i += HY_BYTE_LANES) {
            const size_t some = last.size - i < HY_BYTE_LANES ? last.size - i : HY_BYTE_LANES;
            vb_store_part(row + i,
                          extreme(op, load_part(&a_side, x, last.a_stride, i, some),
                                  load_part(&b_side, y, last.b_stride, i, some)),
                          some);
        }
    }
}

void HY_SIMD_FN(maximum)(const struct hy_binary_params *params, const void *a, const void *b,
                         void *out)
{
    run(HY_BINARY_MAXIMUM, params, a, b, out);
}

void HY_SIMD_FN(minimum)(const struct hy_binary_params *params, const void *a, const void *b,
                         void *out)
{
    run(HY_BINARY_MINIMUM, params, a, b, out);
}
