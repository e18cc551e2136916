#include "common/checked.h"
#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/shapes/shape_rules.h"
#include "libhalyard/graph/strided_slice.h"

#include <string.h>

void hy_shape_concatenation(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    const uint32_t axis = hy_shaping_axis(shaping, shaping->node->attributes.axis.axis, shape.rank);
    int64_t sum = 0;

    for (uint32_t i = 0; shaping->fits && i < shaping->node->input_count; i++) {
        const struct hy_shape part = hy_shaping_shape(shaping, i);
        hy_shaping_expect(shaping, part.rank == shape.rank);
        sum += shaping->fits ? part.extents[axis] : 0;
    }
    hy_shaping_set_extent(shaping, &shape, axis, sum);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_expand_dims(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t axis[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping,
                      hy_shaping_numbers(shaping, 1, axis) == 1 && shape.rank < HY_GRAPH_MAX_RANK);
    if (!shaping->fits)
        return;
    const uint32_t at = hy_shaping_axis(shaping, axis[0], shape.rank + 1);
    memmove(shape.extents + at + 1, shape.extents + at, (shape.rank - at) * sizeof *shape.extents);
    shape.extents[at] = 1;
    shape.rank++;
    hy_shaping_give(shaping, 0, &shape);
}

/* The first input is the shape. */
void hy_shape_shape_given(struct hy_shaping *shaping)
{
    int64_t extents[HY_GRAPH_MAX_RANK];
    struct hy_shape shape = {0};
    const uint32_t rank = hy_shaping_numbers(shaping, 0, extents);

    for (uint32_t i = 0; i < rank; i++)
        hy_shaping_append(shaping, &shape, extents[i]);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_gather(struct hy_shaping *shaping)
{
    const struct hy_attributes_gather *attributes = &shaping->node->attributes.gather;
    const struct hy_shape from = hy_shaping_shape(shaping, 0);
    const struct hy_shape indices = hy_shaping_shape(shaping, 1);
    const uint32_t axis = hy_shaping_axis(shaping, attributes->axis, from.rank);
    struct hy_shape shape = {0};

    hy_shaping_expect(shaping, attributes->batch_dimensions >= 0 &&
                                   attributes->batch_dimensions <= (int32_t)indices.rank);
    if (!shaping->fits)
        return;
    for (uint32_t i = 0; i < axis; i++)
        hy_shaping_append(shaping, &shape, from.extents[i]);
    for (uint32_t i = (uint32_t)attributes->batch_dimensions; i < indices.rank; i++)
        hy_shaping_append(shaping, &shape, indices.extents[i]);
    for (uint32_t i = axis + 1; i < from.rank; i++)
        hy_shaping_append(shaping, &shape, from.extents[i]);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_pack(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    const uint32_t axis =
        hy_shaping_axis(shaping, shaping->node->attributes.axis.axis, shape.rank + 1);

    hy_shaping_expect(shaping, shape.rank < HY_GRAPH_MAX_RANK);
    if (!shaping->fits)
        return;
    memmove(shape.extents + axis + 1, shape.extents + axis,
            (shape.rank - axis) * sizeof *shape.extents);
    shape.extents[axis] = (int32_t)shaping->node->input_count;
    shape.rank++;
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_unpack(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    const uint32_t axis = hy_shaping_axis(shaping, shaping->node->attributes.axis.axis, shape.rank);

    if (!shaping->fits)
        return;
    memmove(shape.extents + axis, shape.extents + axis + 1,
            (shape.rank - axis - 1) * sizeof *shape.extents);
    shape.rank--;
    for (uint32_t i = 0; i < shaping->node->output_count; i++)
        hy_shaping_give(shaping, i, &shape);
}

/* Rows of (before, after), one per dimension. */
void hy_shape_pad(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t paddings[2 * HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, hy_constant_ints(hy_shaping_input(shaping, 1), paddings,
                                                2 * HY_GRAPH_MAX_RANK) == 2 * (int64_t)shape.rank);
    const int64_t *own = paddings;
    for (uint32_t i = 0; shaping->fits && i < shape.rank; i++, own += 2)
        hy_shaping_set_extent(shaping, &shape, i, shape.extents[i] + own[0] + own[1]);
    hy_shaping_give(shaping, 0, &shape);
}

/* The requested extents of a RESHAPE: from the second input, or else from the attribute. */
static uint32_t wanted_extents(struct hy_shaping *shaping, int64_t wanted[HY_GRAPH_MAX_RANK])
{
    const struct hy_attributes_reshape *attributes = &shaping->node->attributes.reshape;
    const uint32_t rank = (uint32_t)attributes->count;

    if (hy_graph_node_input(shaping->node, 1) != HY_NO_TENSOR &&
        hy_shaping_input(shaping, 1)->rank == 1)
        return hy_shaping_known_numbers(shaping, 1, wanted);
    hy_shaping_expect(shaping, rank <= HY_GRAPH_MAX_RANK && attributes->extents);
    for (uint32_t i = 0; shaping->fits && i < rank; i++)
        wanted[i] = attributes->extents[i];
    return shaping->fits ? rank : 0;
}

/* Some extents of the input, or some requested extents, are known only during a run. */
static bool reshape_partly(struct hy_shaping *shaping, uint32_t rank, const int64_t *wanted)
{
    const struct hy_graph_tensor *from = hy_shaping_input(shaping, 0);
    struct hy_shape shape = {.rank = rank};
    uint64_t elements;
    bool known = hy_graph_tensor_elements(from, &elements);

    for (uint32_t i = 0; i < rank; i++) {
        known = known && wanted[i] != HY_UNKNOWN_NUMBER;
        shape.extents[i] =
            wanted[i] < 0 || wanted[i] > INT32_MAX ? HY_UNKNOWN_EXTENT : (int32_t)wanted[i];
    }
    if (!known)
        hy_shaping_give_partly(shaping, 0, &shape);
    return !known;
}

/* At most one extent is computed from the others. */
void hy_shape_reshape(struct hy_shaping *shaping)
{
    int64_t wanted[HY_GRAPH_MAX_RANK];
    struct hy_shape shape = {0};
    uint64_t known = 1;
    int32_t open = -1;
    const uint32_t rank = wanted_extents(shaping, wanted);

    if (!shaping->fits || reshape_partly(shaping, rank, wanted))
        return;
    const struct hy_shape from = hy_shaping_shape(shaping, 0);
    const int64_t elements = hy_shaping_elements(shaping, &from);
    for (uint32_t i = 0; shaping->fits && i < rank; i++) {
        if (wanted[i] == -1) {
            hy_shaping_expect(shaping, open < 0);
            open = (int32_t)i;
        } else {
            hy_shaping_expect(shaping, wanted[i] >= 0 &&
                                           hy_mul_u64(known, (uint64_t)wanted[i], &known) &&
                                           known <= INT64_MAX);
        }
        hy_shaping_append(shaping, &shape, wanted[i] == -1 ? 1 : wanted[i]);
    }
    if (!shaping->fits)
        return;
    const int64_t rest = (int64_t)known;
    hy_shaping_expect(shaping, open >= 0 ? rest > 0 && elements % rest == 0 : rest == elements);
    if (shaping->fits && open >= 0)
        hy_shaping_set_extent(shaping, &shape, (uint32_t)open, elements / rest);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_slice(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t begin[HY_GRAPH_MAX_RANK], size[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 1, begin) == shape.rank);
    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 2, size) == shape.rank);
    for (uint32_t i = 0; shaping->fits && i < shape.rank; i++)
        hy_shaping_set_extent(shaping, &shape, i,
                              size[i] < 0 ? shape.extents[i] - begin[i] : size[i]);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_strided_slice(struct hy_shaping *shaping)
{
    struct hy_strided_slice slice;
    struct hy_shape shape = {0};

    hy_shaping_expect(shaping, hy_strided_slice_resolve(shaping->graph, shaping->node, &slice));
    for (uint32_t i = 0; shaping->fits && i < slice.output_rank; i++)
        hy_shaping_append(shaping, &shape, slice.output_extents[i]);
    hy_shaping_give(shaping, 0, &shape);
}

/* The shape of a shape. */
void hy_shape_shape_vector(struct hy_shaping *shaping)
{
    const struct hy_shape shape = {.rank = 1,
                                   .extents = {(int32_t)hy_shaping_input(shaping, 0)->rank}};
    hy_shaping_give(shaping, 0, &shape);
}

/* From start to limit in steps of delta, of integers. */
void hy_shape_range(struct hy_shaping *shaping)
{
    int64_t numbers[3];
    struct hy_shape shape = {0};

    for (uint32_t i = 0; i < 3; i++)
        hy_shaping_expect(shaping, hy_constant_int(hy_shaping_input(shaping, i), &numbers[i]));
    hy_shaping_expect(shaping, shaping->fits && numbers[2] != 0);
    if (!shaping->fits)
        return;
    const int64_t span = numbers[2] > 0 ? numbers[1] - numbers[0] : numbers[0] - numbers[1];
    const int64_t step = numbers[2] > 0 ? numbers[2] : -numbers[2];
    hy_shaping_append(shaping, &shape, span > 0 ? (span + step - 1) / step : 0);
    hy_shaping_give(shaping, 0, &shape);
}

/* The second input is the shape. */
void hy_shape_broadcast_to(struct hy_shaping *shaping)
{
    int64_t extents[HY_GRAPH_MAX_RANK];
    struct hy_shape shape = {0};
    const uint32_t rank = hy_shaping_numbers(shaping, 1, extents);

    for (uint32_t i = 0; i < rank; i++)
        hy_shaping_append(shaping, &shape, extents[i]);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_split(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 1);
    const int64_t count = shaping->node->output_count;
    int64_t axis[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 0, axis) == 1 && count > 0);
    if (!shaping->fits)
        return;
    const uint32_t at = hy_shaping_axis(shaping, axis[0], shape.rank);
    hy_shaping_expect(shaping, shape.extents[at] % count == 0);
    hy_shaping_set_extent(shaping, &shape, at, shape.extents[at] / count);
    for (uint32_t i = 0; i < count; i++)
        hy_shaping_give(shaping, i, &shape);
}

void hy_shape_squeeze(struct hy_shaping *shaping)
{
    const struct hy_attributes_squeeze *attributes = &shaping->node->attributes.squeeze;
    const struct hy_shape from = hy_shaping_shape(shaping, 0);
    struct hy_shape shape = {0};
    bool goes[HY_GRAPH_MAX_RANK] = {false};

    for (uint32_t i = 0; shaping->fits && i < attributes->count; i++) {
        const uint32_t axis = hy_shaping_axis(shaping, attributes->axes[i], from.rank);
        hy_shaping_expect(shaping, from.extents[axis] == 1);
        goes[axis] = true;
    }
    for (uint32_t i = 0; i < from.rank; i++) {
        if (!(attributes->count ? goes[i] : from.extents[i] == 1))
            hy_shaping_append(shaping, &shape, from.extents[i]);
    }
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_tile(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t multiples[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 1, multiples) == shape.rank);
    for (uint32_t i = 0; shaping->fits && i < shape.rank; i++) {
        hy_shaping_expect(shaping, multiples[i] >= 0 && multiples[i] <= INT32_MAX);
        hy_shaping_set_extent(shaping, &shape, i, shape.extents[i] * multiples[i]);
    }
    hy_shaping_give(shaping, 0, &shape);
}

/* Neighbours lie so many elements apart. */
void hy_shape_dilate(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t steps[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 1, steps) == shape.rank);
    for (uint32_t i = 0; shaping->fits && i < shape.rank; i++) {
        hy_shaping_expect(shaping, steps[i] >= 1 && steps[i] <= INT32_MAX);
        if (shape.extents[i] > 0)
            hy_shaping_set_extent(shaping, &shape, i, (shape.extents[i] - 1) * steps[i] + 1);
    }
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_transpose(struct hy_shaping *shaping)
{
    const struct hy_shape from = hy_shaping_shape(shaping, 0);
    struct hy_shape shape = {0};
    int64_t order[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 1, order) == from.rank);
    for (uint32_t i = 0; shaping->fits && i < from.rank; i++)
        hy_shaping_append(shaping, &shape,
                          from.extents[hy_shaping_axis(shaping, order[i], from.rank)]);
    hy_shaping_give(shaping, 0, &shape);
}
