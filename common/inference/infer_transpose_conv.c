#include "common/inference/infer_transpose_conv.h"
#include "common/inference/infer_rules.h"

#include <android/NeuralNetworksTypes.h>

/* The pads at the end, which may be negative. */
struct tails {
    int32_t rows, columns;
};

/* Operand 3 is the shape of the output in its layout; only height and width are used. */
static enum hy_code read_requested(const struct hy_call *call, bool nchw, int32_t *height,
                                   int32_t *width, struct hy_error *err)
{
    int32_t dims[4];
    enum hy_code code = hy_call_int_list(call, 3, 4, dims, err);

    if (code != HY_OK)
        return code;
    *height = dims[nchw ? 2 : 1];
    *width = dims[nchw ? 3 : 2];
    if (*height < 1 || *width < 1)
        return hy_fail(err, HY_FAILED, "the output shape is %d by %d, needs 1 or more", *height,
                       *width);
    return HY_OK;
}

/* SAME: the padding with which a convolution over the output has the size of the input; may be
 * negative. */
static void pad_same(struct hy_window *window, int32_t out, int32_t *tail)
{
    int64_t strides = ((int64_t)out + window->stride - 1) / window->stride;
    int64_t total = (strides - 1) * window->stride + window->filter - out;

    window->head = total > 0 ? (uint32_t)(total / 2) : 0;
    *tail = (int32_t)(total - window->head);
}

static enum hy_code read_implicit(const struct hy_call *call, struct hy_conv_2d *conv,
                                  struct tails *tails, struct hy_error *err)
{
    int32_t scheme, height, width;
    enum hy_code code = hy_call_int(call, 4, &scheme, err);

    if (code == HY_OK)
        code = read_requested(call, conv->nchw, &height, &width, err);
    if (code != HY_OK)
        return code;
    if (scheme < 0 || scheme > ANEURALNETWORKS_PADDING_VALID)
        return hy_fail(err, HY_FAILED, "%d is not a padding scheme (1 or 2)", scheme);
    if (scheme != ANEURALNETWORKS_PADDING_SAME)
        return HY_OK;
    pad_same(&conv->rows, height, &tails->rows);
    pad_same(&conv->columns, width, &tails->columns);
    return HY_OK;
}

static enum hy_code read_explicit(const struct hy_call *call, struct hy_conv_2d *conv,
                                  struct tails *tails, struct hy_error *err)
{
    enum hy_code code = hy_call_size(call, 3, 0, &conv->columns.head, err);

    if (code == HY_OK)
        code = hy_call_int(call, 4, &tails->columns, err);
    if (code == HY_OK)
        code = hy_call_size(call, 5, 0, &conv->rows.head, err);
    if (code == HY_OK)
        code = hy_call_int(call, 6, &tails->rows, err);
    return code;
}

/* The implicit form has 9 inputs, the explicit one 11. */
static enum hy_code read_arguments(const struct hy_call *call, struct hy_conv_2d *conv,
                                   struct tails *tails, struct hy_error *err)
{
    bool implicit = call->input_count == 9;
    uint32_t at = implicit ? 5 : 7;

    enum hy_code code = hy_call_size(call, at, 1, &conv->columns.stride, err);
    if (code == HY_OK)
        code = hy_call_size(call, at + 1, 1, &conv->rows.stride, err);
    if (code == HY_OK)
        code = hy_call_activation(call, at + 2, &conv->activation, err);
    if (code == HY_OK)
        code = hy_call_bool(call, at + 3, &conv->nchw, err);
    if (code != HY_OK)
        return code;
    return implicit ? read_implicit(call, conv, tails, err) : read_explicit(call, conv, tails, err);
}

static enum hy_code output_size(const struct hy_window *window, int32_t tail, uint32_t in,
                                uint32_t *out, struct hy_error *err)
{
    if (in == 0 || in > INT32_MAX || window->filter == 0)
        return hy_fail(err, HY_FAILED, "a filter of %u elements does not fit %u elements",
                       window->filter, in);
    int64_t reach = (int64_t)in * window->stride + window->filter - window->stride;
    int64_t size = reach - window->head - tail;
    if (size < 1 || reach > INT32_MAX || size > INT32_MAX - (int64_t)window->head)
        return hy_fail(err, HY_FAILED,
                       "%u elements with stride %u, filter %u and padding %u and %d make %lld", in,
                       window->stride, window->filter, window->head, tail, (long long)size);
    *out = (uint32_t)size;
    return HY_OK;
}

/* Filter, strides and layout must be set. */
static enum hy_code set_sizes(const struct hy_call *call, const struct tails *tails,
                              struct hy_conv_2d *conv, struct hy_error *err)
{
    const uint32_t *filter = hy_call_input(call, 1)->shape.dims;

    conv->in = hy_image_size_of(&hy_call_input(call, 0)->shape, conv->nchw);
    conv->out = (struct hy_image_size){.batch = conv->in.batch, .channels = filter[0]};
    if (filter[3] != conv->in.channels || filter[3] == 0 || filter[0] == 0)
        return hy_fail(err, HY_FAILED,
                       "filter has %u output channels and %u input channels, input 0 has %u",
                       filter[0], filter[3], conv->in.channels);
    if (conv->in.batch > INT32_MAX || filter[0] > INT32_MAX || filter[3] > INT32_MAX)
        return hy_fail(err, HY_FAILED, "%u images of %u channels are too many", conv->in.batch,
                       conv->in.channels);
    enum hy_code code =
        output_size(&conv->rows, tails->rows, conv->in.height, &conv->out.height, err);
    if (code == HY_OK)
        code = output_size(&conv->columns, tails->columns, conv->in.width, &conv->out.width, err);
    return code;
}

enum hy_code hy_transpose_conv_2d_read(const struct hy_call *call, struct hy_conv_2d *conv,
                                       struct hy_error *err)
{
    const struct hy_shape *filter = &hy_call_input(call, 1)->shape;
    struct hy_conv_2d read = {.groups = 1, .rows.dilation = 1, .columns.dilation = 1};
    struct tails tails = {0};

    enum hy_code code = hy_call_check_rank(call, 0, 4, 4, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 1, 4, 4, err);
    if (code != HY_OK)
        return code;
    if (filter->dims[1] > INT32_MAX || filter->dims[2] > INT32_MAX)
        return hy_fail(err, HY_FAILED, "a filter of %u by %u is too large", filter->dims[1],
                       filter->dims[2]);
    read.rows.filter = filter->dims[1];
    read.columns.filter = filter->dims[2];
    code = read_arguments(call, &read, &tails, err);
    if (code == HY_OK)
        code = set_sizes(call, &tails, &read, err);
    if (code == HY_OK)
        code = hy_conv_check_weights(call, read.out.channels, 0, err);
    if (code == HY_OK)
        *conv = read;
    return code;
}

enum hy_code hy_infer_transpose_conv_2d(const struct hy_call *call, struct hy_shape *outputs,
                                        struct hy_error *err)
{
    struct hy_conv_2d conv;
    enum hy_code code = hy_transpose_conv_2d_read(call, &conv, err);

    if (code == HY_OK)
        outputs[0] = hy_image_shape(&conv.out, conv.nchw);
    return code;
}
