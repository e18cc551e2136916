#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

/* Where data, filter and bias stand among the inputs, and the filter's output channels. */
struct weighted {
    uint32_t data, filter, bias;
    uint32_t channel_axis;
};

static void push_filter(struct hy_lowering *lowering, const struct weighted *where, bool quantised)
{
    const struct hy_graph_tensor *filter = hy_input(lowering, where->filter);

    if (quantised)
        hy_push(lowering, hy_filter_operand(lowering, where->filter, where->channel_axis));
    else if (hy_is_byte(filter))
        hy_push(lowering, hy_dequantised_operand(lowering, where->filter));
    else
        hy_push_input(lowering, where->filter);
}

static void push_bias(struct hy_lowering *lowering, const struct weighted *where, bool quantised)
{
    const struct hy_graph_tensor *data = hy_input(lowering, where->data);
    const struct hy_graph_tensor *filter = hy_input(lowering, where->filter);
    float scale = 0.0f;

    if (lowering->code != HY_OK)
        return;
    if (quantised && filter->quantisation.count == 1)
        scale = data->quantisation.scales[0] * filter->quantisation.scales[0];
    const int32_t type = quantised ? ANEURALNETWORKS_TENSOR_INT32 : ANEURALNETWORKS_TENSOR_FLOAT32;
    const uint32_t channels = (uint32_t)filter->extents[where->channel_axis];
    hy_push(lowering, hy_bias_operand(lowering, where->bias, type, channels, scale));
}

/* Data, filter and bias. int8 weights under float data are dequantised first. */
static void push_weighted(struct hy_lowering *lowering, const struct weighted *where)
{
    const struct hy_graph_tensor *data = hy_input(lowering, where->data);
    const struct hy_graph_tensor *filter = hy_input(lowering, where->filter);
    const bool quantised = hy_is_byte(data);

    hy_expect(lowering, data->element != HY_ELEMENT_INT16, "int16 data with weights");
    hy_expect(lowering, filter->rank > where->channel_axis, "a filter of this rank");
    hy_expect(lowering,
              !quantised || (data->quantisation.count == 1 && filter->quantisation.count > 0),
              "quantised data or filter without a scale");
    hy_push_input(lowering, where->data);
    push_filter(lowering, where, quantised);
    push_bias(lowering, where, quantised);
}

/* The layout flag and the dilation, which are operands only where there is a dilation. */
static void push_dilation(struct hy_lowering *lowering, const struct hy_attributes_conv *attributes)
{
    if (attributes->dilation_width == 1 && attributes->dilation_height == 1)
        return;
    hy_push_bool(lowering, false); /* NHWC */
    hy_push_int(lowering, attributes->dilation_width);
    hy_push_int(lowering, attributes->dilation_height);
}

static void push_window(struct hy_lowering *lowering, const struct hy_attributes_conv *attributes)
{
    if (attributes->padding == HY_PADDING_EXPLICIT) {
        hy_push_int(lowering, attributes->padding_left);
        hy_push_int(lowering, attributes->padding_right);
        hy_push_int(lowering, attributes->padding_top);
        hy_push_int(lowering, attributes->padding_bottom);
    } else {
        hy_push_padding(lowering, attributes->padding);
    }
    hy_push_int(lowering, attributes->stride_width);
    hy_push_int(lowering, attributes->stride_height);
}

/* Into how many groups the channels of the data fall: filters see one group each. */
static int32_t group_count(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *data = hy_input(lowering, 0), *filter = hy_input(lowering, 1);
    const bool fit = data->rank == 4 && filter->rank == 4 && filter->extents[3] > 0 &&
                     data->extents[3] % filter->extents[3] == 0;
    return fit ? data->extents[3] / filter->extents[3] : 1;
}

static void lower_grouped_conv_2d(struct hy_lowering *lowering, int32_t groups)
{
    const struct hy_attributes_conv *attributes = &lowering->node->attributes.conv;

    hy_expect(lowering, attributes->dilation_width == 1 && attributes->dilation_height == 1,
              "a dilation of grouped channels");
    push_weighted(lowering,
                  &(struct weighted){.data = 0, .filter = 1, .bias = 2, .channel_axis = 0});
    push_window(lowering, attributes);
    hy_push_int(lowering, groups);
    hy_push_activation(lowering, attributes->activation);
    hy_push_bool(lowering, false); /* NHWC */
    hy_emit(lowering, ANEURALNETWORKS_GROUPED_CONV_2D);
}

void hy_lower_conv_2d(struct hy_lowering *lowering)
{
    const struct hy_attributes_conv *attributes = &lowering->node->attributes.conv;
    const int32_t groups = group_count(lowering);

    if (groups > 1) {
        lower_grouped_conv_2d(lowering, groups);
        return;
    }
    push_weighted(lowering,
                  &(struct weighted){.data = 0, .filter = 1, .bias = 2, .channel_axis = 0});
    push_window(lowering, attributes);
    hy_push_activation(lowering, attributes->activation);
    push_dilation(lowering, attributes);
    hy_emit(lowering, ANEURALNETWORKS_CONV_2D);
}

