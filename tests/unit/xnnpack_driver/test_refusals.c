/* What the driver does not take, and how it says so. Whatever it refuses it does not prepare. */
#include "plugin.h"
#include "tests/kit/test.h"

#include <math.h>

/* A CONV_2D that is supported until a test changes one thing about it. */
struct convolution {
    struct hy_builder_type input, filter, bias, output;
    bool filter_is_input, per_channel, channels_first;
    uint32_t channel_dim;
    float channel_scales[2];
    int32_t scheme, stride, activation, dilation;
};

static struct convolution good_convolution(int32_t type)
{
    const bool is_float = type == F32;
    return (struct convolution){
        .input = {.type = type, .rank = 4, .dims = {1, 5, 5, 3}, .scale = is_float ? 0 : 0.5f},
        .filter = {.type = type, .rank = 4, .dims = {2, 3, 3, 3}, .scale = is_float ? 0 : 0.5f},
        .bias = {.type = is_float ? F32 : I32,
                 .rank = 1,
                 .dims = {2},
                 .scale = is_float ? 0 : 0.25f},
        .output = {.type = type, .rank = 4, .dims = {1, 3, 3, 2}, .scale = is_float ? 0 : 1},
        .channel_scales = {0.5f, 0.5f},
        .scheme = ANEURALNETWORKS_PADDING_VALID,
        .stride = 1,
        .dilation = 1,
    };
}

static void expect_reason(const char *reason, const char *expected)
{
    if (expected[0])
        EXPECT_CONTAINS(reason, expected);
    else
        EXPECT_STR(reason, "");
}

static void try_convolution(struct hy_runner *runner, const struct convolution *conv,
                            const char *expected)
{
    static const uint8_t bytes[256];
    struct hy_builder builder;
    hy_builder_init(&builder);
    const uint64_t size = conv->filter.type == F32 ? 4 : 1;
    const uint64_t bias_size = 4ull * conv->bias.dims[0];
    uint32_t inputs[10] = {hy_builder_input(&builder, &conv->input)};
    inputs[1] = conv->filter_is_input
                    ? hy_builder_input(&builder, &conv->filter)
                    : hy_builder_constant(&builder, &conv->filter, bytes, 54 * size);
    if (conv->per_channel)
        hy_builder_channel_scales(&builder, inputs[1], conv->channel_dim, 2, conv->channel_scales);
    inputs[2] = hy_builder_constant(&builder, &conv->bias, bytes, bias_size);
    inputs[3] = hy_builder_int(&builder, conv->scheme);
    inputs[4] = hy_builder_int(&builder, conv->stride);
    inputs[5] = hy_builder_int(&builder, 1);
    inputs[6] = hy_builder_int(&builder, conv->activation);
    inputs[7] = hy_builder_bool(&builder, conv->channels_first);
    inputs[8] = hy_builder_int(&builder, conv->dilation);
    inputs[9] = hy_builder_int(&builder, 1);
    const uint32_t output = hy_builder_output(&builder, &conv->output);
    hy_builder_operation(&builder, ANEURALNETWORKS_CONV_2D, 10, inputs, 1, &output);
    expect_reason(xnnpack_refusal(runner, hy_builder_model(&builder)), expected);
    hy_builder_finish(&builder);
}

#define CHANGED(type, change, expected) \
    do { \
        struct convolution conv = good_convolution(type); \
        change; \
        try_convolution(&runner, &conv, expected); \
    } while (0)

TEST(xnnpack_refusals, convolutions_name_what_is_wrong)
{
    struct hy_runner runner;
    REQUIRE(xnnpack_open(&runner));
    CHANGED(F32, (void)conv, "");
    CHANGED(F32, conv.filter_is_input = true, "CONV_2D: input 1 is not constant");
    CHANGED(F32, conv.channels_first = true, "channels first");
    CHANGED(F32, conv.stride = 0, "input 4 is 0");
    CHANGED(F32, conv.stride = -5, "input 4 is -5");
    CHANGED(F32, conv.scheme = 7, "the padding scheme is 7");
    CHANGED(F32, conv.activation = 9, "the activation is 9");
    CHANGED(F32, conv.dilation = 0, "input 8 is 0");
    CHANGED(F32, conv.dilation = 3, "a filter span of 7");
    CHANGED(F32, conv.dilation = INT32_MAX, "do not fit");
    CHANGED(F32, conv.input.dims[3] = 4, "4 channels, weights [2, 3, 3, 3]");
    CHANGED(F32, conv.input.dims[1] = 0, "extent 1 of input 0 is not known");
    CHANGED(F32, conv.input.dims[1] = UINT32_MAX, "input 0 has more than 268435456 elements");
    CHANGED(F32, conv.input.rank = 3, "input 0 has rank 3");
    CHANGED(F32, conv.output.dims[1] = 4, "extent 1 of output 0 is 4, needs 3");
    CHANGED(F32, conv.output.type = I32, "output 0 has type 4, which is not supported");
    CHANGED(F32, conv.bias.dims[0] = 3, "a bias has 3 elements, needs 2");
    CHANGED(F32, conv.bias.type = I32, "a bias of type 4");
    CHANGED(F32, conv.filter.type = QS8, "input 1 has scale 0");
    hy_runner_close(&runner);
}

