#include "libhalyard/graph/shapes.h"

#include "common/checked.h"
#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/strided_slice.h"

#include <string.h>

struct shape {
    uint32_t rank;
    int32_t extents[HY_GRAPH_MAX_RANK];
};

/* One node whose outputs get their shapes. `fits` is false as soon as a shape cannot be told. */
struct shaping {
    struct hy_graph *graph;
    const struct hy_graph_node *node;
    bool fits;
};

typedef void (*rule)(struct shaping *shaping);

static const struct hy_graph_tensor no_tensor = {.name = ""};

static const struct hy_graph_tensor *input(struct shaping *shaping, uint32_t index)
{
    const uint32_t tensor = hy_graph_node_input(shaping->node, index);
    if (tensor != HY_NO_TENSOR)
        return &shaping->graph->tensors[tensor];
    shaping->fits = false;
    return &no_tensor;
}

static void expect(struct shaping *shaping, bool holds)
{
    shaping->fits = shaping->fits && holds;
}

/* The shape of an input, all of whose extents are known. */
static struct shape shape_of(struct shaping *shaping, uint32_t index)
{
    const struct hy_graph_tensor *tensor = input(shaping, index);
    struct shape shape = {.rank = tensor->rank};
    memcpy(shape.extents, tensor->extents, sizeof shape.extents);
    for (uint32_t i = 0; i < shape.rank; i++)
        expect(shaping, shape.extents[i] >= 0);
    return shape;
}

/* The numbers of a constant input, at most as many as a shape has; their count. */
static uint32_t numbers_of(struct shaping *shaping, uint32_t index,
                           int64_t numbers[HY_GRAPH_MAX_RANK])
{
    const int64_t count = hy_constant_ints(input(shaping, index), numbers, HY_GRAPH_MAX_RANK);
    expect(shaping, count >= 0);
    return shaping->fits ? (uint32_t)count : 0;
}

/* An axis that may count from the end. */
static uint32_t axis_of(struct shaping *shaping, int64_t axis, uint32_t rank)
{
    axis += axis < 0 ? (int64_t)rank : 0;
    expect(shaping, axis >= 0 && axis < (int64_t)rank);
    return shaping->fits ? (uint32_t)axis : 0;
}

static void set_extent(struct shaping *shaping, struct shape *shape, uint32_t index, int64_t extent)
{
    expect(shaping, extent >= 0 && extent <= INT32_MAX && index < HY_GRAPH_MAX_RANK);
    if (shaping->fits)
        shape->extents[index] = (int32_t)extent;
}

static void append(struct shaping *shaping, struct shape *shape, int64_t extent)
{
    set_extent(shaping, shape, shape->rank, extent);
    if (shaping->fits)
        shape->rank++;
}

/* Elements of a shape; a product that does not fit is no shape. */
static int64_t elements_of(struct shaping *shaping, const struct shape *shape)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; shaping->fits && i < shape->rank; i++)
        expect(shaping, hy_mul_u64(elements, (uint64_t)shape->extents[i], &elements) &&
                            elements <= INT64_MAX);
    return (int64_t)elements;
}

static void give(struct shaping *shaping, uint32_t output, const struct shape *shape)
{
    if (!shaping->fits || output >= shaping->node->output_count)
        return;
    struct hy_graph_tensor *tensor = &shaping->graph->tensors[shaping->node->outputs[output]];
    elements_of(shaping, shape);
    if (!shaping->fits)
        return;
    tensor->rank = shape->rank;
    memcpy(tensor->extents, shape->extents, sizeof tensor->extents);
}

/* ---- Elementwise ----------------------------------------------------------------------------- */

static void like_first(struct shaping *shaping)
{
    const struct shape shape = shape_of(shaping, 0);
    give(shaping, 0, &shape);
}

static struct shape broadcast(struct shaping *shaping, struct shape a, struct shape b)
{
    struct shape longer = a.rank >= b.rank ? a : b;
    const struct shape shorter = a.rank >= b.rank ? b : a;

    for (uint32_t i = 0; i < shorter.rank; i++) {
        const uint32_t at = longer.rank - shorter.rank + i;
        expect(shaping, longer.extents[at] == shorter.extents[i] || longer.extents[at] == 1 ||
                            shorter.extents[i] == 1);
        if (longer.extents[at] == 1)
            longer.extents[at] = shorter.extents[i];
    }
    return longer;
}