/* How many outputs each channel of the data has. */
static void push_depth_multiplier(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *data = hy_input(lowering, 0);
    const struct hy_graph_tensor *filter = hy_input(lowering, 1);
    const bool fit = data->rank == 4 && filter->rank == 4 && data->extents[3] > 0 &&
                     filter->extents[3] % data->extents[3] == 0;

    hy_expect(lowering, fit, "data and filter of these shapes");
    if (fit)
        hy_push_int(lowering, filter->extents[3] / data->extents[3]);
}

void hy_lower_depthwise_conv_2d(struct hy_lowering *lowering)
{
    const struct hy_attributes_conv *attributes = &lowering->node->attributes.conv;

    push_weighted(lowering,
                  &(struct weighted){.data = 0, .filter = 1, .bias = 2, .channel_axis = 3});
    push_window(lowering, attributes);
    push_depth_multiplier(lowering);
    hy_push_activation(lowering, attributes->activation);
    push_dilation(lowering, attributes);
    hy_emit(lowering, ANEURALNETWORKS_DEPTHWISE_CONV_2D);
}

void hy_lower_transpose_conv_2d(struct hy_lowering *lowering)
{
    const struct hy_attributes_conv *attributes = &lowering->node->attributes.conv;

    push_weighted(lowering,
                  &(struct weighted){.data = 2, .filter = 1, .bias = 3, .channel_axis = 0});
    hy_push_shape(lowering, hy_output(lowering, 0));
    push_window(lowering, attributes);
    hy_push_activation(lowering, attributes->activation);
    hy_push_bool(lowering, false); /* NHWC */
    hy_emit(lowering, ANEURALNETWORKS_TRANSPOSE_CONV_2D);
}

/* NNAPI's FULLY_CONNECTED has one scale for all units: with a scale each it is a CONV_2D of images
 * of one pixel. */
static void lower_per_channel(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *filter = hy_input(lowering, 1), *output = hy_output(lowering, 0);
    const enum hy_activation activation = lowering->node->attributes.fully_connected.activation;
    uint64_t elements = 0;
    const bool known = filter->rank == 2 && filter->extents[1] > 0 &&
                       hy_graph_tensor_elements(hy_input(lowering, 0), &elements) &&
                       elements / (uint64_t)filter->extents[1] <= INT32_MAX;

    hy_expect(lowering, known, "a shape that is known only at run time");
    hy_expect(lowering, hy_input(lowering, 0)->quantisation.count == 1,
              "quantised data or filter without a scale");
    if (lowering->code != HY_OK)
        return;
    const uint32_t units = (uint32_t)filter->extents[0], depth = (uint32_t)filter->extents[1];
    struct hy_graph_tensor image = *hy_input(lowering, 0), product = *output;
    image.rank = product.rank = 4;
    image.extents[0] = product.extents[0] = (int32_t)(elements / depth);
    image.extents[1] = image.extents[2] = product.extents[1] = product.extents[2] = 1;
    image.extents[3] = (int32_t)depth;
    product.extents[3] = (int32_t)units;

    const uint32_t pixels = hy_emit_reshape(lowering, hy_input_operand(lowering, 0), &image);
    const uint32_t result = hy_temporary_operand(lowering, &product);
    hy_push(lowering, pixels);
    hy_push(lowering,
            hy_channel_filter_operand_of(lowering, 1, 4, (uint32_t[]){units, 1, 1, depth}));
    hy_push(lowering, hy_bias_operand(lowering, 2, ANEURALNETWORKS_TENSOR_INT32, units, 0.0f));
    push_window(lowering, &(struct hy_attributes_conv){
                              .padding = HY_PADDING_VALID, .stride_width = 1, .stride_height = 1});
    hy_push_activation(lowering, activation);
    hy_emit_to(lowering, ANEURALNETWORKS_CONV_2D, result);
    hy_emit_output_reshape(lowering, result);
}

/* NNAPI's result is always [batch, units]: where the output keeps more dimensions, a RESHAPE
 * follows. */
void hy_lower_fully_connected(struct hy_lowering *lowering)
{
    const struct hy_attributes_fully_connected *attributes =
        &lowering->node->attributes.fully_connected;
    const struct hy_graph_tensor *output = hy_output(lowering, 0);

    hy_expect(lowering, !attributes->shuffled, "a shuffled filter");
    if (hy_is_byte(hy_input(lowering, 0)) && hy_input(lowering, 1)->quantisation.count > 1) {
        lower_per_channel(lowering);
        return;
    }
    push_weighted(lowering,
                  &(struct weighted){.data = 0, .filter = 1, .bias = 2, .channel_axis = 0});
    hy_push_activation(lowering, attributes->activation);
    if (output->rank == 2) {
        hy_emit(lowering, ANEURALNETWORKS_FULLY_CONNECTED);
        return;
    }

    uint32_t flat[2] = {1, output->rank ? (uint32_t)output->extents[output->rank - 1] : 1};
    for (uint32_t i = 0; i + 1 < output->rank; i++)
        flat[0] *= (uint32_t)output->extents[i]; /* no overflow: the tensor's bytes are checked */
    const uint32_t product = hy_temporary_operand_of(lowering, output, 2, flat);
    hy_emit_to(lowering, ANEURALNETWORKS_FULLY_CONNECTED, product);
    hy_push(lowering, product);
    hy_push_ints(lowering, output->extents, output->rank);
    hy_emit(lowering, ANEURALNETWORKS_RESHAPE);
}
