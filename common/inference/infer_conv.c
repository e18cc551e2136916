#include "common/inference/infer_conv.h"
#include "common/inference/infer_rules.h"
#include "common/operations/operation.h"

#include <android/NeuralNetworksTypes.h>
#include <math.h>

/* The scale of a quantized bias is the product of the input and filter scales; per channel it is
 * implied. */
static enum hy_code check_bias_scale(const struct hy_call *call, struct hy_error *err)
{
    const struct hy_value *filter = hy_call_input(call, 1);
    const struct hy_value *bias = hy_call_input(call, 2);

    if (bias->type != ANEURALNETWORKS_TENSOR_INT32 ||
        filter->type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
        return HY_OK;
    float product = hy_call_input(call, 0)->scale * filter->scale;
    float least = product < bias->scale ? product : bias->scale;
    if (!(fabs((double)product - (double)bias->scale) <= 1e-6 * (double)least))
        return hy_fail(err, HY_FAILED, "bias has scale %g, needs input scale * filter scale = %g",
                       (double)bias->scale, (double)product);
    return HY_OK;
}

static enum hy_code check_bias(const struct hy_call *call, uint32_t channels, struct hy_error *err)
{
    enum hy_code code = hy_call_check_rank(call, 2, 1, 1, err);

    if (code != HY_OK)
        return code;
    uint32_t count = hy_call_input(call, 2)->shape.dims[0];
    if (count != channels)
        return hy_fail(err, HY_FAILED, "bias has %u elements for %u output channels", count,
                       channels);
    return check_bias_scale(call, err);
}

static enum hy_code check_channel_scales(const struct hy_call *call, uint32_t dim,
                                         struct hy_error *err)
{
    const struct hy_value *filter = hy_call_input(call, 1);

    if (filter->type != ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
        return HY_OK;
    if (filter->channel_dim != dim)
        return hy_fail(err, HY_FAILED, "the scales of the filter lie along dimension %u, needs %u",
                       filter->channel_dim, dim);
    if (filter->channel_count != filter->shape.dims[dim])
        return hy_fail(err, HY_FAILED, "filter has %u scales for %u channels",
                       filter->channel_count, filter->shape.dims[dim]);
    return HY_OK;
}

enum hy_code hy_conv_check_weights(const struct hy_call *call, uint32_t channels, uint32_t dim,
                                   struct hy_error *err)
{
    enum hy_code code = check_bias(call, channels, err);
    return code == HY_OK ? check_channel_scales(call, dim, err) : code;
}

/* Four pads, in the order left, right, top, bottom. */
static enum hy_code read_pads(const struct hy_call *call, uint32_t at, struct hy_conv_2d *conv,
                              struct hy_error *err)
{
    enum hy_code code = hy_call_size(call, at, 0, &conv->columns.head, err);