static void broadcast_two(struct shaping *shaping)
{
    const struct shape shape = broadcast(shaping, shape_of(shaping, 0), shape_of(shaping, 1));
    give(shaping, 0, &shape);
}

static void broadcast_three(struct shaping *shaping)
{
    struct shape shape = broadcast(shaping, shape_of(shaping, 0), shape_of(shaping, 1));
    shape = broadcast(shaping, shape, shape_of(shaping, 2));
    give(shaping, 0, &shape);
}

static void like_second(struct shaping *shaping)
{
    const struct shape shape = shape_of(shaping, 1);
    give(shaping, 0, &shape);
}

/* ---- Windows and images ---------------------------------------------------------------------- */

static int64_t window_extent(struct shaping *shaping, int64_t extent, enum hy_padding padding,
                             int64_t filter, int64_t stride, int64_t dilation)
{
    expect(shaping, stride > 0 && dilation > 0 && filter > 0);
    if (!shaping->fits)
        return 0;
    if (padding == HY_PADDING_SAME)
        return (extent + stride - 1) / stride;
    const int64_t reach = (filter - 1) * dilation + 1;
    expect(shaping, extent >= reach);
    return (extent - reach) / stride + 1;
}

static void window_shape(struct shaping *shaping, int32_t filter_height, int32_t filter_width,
                         int32_t channels)
{
    const struct hy_attributes_conv *attributes = &shaping->node->attributes.conv;
    struct shape shape = shape_of(shaping, 0);

    expect(shaping, shape.rank == 4);
    set_extent(shaping, &shape, 1,
               window_extent(shaping, shape.extents[1], attributes->padding, filter_height,
                             attributes->stride_height, attributes->dilation_height));
    set_extent(shaping, &shape, 2,
               window_extent(shaping, shape.extents[2], attributes->padding, filter_width,
                             attributes->stride_width, attributes->dilation_width));
    set_extent(shaping, &shape, 3, channels);
    give(shaping, 0, &shape);
}

static void conv_2d(struct shaping *shaping)
{
    const struct shape filter = shape_of(shaping, 1);
    expect(shaping, filter.rank == 4);
    window_shape(shaping, filter.extents[1], filter.extents[2], filter.extents[0]);
}

static void depthwise_conv_2d(struct shaping *shaping)
{
    const struct shape filter = shape_of(shaping, 1);
    expect(shaping, filter.rank == 4);
    window_shape(shaping, filter.extents[1], filter.extents[2], filter.extents[3]);
}

/* The first input is the output's shape; where it is left out, the window tells the shape. */
static void transpose_conv_2d(struct shaping *shaping)
{
    const struct hy_attributes_conv *attributes = &shaping->node->attributes.conv;
    const struct shape filter = shape_of(shaping, 1);
    struct shape shape = shape_of(shaping, 2);
    int64_t given[HY_GRAPH_MAX_RANK];

    expect(shaping, filter.rank == 4 && shape.rank == 4);
    if (!shaping->fits)
        return;
    if (hy_graph_node_input(shaping->node, 0) != HY_NO_TENSOR) {
        expect(shaping, numbers_of(shaping, 0, given) == 4);
        for (uint32_t i = 0; shaping->fits && i < 4; i++)
            set_extent(shaping, &shape, i, given[i]);
        give(shaping, 0, &shape);
        return;
    }
    const bool same = attributes->padding == HY_PADDING_SAME;
    const int64_t height = shape.extents[1], width = shape.extents[2];
    set_extent(shaping, &shape, 1,
               same ? height * attributes->stride_height
                    : (height - 1) * attributes->stride_height + filter.extents[1]);
    set_extent(shaping, &shape, 2,
               same ? width * attributes->stride_width
                    : (width - 1) * attributes->stride_width + filter.extents[2]);
    set_extent(shaping, &shape, 3, filter.extents[0]);
    give(shaping, 0, &shape);
}

