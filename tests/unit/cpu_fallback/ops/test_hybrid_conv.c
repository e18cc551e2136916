/* Convolutions of float32 whose filters are int8 with a DEQUANTIZE. */
#include <android/NeuralNetworksTypes.h>
#include <assert.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/kernels/kernels.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/cache_fixture.h"
#include "tests/unit/cpu_fallback/kit/quota_host.h"

enum {
    DEPTH = 192,
    UNITS = 200,
    MOST_ROWS = 29,
    WEIGHTS = DEPTH * UNITS,
    OUTPUTS = MOST_ROWS * UNITS
};

static int8_t weights[WEIGHTS];
static float in[MOST_ROWS * DEPTH], bias[UNITS], scales[UNITS];

/* Sums of these are exact in any order. */
static void fill(void)
{
    for (int i = 0; i < WEIGHTS; i++)
        weights[i] = (int8_t)(i * 7 % 23 - 11);
    for (int i = 0; i < MOST_ROWS * DEPTH; i++)
        in[i] = (float)(i % 5);
    for (int i = 0; i < UNITS; i++) {
        bias[i] = (float)(i % 9);
        scales[i] = i % 3 == 0 ? 0.5f : 2.0f;
    }
}

/* A network of one product; `rows` 0: the request tells. */
struct shape {
    uint32_t rows;
    bool is_conv; /* with a scale for each channel, else FULLY_CONNECTED with one */
};

static uint32_t add_filter(struct hy_builder *builder, const struct shape *shape)
{
    struct hy_builder_type stored = {
        ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 0.5f, 0, 2, {UNITS, DEPTH}};
    struct hy_builder_type real = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {UNITS, DEPTH}};

    if (shape->is_conv) {
        stored = (struct hy_builder_type){
            ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 0, 0, 4, {UNITS, 1, 1, DEPTH}};
        real =
            (struct hy_builder_type){ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {UNITS, 1, 1, DEPTH}};
    }
    const uint32_t from = hy_builder_pool_constant(builder, &stored, weights, sizeof weights);
    if (shape->is_conv)
        hy_builder_channel_scales(builder, from, 0, UNITS, scales);
    const uint32_t filter = hy_builder_temporary(builder, &real);
    hy_builder_operation(builder, HY_OP_DEQUANTIZE, 1, &from, 1, &filter);
    return filter;
}

static void build(struct hy_builder *builder, const struct shape *shape)
{
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {UNITS}};
    struct hy_builder_type from = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {shape->rows, DEPTH}};
    struct hy_builder_type to = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {shape->rows, UNITS}};
    uint32_t inputs[7];

    fill();
    if (shape->is_conv) {
        from = (struct hy_builder_type){
            ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, 1, shape->rows, DEPTH}};
        to = (struct hy_builder_type){
            ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, 1, shape->rows, UNITS}};
    }
    inputs[0] = hy_builder_input(builder, &from);
    inputs[1] = add_filter(builder, shape);
    inputs[2] = hy_builder_constant(builder, &list, bias, sizeof bias);
    inputs[3] = hy_builder_int(builder, shape->is_conv ? ANEURALNETWORKS_PADDING_VALID
                                                       : ANEURALNETWORKS_FUSED_NONE);
    for (int i = 4; i < 6 && shape->is_conv; i++)
        inputs[i] = hy_builder_int(builder, 1);
    if (shape->is_conv)
        inputs[6] = hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE);
    const uint32_t output = hy_builder_output(builder, &to);
    hy_builder_operation(builder, shape->is_conv ? HY_OP_CONV_2D : HY_OP_FULLY_CONNECTED,
                         shape->is_conv ? 7 : 4, inputs, 1, &output);
}

