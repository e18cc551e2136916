#include "tools/convert/convert_weighted.h"

static bool is_quant8(enum hy_tflite_type type)
{
    return type == HY_TFLITE_INT8 || type == HY_TFLITE_UINT8;
}

/* Where data, filter and bias stand among the operator's inputs, and the filter's output channels.
 */
struct weighted {
    uint32_t data, filter, bias;
    uint32_t channel_dim;
};

static void take_filter(struct hy_arguments *args, const struct weighted *where, bool quantised)
{
    const int32_t index = hy_input(args, where->filter);
    const struct hy_tflite_tensor *filter = hy_input_tensor(args, where->filter);
    uint32_t operand = 0;
    enum hy_code code;

    if (args->code != HY_OK)
        return;
    if (quantised)
        code = hy_model_builder_quant_filter(args->builder, index, where->channel_dim, &operand,
                                             args->err);
    else if (filter->type == HY_TFLITE_INT8)
        code = hy_model_builder_dequantised(args->builder, index, &operand, args->err);
    else
        code = hy_model_builder_tensor(args->builder, index, &operand, args->err);
    hy_take_operand(args, code, operand);
}

static void take_bias(struct hy_arguments *args, const struct weighted *where, bool quantised)
{
    const struct hy_tflite_tensor *data = hy_input_tensor(args, where->data);
    const struct hy_tflite_tensor *filter = hy_input_tensor(args, where->filter);
    float scale = 0.0f;
    uint32_t operand = 0;

    if (args->code != HY_OK)
        return;
    if (quantised && filter->quantisation.count == 1)
        scale = data->quantisation.scales[0] * filter->quantisation.scales[0];
    enum hy_code code = hy_model_builder_bias(
        args->builder, hy_input(args, where->bias),
        quantised ? ANEURALNETWORKS_TENSOR_INT32 : ANEURALNETWORKS_TENSOR_FLOAT32,
        (uint32_t)filter->dims[where->channel_dim], scale, &operand, args->err);
    hy_take_operand(args, code, operand);
}

/* Data, filter and bias. int8 weights under float data are dequantised first. */
static void take_weighted(struct hy_arguments *args, const struct weighted *where)
{
    const struct hy_tflite_tensor *data = hy_input_tensor(args, where->data);
    const struct hy_tflite_tensor *filter = hy_input_tensor(args, where->filter);
    if (args->code != HY_OK)
        return;

    const bool quantised = is_quant8(data->type);
    hy_expect(args, filter->rank > where->channel_dim, "a filter of this rank");
    hy_expect(args, !quantised || (data->quantisation.count == 1 && filter->quantisation.count > 0),
              "quantised data or filter without a scale");
    hy_take(args, where->data);
    take_filter(args, where, quantised);
    take_bias(args, where, quantised);
}

/* The layout flag and the dilation, which are operands only where there is a dilation. */
static void take_dilation(struct hy_arguments *args, int32_t width, int32_t height)
{
    if (width == 1 && height == 1)
        return;
    hy_take_bool(args, false);
    hy_take_int(args, width);
    hy_take_int(args, height);
}

enum hy_code hy_convert_conv_2d(struct hy_arguments *args)
{
    const struct hy_tflite_conv_2d_options *options = &args->operator_->options.conv_2d;

    take_weighted(args, &(struct weighted){.data = 0, .filter = 1, .bias = 2, .channel_dim = 0});
    hy_take_padding(args, options->padding);
    hy_take_int(args, options->stride_w);
    hy_take_int(args, options->stride_h);
    hy_take_activation(args, options->activation);
    take_dilation(args, options->dilation_w, options->dilation_h);
    return hy_give(args, ANEURALNETWORKS_CONV_2D);
}