/* Anchors tell nothing: the attributes say how many detections there are at most. */
static void detection_postprocess(struct shaping *shaping)
{
    const struct hy_attributes_detection *attributes = &shaping->node->attributes.detection;
    const int64_t count =
        (int64_t)attributes->max_detections * attributes->max_classes_per_detection;
    const struct shape boxes = shape_of(shaping, 0);
    struct shape shape = {0};

    expect(shaping, boxes.rank == 3);
    append(shaping, &shape, boxes.extents[0]);
    give(shaping, 3, &shape);
    append(shaping, &shape, count);
    give(shaping, 1, &shape);
    give(shaping, 2, &shape);
    append(shaping, &shape, 4);
    give(shaping, 0, &shape);
}

static void pool_2d(struct shaping *shaping)
{
    const struct hy_attributes_pool *attributes = &shaping->node->attributes.pool;
    struct shape shape = shape_of(shaping, 0);

    expect(shaping, shape.rank == 4);
    set_extent(shaping, &shape, 1,
               window_extent(shaping, shape.extents[1], attributes->padding,
                             attributes->filter_height, attributes->stride_height, 1));
    set_extent(shaping, &shape, 2,
               window_extent(shaping, shape.extents[2], attributes->padding,
                             attributes->filter_width, attributes->stride_width, 1));
    give(shaping, 0, &shape);
}

/* The second input is the size: height, width. */
static void resize(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    int64_t size[HY_GRAPH_MAX_RANK];

    expect(shaping, numbers_of(shaping, 1, size) == 2 && shape.rank == 4);
    if (!shaping->fits)
        return;
    set_extent(shaping, &shape, 1, size[0]);
    set_extent(shaping, &shape, 2, size[1]);
    give(shaping, 0, &shape);
}

static void depth_to_space(struct shaping *shaping)
{
    const int64_t block = shaping->node->attributes.block.size;
    struct shape shape = shape_of(shaping, 0);

    expect(shaping, shape.rank == 4 && block > 0 && shape.extents[3] % (block * block) == 0);
    if (!shaping->fits)
        return;
    set_extent(shaping, &shape, 1, shape.extents[1] * block);
    set_extent(shaping, &shape, 2, shape.extents[2] * block);
    set_extent(shaping, &shape, 3, shape.extents[3] / (block * block));
    give(shaping, 0, &shape);
}

static void space_to_depth(struct shaping *shaping)
{
    const int64_t block = shaping->node->attributes.block.size;
    struct shape shape = shape_of(shaping, 0);

    expect(shaping, shape.rank == 4 && block > 0 && shape.extents[1] % block == 0 &&
                        shape.extents[2] % block == 0);
    if (!shaping->fits)
        return;
    set_extent(shaping, &shape, 1, shape.extents[1] / block);
    set_extent(shaping, &shape, 2, shape.extents[2] / block);
    set_extent(shaping, &shape, 3, shape.extents[3] * block * block);
    give(shaping, 0, &shape);
}

/* Numbers of a block of two dimensions, and of what is put or cut around it: before and after, for
 * each of the two. */
static bool block_of(struct shaping *shaping, int64_t block[2], int64_t around[4])
{
    expect(shaping, hy_constant_ints(input(shaping, 1), block, 2) == 2 &&
                        hy_constant_ints(input(shaping, 2), around, 4) == 4);
    expect(shaping, shaping->fits && block[0] > 0 && block[0] < INT16_MAX && block[1] > 0 &&
                        block[1] < INT16_MAX);
    return shaping->fits;
}

static void batch_to_space(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    int64_t block[2], crops[4];

    expect(shaping, shape.rank == 4);
    if (!block_of(shaping, block, crops))
        return;
    expect(shaping, shape.extents[0] % (block[0] * block[1]) == 0);
    set_extent(shaping, &shape, 0, shape.extents[0] / (block[0] * block[1]));
    set_extent(shaping, &shape, 1, shape.extents[1] * block[0] - crops[0] - crops[1]);
    set_extent(shaping, &shape, 2, shape.extents[2] * block[1] - crops[2] - crops[3]);
    give(shaping, 0, &shape);
}

