#include "libhalyard/graph/shapes/shape_rules.h"

/* One number for each complex number; a complex number is a pair along the last dimension. */
void hy_shape_complex_part(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);

    hy_shaping_expect(shaping, shape.rank >= 1);
    if (!shaping->fits)
        return;
    shape.rank--;
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_rfft_2d(struct hy_shaping *shaping)
{
    int64_t lengths[HY_GRAPH_MAX_RANK];
    struct hy_shape shape = hy_shaping_shape(shaping, 0);

    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 1, lengths) == 2 && shape.rank >= 2 &&
                                   shape.rank < HY_GRAPH_MAX_RANK);
    hy_shaping_expect(shaping, shaping->fits && lengths[1] >= 0);
    if (!shaping->fits)
        return;
    hy_shaping_set_extent(shaping, &shape, shape.rank - 2, lengths[0]);
    hy_shaping_set_extent(shaping, &shape, shape.rank - 1, lengths[1] / 2 + 1);
    hy_shaping_append(shaping, &shape, 2);
    hy_shaping_give(shaping, 0, &shape);
}
