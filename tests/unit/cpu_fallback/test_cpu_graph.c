#include <android/NeuralNetworksTypes.h>
#include <math.h>
#include <stdbool.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/cpu_prepared.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* What compilation makes of a model: folding, dropping, plans for shapes, layouts. */

static const struct hy_builder_type f32_unknown = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 0, {0}};

static void open_fast(struct hy_runner *runner, struct hy_builder *builder)
{
    EXPECT_INT(hy_runner_open(runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(runner, hy_builder_model(builder)), HY_STATUS_OK);
    EXPECT_STR(runner->message, "");
    hy_builder_finish(builder); /* the view is gone after prepare */
}

TEST(cpu_graph, constant_operations_run_once)
{
    struct hy_builder builder;
    struct hy_runner runner;

    hy_builder_init(&builder);
    hy_sample_network(&builder, 1);
    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    REQUIRE(hy_runner_prepare(&runner, hy_builder_model(&builder)) == HY_STATUS_OK);
    struct hy_cpu_stats stats = hy_cpu_prepared_stats(runner.prepared);
    EXPECT_INT(stats.operations, 8);
    EXPECT_INT(stats.folded, 1);
    EXPECT_INT(stats.dropped, 0);
    EXPECT_INT(stats.plans, 1);
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

TEST(cpu_graph, draws_are_no_constants)
{
    static const float logits[4] = {0, 1, 2, 3};
    static const int32_t seeds[2] = {0, 0};
    const struct hy_builder_type logits_type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, 4}};
    const struct hy_builder_type seeds_type = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {2}};
    const struct hy_builder_type draws_type = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 2, {1, 8}};
    struct hy_builder builder;
    struct hy_runner runner;

    hy_builder_init(&builder);
    const uint32_t inputs[] = {
        hy_builder_constant(&builder, &logits_type, logits, sizeof logits),
        hy_builder_int(&builder, 8),
        hy_builder_constant(&builder, &seeds_type, seeds, sizeof seeds),
    };
    const uint32_t draws = hy_builder_temporary(&builder, &draws_type);
    const uint32_t out = hy_builder_output(&builder, &draws_type);
    hy_builder_operation(&builder, HY_OP_RANDOM_MULTINOMIAL, 3, inputs, 1, &draws);
    hy_builder_operation(&builder, HY_OP_NEG, 1, &draws, 1, &out);
    open_fast(&runner, &builder);
    EXPECT_INT(hy_cpu_prepared_stats(runner.prepared).folded, 0);
    hy_runner_close(&runner);
}

TEST(cpu_graph, operations_nobody_reads_are_dropped)
{
    const struct hy_builder_type type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {4}};
    float in[4] = {1, 2, 3, 4}, out[4];
    struct hy_builder builder;
    struct hy_runner runner;

    hy_builder_init(&builder);
    uint32_t x = hy_builder_input(&builder, &type), y = hy_builder_output(&builder, &type);
    uint32_t lost = hy_builder_temporary(&builder, &type);
    uint32_t more = hy_builder_temporary(&builder, &type);
    uint32_t none = hy_builder_int(&builder, 0);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){x, x, none}, 1, &lost);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){lost, x, none}, 1, &more);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){x, x, none}, 1, &y);
    open_fast(&runner, &builder);
    EXPECT_INT(hy_cpu_prepared_stats(runner.prepared).dropped, 2);
    hy_runner_input(&runner, in, sizeof in, 0, NULL);
    hy_runner_output(&runner, out, sizeof out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    EXPECT(out[3] == 8);
    hy_runner_close(&runner);
}

