#include "libhalyard/graph/shapes/shape_rules.h"

void hy_shape_fully_connected(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_open_shape(shaping, 0);
    const struct hy_shape filter = hy_shaping_shape(shaping, 1);
    const int64_t elements = hy_shaping_elements(shaping, &shape);
    bool is_open = false;

    for (uint32_t i = 0; i < shape.rank; i++)
        is_open |= shape.extents[i] < 0;
    hy_shaping_expect(shaping, filter.rank == 2 && filter.extents[1] > 0);
    hy_shaping_expect(shaping, shaping->fits && (is_open || elements % filter.extents[1] == 0));
    if (!shaping->fits)
        return;
    if (shaping->node->attributes.fully_connected.keep_dimensions) {
        hy_shaping_expect(shaping,
                          shape.rank > 0 && shape.extents[shape.rank - 1] == filter.extents[1]);
        if (shaping->fits)
            shape.extents[shape.rank - 1] = filter.extents[0];
    } else {
        shape.rank = 2;
        if (is_open)
            shape.extents[0] = HY_UNKNOWN_EXTENT;
        else
            hy_shaping_set_extent(shaping, &shape, 0, elements / filter.extents[1]);
        shape.extents[1] = filter.extents[0];
    }
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_batch_matmul(struct hy_shaping *shaping)
{
    const struct hy_attributes_matmul *attributes = &shaping->node->attributes.matmul;
    struct hy_shape a = hy_shaping_shape(shaping, 0);
    struct hy_shape b = hy_shaping_shape(shaping, 1);

    hy_shaping_expect(shaping, a.rank >= 2 && b.rank >= 2);
    if (!shaping->fits)
        return;
    const int32_t rows = a.extents[attributes->adjoint_a ? a.rank - 1 : a.rank - 2];
    const int32_t columns = b.extents[attributes->adjoint_b ? b.rank - 2 : b.rank - 1];
    a.rank -= 2;
    b.rank -= 2;
    struct hy_shape shape = hy_shaping_broadcast(shaping, a, b);
    hy_shaping_append(shaping, &shape, rows);
    hy_shaping_append(shaping, &shape, columns);
    hy_shaping_give(shaping, 0, &shape);
}
