#include <android/NeuralNetworksTypes.h>
#include <math.h>
#include <stdbool.h>

#include "common/operations/operation.h"
#include "cpu_fallback/kernels/kernels.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/cache_fixture.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/* Packed weights in the cache files: once, and for the layout that they are in. */

#define UNITS 64u

/* output [1, UNITS] = FULLY_CONNECTED of input and a constant matrix, which a second operation
 * reads too if `is_shared`. */
static void build_dense(struct hy_builder *builder, bool is_shared)
{
    const struct hy_builder_type row = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, UNITS}};
    const struct hy_builder_type matrix = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {UNITS, UNITS}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {UNITS}};
    static float weights[UNITS * UNITS], bias[UNITS];

    hy_sample_numbers(1, UNITS * UNITS, weights);
    hy_sample_numbers(2, UNITS, bias);
    uint32_t filter = hy_builder_pool_constant(builder, &matrix, weights, sizeof weights);
    uint32_t inputs[] = {hy_builder_input(builder, &row), filter,
                         hy_builder_constant(builder, &list, bias, sizeof bias),
                         hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};
    uint32_t output = hy_builder_output(builder, &row);
    hy_builder_operation(builder, HY_OP_FULLY_CONNECTED, 4, inputs, 1, &output);
    if (!is_shared)
        return;
    uint32_t sum[] = {inputs[0], filter, inputs[3]};
    uint32_t second = hy_builder_output(builder, &matrix);
    hy_builder_operation(builder, HY_OP_ADD, 3, sum, 1, &second);
}

static uint64_t data_of_dense(bool is_shared)
{
    struct hy_cache_fixture fixture;

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    build_dense(&fixture.builder, is_shared);
    EXPECT_INT(hy_cache_fixture_prepare(&fixture), HY_STATUS_OK);
    const uint64_t length = fixture.host.data_length;
    EXPECT_INT(hy_cache_host_restore(&fixture.runner), HY_STATUS_OK);
    hy_cache_fixture_close(&fixture);
    return length;
}

TEST(cpu_cache_weights, weights_that_are_packed_are_not_kept_twice)
{
    const uint64_t matrix = UNITS * UNITS * sizeof(float);

    if (hy_kernels_fast() == hy_kernels_reference())
        return; /* nothing is packed */
    EXPECT(data_of_dense(false) < matrix + 4096);
    EXPECT(data_of_dense(true) >= 2 * matrix);
}

#define STEPS 3u

static void run_lstm(struct hy_cache_fixture *fixture, float out[STEPS * UNITS])
{
    static float in[STEPS * UNITS];

    hy_sample_numbers(30, STEPS * UNITS, in);
    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, in, sizeof in, 0, NULL);
    hy_runner_output(&fixture->runner, out, sizeof in, 0, NULL);
    EXPECT_INT(hy_runner_execute(&fixture->runner), HY_STATUS_OK);
}

TEST(cpu_cache_weights, all_matrices_of_an_lstm_are_packed_and_not_kept_twice)
{
    const uint64_t matrices = 8 * UNITS * UNITS * sizeof(float);
    float before[STEPS * UNITS], after[STEPS * UNITS], reference[STEPS * UNITS];

    if (hy_kernels_fast() == hy_kernels_reference())
        return; /* nothing is packed */
    for (uint32_t device = 0; device < 2; device++) {
        struct hy_cache_fixture fixture;
        hy_cache_fixture_open(&fixture, device);
        hy_sample_lstm(&fixture.builder, STEPS, UNITS, UNITS);
        EXPECT_INT(hy_cache_fixture_prepare(&fixture), HY_STATUS_OK);
        run_lstm(&fixture, device == HY_CACHE_FAST ? before : reference);
        if (device == HY_CACHE_FAST) {
            const uint64_t length = fixture.host.data_length;
            EXPECT(length >= matrices && length < matrices + 8192);
            EXPECT_INT(hy_cache_host_restore(&fixture.runner), HY_STATUS_OK);
            run_lstm(&fixture, after);
        }
        hy_cache_fixture_close(&fixture);
    }
    for (uint32_t i = 0; i < STEPS * UNITS; i++)
        EXPECT(before[i] == after[i] && fabsf(before[i] - reference[i]) < 1e-5f);
}

#define CHANNELS 40u

/* A depthwise convolution whose multiplier only the request tells: with one input channel or all of
 * them its constant filter is packed in different ways. */