    if (code == HY_OK)
        code = hy_call_size(call, at + 1, 0, &conv->columns.tail, err);
    if (code == HY_OK)
        code = hy_call_size(call, at + 2, 0, &conv->rows.head, err);
    if (code == HY_OK)
        code = hy_call_size(call, at + 3, 0, &conv->rows.tail, err);
    return code;
}

/* Two sizes of 1 or more, width before height. */
static enum hy_code read_pair(const struct hy_call *call, uint32_t at, uint32_t *width,
                              uint32_t *height, struct hy_error *err)
{
    enum hy_code code = hy_call_size(call, at, 1, width, err);

    return code == HY_OK ? hy_call_size(call, at + 1, 1, height, err) : code;
}

/*
 * Reads the inputs after the bias. `extra` operands are between the strides and the activation (the
 * depth multiplier or the groups, read to *count). The two forms have overlapping input counts: at
 * the position of the implicit form's layout, a bool, the explicit form has an integer.
 */
static enum hy_code read_tail(const struct hy_call *call, uint32_t extra, struct hy_conv_2d *conv,
                              int32_t *scheme, uint32_t *count, struct hy_error *err)
{
    uint32_t layout = 7 + extra;
    bool implicit =
        call->input_count <= layout || hy_call_input(call, layout)->type == ANEURALNETWORKS_BOOL;
    uint32_t at = implicit ? 4 : 7;
    enum hy_code code;

    *scheme = -1;
    conv->rows.dilation = conv->columns.dilation = 1;
    if (implicit)
        code = hy_call_int(call, 3, scheme, err);
    else
        code = read_pads(call, 3, conv, err);
    if (code == HY_OK)
        code = read_pair(call, at, &conv->columns.stride, &conv->rows.stride, err);
    at += 2;
    if (code == HY_OK && extra > 0)
        code = hy_call_size(call, at, 1, count, err);
    at += extra;
    if (code == HY_OK)
        code = hy_call_activation(call, at++, &conv->activation, err);
    if (code == HY_OK && at < call->input_count)
        code = hy_call_bool(call, at++, &conv->nchw, err);
    if (code == HY_OK && at < call->input_count)
        code = read_pair(call, at, &conv->columns.dilation, &conv->rows.dilation, err);
    if (code == HY_OK && implicit && (*scheme < 0 || *scheme > ANEURALNETWORKS_PADDING_VALID))
        code = hy_fail(err, HY_FAILED, "%d is not a padding scheme (1 or 2)", *scheme);
    return code;
}

/* The filter sizes must be set; computes pads (unless explicit, scheme < 0) and output sizes. */
static enum hy_code infer_windows(struct hy_conv_2d *conv, int32_t scheme, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    if (conv->in.channels == 0)
        return hy_fail(err, HY_FAILED, "input 0 has no channels");
    if (conv->in.channels > INT32_MAX || conv->out.channels > INT32_MAX ||
        conv->in.batch > INT32_MAX)
        return hy_fail(err, HY_FAILED, "%u images of %u channels are too many", conv->in.batch,
                       conv->in.channels);
    if (scheme >= 0)
        code = hy_window_pad(&conv->rows, scheme, conv->in.height, err);
    if (code == HY_OK && scheme >= 0)
        code = hy_window_pad(&conv->columns, scheme, conv->in.width, err);
    if (code == HY_OK)
        code = hy_window_output(&conv->rows, conv->in.height, &conv->out.height, err);
    if (code == HY_OK)
        code = hy_window_output(&conv->columns, conv->in.width, &conv->out.width, err);
    return code;
}

static enum hy_code check_ranks(const struct hy_call *call, struct hy_error *err)
{
    enum hy_code code = hy_call_check_rank(call, 0, 4, 4, err);

    return code == HY_OK ? hy_call_check_rank(call, 1, 4, 4, err) : code;
}

/* A filter of [out, height, width, in / groups]; `extra` as in read_tail. */
static enum hy_code read_conv(const struct hy_call *call, uint32_t extra, struct hy_conv_2d *conv,
                              struct hy_error *err)
{
    const uint32_t *filter = hy_call_input(call, 1)->shape.dims;
    struct hy_conv_2d read = {.groups = 1, .rows.filter = filter[1], .columns.filter = filter[2]};
    int32_t scheme;

    enum hy_code code = check_ranks(call, err);
    if (code == HY_OK)
        code = read_tail(call, extra, &read, &scheme, &read.groups, err);
    if (code != HY_OK)
        return code;

    read.in = hy_image_size_of(&hy_call_input(call, 0)->shape, read.nchw);
    read.out = (struct hy_image_size){.batch = read.in.batch, .channels = filter[0]};
    if ((uint64_t)filter[3] * read.groups != read.in.channels)
        return hy_fail(err, HY_FAILED, "filter is for %u channels in %u groups, input 0 has %u",
                       filter[3], read.groups, read.in.channels);
    if (filter[0] == 0 || filter[0] % read.groups != 0)
        return hy_fail(err, HY_FAILED, "filter has %u output channels for %u groups", filter[0],
                       read.groups);
    code = infer_windows(&read, scheme, err);
    if (code == HY_OK)
        code = hy_conv_check_weights(call, filter[0], 0, err);
    if (code == HY_OK)
        *conv = read;
    return code;
}

enum hy_code hy_conv_2d_read(const struct hy_call *call, struct hy_conv_2d *conv,
                             struct hy_error *err)
{
    return read_conv(call, 0, conv, err);
}

enum hy_code hy_grouped_conv_2d_read(const struct hy_call *call, struct hy_conv_2d *conv,
                                     struct hy_error *err)
{
    return read_conv(call, 1, conv, err);
}

enum hy_code hy_depthwise_conv_2d_read(const struct hy_call *call, struct hy_conv_2d *conv,
                                       struct hy_error *err)
{
    const uint32_t *filter = hy_call_input(call, 1)->shape.dims;
    struct hy_conv_2d read = {.groups = 1, .rows.filter = filter[1], .columns.filter = filter[2]};
    uint32_t multiplier = 0;
    int32_t scheme;