/* Runs the sample network of unknown shapes on `batch` images; results go to `out`. */
static void run_batch(struct hy_runner *runner, uint32_t batch, float *out)
{
    const uint32_t dims[] = {batch, 8, 8, 3};
    float in[4 * HY_SAMPLE_PIXELS];

    hy_sample_numbers(5, batch * HY_SAMPLE_PIXELS, in);
    hy_runner_clear(runner);
    hy_runner_input(runner, in, batch * HY_SAMPLE_PIXELS * sizeof *in, 4, dims);
    hy_runner_output(runner, out, batch * HY_SAMPLE_CLASSES * sizeof *out, 0, NULL);
    EXPECT_INT(hy_runner_execute(runner), HY_STATUS_OK);
    EXPECT_STR(runner->message, "");
    EXPECT_INT(runner->shapes[0].rank, 2);
    EXPECT_INT(runner->shapes[0].dims[0], batch);
}

TEST(cpu_graph, sizes_seen_are_remembered)
{
    float first[4 * HY_SAMPLE_CLASSES], again[4 * HY_SAMPLE_CLASSES] = {0};
    struct hy_builder builder;
    struct hy_runner runner;

    hy_builder_init(&builder);
    hy_sample_network(&builder, 0);
    REQUIRE(hy_runner_open(&runner, hy_cpu_driver(), 0) == HY_STATUS_OK);
    REQUIRE(hy_runner_prepare(&runner, hy_builder_model(&builder)) == HY_STATUS_OK);
    EXPECT_INT(hy_cpu_prepared_stats(runner.prepared).plans, 0);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t batch = 1; batch <= 4; batch++) {
            run_batch(&runner, batch, batch == 1 ? first : again);
            for (uint32_t i = 0; i < HY_SAMPLE_CLASSES && batch > 1; i++)
                EXPECT(fabsf(first[i] - again[i]) < 1e-6f);
        }
    }
    EXPECT_INT(hy_cpu_prepared_stats(runner.prepared).plans, 4);
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

TEST(cpu_graph, more_sizes_than_are_kept_still_run)
{
    struct hy_builder builder;
    struct hy_runner runner;
    float in[64] = {0}, out[64];

    hy_builder_init(&builder);
    uint32_t x = hy_builder_input(&builder, &f32_unknown);
    uint32_t y = hy_builder_output(&builder, &f32_unknown);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){x, x, hy_builder_int(&builder, 0)}, 1,
                         &y);
    open_fast(&runner, &builder);
    for (uint32_t size = 1; size <= 64; size++) {
        in[size - 1] = (float)size;
        hy_runner_clear(&runner);
        hy_runner_input(&runner, in, size * sizeof *in, 1, &size);
        hy_runner_output(&runner, out, sizeof out, 0, NULL);
        EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
        EXPECT(out[size - 1] == 2 * (float)size);
    }
    EXPECT_INT(hy_cpu_prepared_stats(runner.prepared).plans, HY_CPU_PLANS);
    hy_runner_close(&runner);
}

TEST(cpu_graph, shape_given_as_a_tensor_is_taken_from_each_request)
{
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {2}};
    const int32_t shapes[][2] = {{2, 6}, {4, -1}, {2, 6}, {5, 5}};
    float in[12], out[12];
    const uint32_t twelve = 12;
    struct hy_builder builder;
    struct hy_runner runner;

    hy_sample_numbers(3, 12, in);
    hy_builder_init(&builder);
    uint32_t x = hy_builder_input(&builder, &f32_unknown), s = hy_builder_input(&builder, &list);
    uint32_t t = hy_builder_temporary(&builder, &f32_unknown);
    uint32_t y = hy_builder_output(&builder, &f32_unknown);
    hy_builder_operation(&builder, HY_OP_RESHAPE, 2, (uint32_t[]){x, s}, 1, &t);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){t, t, hy_builder_int(&builder, 0)}, 1,
                         &y);
    open_fast(&runner, &builder);
    for (uint32_t i = 0; i < 4; i++) {
        hy_runner_clear(&runner);
        hy_runner_input(&runner, in, sizeof in, 1, &twelve);
        hy_runner_input(&runner, shapes[i], sizeof shapes[i], 0, NULL);
        hy_runner_output(&runner, out, i == 2 ? 40 : sizeof out, 0, NULL);
        const int32_t expected[] = {HY_STATUS_OK, HY_STATUS_OK, HY_STATUS_OUTPUT_INSUFFICIENT_SIZE,
                                    HY_STATUS_GENERAL_FAILURE};
        EXPECT_INT(hy_runner_execute(&runner), expected[i]);
        if (i < 3)
            EXPECT_INT(runner.shapes[0].dims[0], shapes[i][0]);
        if (i < 2)
            EXPECT(out[11] == 2 * in[11]);
    }
    EXPECT_CONTAINS(runner.message, "operation 0 RESHAPE: 12 elements do not fill");
    hy_runner_close(&runner);
}

