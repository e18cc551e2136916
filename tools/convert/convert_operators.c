/*
 * What each operator of a `.tflite` file is in NNAPI. One function an operator or family, one row
 * in the table at the end.
 */
#include "tools/convert/convert_operators.h"

enum { PADDING_SAME = ANEURALNETWORKS_PADDING_SAME, PADDING_VALID = ANEURALNETWORKS_PADDING_VALID };

/* ---- Small words ----------------------------------------------------------------------------- */

static const struct hy_tflite_tensor *tensor(const struct hy_builder *builder, int32_t index)
{
    return &hy_builder_subgraph(builder)->tensors[index];
}

/* Input `index` of the operator: -1 where it is left out or not even listed. */
static int32_t input(const struct hy_tflite_operator *operator_, uint32_t index)
{
    return index < operator_->inputs.count ? operator_->inputs.values[index] : -1;
}

static enum hy_code need(const struct hy_tflite_operator *operator_, uint32_t inputs,
                         struct hy_error *err)
{
    if (operator_->outputs.count != 1)
        return hy_fail(err, HY_BAD_DATA, "%u outputs, needs 1", operator_->outputs.count);
    for (uint32_t i = 0; i < inputs; i++) {
        if (input(operator_, i) < 0)
            return hy_fail(err, HY_BAD_DATA, "input %u is left out", i);
    }
    return HY_OK;
}

static bool is_quant8(enum hy_tflite_type type)
{
    return type == HY_TFLITE_INT8 || type == HY_TFLITE_UINT8;
}

static enum hy_code add_int32s(struct hy_builder *builder, const int32_t *values, uint32_t count,
                               uint32_t *operands, struct hy_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        enum hy_code code = hy_builder_int32(builder, values[i], &operands[i], err);
        if (code != HY_OK)
            return code;
    }
    return HY_OK;
}

static int32_t padding_of(int32_t padding)
{
    return padding == HY_TFLITE_PADDING_SAME ? PADDING_SAME : PADDING_VALID;
}

static enum hy_code check_activation(int32_t activation, struct hy_error *err)
{
    /* The first four have the same numbers on both sides. */
    if (activation > HY_TFLITE_ACTIVATION_RELU6)
        return hy_fail(err, HY_BAD_DATA, "no NNAPI form of fused activation %d", activation);
    return HY_OK;
}

static enum hy_code finish(struct hy_builder *builder, const struct hy_tflite_operator *operator_,
                           int32_t type, const uint32_t *inputs, uint32_t input_count,
                           struct hy_error *err)
{
    uint32_t output;
    enum hy_code code = hy_builder_tensor(builder, operator_->outputs.values[0], &output, err);
    if (code == HY_OK)
        code = hy_builder_operation(builder, type, input_count, inputs, output, err);
    return code;
}

/* ---- Operators with weights ------------------------------------------------------------------ */

/*
 * Data, filter and bias, the first three operands of CONV_2D, DEPTHWISE_CONV_2D and
 * FULLY_CONNECTED. int8 weights under float data are dequantised first.
 */
static enum hy_code add_weighted(struct hy_builder *builder,
                                 const struct hy_tflite_operator *operator_, uint32_t channel_dim,
                                 uint32_t operands[3], struct hy_error *err)
{
    const struct hy_tflite_tensor *data = tensor(builder, input(operator_, 0));
    const struct hy_tflite_tensor *filter = tensor(builder, input(operator_, 1));
    bool quantised = is_quant8(data->type);
    if (filter->rank <= channel_dim)
        return hy_fail(err, HY_BAD_DATA, "the filter has rank %u, needs %u at least", filter->rank,
                       channel_dim + 1);
    if (quantised && (data->quantisation.count != 1 || filter->quantisation.count == 0))
        return hy_fail(err, HY_BAD_DATA, "quantised data or filter without a scale");

    enum hy_code code = hy_builder_tensor(builder, input(operator_, 0), &operands[0], err);
    if (code != HY_OK)
        return code;
    if (quantised)
        code =
            hy_builder_quant_filter(builder, input(operator_, 1), channel_dim, &operands[1], err);
    else if (filter->type == HY_TFLITE_INT8)
        code = hy_builder_dequantised(builder, input(operator_, 1), &operands[1], err);
    else
        code = hy_builder_tensor(builder, input(operator_, 1), &operands[1], err);
    if (code != HY_OK)
        return code;

    float bias_scale = 0.0f;
    if (quantised && filter->quantisation.count == 1)
        bias_scale = data->quantisation.scales[0] * filter->quantisation.scales[0];
    return hy_builder_bias(builder, input(operator_, 2),
                           quantised ? ANEURALNETWORKS_TENSOR_INT32
                                     : ANEURALNETWORKS_TENSOR_FLOAT32,
                           (uint32_t)filter->dims[channel_dim], bias_scale, &operands[2], err);
}

