#include "tests/unit/tools/operators/op_builder.h"

#include <math.h>

/* A window along one dimension of the input. */
struct window {
    int32_t size;
    int32_t stride;
    int32_t dilation;
    int32_t out;
};

static struct window any_window(struct hy_op_builder *op_builder, int32_t in, int padding,
                                bool dilated)
{
    struct window window = {.stride = hy_op_between(op_builder, 1, 3), .dilation = 1};
    window.size = hy_op_between(op_builder, 1, in < 4 ? in : 4);
    if (dilated && window.size > 1 && 2 * (window.size - 1) + 1 <= in)
        window.dilation = 2;
    const int32_t covered = (window.size - 1) * window.dilation + 1;
    const int32_t capacity = padding == HY_TFLITE_PADDING_SAME ? in - 1 : in - covered;
    window.out = capacity / window.stride + 1;
    return window;
}

/* ---- Pooling --------------------------------------------------------------------------------- */

void hy_op_pool(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = hy_op_of(
        op_builder, op_builder->type, 4,
        (const int32_t[]){hy_op_between(op_builder, 1, 2), hy_op_between(op_builder, 1, 9),
                          hy_op_between(op_builder, 1, 9), hy_op_between(op_builder, 1, 20)});
    const int padding = (int)hy_op_pick(op_builder, 2);
    const struct window h = any_window(op_builder, x.dims[1], padding, false);
    const struct window w = any_window(op_builder, x.dims[2], padding, false);
    struct hy_op_tensor y =
        hy_op_shaped(&x, 4, (const int32_t[]){x.dims[0], h.out, w.out, x.dims[3]});

    if (hy_op_pick(op_builder, 4) == 0) /* the bytes stay the same */
        y = hy_op_scaled(&y, 1.5f * x.scale, hy_op_zero_point(op_builder, x.type));
    hy_op_input(op_builder, &x);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_POOL_2D);
    hy_op_option(op_builder, 0, 1, padding);
    hy_op_option(op_builder, 1, 4, w.stride);
    hy_op_option(op_builder, 2, 4, h.stride);
    hy_op_option(op_builder, 3, 4, w.size);
    hy_op_option(op_builder, 4, 4, h.size);
    hy_op_option_activation(op_builder, 5);
    hy_op_output(op_builder, &y);
}

/* ---- Filters --------------------------------------------------------------------------------- */

/* A constant filter for the data's type; gives its (first) scale. int8, which int16 has, too, has
 * one scale per slice of `channel_dim` half of the time. */
static float add_filter(struct hy_op_builder *op_builder, uint32_t rank, const int32_t *dims,
                        int32_t channel_dim, bool per_channel)
{
    const bool is_wide = op_builder->type == HY_TFLITE_INT16;
    struct hy_op_tensor filter =
        hy_op_of(op_builder, is_wide ? HY_TFLITE_INT8 : op_builder->type, rank, dims);
    if (filter.type == HY_TFLITE_FLOAT32) {
        filter.low = -1.0f;
        filter.high = 1.0f;
    }
    if (filter.type != HY_TFLITE_INT8) {
        hy_op_constant(op_builder, &filter);
        return filter.scale;
    }

    filter.zero_point = 0;
    filter.low = -127.0f;
    filter.high = 127.0f;
    if (!per_channel) {
        hy_op_constant(op_builder, &filter);
        return filter.scale;
    }
    const uint32_t count = (uint32_t)dims[channel_dim];
    float *scales = hy_op_memory(op_builder, count * sizeof *scales);
    for (uint32_t i = 0; i < count; i++)
        scales[i] = filter.scale * hy_op_real(op_builder, 0.5f, 1.5f);
    hy_op_constant_per_channel(op_builder, &filter, channel_dim, scales);
    return scales[0];
}

static void add_bias(struct hy_op_builder *op_builder, int32_t count, float scale)
{
    struct hy_op_tensor bias = {.type = HY_TFLITE_FLOAT32, .rank = 1, .dims = {count}};
    if (op_builder->type != HY_TFLITE_FLOAT32) {
        bias.type = HY_TFLITE_INT32;
        bias.scale = scale;
        bias.low = -20000.0f;
        bias.high = 20000.0f;
    }
    if (op_builder->type == HY_TFLITE_INT16) { /* whose steps are 256 times as many */
        bias.type = HY_TFLITE_INT64;
        bias.low *= 256.0f;
        bias.high *= 256.0f;
    }
    hy_op_constant(op_builder, &bias);
}

