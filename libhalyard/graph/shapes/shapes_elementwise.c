#include "libhalyard/graph/shapes/shape_rules.h"

void hy_shape_like_first(struct hy_shaping *shaping)
{
    const struct hy_shape shape = hy_shaping_open_shape(shaping, 0);
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

/* Smaller elements get an additional last dimension; larger elements remove the last dimension. */
void hy_shape_bitcast(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    const unsigned from = hy_element_bits(hy_shaping_input(shaping, 0)->element);

    hy_shaping_expect(shaping, shaping->node->output_count == 1 && from >= 8);
    if (!shaping->fits)
        return;
    const struct hy_graph_tensor *output = &shaping->graph->tensors[shaping->node->outputs[0]];
    const unsigned to = hy_element_bits(output->element);
    hy_shaping_expect(shaping, to >= 8);
    if (shaping->fits && to < from) {
        hy_shaping_append(shaping, &shape, from / to);
    } else if (shaping->fits && to > from) {
        hy_shaping_expect(shaping,
                          shape.rank > 0 && shape.extents[shape.rank - 1] == (int32_t)(to / from));
        shape.rank -= shaping->fits;
    }
    hy_shaping_give(shaping, 0, &shape);
}