/* The file's multiplier is often left at 0: the shapes tell it. */
static void take_depth_multiplier(struct hy_arguments *args)
{
    const struct hy_tflite_tensor *data = hy_input_tensor(args, 0);
    const struct hy_tflite_tensor *filter = hy_input_tensor(args, 1);
    if (args->code != HY_OK)
        return;

    const bool fit = data->rank == 4 && filter->rank == 4 && data->dims[3] != 0 &&
                     filter->dims[3] % data->dims[3] == 0;
    hy_expect(args, fit, "data and filter of these shapes");
    if (fit)
        hy_take_int(args, filter->dims[3] / data->dims[3]);
}

enum hy_code hy_convert_depthwise_conv_2d(struct hy_arguments *args)
{
    const struct hy_tflite_depthwise_conv_2d_options *options =
        &args->operator_->options.depthwise_conv_2d;

    take_weighted(args, &(struct weighted){.data = 0, .filter = 1, .bias = 2, .channel_dim = 3});
    hy_take_padding(args, options->padding);
    hy_take_int(args, options->stride_w);
    hy_take_int(args, options->stride_h);
    take_depth_multiplier(args);
    hy_take_activation(args, options->activation);
    take_dilation(args, options->dilation_w, options->dilation_h);
    return hy_give(args, ANEURALNETWORKS_DEPTHWISE_CONV_2D);
}

/* NNAPI's result is always [batch, units]: where the file keeps more dimensions, a RESHAPE follows.
 */
static enum hy_code give_reshaped(struct hy_arguments *args, int32_t type)
{
    const struct hy_tflite_tensor *output = hy_output_tensor(args, 0);
    if (args->code != HY_OK)
        return args->code;

    uint64_t batch = 1;
    for (uint32_t i = 0; i + 1 < output->rank; i++)
        batch *= (uint32_t)output->dims[i]; /* no overflow: the tensor's bytes are checked */
    const uint32_t dims[2] = {(uint32_t)batch,
                              output->rank ? (uint32_t)output->dims[output->rank - 1] : 1};
    uint32_t flat = 0;
    enum hy_code code = hy_model_builder_temporary(
        args->builder, args->operator_->outputs.values[0], 2, dims, &flat, args->err);
    if (code == HY_OK)
        code = hy_model_builder_operation(args->builder, type, args->count, args->operands, 1,
                                          &flat, args->err);
    if (code != HY_OK)
        return code;

    args->count = 0;
    hy_take_operand(args, HY_OK, flat);
    hy_take_ints(args, output->dims, output->rank);
    return hy_give(args, ANEURALNETWORKS_RESHAPE);
}

enum hy_code hy_convert_fully_connected(struct hy_arguments *args)
{
    const struct hy_tflite_fully_connected_options *options =
        &args->operator_->options.fully_connected;
    const struct hy_tflite_tensor *output = hy_output_tensor(args, 0);

    hy_expect(args, options->weights_format == 0, "a shuffled filter");
    take_weighted(args, &(struct weighted){.data = 0, .filter = 1, .bias = 2, .channel_dim = 0});
    hy_take_activation(args, options->activation);
    if (args->code == HY_OK && output->rank != 2)
        return give_reshaped(args, ANEURALNETWORKS_FULLY_CONNECTED);
    return hy_give(args, ANEURALNETWORKS_FULLY_CONNECTED);
}

enum hy_code hy_convert_transpose_conv(struct hy_arguments *args)
{
    const struct hy_tflite_transpose_conv_options *options =
        &args->operator_->options.transpose_conv;

    take_weighted(args, &(struct weighted){.data = 2, .filter = 1, .bias = 3, .channel_dim = 0});
    hy_take(args, 0); /* the output's shape */
    hy_take_padding(args, options->padding);
    hy_take_int(args, options->stride_w);
    hy_take_int(args, options->stride_h);
    hy_take_activation(args, options->activation);
    hy_take_bool(args, false); /* NHWC */
    return hy_give(args, ANEURALNETWORKS_TRANSPOSE_CONV_2D);
}
