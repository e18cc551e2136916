#include "libhalyard/graph/shapes/shaping.h"

#include "common/checked.h"
#include "libhalyard/graph/constant.h"

#include <string.h>

static const struct hy_graph_tensor no_tensor = {.name = ""};

const struct hy_graph_tensor *hy_shaping_input(struct hy_shaping *shaping, uint32_t index)
{
    const uint32_t tensor = hy_graph_node_input(shaping->node, index);
    if (tensor != HY_NO_TENSOR)
        return &shaping->graph->tensors[tensor];
    shaping->fits = false;
    return &no_tensor;
}

struct hy_shape hy_shaping_open_shape(struct hy_shaping *shaping, uint32_t index)
{
    const struct hy_graph_tensor *tensor = hy_shaping_input(shaping, index);
    struct hy_shape shape = {.rank = tensor->rank};
    memcpy(shape.extents, tensor->extents, sizeof shape.extents);
    return shape;
}

/* The shape of an input, all of whose extents are known. */
struct hy_shape hy_shaping_shape(struct hy_shaping *shaping, uint32_t index)
{
    const struct hy_shape shape = hy_shaping_open_shape(shaping, index);
    for (uint32_t i = 0; i < shape.rank; i++)
        hy_shaping_expect(shaping, shape.extents[i] >= 0);
    return shape;
}

/* The numbers of a constant input, at most as many as a shape has; their count. */
uint32_t hy_shaping_numbers(struct hy_shaping *shaping, uint32_t index,
                            int64_t numbers[HY_GRAPH_MAX_RANK])
{
    const int64_t count =
        hy_constant_ints(hy_shaping_input(shaping, index), numbers, HY_GRAPH_MAX_RANK);
    hy_shaping_expect(shaping, count >= 0);
    return shaping->fits ? (uint32_t)count : 0;
}

uint32_t hy_shaping_known_numbers(struct hy_shaping *shaping, uint32_t index,
                                  int64_t numbers[HY_GRAPH_MAX_RANK])
{
    const struct hy_graph_tensor *tensor = hy_shaping_input(shaping, index);
    uint64_t count;

    if (tensor->data)
        return hy_shaping_numbers(shaping, index, numbers);
    hy_shaping_expect(shaping,
                      hy_graph_tensor_elements(tensor, &count) && count <= HY_GRAPH_MAX_RANK);
    if (!shaping->fits)
        return 0;
    for (uint64_t i = 0; i < count; i++)
        numbers[i] = tensor->numbers ? tensor->numbers[i] : HY_UNKNOWN_NUMBER;
    return (uint32_t)count;
}

/* An axis that may count from the end. */
uint32_t hy_shaping_axis(struct hy_shaping *shaping, int64_t axis, uint32_t rank)
{
    axis += axis < 0 ? (int64_t)rank : 0;
    hy_shaping_expect(shaping, axis >= 0 && axis < (int64_t)rank);
    return shaping->fits ? (uint32_t)axis : 0;
}

void hy_shaping_set_extent(struct hy_shaping *shaping, struct hy_shape *shape, uint32_t index,
                           int64_t extent)
{
    hy_shaping_expect(shaping, extent >= 0 && extent <= INT32_MAX && index < HY_GRAPH_MAX_RANK);
    if (shaping->fits)
        shape->extents[index] = (int32_t)extent;
}

void hy_shaping_append(struct hy_shaping *shaping, struct hy_shape *shape, int64_t extent)
{
    hy_shaping_set_extent(shaping, shape, shape->rank, extent);
    if (shaping->fits)
        shape->rank++;
}

/* Elements of a shape; a product that does not fit is no shape. */
int64_t hy_shaping_elements(struct hy_shaping *shaping, const struct hy_shape *shape)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; shaping->fits && i < shape->rank; i++) {
        const int32_t extent = shape->extents[i] < 0 ? 1 : shape->extents[i];
        hy_shaping_expect(shaping, hy_mul_u64(elements, (uint64_t)extent, &elements) &&
                                       elements <= INT64_MAX);
    }
    return (int64_t)elements;
}

void hy_shaping_give(struct hy_shaping *shaping, uint32_t output, const struct hy_shape *shape)
{
    hy_shaping_elements(shaping, shape);
    hy_shaping_give_partly(shaping, output, shape);
}

void hy_shaping_give_partly(struct hy_shaping *shaping, uint32_t output,
                            const struct hy_shape *shape)
{
    if (!shaping->fits || output >= shaping->node->output_count)
        return;
    struct hy_graph_tensor *tensor = &shaping->graph->tensors[shaping->node->outputs[output]];
    tensor->rank = shape->rank;
    memcpy(tensor->extents, shape->extents, sizeof tensor->extents);
}

struct hy_shape hy_shaping_broadcast(struct hy_shaping *shaping, struct hy_shape a,
                                     struct hy_shape b)
{
    struct hy_shape longer = a.rank >= b.rank ? a : b;
    const struct hy_shape shorter = a.rank >= b.rank ? b : a;

    for (uint32_t i = 0; i < shorter.rank; i++) {
        const uint32_t at = longer.rank - shorter.rank + i;
        hy_shaping_expect(shaping, longer.extents[at] == shorter.extents[i] ||
                                       longer.extents[at] == 1 || shorter.extents[i] == 1);
        if (longer.extents[at] == 1)
            longer.extents[at] = shorter.extents[i];
    }
    return longer;
}