/* TensorFlow Lite scales int16 without a bias in 31 bits, and with one of int64 in 16, as all int16
 * is scaled here. */
static bool has_bias(struct hy_op_builder *op_builder)
{
    return hy_op_pick(op_builder, 2) || op_builder->type == HY_TFLITE_INT16;
}

/* As `x`, and scaled so that sums of `terms` random products fill the range without leaving it
 * often. */
static struct hy_op_tensor sums(struct hy_op_builder *op_builder, const struct hy_op_tensor *x,
                                float filter_scale, int32_t terms, const int32_t dims[4])
{
    const float spread = 140.0f * sqrtf((float)terms); /* steps of the sum per step of output */
    const struct hy_op_tensor y = hy_op_shaped(x, 4, dims);
    return hy_op_scaled(&y, x->scale * filter_scale * spread,
                        hy_op_zero_point(op_builder, x->type));
}

static struct hy_op_tensor any_image(struct hy_op_builder *op_builder)
{
    return hy_op_of(
        op_builder, op_builder->type, 4,
        (const int32_t[]){hy_op_between(op_builder, 1, 2), hy_op_between(op_builder, 1, 9),
                          hy_op_between(op_builder, 1, 9), hy_op_between(op_builder, 1, 20)});
}

void hy_op_conv(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = any_image(op_builder);
    const int padding = (int)hy_op_pick(op_builder, 2);
    const bool dilated = hy_op_pick(op_builder, 4) == 0;
    const struct window h = any_window(op_builder, x.dims[1], padding, dilated);
    const struct window w = any_window(op_builder, x.dims[2], padding, dilated);
    const int32_t channels = hy_op_between(op_builder, 1, 20);

    hy_op_input(op_builder, &x);
    const float scale =
        add_filter(op_builder, 4, (const int32_t[]){channels, h.size, w.size, x.dims[3]}, 0,
                   hy_op_pick(op_builder, 2));
    add_bias(op_builder, channels, x.scale * scale);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_CONV_2D);
    hy_op_option(op_builder, 0, 1, padding);
    hy_op_option(op_builder, 1, 4, w.stride);
    hy_op_option(op_builder, 2, 4, h.stride);
    hy_op_option_activation(op_builder, 3);
    hy_op_option(op_builder, 4, 4, w.dilation);
    hy_op_option(op_builder, 5, 4, h.dilation);
    const struct hy_op_tensor y = sums(op_builder, &x, scale, h.size * w.size * x.dims[3],
                                       (const int32_t[]){x.dims[0], h.out, w.out, channels});
    hy_op_output(op_builder, &y);
}

void hy_op_depthwise_conv(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = any_image(op_builder);
    const int padding = (int)hy_op_pick(op_builder, 2);
    const bool dilated = hy_op_pick(op_builder, 4) == 0;
    const struct window h = any_window(op_builder, x.dims[1], padding, dilated);
    const struct window w = any_window(op_builder, x.dims[2], padding, dilated);
    const int32_t multiplier = hy_op_pick(op_builder, 2) ? 1 : hy_op_between(op_builder, 1, 3);
    const int32_t channels = x.dims[3] * multiplier;

    hy_op_input(op_builder, &x);
    const float scale = add_filter(op_builder, 4, (const int32_t[]){1, h.size, w.size, channels}, 3,
                                   hy_op_pick(op_builder, 2));
    add_bias(op_builder, channels, x.scale * scale);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_DEPTHWISE_CONV_2D);
    hy_op_option(op_builder, 0, 1, padding);
    hy_op_option(op_builder, 1, 4, w.stride);
    hy_op_option(op_builder, 2, 4, h.stride);
    hy_op_option(op_builder, 3, 4, multiplier);
    hy_op_option_activation(op_builder, 4);
    hy_op_option(op_builder, 5, 4, w.dilation);
    hy_op_option(op_builder, 6, 4, h.dilation);
    const struct hy_op_tensor y = sums(op_builder, &x, scale, h.size * w.size,
                                       (const int32_t[]){x.dims[0], h.out, w.out, channels});
    hy_op_output(op_builder, &y);
}

/* The options stand at their defaults but for padding and strides: SAME makes the output `stride`
 * times as large, VALID lets the filter stick out. */