static void space_to_batch(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    int64_t block[2], pads[4];

    expect(shaping, shape.rank == 4);
    if (!block_of(shaping, block, pads))
        return;
    const int64_t height = shape.extents[1] + pads[0] + pads[1];
    const int64_t width = shape.extents[2] + pads[2] + pads[3];
    expect(shaping, height % block[0] == 0 && width % block[1] == 0);
    set_extent(shaping, &shape, 0, shape.extents[0] * block[0] * block[1]);
    set_extent(shaping, &shape, 1, height / block[0]);
    set_extent(shaping, &shape, 2, width / block[1]);
    give(shaping, 0, &shape);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static void fully_connected(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    const struct shape filter = shape_of(shaping, 1);
    const int64_t elements = elements_of(shaping, &shape);

    expect(shaping, filter.rank == 2 && filter.extents[1] > 0);
    expect(shaping, shaping->fits && elements % filter.extents[1] == 0);
    if (!shaping->fits)
        return;
    if (shaping->node->attributes.fully_connected.keep_dimensions) {
        expect(shaping, shape.rank > 0 && shape.extents[shape.rank - 1] == filter.extents[1]);
        if (shaping->fits)
            shape.extents[shape.rank - 1] = filter.extents[0];
    } else {
        shape.rank = 2;
        set_extent(shaping, &shape, 0, elements / filter.extents[1]);
        shape.extents[1] = filter.extents[0];
    }
    give(shaping, 0, &shape);
}

static void batch_matmul(struct shaping *shaping)
{
    const struct hy_attributes_matmul *attributes = &shaping->node->attributes.matmul;
    struct shape a = shape_of(shaping, 0);
    struct shape b = shape_of(shaping, 1);

    expect(shaping, a.rank >= 2 && b.rank >= 2);
    if (!shaping->fits)
        return;
    const int32_t rows = a.extents[attributes->adjoint_a ? a.rank - 1 : a.rank - 2];
    const int32_t columns = b.extents[attributes->adjoint_b ? b.rank - 2 : b.rank - 1];
    a.rank -= 2;
    b.rank -= 2;
    struct shape shape = broadcast(shaping, a, b);
    append(shaping, &shape, rows);
    append(shaping, &shape, columns);
    give(shaping, 0, &shape);
}

/* ---- Movement -------------------------------------------------------------------------------- */

static void concatenation(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    const uint32_t axis = axis_of(shaping, shaping->node->attributes.axis.axis, shape.rank);
    int64_t sum = 0;

    for (uint32_t i = 0; shaping->fits && i < shaping->node->input_count; i++) {
        const struct shape part = shape_of(shaping, i);
        expect(shaping, part.rank == shape.rank);
        sum += shaping->fits ? part.extents[axis] : 0;
    }
    set_extent(shaping, &shape, axis, sum);
    give(shaping, 0, &shape);
}

static void expand_dims(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    int64_t axis[HY_GRAPH_MAX_RANK];

    expect(shaping, numbers_of(shaping, 1, axis) == 1 && shape.rank < HY_GRAPH_MAX_RANK);
    if (!shaping->fits)
        return;
    const uint32_t at = axis_of(shaping, axis[0], shape.rank + 1);
    memmove(shape.extents + at + 1, shape.extents + at, (shape.rank - at) * sizeof *shape.extents);
    shape.extents[at] = 1;
    shape.rank++;
    give(shaping, 0, &shape);
}

/* The first input is the shape. */
static void shape_given(struct shaping *shaping)
{
    int64_t extents[HY_GRAPH_MAX_RANK];
    struct shape shape = {0};
    const uint32_t rank = numbers_of(shaping, 0, extents);

    for (uint32_t i = 0; i < rank; i++)
        append(shaping, &shape, extents[i]);
    give(shaping, 0, &shape);
}

static void gather(struct shaping *shaping)
{
    const struct hy_attributes_gather *attributes = &shaping->node->attributes.gather;
    const struct shape from = shape_of(shaping, 0);
    const struct shape indices = shape_of(shaping, 1);
    const uint32_t axis = axis_of(shaping, attributes->axis, from.rank);
    struct shape shape = {0};

    expect(shaping, attributes->batch_dimensions >= 0 &&
                        attributes->batch_dimensions <= (int32_t)indices.rank);
    if (!shaping->fits)
        return;
    for (uint32_t i = 0; i < axis; i++)
        append(shaping, &shape, from.extents[i]);
    for (uint32_t i = (uint32_t)attributes->batch_dimensions; i < indices.rank; i++)
        append(shaping, &shape, indices.extents[i]);
    for (uint32_t i = axis + 1; i < from.rank; i++)
        append(shaping, &shape, from.extents[i]);
    give(shaping, 0, &shape);
}

static void pack(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    const uint32_t axis = axis_of(shaping, shaping->node->attributes.axis.axis, shape.rank + 1);

    expect(shaping, shape.rank < HY_GRAPH_MAX_RANK);
    if (!shaping->fits)
        return;
    memmove(shape.extents + axis + 1, shape.extents + axis,
            (shape.rank - axis) * sizeof *shape.extents);
    shape.extents[axis] = (int32_t)shaping->node->input_count;
    shape.rank++;
    give(shaping, 0, &shape);
}

static void unpack(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    const uint32_t axis = axis_of(shaping, shaping->node->attributes.axis.axis, shape.rank);

    if (!shaping->fits)
        return;
    memmove(shape.extents + axis, shape.extents + axis + 1,
            (shape.rank - axis - 1) * sizeof *shape.extents);
    shape.rank--;
    for (uint32_t i = 0; i < shaping->node->output_count; i++)
        give(shaping, i, &shape);
}

/* Rows of (before, after), one per dimension. */
static void pad(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    int64_t paddings[2 * HY_GRAPH_MAX_RANK];

    expect(shaping, hy_constant_ints(input(shaping, 1), paddings, 2 * HY_GRAPH_MAX_RANK) ==
                        2 * (int64_t)shape.rank);
    for (uint32_t i = 0; shaping->fits && i < shape.rank; i++)
        set_extent(shaping, &shape, i, shape.extents[i] + paddings[2 * i] + paddings[2 * i + 1]);
    give(shaping, 0, &shape);
}

/* The second input, or where there is none the attribute, with at most one extent to be told. */
static void reshape(struct shaping *shaping)
{
    const struct hy_attributes_reshape *attributes = &shaping->node->attributes.reshape;
    const struct shape from = shape_of(shaping, 0);
    int64_t wanted[HY_GRAPH_MAX_RANK];
    struct shape shape = {0};
    const int64_t elements = elements_of(shaping, &from);
    uint64_t known = 1;
    int32_t open = -1;
    uint32_t rank;

    if (hy_graph_node_input(shaping->node, 1) != HY_NO_TENSOR && input(shaping, 1)->rank == 1) {
        rank = numbers_of(shaping, 1, wanted);
    } else {
        rank = (uint32_t)attributes->count;
        expect(shaping, rank <= HY_GRAPH_MAX_RANK && attributes->extents);
        for (uint32_t i = 0; shaping->fits && i < rank; i++)
            wanted[i] = attributes->extents[i];
    }
    for (uint32_t i = 0; shaping->fits && i < rank; i++) {
        if (wanted[i] == -1) {
            expect(shaping, open < 0);
            open = (int32_t)i;
        } else {
            expect(shaping, wanted[i] >= 0 && hy_mul_u64(known, (uint64_t)wanted[i], &known) &&
                                known <= INT64_MAX);
        }
        append(shaping, &shape, wanted[i] == -1 ? 1 : wanted[i]);
    }
    if (!shaping->fits)
        return;
    const int64_t rest = (int64_t)known;
    expect(shaping, open >= 0 ? rest > 0 && elements % rest == 0 : rest == elements);
    if (shaping->fits && open >= 0)
        set_extent(shaping, &shape, (uint32_t)open, elements / rest);
    give(shaping, 0, &shape);
}

static void slice(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    int64_t begin[HY_GRAPH_MAX_RANK], size[HY_GRAPH_MAX_RANK];

    expect(shaping, numbers_of(shaping, 1, begin) == shape.rank);
    expect(shaping, numbers_of(shaping, 2, size) == shape.rank);
    for (uint32_t i = 0; shaping->fits && i < shape.rank; i++)
        set_extent(shaping, &shape, i, size[i] < 0 ? shape.extents[i] - begin[i] : size[i]);
    give(shaping, 0, &shape);
}

static void strided_slice(struct shaping *shaping)
{
    struct hy_strided_slice slice;
    struct shape shape = {0};

    expect(shaping, hy_strided_slice_resolve(shaping->graph, shaping->node, &slice));
    for (uint32_t i = 0; shaping->fits && i < slice.output_rank; i++)
        append(shaping, &shape, slice.output_extents[i]);
    give(shaping, 0, &shape);
}

/* The shape of a shape. */
static void shape_vector(struct shaping *shaping)
{
    const struct shape shape = {.rank = 1, .extents = {(int32_t)input(shaping, 0)->rank}};
    give(shaping, 0, &shape);
}

/* From start to limit in steps of delta, of integers. */
static void range(struct shaping *shaping)
{
    int64_t numbers[3];
    struct shape shape = {0};

    for (uint32_t i = 0; i < 3; i++)
        expect(shaping, hy_constant_int(input(shaping, i), &numbers[i]));
    expect(shaping, shaping->fits && numbers[2] != 0);
    if (!shaping->fits)
        return;
    const int64_t span = numbers[2] > 0 ? numbers[1] - numbers[0] : numbers[0] - numbers[1];
    const int64_t step = numbers[2] > 0 ? numbers[2] : -numbers[2];
    append(shaping, &shape, span > 0 ? (span + step - 1) / step : 0);
    give(shaping, 0, &shape);
}

/* The second input is the shape. */
static void broadcast_to(struct shaping *shaping)
{
    int64_t extents[HY_GRAPH_MAX_RANK];
    struct shape shape = {0};
    const uint32_t rank = numbers_of(shaping, 1, extents);

    for (uint32_t i = 0; i < rank; i++)
        append(shaping, &shape, extents[i]);
    give(shaping, 0, &shape);
}

static void split(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 1);
    const int64_t count = shaping->node->output_count;
    int64_t axis[HY_GRAPH_MAX_RANK];

    expect(shaping, numbers_of(shaping, 0, axis) == 1 && count > 0);
    if (!shaping->fits)
        return;
    const uint32_t at = axis_of(shaping, axis[0], shape.rank);
    expect(shaping, shape.extents[at] % count == 0);
    set_extent(shaping, &shape, at, shape.extents[at] / count);
    for (uint32_t i = 0; i < count; i++)
        give(shaping, i, &shape);
}