/* The layout flag and the dilation, which are operands only where there is a dilation. */
static enum hy_code add_dilation(struct hy_builder *builder, int32_t width, int32_t height,
                                 uint32_t *operands, uint32_t *count, struct hy_error *err)
{
    if (width == 1 && height == 1)
        return HY_OK;
    enum hy_code code = hy_builder_bool(builder, false, &operands[*count], err);
    if (code == HY_OK)
        code = add_int32s(builder, (int32_t[]){width, height}, 2, &operands[*count + 1], err);
    *count += 3;
    return code;
}

static enum hy_code conv_2d(struct hy_builder *builder, const struct hy_tflite_operator *operator_,
                            struct hy_error *err)
{
    const struct hy_tflite_conv_2d_options *options = &operator_->options.conv_2d;
    const int32_t parameters[] = {padding_of(options->padding), options->stride_w,
                                  options->stride_h, options->activation};
    uint32_t operands[10], count = 7;
    enum hy_code code = need(operator_, 2, err);
    if (code == HY_OK)
        code = check_activation(options->activation, err);
    if (code == HY_OK)
        code = add_weighted(builder, operator_, 0, operands, err);
    if (code == HY_OK)
        code = add_int32s(builder, parameters, 4, &operands[3], err);
    if (code == HY_OK)
        code =
            add_dilation(builder, options->dilation_w, options->dilation_h, operands, &count, err);
    return code == HY_OK ? finish(builder, operator_, ANEURALNETWORKS_CONV_2D, operands, count, err)
                         : code;
}

/* The file's multiplier is often left at 0: the shapes tell it. */
static enum hy_code depth_multiplier(const struct hy_builder *builder,
                                     const struct hy_tflite_operator *operator_,
                                     int32_t *multiplier, struct hy_error *err)
{
    const struct hy_tflite_tensor *data = tensor(builder, input(operator_, 0));
    const struct hy_tflite_tensor *filter = tensor(builder, input(operator_, 1));
    if (data->rank != 4 || filter->rank != 4 || data->dims[3] == 0 ||
        filter->dims[3] % data->dims[3] != 0)
        return hy_fail(err, HY_BAD_DATA, "data of rank %u and filter of rank %u do not fit",
                       data->rank, filter->rank);
    *multiplier = filter->dims[3] / data->dims[3];
    return HY_OK;
}

static enum hy_code depthwise_conv_2d(struct hy_builder *builder,
                                      const struct hy_tflite_operator *operator_,
                                      struct hy_error *err)
{
    const struct hy_tflite_depthwise_conv_2d_options *options =
        &operator_->options.depthwise_conv_2d;
    uint32_t operands[11], count = 8;
    int32_t multiplier = 0;
    enum hy_code code = need(operator_, 2, err);
    if (code == HY_OK)
        code = check_activation(options->activation, err);
    if (code == HY_OK)
        code = depth_multiplier(builder, operator_, &multiplier, err);
    if (code == HY_OK)
        code = add_weighted(builder, operator_, 3, operands, err);
    const int32_t parameters[] = {padding_of(options->padding), options->stride_w,
                                  options->stride_h, multiplier, options->activation};
    if (code == HY_OK)
        code = add_int32s(builder, parameters, 5, &operands[3], err);
    if (code == HY_OK)
        code =
            add_dilation(builder, options->dilation_w, options->dilation_h, operands, &count, err);
    return code == HY_OK
               ? finish(builder, operator_, ANEURALNETWORKS_DEPTHWISE_CONV_2D, operands, count, err)
               : code;
}