void hy_op_transpose_conv(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = any_image(op_builder);
    const int padding = (int)hy_op_pick(op_builder, 2);
    const int32_t stride = hy_op_between(op_builder, 1, 3),
                  channels = hy_op_between(op_builder, 1, 8);
    const int32_t h = hy_op_between(op_builder, stride, 4),
                  w = hy_op_between(op_builder, stride, 4);
    const bool same = padding == HY_TFLITE_PADDING_SAME;
    const int32_t out[4] = {x.dims[0], same ? x.dims[1] * stride : (x.dims[1] - 1) * stride + h,
                            same ? x.dims[2] * stride : (x.dims[2] - 1) * stride + w, channels};

    hy_op_ints(op_builder, 4, out);
    const float scale = add_filter(op_builder, 4, (const int32_t[]){channels, h, w, x.dims[3]}, 0,
                                   hy_op_pick(op_builder, 2));
    hy_op_input(op_builder, &x);
    if (has_bias(op_builder))
        add_bias(op_builder, channels, x.scale * scale);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_TRANSPOSE_CONV);
    hy_op_option(op_builder, 0, 1, padding);
    hy_op_option(op_builder, 1, 4, stride);
    hy_op_option(op_builder, 2, 4, stride);
    const struct hy_op_tensor y = sums(op_builder, &x, scale, h * w * x.dims[3], out);
    hy_op_output(op_builder, &y);
}

/* ---- Volumes --------------------------------------------------------------------------------- */

static struct hy_op_tensor any_volume(struct hy_op_builder *op_builder)
{
    return hy_op_of(
        op_builder, op_builder->type, 5,
        (const int32_t[]){hy_op_between(op_builder, 1, 2), hy_op_between(op_builder, 1, 5),
                          hy_op_between(op_builder, 1, 6), hy_op_between(op_builder, 1, 6),
                          hy_op_between(op_builder, 1, 9)});
}

/* Depth, height and width. Dilations stand at their defaults: TensorFlow Lite 2.9 reads memory
 * there that nothing has written. */
static void option_volume(struct hy_op_builder *op_builder, int padding,
                          const struct window windows[3])
{
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_CONV_3D);
    hy_op_option(op_builder, 0, 1, padding);
    hy_op_option(op_builder, 1, 4, windows[0].stride);
    hy_op_option(op_builder, 2, 4, windows[2].stride);
    hy_op_option(op_builder, 3, 4, windows[1].stride);
    hy_op_option_activation(op_builder, 4);
}

void hy_op_conv_3d(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor x = any_volume(op_builder);
    const int padding = (int)hy_op_pick(op_builder, 2);
    const int32_t channels = hy_op_between(op_builder, 1, 9);
    struct window windows[3];

    for (uint32_t i = 0; i < 3; i++)
        windows[i] = any_window(op_builder, x.dims[1 + i], padding, false);
    hy_op_input(op_builder, &x);
    add_filter(
        op_builder, 5,
        (const int32_t[]){windows[0].size, windows[1].size, windows[2].size, x.dims[4], channels},
        0, false);
    if (hy_op_pick(op_builder, 2))
        add_bias(op_builder, channels, 0);
    option_volume(op_builder, padding, windows);
    const struct hy_op_tensor y = hy_op_shaped(
        &x, 5,
        (const int32_t[]){x.dims[0], windows[0].out, windows[1].out, windows[2].out, channels});
    hy_op_output(op_builder, &y);
}

/* The output is what a convolution makes the input of. TensorFlow Lite 2.9 has no bias unless it is
 * as long as the input has channels, and adds to other places than its own reference does where
 * there is padding in front. */
void hy_op_transpose_conv_3d(struct hy_op_builder *op_builder)
{
    const struct hy_op_tensor y = any_volume(op_builder);
    const int padding = (int)hy_op_pick(op_builder, 2);
    const int32_t channels = hy_op_between(op_builder, 1, 9);
    struct window windows[3];

    for (uint32_t i = 0; i < 3; i++)
        windows[i] = any_window(op_builder, y.dims[1 + i], padding, false);
    if (padding == HY_TFLITE_PADDING_SAME && windows[0].size > 2)
        windows[0].size = 2; /* no padding in front, one behind */
    const struct hy_op_tensor x = hy_op_shaped(
        &y, 5,
        (const int32_t[]){y.dims[0], windows[0].out, windows[1].out, windows[2].out, channels});
    hy_op_ints(op_builder, 5, y.dims);
    add_filter(
        op_builder, 5,
        (const int32_t[]){windows[0].size, windows[1].size, windows[2].size, y.dims[4], channels},
        0, false);
    hy_op_input(op_builder, &x);
    if (y.dims[4] == channels)
        add_bias(op_builder, channels, 0);
    option_volume(op_builder, padding, windows);
    hy_op_output(op_builder, &y);
}