    enum hy_code code = check_ranks(call, err);
    if (code == HY_OK)
        code = read_tail(call, 1, &read, &scheme, &multiplier, err);
    if (code != HY_OK)
        return code;

    read.in = hy_image_size_of(&hy_call_input(call, 0)->shape, read.nchw);
    if (filter[0] != 1)
        return hy_fail(err, HY_FAILED, "filter has extent %u in dimension 0, needs 1", filter[0]);
    if (filter[3] != (uint64_t)multiplier * read.in.channels)
        return hy_fail(err, HY_FAILED, "filter has %u channels, needs %u * %u", filter[3],
                       multiplier, read.in.channels);
    read.out = (struct hy_image_size){.batch = read.in.batch, .channels = filter[3]};
    code = infer_windows(&read, scheme, err);
    if (code == HY_OK)
        code = hy_conv_check_weights(call, filter[3], 3, err);
    if (code == HY_OK)
        *conv = read;
    return code;
}

/* The output shape of a reader that returned `code`. */
static enum hy_code output_shape(const struct hy_conv_2d *conv, struct hy_shape *outputs,
                                 enum hy_code code)
{
    if (code == HY_OK)
        outputs[0] = hy_image_shape(&conv->out, conv->nchw);
    return code;
}

enum hy_code hy_infer_conv_2d(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    struct hy_conv_2d conv;
    return output_shape(&conv, outputs, hy_conv_2d_read(call, &conv, err));
}

enum hy_code hy_infer_depthwise_conv_2d(const struct hy_call *call, struct hy_shape *outputs,
                                        struct hy_error *err)
{
    struct hy_conv_2d conv;
    return output_shape(&conv, outputs, hy_depthwise_conv_2d_read(call, &conv, err));
}

enum hy_code hy_infer_grouped_conv_2d(const struct hy_call *call, struct hy_shape *outputs,
                                      struct hy_error *err)
{
    struct hy_conv_2d conv;
    return output_shape(&conv, outputs, hy_grouped_conv_2d_read(call, &conv, err));
}

enum hy_code hy_fully_connected_read(const struct hy_call *call, struct hy_fully_connected *fc,
                                     struct hy_error *err)
{
    const struct hy_shape *weights = &hy_call_input(call, 1)->shape;
    struct hy_fully_connected read = {.units = weights->dims[0], .inputs = weights->dims[1]};
    uint64_t elements;

    const uint32_t most = call->operation == HY_OP_FULLY_CONNECTED ? 4 : HY_MAX_RANK;

    enum hy_code code = hy_call_check_rank(call, 0, 2, most, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 1, 2, 2, err);
    if (code == HY_OK)
        code = hy_call_activation(call, 3, &read.activation, err);
    if (code != HY_OK)
        return code;

    if (read.units == 0 || read.inputs == 0)
        return hy_fail(err, HY_FAILED, "weights of [%u, %u] are empty", read.units, read.inputs);
    if (read.units > INT32_MAX || read.inputs > INT32_MAX)
        return hy_fail(err, HY_FAILED, "weights of [%u, %u] are too large", read.units,
                       read.inputs);
    if (!hy_shape_elements(&hy_call_input(call, 0)->shape, &elements) ||
        elements % read.inputs != 0 || elements / read.inputs > INT32_MAX)
        return hy_fail(err, HY_FAILED, "input 0 does not divide into rows of %u", read.inputs);
    read.rows = (uint32_t)(elements / read.inputs);
    code = hy_conv_check_weights(call, read.units, 0, err);
    if (code == HY_OK)
        *fc = read;
    return code;
}

enum hy_code hy_infer_fully_connected(const struct hy_call *call, struct hy_shape *outputs,
                                      struct hy_error *err)
{
    struct hy_fully_connected fc;
    enum hy_code code = hy_fully_connected_read(call, &fc, err);

    if (code == HY_OK)
        outputs[0] = (struct hy_shape){2, {fc.rows, fc.units}};
    return code;
}
