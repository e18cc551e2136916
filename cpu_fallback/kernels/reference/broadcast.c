#include "cpu_fallback/kernels/reference/broadcast.h"

/* The size of dimension `i` counted from the last; missing ones are 1. */
static uint32_t size_from_end(uint32_t rank, const uint32_t *dims, uint32_t i)
{
    return i < rank ? dims[rank - 1 - i] : 1;
}

/* Adds a dimension outside the `rank` innermost dimensions; `shape` holds dimensions in reverse
 * order. */
static bool add_dimension(struct hy_broadcast *shape, const struct hy_broadcast_loop *loop)
{
    struct hy_broadcast_loop *last = shape->rank ? &shape->loops[shape->rank - 1] : NULL;

    if (last && loop->a_stride == last->a_stride * last->size &&
        loop->b_stride == last->b_stride * last->size) {
        last->size *= loop->size;
        return true;
    }
    if (shape->rank == HY_BROADCAST_RANK)
        return false;
    shape->loops[shape->rank++] = *loop;
    return true;
}

static void reverse(struct hy_broadcast *shape)
{
    for (uint32_t i = 0, j = shape->rank - 1; i < j; i++, j--) {
        struct hy_broadcast_loop saved = shape->loops[i];
        shape->loops[i] = shape->loops[j];
        shape->loops[j] = saved;
    }
}

bool hy_broadcast_init(uint32_t a_rank, const uint32_t *a_dims, uint32_t b_rank,
                       const uint32_t *b_dims, struct hy_broadcast *out)
{
    struct hy_broadcast shape = {0};
    uint32_t a_count = 1, b_count = 1;
    uint32_t rank = a_rank > b_rank ? a_rank : b_rank;

    for (uint32_t i = 0; i < rank; i++) {
        uint32_t a = size_from_end(a_rank, a_dims, i);
        uint32_t b = size_from_end(b_rank, b_dims, i);
        uint32_t size = a == 1 ? b : a;

        if (a != b && a != 1 && b != 1)
            return false;
        const struct hy_broadcast_loop loop = {size, a == 1 ? 0 : a_count, b == 1 ? 0 : b_count};
        if (size != 1 && !add_dimension(&shape, &loop))
            return false;
        a_count *= a;
        b_count *= b;
    }
    if (shape.rank == 0)
        shape.loops[shape.rank++].size = 1;
    reverse(&shape);
    *out = shape;
    return true;
}

size_t hy_broadcast_count(const struct hy_broadcast *shape)
{
    size_t count = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        count *= shape->loops[i].size;
    return count;
}
