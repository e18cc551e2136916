#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/shapes/shape_rules.h"

/* `extent` has explicit padding in it. */
static int64_t window_extent(struct hy_shaping *shaping, int64_t extent, enum hy_padding padding,
                             int64_t filter, int64_t stride, int64_t dilation)
{
    hy_shaping_expect(shaping, stride > 0 && dilation > 0 && filter > 0);
    if (!shaping->fits)
        return 0;
    if (padding == HY_PADDING_SAME)
        return (extent + stride - 1) / stride;
    const int64_t reach = (filter - 1) * dilation + 1;
    hy_shaping_expect(shaping, extent >= reach);
    return (extent - reach) / stride + 1;
}

/* An image, whose batches may be known to a run alone. */
static struct hy_shape image_shape(struct hy_shaping *shaping)
{
    const struct hy_shape shape = hy_shaping_open_shape(shaping, 0);

    hy_shaping_expect(shaping, shape.rank == 4 && shape.extents[1] >= 0 && shape.extents[2] >= 0);
    return shape;
}

static void window_shape(struct hy_shaping *shaping, int32_t filter_height, int32_t filter_width,
                         int32_t channels)
{
    const struct hy_attributes_conv *attributes = &shaping->node->attributes.conv;
    struct hy_shape shape = image_shape(shaping);
    int64_t height = shape.extents[1], width = shape.extents[2];

    if (attributes->padding == HY_PADDING_EXPLICIT) {
        height += (int64_t)attributes->padding_top + attributes->padding_bottom;
        width += (int64_t)attributes->padding_left + attributes->padding_right;
    }
    hy_shaping_set_extent(shaping, &shape, 1,
                          window_extent(shaping, height, attributes->padding, filter_height,
                                        attributes->stride_height, attributes->dilation_height));
    hy_shaping_set_extent(shaping, &shape, 2,
                          window_extent(shaping, width, attributes->padding, filter_width,
                                        attributes->stride_width, attributes->dilation_width));
    hy_shaping_set_extent(shaping, &shape, 3, channels);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_conv_2d(struct hy_shaping *shaping)
{
    const struct hy_shape filter = hy_shaping_shape(shaping, 1);
    hy_shaping_expect(shaping, filter.rank == 4);
    window_shape(shaping, filter.extents[1], filter.extents[2], filter.extents[0]);
}

void hy_shape_depthwise_conv_2d(struct hy_shaping *shaping)
{
    const struct hy_shape filter = hy_shaping_shape(shaping, 1);
    hy_shaping_expect(shaping, filter.rank == 4);
    window_shape(shaping, filter.extents[1], filter.extents[2], filter.extents[3]);
}

/* The first input is the output's shape; without it the shape is derived from the window. */
void hy_shape_transpose_conv_2d(struct hy_shaping *shaping)
{
    const struct hy_attributes_conv *attributes = &shaping->node->attributes.conv;
    const struct hy_shape filter = hy_shaping_shape(shaping, 1);
    struct hy_shape shape = hy_shaping_shape(shaping, 2);
    int64_t given[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, filter.rank == 4 && shape.rank == 4);
    if (!shaping->fits)
        return;
    if (hy_graph_node_input(shaping->node, 0) != HY_NO_TENSOR) {
        hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 0, given) == 4);
        for (uint32_t i = 0; shaping->fits && i < 4; i++)
            hy_shaping_set_extent(shaping, &shape, i, given[i]);
        hy_shaping_give(shaping, 0, &shape);
        return;
    }
    const bool same = attributes->padding == HY_PADDING_SAME;
    const int64_t height = shape.extents[1], width = shape.extents[2];
    hy_shaping_set_extent(shaping, &shape, 1,
                          same ? height * attributes->stride_height
                               : (height - 1) * attributes->stride_height + filter.extents[1]);
    hy_shaping_set_extent(shaping, &shape, 2,
                          same ? width * attributes->stride_width
                               : (width - 1) * attributes->stride_width + filter.extents[2]);
    hy_shaping_set_extent(shaping, &shape, 3, filter.extents[0]);
    hy_shaping_give(shaping, 0, &shape);
}