static void expect_products(struct hy_runner *runner, uint32_t rows, bool is_conv)
{
    static float out[OUTPUTS];
    const uint32_t in_dims[] = {1, 1, rows, DEPTH}, out_dims[] = {1, 1, rows, UNITS};
    const uint32_t skipped = is_conv ? 0 : 2;

    memset(out, 0, sizeof out);
    hy_runner_clear(runner);
    hy_runner_input(runner, in, (uint64_t)rows * DEPTH * sizeof *in, 4 - skipped,
                    in_dims + skipped);
    hy_runner_output(runner, out, (uint64_t)rows * UNITS * sizeof *out, 4 - skipped,
                     out_dims + skipped);
    EXPECT_INT(hy_runner_execute(runner), HY_STATUS_OK);
    for (uint32_t i = 0; i < rows * UNITS; i++) {
        const uint32_t row = i / UNITS, unit = i % UNITS;
        float want = bias[unit];
        for (int k = 0; k < DEPTH; k++)
            want += (is_conv ? scales[unit] : 0.5f) * (float)weights[unit * DEPTH + (uint32_t)k] *
                    in[row * DEPTH + (uint32_t)k];
        EXPECT(out[i] == want);
    }
}

static bool has_kernel(void)
{
    return hy_kernels_fast()->hybrid_conv.run != NULL;
}

/* Opens a network on a host that counts, and checks its products. Gives the bytes that it has. */
static uint64_t run_counted(const struct shape *shape, uint32_t rows)
{
    struct hy_quota_host host;
    struct hy_builder builder;
    struct hy_runner runner;

    hy_quota_host_init(&host);
    hy_builder_init(&builder);
    build(&builder, shape);
    EXPECT_INT(hy_runner_open_on(&runner, &host.cache.host, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
    const uint64_t reserved = host.reserved;
    expect_products(&runner, rows, shape->is_conv);
    hy_runner_close(&runner);
    EXPECT_INT(host.reserved, 0);
    hy_builder_finish(&builder);
    hy_quota_host_finish(&host);
    return reserved;
}

TEST(hybrid_conv, weights_of_one_pixel_stay_bytes)
{
    for (int is_conv = 0; is_conv < 2; is_conv++) {
        const uint64_t bytes = run_counted(&(struct shape){1, is_conv}, 1);
        EXPECT(!has_kernel() || (bytes >= WEIGHTS && bytes < 2 * WEIGHTS));
    }
}

/* Whatever tiles the rows make: part of one, one, or several with rows left over. */
TEST(hybrid_conv, weights_of_several_pixels_stay_bytes)
{
    for (int is_conv = 0; is_conv < 2; is_conv++)
        for (uint32_t rows = 2; rows <= MOST_ROWS; rows += 3) {
            const uint64_t bytes = run_counted(&(struct shape){rows, is_conv}, rows);
            EXPECT(!has_kernel() || (bytes >= WEIGHTS && bytes < 3 * WEIGHTS));
        }
}

/* Before a request nothing is packed that every request could read. */
TEST(hybrid_conv, rows_that_the_request_tells_have_floats)
{
    for (int is_conv = 0; is_conv < 2; is_conv++) {
        const uint64_t bytes = run_counted(&(struct shape){0, is_conv}, 3);
        EXPECT(bytes >= WEIGHTS * sizeof(float));
    }
}

TEST(hybrid_conv, cached_weights_are_bytes_and_give_the_same)
{
    for (int is_conv = 0; is_conv < 2; is_conv++) {
        const struct shape shape = {1 + 16 * (uint32_t)is_conv, is_conv};
        struct hy_cache_fixture fixture;
        hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
        build(&fixture.builder, &shape);
        EXPECT_INT(hy_cache_fixture_prepare(&fixture), HY_STATUS_OK);
        expect_products(&fixture.runner, shape.rows, is_conv);
        EXPECT(!has_kernel() || fixture.host.data_length < 2 * WEIGHTS);
        EXPECT_INT(hy_cache_host_restore(&fixture.runner), HY_STATUS_OK);
        expect_products(&fixture.runner, shape.rows, is_conv);
        hy_cache_fixture_close(&fixture);
    }
}

/* ---- Filters that are packed as floats ------------------------------------------------------- */

enum { SIZE = 7, CHANNELS = 40, PIXELS = SIZE * SIZE, TAPS = 9 };

/* CONV_2D or DEPTHWISE_CONV_2D with a window of 3x3 and a scale for each output channel. */
static void build_window(struct hy_builder *builder, bool is_depthwise)
{
    const struct hy_builder_type image = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, SIZE, SIZE, CHANNELS}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {CHANNELS}};
    struct hy_builder_type stored = {ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
                                     0,
                                     0,
                                     4,
                                     {is_depthwise ? 1 : CHANNELS, 3, 3, CHANNELS}};
    struct hy_builder_type real = stored;
    uint32_t inputs[8], count = 0;

    fill();
    real.type = ANEURALNETWORKS_TENSOR_FLOAT32;
    inputs[count++] = hy_builder_input(builder, &image);
    const uint32_t from = hy_builder_pool_constant(builder, &stored, weights,
                                                   (is_depthwise ? 1 : CHANNELS) * TAPS * CHANNELS);
    hy_builder_channel_scales(builder, from, is_depthwise ? 3 : 0, CHANNELS, scales);
    const uint32_t filter = hy_builder_temporary(builder, &real);
    hy_builder_operation(builder, HY_OP_DEQUANTIZE, 1, &from, 1, &filter);
    inputs[count++] = filter;
    inputs[count++] = hy_builder_constant(builder, &list, bias, CHANNELS * sizeof *bias);
    inputs[count++] = hy_builder_int(builder, ANEURALNETWORKS_PADDING_SAME);
    inputs[count++] = hy_builder_int(builder, 1);
    inputs[count++] = hy_builder_int(builder, 1);
    if (is_depthwise)
        inputs[count++] = hy_builder_int(builder, 1);
    inputs[count++] = hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE);
    const uint32_t output = hy_builder_output(builder, &image);
    hy_builder_operation(builder, is_depthwise ? HY_OP_DEPTHWISE_CONV_2D : HY_OP_CONV_2D, count,
                         inputs, 1, &output);
}