static void squeeze(struct shaping *shaping)
{
    const struct hy_attributes_squeeze *attributes = &shaping->node->attributes.squeeze;
    const struct shape from = shape_of(shaping, 0);
    struct shape shape = {0};
    bool goes[HY_GRAPH_MAX_RANK] = {false};

    for (uint32_t i = 0; shaping->fits && i < attributes->count; i++) {
        const uint32_t axis = axis_of(shaping, attributes->axes[i], from.rank);
        expect(shaping, from.extents[axis] == 1);
        goes[axis] = true;
    }
    for (uint32_t i = 0; i < from.rank; i++) {
        if (!(attributes->count ? goes[i] : from.extents[i] == 1))
            append(shaping, &shape, from.extents[i]);
    }
    give(shaping, 0, &shape);
}

static void tile(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    int64_t multiples[HY_GRAPH_MAX_RANK];

    expect(shaping, numbers_of(shaping, 1, multiples) == shape.rank);
    for (uint32_t i = 0; shaping->fits && i < shape.rank; i++) {
        expect(shaping, multiples[i] >= 0 && multiples[i] <= INT32_MAX);
        set_extent(shaping, &shape, i, shape.extents[i] * multiples[i]);
    }
    give(shaping, 0, &shape);
}

static void transpose(struct shaping *shaping)
{
    const struct shape from = shape_of(shaping, 0);
    struct shape shape = {0};
    int64_t order[HY_GRAPH_MAX_RANK];

    expect(shaping, numbers_of(shaping, 1, order) == from.rank);
    for (uint32_t i = 0; shaping->fits && i < from.rank; i++)
        append(shaping, &shape, from.extents[axis_of(shaping, order[i], from.rank)]);
    give(shaping, 0, &shape);
}

