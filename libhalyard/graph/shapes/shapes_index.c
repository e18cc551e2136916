#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/shapes/shape_rules.h"

#include <string.h>

/* A constant input is the shape of the output. */
static void shape_given_by(struct hy_shaping *shaping, uint32_t input)
{
    int64_t extents[HY_GRAPH_MAX_RANK];
    struct hy_shape shape = {0};
    const uint32_t rank = hy_shaping_numbers(shaping, input, extents);

    for (uint32_t i = 0; i < rank; i++)
        hy_shaping_append(shaping, &shape, extents[i]);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_scatter_nd(struct hy_shaping *shaping)
{
    shape_given_by(shaping, 2);
}

void hy_shape_sparse_to_dense(struct hy_shaping *shaping)
{
    shape_given_by(shaping, 1);
}

/* Both inputs are shapes; the output is their broadcast. */
void hy_shape_broadcast_args(struct hy_shaping *shaping)
{
    const struct hy_shape a = hy_shaping_shape(shaping, 0), b = hy_shaping_shape(shaping, 1);
    const int32_t rank = a.extents[0] > b.extents[0] ? a.extents[0] : b.extents[0];
    const struct hy_shape shape = {.rank = 1, .extents = {rank}};

    hy_shaping_expect(shaping, a.rank == 1 && b.rank == 1);
    hy_shaping_give(shaping, 0, &shape);
}

/* The extents of the indices without their last dimension, followed by the extents of the selected
 * slices. */
void hy_shape_gather_nd(struct hy_shaping *shaping)
{
    const struct hy_shape from = hy_shaping_shape(shaping, 0);
    const struct hy_shape indices = hy_shaping_shape(shaping, 1);
    struct hy_shape shape = {0};

    hy_shaping_expect(shaping, indices.rank > 0);
    if (!shaping->fits)
        return;
    const int32_t depth = indices.extents[indices.rank - 1];
    hy_shaping_expect(shaping, depth <= (int32_t)from.rank);
    for (uint32_t i = 0; i + 1 < indices.rank; i++)
        hy_shaping_append(shaping, &shape, indices.extents[i]);
    for (uint32_t i = (uint32_t)depth; shaping->fits && i < from.rank; i++)
        hy_shaping_append(shaping, &shape, from.extents[i]);
    hy_shaping_give(shaping, 0, &shape);
}

/* The keys' shape, followed by the shape of a table row. */
void hy_shape_embedding_lookup(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    const struct hy_shape table = hy_shaping_shape(shaping, 1);

    hy_shaping_expect(shaping, shape.rank == 1 && table.rank > 0);
    for (uint32_t i = 1; shaping->fits && i < table.rank; i++)
        hy_shaping_append(shaping, &shape, table.extents[i]);
    hy_shaping_give(shaping, 0, &shape);
}

/* A new dimension of `depth` elements. */
void hy_shape_one_hot(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t depth[HY_GRAPH_MAX_RANK];
    const uint32_t axis =
        hy_shaping_axis(shaping, shaping->node->attributes.axis.axis, shape.rank + 1);

    hy_shaping_expect(shaping,
                      hy_shaping_numbers(shaping, 1, depth) == 1 && shape.rank < HY_GRAPH_MAX_RANK);
    if (!shaping->fits)
        return;
    memmove(shape.extents + axis + 1, shape.extents + axis,
            (shape.rank - axis) * sizeof *shape.extents);
    shape.rank++;
    hy_shaping_set_extent(shaping, &shape, axis, depth[0]);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_matrix_diag(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);

    hy_shaping_expect(shaping, shape.rank > 0);
    if (shaping->fits)
        hy_shaping_append(shaping, &shape, shape.extents[shape.rank - 1]);
    hy_shaping_give(shaping, 0, &shape);
}

/* The number of rows comes from the last identifier; identifiers are sorted. */
void hy_shape_segment_sum(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t numbers[HY_CONSTANT_MAX_INTS];
    const struct hy_graph_tensor *ids = hy_shaping_input(shaping, 1);
    const int64_t count = hy_constant_ints(ids, numbers, HY_CONSTANT_MAX_INTS);

    hy_shaping_expect(shaping, shape.rank > 0);
    if (shaping->fits && !ids->data) {
        shape.extents[0] = HY_UNKNOWN_EXTENT;
        hy_shaping_give_partly(shaping, 0, &shape);
        return;
    }
    hy_shaping_expect(shaping, count > 0);
    if (!shaping->fits)
        return;
    hy_shaping_set_extent(shaping, &shape, 0, numbers[count - 1] + 1);
    hy_shaping_give(shaping, 0, &shape);
}

/* The extent in input `index`; unknown if known only during a run. */
static int32_t extent_of(struct hy_shaping *shaping, uint32_t index)
{
    int64_t number = 0;

    if (!hy_shaping_input(shaping, index)->data)
        return HY_UNKNOWN_EXTENT;
    hy_shaping_expect(shaping, hy_constant_int(hy_shaping_input(shaping, index), &number) &&
                                   number >= 0 && number <= INT32_MAX);
    return shaping->fits ? (int32_t)number : 0;
}

/* Segments instead of the dimensions that the identifiers have. */
void hy_shape_unsorted_segment(struct hy_shaping *shaping)
{
    const struct hy_shape from = hy_shaping_shape(shaping, 0);
    const struct hy_graph_tensor *ids = hy_shaping_input(shaping, 1);
    struct hy_shape shape = {.rank = 1, .extents = {extent_of(shaping, 2)}};

    hy_shaping_expect(shaping, ids->rank > 0 && ids->rank <= from.rank);
    for (uint32_t i = ids->rank; shaping->fits && i < from.rank; i++)
        shape.extents[shape.rank++] = from.extents[i];
    hy_shaping_give_partly(shaping, 0, &shape);
}

/* Rows of what is selected, and how many count. */
void hy_shape_suppression(struct hy_shaping *shaping)
{
    const struct hy_shape shape = {.rank = 1, .extents = {extent_of(shaping, 2)}}, scalar = {0};
    const uint32_t outputs = shaping->node->output_count;

    for (uint32_t i = 0; i < outputs; i++)
        hy_shaping_give_partly(shaping, i, i + 1 < outputs ? &shape : &scalar);
}

void hy_shape_unique(struct hy_shaping *shaping)
{
    const struct hy_shape from = hy_shaping_shape(shaping, 0);
    const struct hy_shape values = {.rank = 1, .extents = {HY_UNKNOWN_EXTENT}};

    hy_shaping_expect(shaping, from.rank == 1);
    hy_shaping_give_partly(shaping, 0, &values);
    hy_shaping_give(shaping, 1, &from);
}

/* Input 0 is the shape. */
void hy_shape_random_numbers(struct hy_shaping *shaping)
{
    shape_given_by(shaping, 0);
}

/* The number of samples per row is input 1. */
void hy_shape_multinomial(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);

    hy_shaping_expect(shaping, shape.rank == 2);
    if (!shaping->fits)
        return;
    shape.extents[1] = extent_of(shaping, 1);
    hy_shaping_give_partly(shaping, 0, &shape);
}

