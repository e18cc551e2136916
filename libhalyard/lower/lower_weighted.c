#include "libhalyard/lower/families.h"
#include "libhalyard/lower/operations.h"

#include <string.h>

#include "common/operations/operand_type.h"

/* Where data, filter and bias stand among the inputs, and the filter's output channels. */
struct weighted {
    uint32_t data, filter, bias;
    uint32_t channel_axis;
};

/* How data and weights are stored. */
enum weighting {
    FLOATS,   /* int8 weights are dequantised first */
    BYTES,    /* with a bias of int32 */
    WIDE_DATA /* int16 data and int8 weights, with a bias of int64: org.halyard.operations */
};

static enum weighting weighting_of(struct hy_lowering *lowering, uint32_t data)
{
    const struct hy_graph_tensor *tensor = hy_input(lowering, data);

    return tensor->element == HY_ELEMENT_INT16 ? WIDE_DATA : hy_is_byte(tensor) ? BYTES : FLOATS;
}

static bool has_wide_data(struct hy_lowering *lowering, uint32_t data)
{
    return weighting_of(lowering, data) == WIDE_DATA;
}

static uint32_t filter_operand(struct hy_lowering *lowering, const struct weighted *where,
                               enum weighting weighting)
{
    const struct hy_graph_tensor *filter = hy_input(lowering, where->filter);

    if (weighting == WIDE_DATA && filter->quantisation.count == 1) {
        hy_expect(lowering,
                  filter->element == HY_ELEMENT_INT8 && filter->quantisation.zero_points[0] == 0,
                  "int16 data with a filter other than symmetric int8");
        return hy_input_operand_as(lowering, where->filter, ANEURALNETWORKS_TENSOR_QUANT8_SYMM);
    }
    if (weighting != FLOATS)
        return hy_filter_operand(lowering, where->filter, where->channel_axis);
    return hy_is_byte(filter) ? hy_dequantised_operand(lowering, where->filter)
                              : hy_input_operand(lowering, where->filter);
}

/* A bias of int64: constants of int32 are widened; zeros where the bias is left out. */
static uint32_t wide_bias_operand(struct hy_lowering *lowering, uint32_t input, uint32_t channels)
{
    const struct hy_graph_tensor *bias =
        hy_has_input(lowering, input) ? hy_input(lowering, input) : NULL;
    const ANeuralNetworksOperandType type = {
        .type = HY_TENSOR_INT64, .dimensionCount = 1, .dimensions = &channels};
    const bool is_narrow = bias && bias->element == HY_ELEMENT_INT32;
    int64_t *numbers = hy_scratch_memory(lowering, channels, sizeof *numbers);

    hy_expect(lowering, !bias || is_narrow || bias->element == HY_ELEMENT_INT64,
              "int16 data with a bias other than int32 or int64");
    if (bias && !bias->data) {
        hy_refuse_input(lowering, input, "not a constant");
        return 0;
    }
    hy_expect(lowering,
              !bias || bias->bytes == channels * (is_narrow ? sizeof(int32_t) : sizeof *numbers),
              "a bias of a length other than the number of channels");
    if (lowering->code != HY_OK)
        return 0;
    memset(numbers, 0, channels * sizeof *numbers);
    for (uint32_t i = 0; is_narrow && i < channels; i++) {
        int32_t number;
        memcpy(&number, (const char *)bias->data + i * sizeof number, sizeof number);
        numbers[i] = number;
    }
    if (bias && !is_narrow)
        memcpy(numbers, bias->data, channels * sizeof *numbers);
    return hy_constant_operand(lowering, &type, numbers, channels * sizeof *numbers);
}

static uint32_t bias_operand(struct hy_lowering *lowering, const struct weighted *where,
                             enum weighting weighting)
{
    const struct hy_graph_tensor *data = hy_input(lowering, where->data);
    const struct hy_graph_tensor *filter = hy_input(lowering, where->filter);
    float scale = 0.0f;

