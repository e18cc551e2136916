#include "libhalyard/graph/constant.h"
#include "libhalyard/graph/passes/pass_visits.h"

/* Zeros around the height and width of images. */
struct image_padding {
    int64_t top, bottom, left, right;
};

/* The padding of a PAD around images; false if the PAD also pads other dimensions. */
static bool padding_of(const struct hy_uses *uses, uint32_t pad, struct image_padding *padding)
{
    const struct hy_graph_node *node = &uses->graph->nodes[pad];
    int64_t numbers[8];

    if (node->operator_ != HY_OPERATOR_PAD || node->input_count < 2 || node->output_count != 1 ||
        hy_graph_node_input(node, 0) == HY_NO_TENSOR || hy_uses_input(uses, pad, 0)->rank != 4 ||
        !hy_graph_tensor_same_type(hy_uses_input(uses, pad, 0), hy_uses_output(uses, pad, 0)) ||
        hy_constant_ints(hy_uses_input(uses, pad, 1), numbers, 8) != 8)
        return false;
    *padding = (struct image_padding){numbers[2], numbers[3], numbers[4], numbers[5]};
    return numbers[0] == 0 && numbers[1] == 0 && numbers[6] == 0 && numbers[7] == 0;
}

/* Adds the padding of SAME for `extent`; an odd zero goes to the end. */
static void add_same(int64_t extent, int64_t reach, int64_t stride, int64_t *before, int64_t *after)
{
    const int64_t count = (extent + stride - 1) / stride;
    const int64_t needed = (count - 1) * stride + reach - extent;
    const int64_t total = needed > 0 ? needed : 0;
    *before += total / 2;
    *after += total - total / 2;
}

/* Padding at one end is less than a filter: no sum is of padding alone. */
static bool is_usual(int64_t before, int64_t after, int64_t reach)
{
    return before >= 0 && before < reach && after >= 0 && after < reach;
}

/* Adds the padding of a convolution to that of the PAD before. */
static bool add_padding(const struct hy_uses *uses, uint32_t node, struct image_padding *padding)
{
    const struct hy_attributes_conv *attributes = &uses->graph->nodes[node].attributes.conv;
    const struct hy_graph_tensor *data = hy_uses_input(uses, node, 0);
    const struct hy_graph_tensor *filter = hy_uses_input(uses, node, 1);

    if (data->rank != 4 || filter->rank != 4 || attributes->stride_height < 1 ||
        attributes->stride_width < 1)
        return false;
    const int64_t height = (filter->extents[1] - INT64_C(1)) * attributes->dilation_height + 1;
    const int64_t width = (filter->extents[2] - INT64_C(1)) * attributes->dilation_width + 1;
    if (attributes->padding == HY_PADDING_SAME) {
        if (data->extents[1] < 0 || data->extents[2] < 0)
            return false;
        add_same(data->extents[1], height, attributes->stride_height, &padding->top,
                 &padding->bottom);
        add_same(data->extents[2], width, attributes->stride_width, &padding->left,
                 &padding->right);
    }
    return is_usual(padding->top, padding->bottom, height) &&
           is_usual(padding->left, padding->right, width);
}

/* Poolings are left alone: padding of theirs does not count in averages, and is no zero in maxima.
 */
enum hy_code hy_fuse_pad(struct hy_uses *uses, uint32_t node, void *context, struct hy_error *err)
{
    struct hy_graph_node *of = &uses->graph->nodes[node];
    struct hy_attributes_conv *attributes = &of->attributes.conv;
    const uint32_t before = hy_uses_producer(uses, node, 0);
    struct image_padding padding;
    (void)context;

    if ((of->operator_ != HY_OPERATOR_CONV_2D && of->operator_ != HY_OPERATOR_DEPTHWISE_CONV_2D) ||
        attributes->padding == HY_PADDING_EXPLICIT || before == HY_NO_NODE ||
        hy_graph_node_input(of, 1) == HY_NO_TENSOR || !padding_of(uses, before, &padding) ||
        !add_padding(uses, node, &padding))
        return HY_OK;
    attributes->padding = HY_PADDING_EXPLICIT;
    attributes->padding_top = (int32_t)padding.top;
    attributes->padding_bottom = (int32_t)padding.bottom;
    attributes->padding_left = (int32_t)padding.left;
    attributes->padding_right = (int32_t)padding.right;
    return hy_uses_set_input(uses, node, 0, uses->graph->nodes[before].inputs[0], err);
}