static void build_depthwise(struct hy_builder *builder)
{
    const struct hy_builder_type scalar = {.type = ANEURALNETWORKS_INT32};
    const struct hy_builder_type image = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, 3, 3, 0}};
    const struct hy_builder_type small = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, 2, 2, 0}};
    const struct hy_builder_type filter = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, 2, 2, CHANNELS}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {CHANNELS}};
    float weights[4 * CHANNELS], bias[CHANNELS];

    hy_sample_numbers(1, 4 * CHANNELS, weights);
    hy_sample_numbers(2, CHANNELS, bias);
    uint32_t inputs[] = {
        hy_builder_input(builder, &image),
        hy_builder_pool_constant(builder, &filter, weights, sizeof weights),
        hy_builder_constant(builder, &list, bias, sizeof bias),
        hy_builder_int(builder, ANEURALNETWORKS_PADDING_VALID),
        hy_builder_int(builder, 1),
        hy_builder_int(builder, 1),
        hy_builder_input(builder, &scalar),
        hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE),
    };
    uint32_t output = hy_builder_output(builder, &small);
    hy_builder_operation(builder, HY_OP_DEPTHWISE_CONV_2D, 8, inputs, 1, &output);
}

static void run_depthwise(struct hy_cache_fixture *fixture, int32_t multiplier, float *out)
{
    static float in[9 * CHANNELS];
    static int32_t given;
    const uint32_t dims[] = {1, 3, 3, CHANNELS / (uint32_t)multiplier};

    given = multiplier;
    hy_sample_numbers(5, 9 * CHANNELS, in);
    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, in, 9 * dims[3] * sizeof *in, 4, dims);
    hy_runner_input(&fixture->runner, &given, sizeof given, 0, NULL);
    hy_runner_output(&fixture->runner, out, 4 * CHANNELS * sizeof *out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&fixture->runner), HY_STATUS_OK);
}

TEST(cpu_cache_weights, weights_packed_for_one_layout_do_not_serve_another)
{
    static const int32_t multipliers[] = {1, CHANNELS, 2, 1};
    float fast[4 * CHANNELS], reference[4 * CHANNELS];
    struct hy_cache_fixture fixtures[2];

    for (uint32_t device = 0; device < 2; device++) {
        hy_cache_fixture_open(&fixtures[device], device);
        build_depthwise(&fixtures[device].builder);
        EXPECT_INT(hy_cache_fixture_prepare(&fixtures[device]), HY_STATUS_OK);
    }
    for (uint32_t restored = 0; restored < 2; restored++) {
        for (uint32_t i = 0; i < sizeof multipliers / sizeof *multipliers; i++) {
            run_depthwise(&fixtures[HY_CACHE_FAST], multipliers[i], fast);
            run_depthwise(&fixtures[HY_CACHE_REFERENCE], multipliers[i], reference);
            for (uint32_t k = 0; k < 4 * CHANNELS; k++)
                EXPECT(fabsf(fast[k] - reference[k]) < 1e-5f);
        }
        EXPECT_INT(hy_cache_host_restore(&fixtures[HY_CACHE_FAST].runner), HY_STATUS_OK);
    }
    hy_cache_fixture_close(&fixtures[HY_CACHE_FAST]);
    hy_cache_fixture_close(&fixtures[HY_CACHE_REFERENCE]);
}

#define STRIDED_IN      5u
#define STRIDED_OUT     16u /* whole vectors: other strides pack as many bytes */
#define STRIDED_WEIGHTS (STRIDED_OUT * 2 * 2 * STRIDED_IN)
#define MOST_STRIDED    (6 * 6 * STRIDED_OUT)

/* A transposed convolution of 3x3 pixels, filter 2x2, whose strides only the request tells, and the
 * filter too unless it is constant. */
static void build_transposed(struct hy_builder *builder, bool is_constant, const float *weights)
{
    const struct hy_builder_type scalar = {.type = ANEURALNETWORKS_INT32};
    const struct hy_builder_type image = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, 3, 3, STRIDED_IN}};
    const struct hy_builder_type large = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {1, 0, 0, STRIDED_OUT}};
    const struct hy_builder_type filter = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 4, {STRIDED_OUT, 2, 2, STRIDED_IN}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {STRIDED_OUT}};
    static float bias[STRIDED_OUT];
    uint32_t inputs[11] = {hy_builder_input(builder, &image)};

    hy_sample_numbers(2, STRIDED_OUT, bias);
    inputs[1] = is_constant ? hy_builder_pool_constant(builder, &filter, weights,
                                                       STRIDED_WEIGHTS * sizeof *weights)
                            : hy_builder_input(builder, &filter);
    inputs[2] = hy_builder_constant(builder, &list, bias, sizeof bias);
    for (uint32_t i = 3; i < 7; i++)
        inputs[i] = hy_builder_int(builder, 0); /* pads */
    inputs[7] = hy_builder_input(builder, &scalar);
    inputs[8] = hy_builder_input(builder, &scalar);
    inputs[9] = hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE);
    inputs[10] = hy_builder_bool(builder, false);
    const uint32_t output = hy_builder_output(builder, &large);
    hy_builder_operation(builder, HY_OP_TRANSPOSE_CONV_2D, 11, inputs, 1, &output);
}

