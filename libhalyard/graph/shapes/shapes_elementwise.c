#include "libhalyard/graph/shapes/shape_rules.h"

void hy_shape_like_first(struct hy_shaping *shaping)
{
    const struct hy_shape shape = hy_shaping_shape(shaping, 0);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_broadcast_two(struct hy_shaping *shaping)
{
    const struct hy_shape shape =
        hy_shaping_broadcast(shaping, hy_shaping_shape(shaping, 0), hy_shaping_shape(shaping, 1));
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_broadcast_three(struct hy_shaping *shaping)
{
    struct hy_shape shape =
        hy_shaping_broadcast(shaping, hy_shaping_shape(shaping, 0), hy_shaping_shape(shaping, 1));
    shape = hy_shaping_broadcast(shaping, shape, hy_shaping_shape(shaping, 2));
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_like_second(struct hy_shaping *shaping)
{
    const struct hy_shape shape = hy_shaping_shape(shaping, 1);
    hy_shaping_give(shaping, 0, &shape);
}