/* ---- Reduction ------------------------------------------------------------------------------- */

static void reduce(struct shaping *shaping)
{
    const struct shape from = shape_of(shaping, 0);
    struct shape shape = {0};
    int64_t axes[HY_GRAPH_MAX_RANK];
    bool goes[HY_GRAPH_MAX_RANK] = {false};
    const uint32_t count = numbers_of(shaping, 1, axes);

    for (uint32_t i = 0; shaping->fits && i < count; i++)
        goes[axis_of(shaping, axes[i], from.rank)] = true;
    for (uint32_t i = 0; shaping->fits && i < from.rank; i++) {
        if (!goes[i])
            append(shaping, &shape, from.extents[i]);
        else if (shaping->node->attributes.reduce.keep_dimensions)
            append(shaping, &shape, 1);
    }
    give(shaping, 0, &shape);
}

/* The axis goes. */
static void arg_extreme(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    int64_t axis[HY_GRAPH_MAX_RANK];

    expect(shaping, numbers_of(shaping, 1, axis) == 1);
    if (!shaping->fits)
        return;
    const uint32_t at = axis_of(shaping, axis[0], shape.rank);
    if (!shaping->fits)
        return;
    memmove(shape.extents + at, shape.extents + at + 1,
            (shape.rank - at - 1) * sizeof *shape.extents);
    shape.rank--;
    give(shaping, 0, &shape);
}