TEST(xnnpack_refusals, shapes_of_outputs_may_be_open)
{
    struct hy_runner runner;
    REQUIRE(xnnpack_open(&runner));
    CHANGED(F32, memset(conv.output.dims, 0, sizeof conv.output.dims), "");
    CHANGED(F32, conv.output.rank = 0, "");
    hy_runner_close(&runner);
}

/* The limits are those that XNNPACK asserts: one step beyond would end the process. */
TEST(xnnpack_refusals, scales_end_where_the_library_does)
{
    struct hy_runner runner;
    REQUIRE(xnnpack_open(&runner));
    CHANGED(QS8, (void)conv, "");
    CHANGED(QU8, (void)conv, "");
    CHANGED(QS8, conv.output.scale = 0.25f / 256, "the scales of input * weights / output are 256");
    CHANGED(QS8, conv.output.scale = nextafterf(0.25f / 256, 1), "");
    CHANGED(QS8, conv.output.scale = 0.25f * 0x1p32f, "");
    CHANGED(QU8, conv.output.scale = 0.25f * 0x1p32f, "");
    CHANGED(QS8, conv.output.scale = 0.25f * 0x1.000002p32f, "the scales of input * weights");
    CHANGED(QU8, conv.output.scale = 0.25f * 0x1.000002p32f, "the scales of input * weights");
    CHANGED(QS8, conv.output.scale = 0, "output 0 has scale 0");
    CHANGED(QS8, conv.output.scale = INFINITY, "output 0 has scale inf");
    CHANGED(QS8, conv.input.scale = NAN, "input 0 has scale nan");
    CHANGED(QS8, conv.input.scale = -1, "input 0 has scale -1");
    CHANGED(QS8, conv.input.zero_point = 200, "zero point 200");
    CHANGED(QU8, conv.input.zero_point = -1, "zero point -1");
    CHANGED(QS8, conv.filter.zero_point = 3, "signed weights have the zero point 3");
    CHANGED(QS8, conv.bias.scale = 1, "the bias has scale 1");
    CHANGED(QS8, (conv.activation = 1, conv.output.zero_point = 127),
            "activation 1 leaves 127 to 127");
    hy_runner_close(&runner);
}

TEST(xnnpack_refusals, scales_per_channel_are_checked)
{
    struct hy_runner runner;
    REQUIRE(xnnpack_open(&runner));
#define PER_CHANNEL \
    (conv.per_channel = true, conv.filter.type = QC8, conv.filter.scale = 0, conv.bias.scale = 0)
    CHANGED(QS8, PER_CHANNEL, "");
    CHANGED(QS8, (PER_CHANNEL, conv.channel_scales[1] = 1e-30f), "");
    CHANGED(QS8, (PER_CHANNEL, conv.channel_scales[1] = 512), "the scales of input * weights");
    CHANGED(QS8, (PER_CHANNEL, conv.channel_scales[1] = 0), "weights have the scale 0");
    CHANGED(QS8, (PER_CHANNEL, conv.channel_scales[1] = NAN), "weights have the scale nan");
    CHANGED(QS8, (PER_CHANNEL, conv.channel_dim = 1), "2 scales along dimension 1");
    CHANGED(QU8, PER_CHANNEL, "weights of type 11 with input of type 5");
#undef PER_CHANNEL
    hy_runner_close(&runner);
}

/* One operation of a tensor, and scalars. */
static void try_one(struct hy_runner *runner, int32_t operation, const struct hy_builder_type *in,
                    uint32_t count, const int32_t *scalars, const struct hy_builder_type *out,
                    const char *expected)
{
    struct hy_builder builder;
    hy_builder_init(&builder);
    uint32_t inputs[12] = {hy_builder_input(&builder, in)};
    for (uint32_t i = 0; i < count; i++)
        inputs[1 + i] = hy_builder_int(&builder, scalars[i]);
    const uint32_t output = hy_builder_output(&builder, out);
    hy_builder_operation(&builder, operation, 1 + count, inputs, 1, &output);
    expect_reason(xnnpack_refusal(runner, hy_builder_model(&builder)), expected);
    hy_builder_finish(&builder);
}

