#include "common/inference/infer_conv_3d.h"
#include "common/inference/infer_rules.h"

enum { AXES = HY_CONV_3D_AXES, EXPLICIT_INPUTS = 17, TRANSPOSE_EXPLICIT_INPUTS = 14 };

/* ---- Operands -------------------------------------------------------------------------------- */

/* Data, filter and bias; `in_dim` and `out_dim` are the channel dimensions of the filter. */
static enum hy_code read_tensors(const struct hy_call *call, uint32_t in_dim, uint32_t out_dim,
                                 struct hy_conv_3d *conv, struct hy_error *err)
{
    const uint32_t *in = hy_call_input(call, 0)->shape.dims;
    const uint32_t *filter = hy_call_input(call, 1)->shape.dims;

    enum hy_code code = hy_call_check_rank(call, 0, 5, 5, err);
    if (code == HY_OK)
        code = hy_call_check_filled(call, 1, 5, 5, err);
    if (code == HY_OK)
        code = hy_call_check_rank(call, 2, 1, 1, err);
    if (code != HY_OK)
        return code;
    conv->batch = in[0];
    conv->in_channels = in[4];
    conv->out_channels = filter[out_dim];
    for (uint32_t i = 0; i < AXES; i++) {
        conv->in[i] = in[1 + i];
        conv->axes[i].filter = filter[i];
    }
    if (in[0] > INT32_MAX || in[4] > INT32_MAX || filter[out_dim] > INT32_MAX)
        return hy_fail(err, HY_FAILED, "%u volumes of %u channels are too many", in[0], in[4]);
    if (conv->in_channels == 0 || (uint64_t)filter[in_dim] * conv->groups != conv->in_channels)
        return hy_fail(err, HY_FAILED, "filter is for %u channels in %u groups, input 0 has %u",
                       filter[in_dim], conv->groups, conv->in_channels);
    if (conv->out_channels % conv->groups != 0)
        return hy_fail(err, HY_FAILED, "filter has %u output channels for %u groups",
                       conv->out_channels, conv->groups);
    if (hy_call_input(call, 2)->shape.dims[0] != conv->out_channels)
        return hy_fail(err, HY_FAILED, "bias has %u elements for %u output channels",
                       hy_call_input(call, 2)->shape.dims[0], conv->out_channels);
    return HY_OK;
}

/* The operands are in the order width, height, depth. */
static enum hy_code read_steps(const struct hy_call *call, uint32_t strides, uint32_t dilations,
                               struct hy_conv_3d *conv, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < AXES && code == HY_OK; i++) {
        struct hy_window *axis = &conv->axes[AXES - 1 - i];
        code = hy_call_size(call, strides + i, 1, &axis->stride, err);
        if (code == HY_OK)
            code = hy_call_size(call, dilations + i, 1, &axis->dilation, err);
    }
    return code;
}

/* The window over `extent` elements: padding and number of positions. */
static enum hy_code infer_window(struct hy_window *axis, int32_t scheme, bool is_implicit,
                                 uint32_t extent, uint32_t *count, struct hy_error *err)
{
    enum hy_code code = is_implicit ? hy_window_pad(axis, scheme, extent, err) : HY_OK;

    return code == HY_OK ? hy_window_output(axis, extent, count, err) : code;
}

/* ---- CONV_3D --------------------------------------------------------------------------------- */

/* Six pads: left, right, top, bottom, front, back. */
static enum hy_code read_pads(const struct hy_call *call, struct hy_conv_3d *conv,
                              struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < AXES && code == HY_OK; i++) {
        struct hy_window *axis = &conv->axes[AXES - 1 - i];
        code = hy_call_size(call, 3 + 2 * i, 0, &axis->head, err);
        if (code == HY_OK)
            code = hy_call_size(call, 4 + 2 * i, 0, &axis->tail, err);
    }
    return code;
}

enum hy_code hy_conv_3d_read(const struct hy_call *call, struct hy_conv_3d *conv,
                             struct hy_error *err)
{
    const bool is_implicit = call->input_count != EXPLICIT_INPUTS;
    const uint32_t strides = is_implicit ? 4 : 9;
    struct hy_conv_3d read = {0};
    int32_t scheme = 0;

    enum hy_code code = hy_call_size(call, strides + 3, 1, &read.groups, err);
    if (code == HY_OK)
        code = read_tensors(call, 3, 4, &read, err);
    if (code == HY_OK)
        code = is_implicit ? hy_call_int(call, 3, &scheme, err) : read_pads(call, &read, err);
    if (code == HY_OK)
        code = hy_call_activation(call, strides + 4, &read.activation, err);
    if (code == HY_OK)
        code = read_steps(call, strides, strides + 5, &read, err);
    for (uint32_t i = 0; i < AXES && code == HY_OK; i++)
        code = infer_window(&read.axes[i], scheme, is_implicit, read.in[i], &read.out[i], err);
    if (code == HY_OK)
        *conv = read;
    return code;
}