static void topk_v2(struct shaping *shaping)
{
    struct shape shape = shape_of(shaping, 0);
    int64_t k[HY_GRAPH_MAX_RANK];

    expect(shaping, numbers_of(shaping, 1, k) == 1 && shape.rank > 0);
    if (!shaping->fits)
        return;
    set_extent(shaping, &shape, shape.rank - 1, k[0]);
    give(shaping, 0, &shape);
    give(shaping, 1, &shape);
}

/* ---- The table ------------------------------------------------------------------------------- */

static const rule rules[HY_OPERATOR_COUNT] = {
    [HY_OPERATOR_ABS] = like_first,
    [HY_OPERATOR_ADD] = broadcast_two,
    [HY_OPERATOR_ARG_MAX] = arg_extreme,
    [HY_OPERATOR_ARG_MIN] = arg_extreme,
    [HY_OPERATOR_AVERAGE_POOL_2D] = pool_2d,
    [HY_OPERATOR_BATCH_MATMUL] = batch_matmul,
    [HY_OPERATOR_BATCH_TO_SPACE_ND] = batch_to_space,
    [HY_OPERATOR_BROADCAST_TO] = broadcast_to,
    [HY_OPERATOR_CAST] = like_first,
    [HY_OPERATOR_CEIL] = like_first,
    [HY_OPERATOR_CONCATENATION] = concatenation,
    [HY_OPERATOR_CONV_2D] = conv_2d,
    [HY_OPERATOR_DENSIFY] = like_first,
    [HY_OPERATOR_DEPTHWISE_CONV_2D] = depthwise_conv_2d,
    [HY_OPERATOR_DEPTH_TO_SPACE] = depth_to_space,
    [HY_OPERATOR_DEQUANTIZE] = like_first,
    [HY_OPERATOR_DETECTION_POSTPROCESS] = detection_postprocess,
    [HY_OPERATOR_DIV] = broadcast_two,
    [HY_OPERATOR_ELU] = like_first,
    [HY_OPERATOR_EQUAL] = broadcast_two,
    [HY_OPERATOR_EXP] = like_first,
    [HY_OPERATOR_EXPAND_DIMS] = expand_dims,
    [HY_OPERATOR_FILL] = shape_given,
    [HY_OPERATOR_FLOOR] = like_first,
    [HY_OPERATOR_FULLY_CONNECTED] = fully_connected,
    [HY_OPERATOR_GATHER] = gather,
    [HY_OPERATOR_GREATER] = broadcast_two,
    [HY_OPERATOR_GREATER_EQUAL] = broadcast_two,
    [HY_OPERATOR_HARD_SWISH] = like_first,
    [HY_OPERATOR_L2_NORMALIZATION] = like_first,
    [HY_OPERATOR_L2_POOL_2D] = pool_2d,
    [HY_OPERATOR_LEAKY_RELU] = like_first,
    [HY_OPERATOR_LESS] = broadcast_two,
    [HY_OPERATOR_LESS_EQUAL] = broadcast_two,
    [HY_OPERATOR_LOCAL_RESPONSE_NORMALIZATION] = like_first,
    [HY_OPERATOR_LOG] = like_first,
    [HY_OPERATOR_LOGICAL_AND] = broadcast_two,
    [HY_OPERATOR_LOGICAL_NOT] = like_first,
    [HY_OPERATOR_LOGICAL_OR] = broadcast_two,
    [HY_OPERATOR_LOGISTIC] = like_first,
    [HY_OPERATOR_LOG_SOFTMAX] = like_first,
    [HY_OPERATOR_MAX_POOL_2D] = pool_2d,
    [HY_OPERATOR_MAXIMUM] = broadcast_two,
    [HY_OPERATOR_MEAN] = reduce,
    [HY_OPERATOR_MINIMUM] = broadcast_two,
    [HY_OPERATOR_MIRROR_PAD] = pad,
    [HY_OPERATOR_MUL] = broadcast_two,
    [HY_OPERATOR_NEG] = like_first,
    [HY_OPERATOR_NOT_EQUAL] = broadcast_two,
    [HY_OPERATOR_PACK] = pack,
    [HY_OPERATOR_PAD] = pad,
    [HY_OPERATOR_PAD_V2] = pad,
    [HY_OPERATOR_POW] = broadcast_two,
    [HY_OPERATOR_PRELU] = broadcast_two,
    [HY_OPERATOR_QUANTIZE] = like_first,
    [HY_OPERATOR_RANGE] = range,
    [HY_OPERATOR_REDUCE_ALL] = reduce,
    [HY_OPERATOR_REDUCE_ANY] = reduce,
    [HY_OPERATOR_REDUCE_MAX] = reduce,
    [HY_OPERATOR_REDUCE_MIN] = reduce,
    [HY_OPERATOR_REDUCE_PROD] = reduce,
    [HY_OPERATOR_RELU] = like_first,
    [HY_OPERATOR_RELU1] = like_first,
    [HY_OPERATOR_RELU6] = like_first,
    [HY_OPERATOR_RESHAPE] = reshape,
    [HY_OPERATOR_RESIZE_BILINEAR] = resize,
    [HY_OPERATOR_RESIZE_NEAREST_NEIGHBOR] = resize,
    [HY_OPERATOR_REVERSE] = like_first,
    [HY_OPERATOR_RSQRT] = like_first,
    [HY_OPERATOR_SELECT] = like_second,
    [HY_OPERATOR_SELECT_V2] = broadcast_three,
    [HY_OPERATOR_SHAPE] = shape_vector,
    [HY_OPERATOR_SIN] = like_first,
    [HY_OPERATOR_SLICE] = slice,
    [HY_OPERATOR_SOFTMAX] = like_first,
    [HY_OPERATOR_SPACE_TO_BATCH_ND] = space_to_batch,
    [HY_OPERATOR_SPACE_TO_DEPTH] = space_to_depth,
    [HY_OPERATOR_SPLIT] = split,
    [HY_OPERATOR_SQRT] = like_first,
    [HY_OPERATOR_SQUARE] = like_first,
    [HY_OPERATOR_SQUARED_DIFFERENCE] = broadcast_two,
    [HY_OPERATOR_SQUEEZE] = squeeze,
    [HY_OPERATOR_STRIDED_SLICE] = strided_slice,
    [HY_OPERATOR_SUB] = broadcast_two,
    [HY_OPERATOR_SUM] = reduce,
    [HY_OPERATOR_TANH] = like_first,
    [HY_OPERATOR_TILE] = tile,
    [HY_OPERATOR_TOPK_V2] = topk_v2,
    [HY_OPERATOR_TRANSPOSE] = transpose,
    [HY_OPERATOR_TRANSPOSE_CONV_2D] = transpose_conv_2d,
    [HY_OPERATOR_UNPACK] = unpack,
};

void hy_graph_infer_shapes(struct hy_graph *graph, const struct hy_graph_node *node)
{
    struct shaping shaping = {.graph = graph, .node = node, .fits = true};
    if (rules[node->operator_])
        rules[node->operator_](&shaping);
}