TEST(xnnpack_refusals, operations_name_what_is_missing)
{
    struct hy_runner runner;
    REQUIRE(xnnpack_open(&runner));
    const struct hy_builder_type image = {.type = F32, .rank = 4, .dims = {1, 4, 4, 4}};
    const struct hy_builder_type half = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT16, .rank = 4, .dims = {1, 4, 4, 4}};
    const struct hy_builder_type bytes = {
        .type = QU8, .rank = 4, .dims = {1, 4, 4, 4}, .scale = 1, .zero_point = 9};
    const struct hy_builder_type open = {.type = F32};
    const int32_t shuffle[] = {2, 1}, no_groups[] = {3, 3}, window[] = {2, 2, 2, 1, 1, 0};
    const int32_t split[] = {3, 2}, block[] = {3}, no_axis[] = {7, 1};
    const int32_t side[] = {1 << 21, 1}, area[] = {1 << 13, 1 << 12}, nothing[] = {4, 0};

    try_one(&runner, ANEURALNETWORKS_TANH, &image, 0, NULL, &open,
            "TANH: input 0 has type 3, which is not supported");
    try_one(&runner, ANEURALNETWORKS_ABS, &half, 0, NULL, &half,
            "ABS: input 0 has type 8, which is not supported");
    try_one(&runner, ANEURALNETWORKS_LOGISTIC, &bytes, 0, NULL, &bytes, "needs 0.00390625, 0");
    try_one(&runner, ANEURALNETWORKS_ARGMAX, &image, 0, NULL, &open, "XNNPACK has no operator");
    try_one(&runner, ANEURALNETWORKS_ABS, &image, 1, block, &open, "ABS: 2 inputs and 1 outputs");
    try_one(&runner, 1 << 20, &image, 0, NULL, &open, "operation type 1048576");
    try_one(&runner, -1, &image, 0, NULL, &open, "operation type -1");
    try_one(&runner, ANEURALNETWORKS_CHANNEL_SHUFFLE, &image, 2, shuffle, &open,
            "axis 1 is not the last of 4");
    try_one(&runner, ANEURALNETWORKS_CHANNEL_SHUFFLE, &image, 2, no_groups, &open,
            "3 groups do not divide 4 channels");
    try_one(&runner, ANEURALNETWORKS_MAX_POOL_2D, &image, 6, window, &open,
            "XNNPACK does not support windows of one element");
    try_one(&runner, ANEURALNETWORKS_DEPTH_TO_SPACE, &image, 1, block, &open, "blocks of 3");
    try_one(&runner, ANEURALNETWORKS_RESIZE_BILINEAR, &image, 2, side, &open, "is too large");
    try_one(&runner, ANEURALNETWORKS_RESIZE_BILINEAR, &image, 2, area, &open, "is too large");
    try_one(&runner, ANEURALNETWORKS_RESIZE_BILINEAR, &image, 2, nothing, &open,
            "input 2 gives a size of 0");
    try_one(&runner, ANEURALNETWORKS_SPLIT, &image, 2, split, &open,
            "4 elements cannot be split in 2 parts");
    try_one(&runner, ANEURALNETWORKS_SPLIT, &image, 2, no_axis, &open, "the axis is 7 at rank 4");
    try_one(&runner, ANEURALNETWORKS_EXPAND_DIMS, &image, 1, no_axis, &open,
            "the axis is 7 at rank 5");
    hy_runner_close(&runner);
}

TEST(xnnpack_refusals, sums_end_where_the_library_does)
{
    struct hy_runner runner;
    REQUIRE(xnnpack_open(&runner));
    const float ratios[] = {0x1p-11f, 0x1p-10f, 255.9f, 256};
    for (uint32_t i = 0; i < 4; i++) {
        struct hy_builder builder;
        struct hy_builder_type in = {.type = QS8, .rank = 2, .dims = {2, 3}, .scale = ratios[i]};
        struct hy_builder_type out = {.type = QS8, .rank = 2, .dims = {2, 3}, .scale = 1};
        hy_builder_init(&builder);
        const uint32_t inputs[] = {hy_builder_input(&builder, &out),
                                   hy_builder_input(&builder, &in), hy_builder_int(&builder, 0)};
        const uint32_t output = hy_builder_output(&builder, &out);
        hy_builder_operation(&builder, ANEURALNETWORKS_ADD, 3, inputs, 1, &output);
        expect_reason(xnnpack_refusal(&runner, hy_builder_model(&builder)),
                      i == 0 || i == 3 ? "the scales of input 1 / output" : "");
        hy_builder_finish(&builder);
    }
    hy_runner_close(&runner);
}