TEST(cpu_graph, reshape_shares_the_memory_of_its_input)
{
    const struct hy_builder_type flat = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {1024}};
    const struct hy_builder_type square = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {32, 32}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {2}};
    const int32_t shape[] = {32, 32};
    struct hy_builder builder;
    struct hy_runner runner;
    float in[1024], out[1024];

    hy_sample_numbers(3, 1024, in);
    hy_builder_init(&builder);
    uint32_t x = hy_builder_input(&builder, &flat), none = hy_builder_int(&builder, 0);
    uint32_t a = hy_builder_temporary(&builder, &flat);
    uint32_t b = hy_builder_temporary(&builder, &square);
    uint32_t y = hy_builder_output(&builder, &square);
    uint32_t s = hy_builder_constant(&builder, &list, shape, sizeof shape);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){x, x, none}, 1, &a);
    hy_builder_operation(&builder, HY_OP_RESHAPE, 2, (uint32_t[]){a, s}, 1, &b);
    hy_builder_operation(&builder, HY_OP_ADD, 3, (uint32_t[]){b, b, none}, 1, &y);
    open_fast(&runner, &builder);
    EXPECT_INT(hy_cpu_prepared_stats(runner.prepared).arena_bytes, sizeof in);
    hy_runner_input(&runner, in, sizeof in, 0, NULL);
    hy_runner_output(&runner, out, sizeof out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    EXPECT(out[1023] == 4 * in[1023]);
    hy_runner_close(&runner);
}

#define SIDE     5
#define IN_C     3
#define OUT_C    4
#define IN_SIZE  (2 * SIDE * SIDE * IN_C)
#define OUT_SIZE (2 * SIDE * SIDE * OUT_C)

/* An 8-bit convolution with one scale per output channel, in either layout. */
static void convolve(bool nchw, const uint8_t *in, uint8_t *out)
{
    struct hy_builder_type in_type = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0.5f, 120, 4, {2, SIDE, SIDE, IN_C}};
    struct hy_builder_type out_type = {
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 2.0f, 100, 4, {2, SIDE, SIDE, OUT_C}};
    const struct hy_builder_type filter_type = {
        ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 0, 0, 4, {OUT_C, 3, 3, IN_C}};
    const struct hy_builder_type bias_type = {ANEURALNETWORKS_TENSOR_INT32, 0, 0, 1, {OUT_C}};
    const float scales[OUT_C] = {0.1f, 0.02f, 0.3f, 0.05f};
    const int32_t bias[OUT_C] = {100, -200, 0, 50};
    int8_t filter[OUT_C * 9 * IN_C];
    uint32_t seed = 11;
    struct hy_builder builder;
    struct hy_runner runner;

    for (uint32_t i = 0; i < sizeof filter; i++)
        filter[i] = (int8_t)hy_sample_random(&seed);
    if (nchw) {
        memcpy(in_type.dims, (uint32_t[]){2, IN_C, SIDE, SIDE}, 4 * sizeof(uint32_t));
        memcpy(out_type.dims, (uint32_t[]){2, OUT_C, SIDE, SIDE}, 4 * sizeof(uint32_t));
    }
    hy_builder_init(&builder);
    uint32_t x = hy_builder_input(&builder, &in_type), y = hy_builder_output(&builder, &out_type);
    uint32_t f = hy_builder_constant(&builder, &filter_type, filter, sizeof filter);
    uint32_t one = hy_builder_int(&builder, 1);
    hy_builder_channel_scales(&builder, f, 0, OUT_C, scales);
    uint32_t inputs[] = {x,
                         f,
                         hy_builder_constant(&builder, &bias_type, bias, sizeof bias),
                         one,
                         one,
                         one,
                         hy_builder_int(&builder, 0),
                         hy_builder_bool(&builder, nchw)};
    hy_builder_operation(&builder, HY_OP_CONV_2D, 8, inputs, 1, &y);
    open_fast(&runner, &builder);
    hy_runner_input(&runner, in, IN_SIZE, 0, NULL);
    hy_runner_output(&runner, out, OUT_SIZE, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    hy_runner_close(&runner);
}