    if (lowering->code != HY_OK)
        return 0;
    const uint32_t channels = (uint32_t)filter->extents[where->channel_axis];
    if (weighting == WIDE_DATA)
        return wide_bias_operand(lowering, where->bias, channels);
    if (weighting == BYTES && filter->quantisation.count == 1)
        scale = data->quantisation.scales[0] * filter->quantisation.scales[0];
    const int32_t type =
        weighting == BYTES ? ANEURALNETWORKS_TENSOR_INT32 : ANEURALNETWORKS_TENSOR_FLOAT32;
    return hy_bias_operand(lowering, where->bias, type, channels, scale);
}

/* Data, filter and bias; the data as an operand. */
static void push_weighted_data(struct hy_lowering *lowering, const struct weighted *where,
                               uint32_t operand)
{
    const struct hy_graph_tensor *data = hy_input(lowering, where->data);
    const struct hy_graph_tensor *filter = hy_input(lowering, where->filter);
    const enum weighting weighting = weighting_of(lowering, where->data);

    hy_expect(lowering, filter->rank > where->channel_axis, "the rank of the filter");
    hy_expect(lowering,
              weighting == FLOATS ||
                  (data->quantisation.count == 1 && filter->quantisation.count > 0),
              "quantised data or filter without a scale");
    if (lowering->code != HY_OK)
        return;
    hy_push(lowering, operand);
    hy_push(lowering, filter_operand(lowering, where, weighting));
    hy_push(lowering, bias_operand(lowering, where, weighting));
}

static void push_weighted(struct hy_lowering *lowering, const struct weighted *where)
{
    push_weighted_data(lowering, where, hy_input_operand(lowering, where->data));
}

/* The layout flag and the dilation. */
static void push_dilation(struct hy_lowering *lowering, const struct hy_attributes_conv *attributes)
{
    hy_push_bool(lowering, false); /* NHWC */
    hy_push_int(lowering, attributes->dilation_width);
    hy_push_int(lowering, attributes->dilation_height);
}

static bool is_dilated(const struct hy_attributes_conv *attributes)
{
    return attributes->dilation_width != 1 || attributes->dilation_height != 1;
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
                     data->extents[3] > 0 && data->extents[3] % filter->extents[3] == 0;
    return fit ? data->extents[3] / filter->extents[3] : 1;
}

void hy_lower_conv_2d(struct hy_lowering *lowering)
{
    const struct hy_attributes_conv *attributes = &lowering->node->attributes.conv;
    const int32_t groups = group_count(lowering);
    const bool dilated = is_dilated(attributes);
    const bool is_own = has_wide_data(lowering, 0) || (groups > 1 && dilated);

    push_weighted(lowering,
                  &(struct weighted){.data = 0, .filter = 1, .bias = 2, .channel_axis = 0});
    push_window(lowering, attributes);
    if (is_own || groups > 1)
        hy_push_int(lowering, groups);
    hy_push_activation(lowering, attributes->activation);
    if (is_own || dilated)
        push_dilation(lowering, attributes);
    else if (groups > 1)
        hy_push_bool(lowering, false); /* NHWC */
    hy_emit(lowering, is_own       ? HY_EXT_CONV_2D
                      : groups > 1 ? ANEURALNETWORKS_GROUPED_CONV_2D
                                   : ANEURALNETWORKS_CONV_2D);
}

/* How many outputs each channel of the data has. */
static void push_depth_multiplier(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *data = hy_input(lowering, 0);
    const struct hy_graph_tensor *filter = hy_input(lowering, 1);
    const bool fit = data->rank == 4 && filter->rank == 4 && data->extents[3] > 0 &&
                     filter->extents[3] % data->extents[3] == 0;

    hy_expect(lowering, fit, "the combination of the shapes of data and filter");
    if (fit)
        hy_push_int(lowering, filter->extents[3] / data->extents[3]);
}