/* Filters are [depth, height, width, inputs, outputs]. */
void hy_shape_conv_3d(struct hy_shaping *shaping)
{
    const struct hy_attributes_conv_3d *attributes = &shaping->node->attributes.conv_3d;
    const struct hy_shape filter = hy_shaping_shape(shaping, 1);
    struct hy_shape shape = hy_shaping_shape(shaping, 0);

    hy_shaping_expect(shaping, filter.rank == 5 && shape.rank == 5);
    for (uint32_t i = 0; i < 3; i++)
        hy_shaping_set_extent(shaping, &shape, 1 + i,
                              window_extent(shaping, shape.extents[1 + i], attributes->padding,
                                            filter.extents[i], attributes->strides[i],
                                            attributes->dilations[i]));
    hy_shaping_set_extent(shaping, &shape, 4, filter.extents[4]);
    hy_shaping_give(shaping, 0, &shape);
}

/* The first input is the output's shape. */
void hy_shape_transpose_conv_3d(struct hy_shaping *shaping)
{
    int64_t given[HY_GRAPH_MAX_RANK];
    struct hy_shape shape = {0};

    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 0, given) == 5);
    for (uint32_t i = 0; shaping->fits && i < 5; i++)
        hy_shaping_append(shaping, &shape, given[i]);
    hy_shaping_give(shaping, 0, &shape);
}