TEST(cpu_graph, both_layouts_give_the_same_image)
{
    uint8_t in[2][IN_SIZE], out[2][OUT_SIZE];
    uint32_t seed = 3, same = 0;

    for (uint32_t n = 0; n < 2; n++)
        for (uint32_t p = 0; p < SIDE * SIDE; p++)
            for (uint32_t c = 0; c < IN_C; c++)
                in[0][(n * SIDE * SIDE + p) * IN_C + c] = in[1][(n * IN_C + c) * SIDE * SIDE + p] =
                    (uint8_t)hy_sample_random(&seed);
    convolve(false, in[0], out[0]);
    convolve(true, in[1], out[1]);
    for (uint32_t n = 0; n < 2; n++)
        for (uint32_t p = 0; p < SIDE * SIDE; p++)
            for (uint32_t c = 0; c < OUT_C; c++)
                same += out[0][(n * SIDE * SIDE + p) * OUT_C + c] ==
                        out[1][(n * OUT_C + c) * SIDE * SIDE + p];
    EXPECT_INT(same, OUT_SIZE);
}

/* One convolution with work enough for several threads, on device `index`. */
static void convolve_much(uint32_t index, const float *in, float *out)
{
    const struct hy_builder_type in_type = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, 96, 96, 8}};
    const struct hy_builder_type out_type = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, 96, 96, 16}};
    const struct hy_builder_type filter_type = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {16, 3, 3, 8}};
    const struct hy_builder_type bias_type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {16}};
    float filter[16 * 9 * 8], bias[16];
    struct hy_builder builder;
    struct hy_runner runner;

    hy_sample_numbers(1, 16 * 9 * 8, filter);
    hy_sample_numbers(2, 16, bias);
    hy_builder_init(&builder);
    uint32_t one = hy_builder_int(&builder, 1), y = hy_builder_output(&builder, &out_type);
    uint32_t inputs[] = {hy_builder_input(&builder, &in_type),
                         hy_builder_constant(&builder, &filter_type, filter, sizeof filter),
                         hy_builder_constant(&builder, &bias_type, bias, sizeof bias),
                         one,
                         one,
                         one,
                         hy_builder_int(&builder, 0)};
    hy_builder_operation(&builder, HY_OP_CONV_2D, 7, inputs, 1, &y);
    EXPECT_INT(hy_runner_open(&runner, hy_cpu_driver(), index), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&builder)), HY_STATUS_OK);
    hy_runner_input(&runner, in, 96 * 96 * 8 * sizeof *in, 0, NULL);
    hy_runner_output(&runner, out, 96 * 96 * 16 * sizeof *out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    hy_runner_close(&runner);
    hy_builder_finish(&builder);
}

TEST(cpu_graph, shared_work_is_whole)
{
    static float in[96 * 96 * 8], out[2][96 * 96 * 16];
    uint32_t calls = hy_test_host_parallel_calls(), close = 0;

    hy_sample_numbers(4, 96 * 96 * 8, in);
    convolve_much(0, in, out[0]);
    EXPECT(hy_test_host_parallel_calls() > calls);
    convolve_much(1, in, out[1]);
    for (uint32_t i = 0; i < 96 * 96 * 16; i++)
        close += fabsf(out[0][i] - out[1][i]) < 1e-4f;
    EXPECT_INT(close, 96 * 96 * 16);
}