static void run_window(struct hy_runner *runner, float out[PIXELS * CHANNELS])
{
    memset(out, 0, PIXELS * CHANNELS * sizeof *out);
    hy_runner_clear(runner);
    hy_runner_input(runner, in, PIXELS * CHANNELS * sizeof *in, 0, NULL);
    hy_runner_output(runner, out, PIXELS * CHANNELS * sizeof *out, 0, NULL);
    EXPECT_INT(hy_runner_execute(runner), HY_STATUS_OK);
}

/* Sums are exact, in any order and of any products. */
TEST(hybrid_conv, larger_windows_give_what_the_reference_gives)
{
    static float want[PIXELS * CHANNELS], out[PIXELS * CHANNELS];

    static_assert(PIXELS * CHANNELS <= MOST_ROWS * DEPTH, "the inputs suffice");
    for (int is_depthwise = 0; is_depthwise < 2; is_depthwise++) {
        struct hy_cache_fixture reference, fast;
        hy_cache_fixture_open(&reference, HY_CACHE_REFERENCE);
        build_window(&reference.builder, is_depthwise);
        EXPECT_INT(hy_cache_fixture_prepare(&reference), HY_STATUS_OK);
        run_window(&reference.runner, want);
        hy_cache_fixture_close(&reference);
        hy_cache_fixture_open(&fast, HY_CACHE_FAST);
        build_window(&fast.builder, is_depthwise);
        EXPECT_INT(hy_cache_fixture_prepare(&fast), HY_STATUS_OK);
        run_window(&fast.runner, out);
        EXPECT(memcmp(out, want, sizeof out) == 0);
        EXPECT_INT(hy_cache_host_restore(&fast.runner), HY_STATUS_OK);
        run_window(&fast.runner, out);
        EXPECT(memcmp(out, want, sizeof out) == 0);
        hy_cache_fixture_close(&fast);
    }
}