/* The attributes limit the number of detections; the anchors do not matter. */
void hy_shape_detection_postprocess(struct hy_shaping *shaping)
{
    const struct hy_attributes_detection *attributes = &shaping->node->attributes.detection;
    const int64_t count =
        (int64_t)attributes->max_detections * attributes->max_classes_per_detection;
    const struct hy_shape boxes = hy_shaping_shape(shaping, 0);
    struct hy_shape shape = {0};

    hy_shaping_expect(shaping, boxes.rank == 3);
    hy_shaping_append(shaping, &shape, boxes.extents[0]);
    hy_shaping_give(shaping, 3, &shape);
    hy_shaping_append(shaping, &shape, count);
    hy_shaping_give(shaping, 1, &shape);
    hy_shaping_give(shaping, 2, &shape);
    hy_shaping_append(shaping, &shape, 4);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_pool_2d(struct hy_shaping *shaping)
{
    const struct hy_attributes_pool *attributes = &shaping->node->attributes.pool;
    struct hy_shape shape = image_shape(shaping);

    hy_shaping_set_extent(shaping, &shape, 1,
                          window_extent(shaping, shape.extents[1], attributes->padding,
                                        attributes->filter_height, attributes->stride_height, 1));
    hy_shaping_set_extent(shaping, &shape, 2,
                          window_extent(shaping, shape.extents[2], attributes->padding,
                                        attributes->filter_width, attributes->stride_width, 1));
    /* one output, or a second one with the indices */
    for (uint32_t i = 0; i < shaping->node->output_count; i++)
        hy_shaping_give(shaping, i, &shape);
}

/* A window for each pixel, side by side. */
void hy_shape_unpool_2d(struct hy_shaping *shaping)
{
    const struct hy_attributes_pool *attributes = &shaping->node->attributes.pool;
    struct hy_shape shape = image_shape(shaping);

    hy_shaping_set_extent(shaping, &shape, 1,
                          (int64_t)shape.extents[1] * attributes->filter_height);
    hy_shaping_set_extent(shaping, &shape, 2, (int64_t)shape.extents[2] * attributes->filter_width);
    hy_shaping_give(shaping, 0, &shape);
}

/* One matrix of 4 by 4. */
void hy_shape_landmarks_matrix(struct hy_shaping *shaping)
{
    hy_shaping_give(shaping, 0, &(struct hy_shape){.rank = 3, .extents = {1, 4, 4}});
}

void hy_shape_transform_tensor(struct hy_shaping *shaping)
{
    const struct hy_attributes_transform_tensor *attributes =
        &shaping->node->attributes.transform_tensor;
    struct hy_shape shape = hy_shaping_open_shape(shaping, 0);

    hy_shaping_expect(shaping, shape.rank == 4);
    hy_shaping_set_extent(shaping, &shape, 1, attributes->height);
    hy_shaping_set_extent(shaping, &shape, 2, attributes->width);
    hy_shaping_give(shaping, 0, &shape);
}

/* The second input is the size: height, width. */
void hy_shape_resize(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_open_shape(shaping, 0);
    int64_t size[HY_GRAPH_MAX_RANK];

    hy_shaping_expect(shaping, hy_shaping_numbers(shaping, 1, size) == 2 && shape.rank == 4);
    if (!shaping->fits)
        return;
    hy_shaping_set_extent(shaping, &shape, 1, size[0]);
    hy_shaping_set_extent(shaping, &shape, 2, size[1]);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_depth_to_space(struct hy_shaping *shaping)
{
    const int64_t block = shaping->node->attributes.block.size;
    struct hy_shape shape = hy_shaping_shape(shaping, 0);

    hy_shaping_expect(shaping,
                      shape.rank == 4 && block > 0 && shape.extents[3] % (block * block) == 0);
    if (!shaping->fits)
        return;
    hy_shaping_set_extent(shaping, &shape, 1, shape.extents[1] * block);
    hy_shaping_set_extent(shaping, &shape, 2, shape.extents[2] * block);
    hy_shaping_set_extent(shaping, &shape, 3, shape.extents[3] / (block * block));
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_space_to_depth(struct hy_shaping *shaping)
{
    const int64_t block = shaping->node->attributes.block.size;
    struct hy_shape shape = hy_shaping_shape(shaping, 0);

    hy_shaping_expect(shaping, shape.rank == 4 && block > 0 && shape.extents[1] % block == 0 &&
                                   shape.extents[2] % block == 0);
    if (!shaping->fits)
        return;
    hy_shaping_set_extent(shaping, &shape, 1, shape.extents[1] / block);
    hy_shaping_set_extent(shaping, &shape, 2, shape.extents[2] / block);
    hy_shaping_set_extent(shaping, &shape, 3, shape.extents[3] * block * block);
    hy_shaping_give(shaping, 0, &shape);
}

/* Numbers of a block of two dimensions, and of what is put or cut around it: before and after, for
 * each of the two. */
static bool block_of(struct hy_shaping *shaping, int64_t block[2], int64_t around[4])
{
    hy_shaping_expect(shaping, hy_constant_ints(hy_shaping_input(shaping, 1), block, 2) == 2 &&
                                   hy_constant_ints(hy_shaping_input(shaping, 2), around, 4) == 4);
    hy_shaping_expect(shaping, shaping->fits && block[0] > 0 && block[0] < INT16_MAX &&
                                   block[1] > 0 && block[1] < INT16_MAX);
    return shaping->fits;
}

void hy_shape_batch_to_space(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t block[2], crops[4];

    hy_shaping_expect(shaping, shape.rank == 4);
    if (!block_of(shaping, block, crops))
        return;
    hy_shaping_expect(shaping, shape.extents[0] % (block[0] * block[1]) == 0);
    hy_shaping_set_extent(shaping, &shape, 0, shape.extents[0] / (block[0] * block[1]));
    hy_shaping_set_extent(shaping, &shape, 1, shape.extents[1] * block[0] - crops[0] - crops[1]);
    hy_shaping_set_extent(shaping, &shape, 2, shape.extents[2] * block[1] - crops[2] - crops[3]);
    hy_shaping_give(shaping, 0, &shape);
}

void hy_shape_space_to_batch(struct hy_shaping *shaping)
{
    struct hy_shape shape = hy_shaping_shape(shaping, 0);
    int64_t block[2], pads[4];

    hy_shaping_expect(shaping, shape.rank == 4);
    if (!block_of(shaping, block, pads))
        return;
    const int64_t height = shape.extents[1] + pads[0] + pads[1];
    const int64_t width = shape.extents[2] + pads[2] + pads[3];
    hy_shaping_expect(shaping, height % block[0] == 0 && width % block[1] == 0);
    hy_shaping_set_extent(shaping, &shape, 0, shape.extents[0] * block[0] * block[1]);
    hy_shaping_set_extent(shaping, &shape, 1, height / block[0]);
    hy_shaping_set_extent(shaping, &shape, 2, width / block[1]);
    hy_shaping_give(shaping, 0, &shape);
}