/* NNAPI's result is always [batch, units]; a file that keeps more dimensions gets a RESHAPE behind.
 */
static enum hy_code fully_connected_wide(struct hy_builder *builder,
                                         const struct hy_tflite_operator *operator_,
                                         const uint32_t operands[4], struct hy_error *err)
{
    int32_t index = operator_->outputs.values[0];
    const struct hy_tflite_tensor *output = tensor(builder, index);
    uint64_t batch = 1;
    for (uint32_t i = 0; i + 1 < output->rank; i++)
        batch *= (uint32_t)output->dims[i]; /* no overflow: the tensor's bytes are checked */
    const uint32_t dims[2] = {(uint32_t)batch,
                              output->rank ? (uint32_t)output->dims[output->rank - 1] : 1};

    uint32_t flat, reshape[2];
    enum hy_code code = hy_builder_temporary(builder, index, 2, dims, &flat, err);
    if (code == HY_OK)
        code =
            hy_builder_operation(builder, ANEURALNETWORKS_FULLY_CONNECTED, 4, operands, flat, err);
    reshape[0] = flat;
    if (code == HY_OK)
        code = hy_builder_int32s(builder, output->dims, output->rank, &reshape[1], err);
    return code == HY_OK ? finish(builder, operator_, ANEURALNETWORKS_RESHAPE, reshape, 2, err)
                         : code;
}

static enum hy_code fully_connected(struct hy_builder *builder,
                                    const struct hy_tflite_operator *operator_,
                                    struct hy_error *err)
{
    const struct hy_tflite_fully_connected_options *options = &operator_->options.fully_connected;
    uint32_t operands[4];
    enum hy_code code = need(operator_, 2, err);
    if (code == HY_OK)
        code = check_activation(options->activation, err);
    if (code == HY_OK && options->weights_format != 0)
        code = hy_fail(err, HY_BAD_DATA, "no NNAPI form of shuffled weights");
    if (code == HY_OK)
        code = add_weighted(builder, operator_, 0, operands, err);
    if (code == HY_OK)
        code = hy_builder_int32(builder, options->activation, &operands[3], err);
    if (code != HY_OK)
        return code;
    if (tensor(builder, operator_->outputs.values[0])->rank != 2)
        return fully_connected_wide(builder, operator_, operands, err);
    return finish(builder, operator_, ANEURALNETWORKS_FULLY_CONNECTED, operands, 4, err);
}

/* ---- The others ------------------------------------------------------------------------------ */

static enum hy_code add(struct hy_builder *builder, const struct hy_tflite_operator *operator_,
                        struct hy_error *err)
{
    int32_t activation = operator_->options.add.activation;
    uint32_t operands[3];
    enum hy_code code = need(operator_, 2, err);
    if (code == HY_OK)
        code = check_activation(activation, err);
    if (code == HY_OK)
        code = hy_builder_tensor(builder, input(operator_, 0), &operands[0], err);
    if (code == HY_OK)
        code = hy_builder_tensor(builder, input(operator_, 1), &operands[1], err);
    if (code == HY_OK)
        code = hy_builder_int32(builder, activation, &operands[2], err);
    return code == HY_OK ? finish(builder, operator_, ANEURALNETWORKS_ADD, operands, 3, err) : code;
}