/* ---- TRANSPOSE_CONV_3D ----------------------------------------------------------------------- */

/* Input 3 is the shape of the output. */
static enum hy_code read_output(const struct hy_call *call, struct hy_conv_3d *conv,
                                struct hy_error *err)
{
    int32_t dims[5];
    enum hy_code code = hy_call_int_list(call, 3, 5, dims, err);

    if (code != HY_OK)
        return code;
    if (dims[0] < 0 || (uint32_t)dims[0] != conv->batch || dims[4] < 0 ||
        (uint32_t)dims[4] != conv->out_channels)
        return hy_fail(err, HY_FAILED,
                       "the output shape has batch %d and %d channels, needs %u and %u", dims[0],
                       dims[4], conv->batch, conv->out_channels);
    for (uint32_t i = 0; i < AXES; i++) {
        if (dims[1 + i] < 1)
            return hy_fail(err, HY_FAILED, "the output shape is %d by %d by %d, needs 1 or more",
                           dims[1], dims[2], dims[3]);
        conv->out[i] = (uint32_t)dims[1 + i];
    }
    return HY_OK;
}

/* A convolution over the output has as many positions as the input. */
static enum hy_code infer_output(struct hy_conv_3d *conv, uint32_t i, int32_t scheme,
                                 struct hy_error *err)
{
    uint32_t count;
    enum hy_code code = infer_window(&conv->axes[i], scheme, true, conv->out[i], &count, err);

    if (code == HY_OK && count != conv->in[i])
        return hy_fail(err, HY_FAILED,
                       "an output of %u elements needs an input of %u, input 0 has %u",
                       conv->out[i], count, conv->in[i]);
    return code;
}

/* With explicit padding any output shape is valid that kernels can compute with. */
static enum hy_code read_head(const struct hy_call *call, struct hy_conv_3d *conv, uint32_t i,
                              struct hy_error *err)
{
    struct hy_window *axis = &conv->axes[i];
    enum hy_code code = hy_call_size(call, 4 + AXES - 1 - i, 0, &axis->head, err);

    if (code != HY_OK)
        return code;
    if (conv->in[i] == 0)
        return hy_fail(err, HY_FAILED, "the volume is empty");
    const uint64_t reach = (uint64_t)conv->in[i] * axis->stride;
    if (reach > INT32_MAX || (uint64_t)axis->filter * axis->dilation > INT32_MAX ||
        (uint64_t)conv->out[i] + axis->head > INT32_MAX)
        return hy_fail(err, HY_FAILED, "a volume of %u elements is too large", conv->in[i]);
    return HY_OK;
}

enum hy_code hy_transpose_conv_3d_read(const struct hy_call *call, struct hy_conv_3d *conv,
                                       struct hy_error *err)
{
    const bool is_implicit = call->input_count != TRANSPOSE_EXPLICIT_INPUTS;
    const uint32_t strides = is_implicit ? 5 : 7;
    struct hy_conv_3d read = {.groups = 1};
    int32_t scheme = 0;

    enum hy_code code = read_tensors(call, 4, 3, &read, err);
    if (code == HY_OK)
        code = read_output(call, &read, err);
    if (code == HY_OK && is_implicit)
        code = hy_call_int(call, 4, &scheme, err);
    if (code == HY_OK)
        code = hy_call_activation(call, strides + 3, &read.activation, err);
    if (code == HY_OK)
        code = read_steps(call, strides, strides + 4, &read, err);
    for (uint32_t i = 0; i < AXES && code == HY_OK; i++)
        code = is_implicit ? infer_output(&read, i, scheme, err) : read_head(call, &read, i, err);
    if (code == HY_OK)
        *conv = read;
    return code;
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

/* The output shape of a reader that returned `code`. */
static enum hy_code output_shape(const struct hy_conv_3d *conv, struct hy_shape *outputs,
                                 enum hy_code code)
{
    if (code == HY_OK)
        outputs[0] = (struct hy_shape){
            5, {conv->batch, conv->out[0], conv->out[1], conv->out[2], conv->out_channels}};
    return code;
}

enum hy_code hy_infer_conv_3d(const struct hy_call *call, struct hy_shape *outputs,
                              struct hy_error *err)
{
    struct hy_conv_3d conv;
    return output_shape(&conv, outputs, hy_conv_3d_read(call, &conv, err));
}

enum hy_code hy_infer_transpose_conv_3d(const struct hy_call *call, struct hy_shape *outputs,
                                        struct hy_error *err)
{
    struct hy_conv_3d conv;
    return output_shape(&conv, outputs, hy_transpose_conv_3d_read(call, &conv, err));
}