/* Sizes along an axis; one size may be computed from the others. */
void hy_shape_split_v(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    const uint32_t outputs = shaping->node->output_count;
    int64_t sizes[HY_CONSTANT_MAX_INTS], axis[HY_GRAPH_MAX_RANK];
    int64_t rest;

    hy_shaping_expect(shaping, hy_constant_ints(hy_shaping_input(shaping, 1), sizes,
                                                HY_CONSTANT_MAX_INTS) == (int64_t)outputs);
    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 2, axis) == 1);
    if (!shaping->fits)
        return;
    const uint32_t at = hy_shaping_axis(shaping, axis[0], shape.rank);
    rest = shape.extents[at];
    for (uint32_t i = 0; i < outputs; i++)
        rest -= sizes[i] > 0 ? sizes[i] : 0;
    for (uint32_t i = 0; i < outputs; i++) {
        hy_shaping_set_extent(shaping, &shape, at, sizes[i] < 0 ? rest : sizes[i]);
        hy_shaping_give(shaping, i, &shape);
    }
}

/* A scalar. */
void hy_shape_scalar(struct hy_shaping *shaping)
{
    const struct hy_shape shape = {0};
    hy_shaping_give(shaping, 0, &shape);
}

/* A row of indices for each element that is not zero; only a constant has a known number of
 * rows. */
void hy_shape_where(struct hy_shaping *shaping)
{
    const struct hy_graph_tensor *condition = hy_shaping_input(shaping, 0);
    int64_t numbers[HY_CONSTANT_MAX_INTS];
    const int64_t count = hy_constant_ints(condition, numbers, HY_CONSTANT_MAX_INTS);
    struct hy_shape shape = {.rank = 2, .extents = {0, (int32_t)condition->rank}};

    hy_shaping_expect(shaping, condition->rank > 0);
    if (count < 0)
        shape.extents[0] = HY_UNKNOWN_EXTENT;
    for (int64_t i = 0; i < count; i++)
        shape.extents[0] += numbers[i] != 0;
    hy_shaping_give_partly(shaping, 0, &shape);
}