/* The first number is the stride along the width. */
static void run_transposed(struct hy_cache_fixture *fixture, const int32_t strides[2],
                           const float *weights, float *out)
{
    static float in[9 * STRIDED_IN];
    const uint32_t pixels = (uint32_t)((2 * strides[0] + 2) * (2 * strides[1] + 2));

    hy_sample_numbers(5, 9 * STRIDED_IN, in);
    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, in, sizeof in, 0, NULL);
    if (weights)
        hy_runner_input(&fixture->runner, weights, STRIDED_WEIGHTS * sizeof *weights, 0, NULL);
    hy_runner_input(&fixture->runner, &strides[0], sizeof *strides, 0, NULL);
    hy_runner_input(&fixture->runner, &strides[1], sizeof *strides, 0, NULL);
    hy_runner_output(&fixture->runner, out, pixels * STRIDED_OUT * sizeof *out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&fixture->runner), HY_STATUS_OK);
}

static void check_strides(bool is_constant)
{
    static const int32_t strides[][2] = {{1, 2}, {2, 1}, {2, 2}, {1, 1}, {3, 2}, {1, 2}};
    float weights[STRIDED_WEIGHTS], outs[2][2 * MOST_STRIDED];
    struct hy_cache_fixture fixtures[2];

    hy_sample_numbers(1, STRIDED_WEIGHTS, weights);
    for (uint32_t device = 0; device < 2; device++) {
        hy_cache_fixture_open(&fixtures[device], device);
        build_transposed(&fixtures[device].builder, is_constant, weights);
        EXPECT_INT(hy_cache_fixture_prepare(&fixtures[device]), HY_STATUS_OK);
    }
    for (uint32_t restored = 0; restored < 2; restored++) {
        for (uint32_t i = 0; i < sizeof strides / sizeof *strides; i++) {
            memset(outs, 0, sizeof outs);
            for (uint32_t device = 0; device < 2; device++)
                run_transposed(&fixtures[device], strides[i], is_constant ? NULL : weights,
                               outs[device]);
            for (uint32_t k = 0; k < 2 * MOST_STRIDED; k++)
                EXPECT(fabsf(outs[0][k] - outs[1][k]) < 1e-5f);
        }
        EXPECT_INT(hy_cache_host_restore(&fixtures[HY_CACHE_FAST].runner), HY_STATUS_OK);
    }
    hy_cache_fixture_close(&fixtures[HY_CACHE_FAST]);
    hy_cache_fixture_close(&fixtures[HY_CACHE_REFERENCE]);
}

TEST(cpu_cache_weights, weights_packed_for_strides_do_not_serve_others)
{
    check_strides(true);
}

TEST(cpu_cache_weights, given_weights_serve_any_strides)
{
    check_strides(false);
}

#define MOST_CHANNELS HY_SAMPLE_MOST_CHANNELS

static void run_per_channel(struct hy_cache_fixture *fixture, uint32_t channels, bool is_shared,
                            uint8_t *out, float *real)
{
    static const uint8_t in[8] = {0, 255, 120, 7, 200, 90, 33, 121};

    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, in, sizeof in, 0, NULL);
    hy_runner_output(&fixture->runner, out, channels, 0, NULL);
    if (is_shared)
        hy_runner_output(&fixture->runner, real, 8 * channels * sizeof *real, 0, NULL);
    EXPECT_INT(hy_runner_execute(&fixture->runner), HY_STATUS_OK);
}

/* Gives the length of the model cache, having seen that what is restored computes the same. */
static uint64_t model_of_per_channel(uint32_t channels, bool is_shared)
{
    static float real[2][8 * MOST_CHANNELS];
    uint8_t out[2][MOST_CHANNELS];
    struct hy_cache_fixture fixture;

    hy_cache_fixture_open(&fixture, HY_CACHE_FAST);
    hy_sample_per_channel(&fixture.builder, channels, is_shared);
    EXPECT_INT(hy_cache_fixture_prepare(&fixture), HY_STATUS_OK);
    run_per_channel(&fixture, channels, is_shared, out[0], real[0]);
    const uint64_t length = fixture.host.model_length;
    hy_builder_finish(&fixture.builder);
    EXPECT_INT(hy_cache_host_restore(&fixture.runner), HY_STATUS_OK);
    run_per_channel(&fixture, channels, is_shared, out[1], real[1]);
    EXPECT(memcmp(out[0], out[1], channels) == 0);
    EXPECT(!is_shared || memcmp(real[0], real[1], 8 * channels * sizeof **real) == 0);
    hy_cache_fixture_close(&fixture);
    return length;
}

TEST(cpu_cache_weights, scales_of_packed_weights_are_in_them_alone)
{
    if (hy_kernels_fast() == hy_kernels_reference())
        return; /* nothing is packed */
    EXPECT_INT(model_of_per_channel(MOST_CHANNELS, false), model_of_per_channel(32, false));
}

TEST(cpu_cache_weights, scales_that_something_else_reads_are_kept)
{
    (void)model_of_per_channel(MOST_CHANNELS, true);
    (void)model_of_per_channel(33, true);
}
