#include "libhalyard/graph/shapes/shape_rules.h"

#include <string.h>

void hy_shape_reduce(struct hy_shaping *shaping)
{
    const struct hy_shape from = hy_shaping_shape(shaping, 0);
    struct hy_shape shape = {0};
    int64_t axes[HY_GRAPH_MAX_RANK];
    bool goes[HY_GRAPH_MAX_RANK] = {false};
    const uint32_t count = hy_shaping_numbers(shaping, 1, axes);

    for (uint32_t i = 0; shaping->fits && i < count; i++)
        goes[hy_shaping_axis(shaping, axes[i], from.rank)] = true;
    for (uint32_t i = 0; shaping->fits && i < from.rank; i++) {
        if (!goes[i])
            hy_shaping_append(shaping, &shape, from.extents[i]);
        else if (shaping->node->attributes.reduce.keep_dimensions)
            hy_shaping_append(shaping, &shape, 1);
    }
    hy_shaping_give(shaping, 0, &shape);
}

/* The axis goes. */
void hy_shape_arg_min_max(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t axis[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 1, axis) == 1);
    if (!shaping->fits)
        return;
    const uint32_t at = hy_shaping_axis(shaping, axis[0], shape.rank);
    if (!shaping->fits)
        return;
    memmove(shape.extents + at, shape.extents + at + 1,
            (shape.rank - at - 1) * sizeof *shape.extents);
    shape.rank--;
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_topk_v2(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t k[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, shape.rank > 0);
    if (shaping->fits && !hy_shaping_input(shaping, 1)->data) {
        shape.extents[shape.rank - 1] = HY_UNKNOWN_EXTENT;
        hy_shaping_give_partly(shaping, 0, &shape);
        hy_shaping_give_partly(shaping, 1, &shape);
        return;
    }
    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 1, k) == 1);
    if (!shaping->fits)
        return;
    hy_shaping_set_extent(shaping, &shape, shape.rank - 1, k[0]);
    hy_shaping_give(shaping, 0, &shape);
    hy_shaping_give(shaping, 1, &shape);
}

/* Number of positions of a window in each dimension. */
void hy_shape_reduce_window(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t sizes[HY_GRAPH_MAX_RANK], strides[HY_GRAPH_MAX_RANK], dilations[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 2, sizes) == shape.rank &&
                                   hy_shaping_numbers(shaping, 3, strides) == shape.rank &&
                                   hy_shaping_numbers(shaping, 4, dilations) == shape.rank);
    for (uint32_t i = 0; shaping->fits && i < shape.rank; i++) {
        hy_shaping_expect(shaping, sizes[i] > 0 && sizes[i] <= INT32_MAX && strides[i] > 0 &&
                                       dilations[i] > 0 && dilations[i] <= INT32_MAX);
        if (!shaping->fits)
            return;
        const int64_t capacity = shape.extents[i] - (sizes[i] - 1) * dilations[i] - 1;
        hy_shaping_set_extent(shaping, &shape, i, capacity < 0 ? 0 : capacity / strides[i] + 1);
    }
    hy_shaping_give(shaping, 0, &shape);
}
