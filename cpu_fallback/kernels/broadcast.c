#include "cpu_fallback/kernels/broadcast.h"

/* The size of dimension `i` counted from the last; missing ones are 1. */
static uint32_t size_from_end(uint32_t rank, const uint32_t *dims, uint32_t i)
{
    return i < rank ? dims[rank - 1 - i] : 1;
}

/* Adds a dimension outside the `rank` innermost ones, which lie reversed in `shape`. */
static bool add_dimension(struct hy_broadcast *shape, size_t size, size_t a_stride, size_t b_stride)
{
    uint32_t last = shape->rank - 1;

    if (shape->rank && a_stride == shape->a_strides[last] * shape->dims[last] &&
        b_stride == shape->b_strides[last] * shape->dims[last]) {
        shape->dims[last] *= size;
        return true;
    }
    if (shape->rank == HY_BROADCAST_RANK)
        return false;
    shape->dims[shape->rank] = size;
    shape->a_strides[shape->rank] = a_stride;
    shape->b_strides[shape->rank] = b_stride;
    shape->rank++;
    return true;
}

static void swap(size_t *a, size_t *b)
{
    size_t kept = *a;
    *a = *b;
    *b = kept;
}

static void reverse(struct hy_broadcast *shape)
{
    for (uint32_t i = 0, j = shape->rank - 1; i < j; i++, j--) {
        swap(&shape->dims[i], &shape->dims[j]);
        swap(&shape->a_strides[i], &shape->a_strides[j]);
        swap(&shape->b_strides[i], &shape->b_strides[j]);
    }
}

bool hy_broadcast_init(uint32_t a_rank, const uint32_t *a_dims, uint32_t b_rank,
                       const uint32_t *b_dims, struct hy_broadcast *out)
{
    struct hy_broadcast shape = {0};
    size_t a_count = 1, b_count = 1;
    uint32_t rank = a_rank > b_rank ? a_rank : b_rank;

    for (uint32_t i = 0; i < rank; i++) {
        uint32_t a = size_from_end(a_rank, a_dims, i);
        uint32_t b = size_from_end(b_rank, b_dims, i);
        uint32_t size = a == 1 ? b : a;

        if (a != b && a != 1 && b != 1)
            return false;
        if (size != 1 && !add_dimension(&shape, size, a == 1 ? 0 : a_count, b == 1 ? 0 : b_count))
            return false;
        a_count *= a;
        b_count *= b;
    }
    if (shape.rank == 0) {
        shape.rank = 1;
        shape.dims[0] = 1;
    }
    reverse(&shape);
    *out = shape;
    return true;
}

size_t hy_broadcast_count(const struct hy_broadcast *shape)
{
    size_t count = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        count *= shape->dims[i];
    return count;
}