void hy_lower_depthwise_conv_2d(struct hy_lowering *lowering)
{
    const struct hy_attributes_conv *attributes = &lowering->node->attributes.conv;
    const bool is_own = has_wide_data(lowering, 0);

    push_weighted(lowering,
                  &(struct weighted){.data = 0, .filter = 1, .bias = 2, .channel_axis = 3});
    push_window(lowering, attributes);
    push_depth_multiplier(lowering);
    hy_push_activation(lowering, attributes->activation);
    if (is_own || is_dilated(attributes))
        push_dilation(lowering, attributes);
    hy_emit(lowering, is_own ? HY_EXT_DEPTHWISE_CONV_2D : ANEURALNETWORKS_DEPTHWISE_CONV_2D);
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
    hy_emit(lowering, has_wide_data(lowering, 2) ? HY_EXT_TRANSPOSE_CONV_2D
                                                 : ANEURALNETWORKS_TRANSPOSE_CONV_2D);
}

/* NNAPI's FULLY_CONNECTED has one scale for all units: with a scale per unit the node becomes a
 * CONV_2D of images of one pixel. */
static void lower_per_channel(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *filter = hy_input(lowering, 1), *output = hy_output(lowering, 0);
    const enum hy_activation activation = lowering->node->attributes.fully_connected.activation;
    uint64_t elements = 0;
    const bool known = filter->rank == 2 && filter->extents[1] > 0 &&
                       hy_graph_tensor_elements(hy_input(lowering, 0), &elements) &&
                       elements / (uint64_t)filter->extents[1] <= INT32_MAX;

    hy_expect(lowering, known, "a shape known only at run time");
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

/* NNAPI's operation needs at least a matrix. */
static uint32_t row_operand(struct hy_lowering *lowering)
{
    const struct hy_graph_tensor *data = hy_input(lowering, 0);
    struct hy_graph_tensor row = *data;

    if (data->rank > 1)
        return hy_input_operand(lowering, 0);
    row.rank = 2;
    row.extents[0] = 1;
    row.extents[1] = data->rank == 1 ? data->extents[0] : 1;
    return hy_emit_reshape(lowering, hy_input_operand(lowering, 0), &row);
}

/* NNAPI's result is always [batch, units]: where the output keeps more dimensions, a RESHAPE
 * follows. */
void hy_lower_fully_connected(struct hy_lowering *lowering)
{
    const struct hy_attributes_fully_connected *attributes =
        &lowering->node->attributes.fully_connected;
    const struct hy_graph_tensor *output = hy_output(lowering, 0);
    const bool is_wide = has_wide_data(lowering, 0);
    const int32_t type = is_wide ? HY_EXT_FULLY_CONNECTED : ANEURALNETWORKS_FULLY_CONNECTED;

    hy_expect(lowering, !attributes->shuffled, "a shuffled filter");
    if (hy_is_byte(hy_input(lowering, 0)) && hy_input(lowering, 1)->quantisation.count > 1) {
        lower_per_channel(lowering);
        return;
    }
    push_weighted_data(lowering,
                       &(struct weighted){.data = 0, .filter = 1, .bias = 2, .channel_axis = 0},
                       row_operand(lowering));
    hy_push_activation(lowering, attributes->activation);
    if (output->rank == 2) {
        hy_emit(lowering, type);
        return;
    }

    uint32_t flat[2] = {1, (uint32_t)hy_input(lowering, 1)->extents[0]};
    for (uint32_t i = 0; i + 1 < output->rank; i++) /* of few bytes, as all tensors */
        flat[0] *= output->extents[i] < 0 ? 0 : (uint32_t)output->extents[i];
    const uint32_t product = hy_temporary_operand_of(lowering, output, 2, flat);
    hy_emit_to(lowering, type, product);
    hy_emit_output_reshape(lowering, product);
}