static enum hy_code average_pool_2d(struct hy_builder *builder,
                                    const struct hy_tflite_operator *operator_,
                                    struct hy_error *err)
{
    const struct hy_tflite_pool_2d_options *options = &operator_->options.pool_2d;
    const int32_t parameters[] = {padding_of(options->padding),
                                  options->stride_w,
                                  options->stride_h,
                                  options->filter_w,
                                  options->filter_h,
                                  options->activation};
    uint32_t operands[7];
    enum hy_code code = need(operator_, 1, err);
    if (code == HY_OK)
        code = check_activation(options->activation, err);
    if (code == HY_OK)
        code = hy_builder_tensor(builder, input(operator_, 0), &operands[0], err);
    if (code == HY_OK)
        code = add_int32s(builder, parameters, 6, &operands[1], err);
    return code == HY_OK
               ? finish(builder, operator_, ANEURALNETWORKS_AVERAGE_POOL_2D, operands, 7, err)
               : code;
}

static enum hy_code dequantize(struct hy_builder *builder,
                               const struct hy_tflite_operator *operator_, struct hy_error *err)
{
    uint32_t operand;
    enum hy_code code = need(operator_, 1, err);
    if (code == HY_OK)
        code = hy_builder_tensor(builder, input(operator_, 0), &operand, err);
    return code == HY_OK ? finish(builder, operator_, ANEURALNETWORKS_DEQUANTIZE, &operand, 1, err)
                         : code;
}

/* The target is the shape that the file gives its output: constant or options say the same. */
static enum hy_code reshape(struct hy_builder *builder, const struct hy_tflite_operator *operator_,
                            struct hy_error *err)
{
    uint32_t operands[2];
    enum hy_code code = need(operator_, 1, err);
    if (code != HY_OK)
        return code;
    if (input(operator_, 1) >= 0 && !tensor(builder, input(operator_, 1))->data)
        return hy_fail(err, HY_BAD_DATA, "a shape that is known only at run time");

    const struct hy_tflite_tensor *output = tensor(builder, operator_->outputs.values[0]);
    static const int32_t one = 1; /* a scalar of the file is a tensor of one element here */
    code = hy_builder_tensor(builder, input(operator_, 0), &operands[0], err);
    if (code == HY_OK)
        code = hy_builder_int32s(builder, output->rank ? output->dims : &one,
                                 output->rank ? output->rank : 1, &operands[1], err);
    return code == HY_OK ? finish(builder, operator_, ANEURALNETWORKS_RESHAPE, operands, 2, err)
                         : code;
}

static enum hy_code softmax(struct hy_builder *builder, const struct hy_tflite_operator *operator_,
                            struct hy_error *err)
{
    uint32_t operands[2];
    enum hy_code code = need(operator_, 1, err);
    if (code == HY_OK)
        code = hy_builder_tensor(builder, input(operator_, 0), &operands[0], err);
    if (code == HY_OK)
        code = hy_builder_float32(builder, operator_->options.softmax.beta, &operands[1], err);
    return code == HY_OK ? finish(builder, operator_, ANEURALNETWORKS_SOFTMAX, operands, 2, err)
                         : code;
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct {
    enum hy_tflite_op code;
    enum hy_code (*convert)(struct hy_builder *builder, const struct hy_tflite_operator *operator_,
                            struct hy_error *err);
} rows[] = {
    {HY_TFLITE_OP_ADD, add},
    {HY_TFLITE_OP_AVERAGE_POOL_2D, average_pool_2d},
    {HY_TFLITE_OP_CONV_2D, conv_2d},
    {HY_TFLITE_OP_DEPTHWISE_CONV_2D, depthwise_conv_2d},
    {HY_TFLITE_OP_DEQUANTIZE, dequantize},
    {HY_TFLITE_OP_FULLY_CONNECTED, fully_connected},
    {HY_TFLITE_OP_RESHAPE, reshape},
    {HY_TFLITE_OP_SOFTMAX, softmax},
};

enum hy_code hy_convert_operator(struct hy_builder *builder,
                                 const struct hy_tflite_operator *operator_, struct hy_error *err)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].code == operator_->code)
            return rows[i].convert(builder, operator_, err);
    }
    return hy_fail(err, HY_BAD_DATA, "no NNAPI form of this operator here");
}