/* ---- Products of matrices -------------------------------------------------------------------- */

void hy_op_fully_connected(struct hy_op_builder *op_builder)
{
    const int32_t batch = hy_op_between(op_builder, 1, 5), depth = hy_op_between(op_builder, 1, 70);
    const int32_t units = hy_op_between(op_builder, 1, 40);
    const bool keep_dimensions = hy_op_pick(op_builder, 2);
    const struct hy_op_tensor x =
        keep_dimensions
            ? hy_op_of(op_builder, op_builder->type, 3, (const int32_t[]){2, batch, depth})
            : hy_op_of(op_builder, op_builder->type, 2, (const int32_t[]){batch, depth});

    hy_op_input(op_builder, &x);
    const float scale = add_filter(op_builder, 2, (const int32_t[]){units, depth}, 0, false);
    if (has_bias(op_builder))
        add_bias(op_builder, units, x.scale * scale);
    else
        hy_op_nothing(op_builder);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_FULLY_CONNECTED);
    hy_op_option_activation(op_builder, 0);
    hy_op_option(op_builder, 2, 1, keep_dimensions);
    struct hy_op_tensor y = sums(op_builder, &x, scale, depth,
                                 (const int32_t[]){keep_dimensions ? 2 : batch, batch, units, 1});
    y = keep_dimensions ? hy_op_shaped(&y, 3, y.dims)
                        : hy_op_shaped(&y, 2, (const int32_t[]){batch, units});
    hy_op_output(op_builder, &y);
}

void hy_op_batch_matmul(struct hy_op_builder *op_builder)
{
    const int32_t rows = hy_op_between(op_builder, 1, 9), columns = hy_op_between(op_builder, 1, 9);
    const int32_t depth = hy_op_between(op_builder, 1, 40);
    const bool adj_x = hy_op_pick(op_builder, 2), adj_y = hy_op_pick(op_builder, 2);
    const uint32_t batches = hy_op_pick(op_builder, 3); /* dimensions of the result */
    const uint32_t x_lacks = hy_op_pick(op_builder, batches + 1),
                   y_lacks = hy_op_pick(op_builder, 2);
    int32_t x_dims[HY_OP_MAX_RANK], y_dims[HY_OP_MAX_RANK], z_dims[HY_OP_MAX_RANK];

    for (uint32_t i = 0; i < batches; i++) {
        const uint32_t repeated = hy_op_pick(op_builder, 4);
        x_dims[i] = y_dims[i] = z_dims[i] = hy_op_between(op_builder, 1, 3);
        if (repeated == 0 || i < x_lacks)
            x_dims[i] = 1;
        else if (repeated == 1)
            y_dims[i] = 1;
    }
    const int32_t x_first = adj_x ? depth : rows, y_first = adj_y ? columns : depth;
    x_dims[batches] = x_first;
    x_dims[batches + 1] = rows + depth - x_first;
    y_dims[batches] = y_first;
    y_dims[batches + 1] = depth + columns - y_first;
    z_dims[batches] = rows;
    z_dims[batches + 1] = columns;
    const uint32_t dropped = y_lacks && x_lacks ? x_lacks : 0;
    const struct hy_op_tensor x =
        hy_op_of(op_builder, op_builder->type, batches + 2 - dropped, x_dims + dropped);
    const struct hy_op_tensor y = hy_op_of(op_builder, op_builder->type, batches + 2, y_dims);

    hy_op_input(op_builder, &x);
    hy_op_input(op_builder, &y);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_BATCH_MATMUL);
    hy_op_option(op_builder, 0, 1, adj_x);
    hy_op_option(op_builder, 1, 1, adj_y);
    struct hy_op_tensor z = sums(op_builder, &x, y.scale, depth, z_dims);
    z = hy_op_shaped(&z, batches + 2, z_dims);
    hy_op_output(op_builder, &z);
}
