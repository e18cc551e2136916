#include <android/NeuralNetworksTypes.h>
#include <stdlib.h>

#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

/*
 * Numbers of quantised convolutions at their limits, on both devices: sums that do not fit 32 bits,
 * products of scales that float32 and double round apart, and halves.
 */

enum { DEVICES = 2, MOST_INPUTS = 140000 };

/* What one output of a convolution is made of: `inputs` channels of one pixel, as much weight. */
struct numbers {
    int32_t operation, in_type, filter_type;
    float in_scale, filter_scale, out_scale;
    int32_t out_zero_point;
    uint32_t inputs;
    uint8_t in, weight; /* the bytes of all inputs and weights */
    int32_t bias;
    bool is_constant; /* filter and bias */
};

static bool is_per_channel(const struct numbers *n)
{
    return n->filter_type == ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
}

/* Depthwise has no sum over channels: its taps are a column of pixels. */
static bool is_depthwise(const struct numbers *n)
{
    return n->operation == HY_OP_DEPTHWISE_CONV_2D;
}

static struct hy_builder_type type_of(int32_t type, float scale, uint32_t rank,
                                      const uint32_t *dims)
{
    struct hy_builder_type result = hy_op_case_type(type, rank, dims);

    result.scale = scale;
    result.zero_point = 0;
    return result;
}

static void add_tensors(struct hy_op_case *test, const struct numbers *n, const void *in,
                        const void *weights)
{
    const bool is_matrix = n->operation == HY_OP_FULLY_CONNECTED;
    const uint32_t flat[] = {1, n->inputs};
    const uint32_t column[] = {1, n->inputs, 1, 1}, pixel[] = {1, 1, 1, n->inputs};
    const uint32_t *dims = is_matrix ? flat : is_depthwise(n) ? column : pixel;
    const uint32_t rank = is_matrix ? 2 : 4;
    const struct hy_builder_type image = type_of(n->in_type, n->in_scale, rank, dims);
    const struct hy_builder_type filter =
        type_of(n->filter_type, is_per_channel(n) ? 0 : n->filter_scale, rank, dims);
    const struct hy_builder_type bias =
        type_of(ANEURALNETWORKS_TENSOR_INT32, is_per_channel(n) ? 0 : n->in_scale * n->filter_scale,
                1, (uint32_t[]){1});

    hy_op_case_tensor(test, &image, in, false);
    hy_op_case_tensor(test, &filter, weights, n->is_constant);
    if (is_per_channel(n))
        hy_builder_channel_scales(&test->builder, test->inputs[1], is_depthwise(n) ? 3 : 0, 1,
                                  &n->filter_scale);
    hy_op_case_tensor(test, &bias, &n->bias, n->is_constant);
}

static void add_parameters(struct hy_op_case *test, const struct numbers *n)
{
    static const int32_t valid_padding = 2;
    const int32_t shape[] = {1, 1, 1, 1};

    if (n->operation == HY_OP_TRANSPOSE_CONV_2D)
        hy_op_case_ints(test, 1, (uint32_t[]){4}, shape, true);
    if (n->operation != HY_OP_FULLY_CONNECTED) {
        hy_op_case_int(test, valid_padding);
        hy_op_case_int(test, 1);
        hy_op_case_int(test, 1);
    }
    if (n->operation == HY_OP_DEPTHWISE_CONV_2D || n->operation == HY_OP_GROUPED_CONV_2D)
        hy_op_case_int(test, 1);
    hy_op_case_int(test, ANEURALNETWORKS_FUSED_NONE);
    if (n->operation == HY_OP_GROUPED_CONV_2D || n->operation == HY_OP_TRANSPOSE_CONV_2D)
        hy_op_case_bool(test, false);
}

static void expect_output(const struct numbers *n, int want)
{
    static uint8_t in[MOST_INPUTS], weights[MOST_INPUTS];

    memset(in, n->in, n->inputs);
    memset(weights, n->weight, n->inputs);
    for (uint32_t device = 0; device < DEVICES; device++) {
        struct hy_op_case test;
        uint8_t out = 0;
        hy_op_case_init(&test, n->operation);
        add_tensors(&test, n, in, weights);
        add_parameters(&test, n);
        struct hy_builder_type result =
            type_of(n->in_type, n->out_scale, n->operation == HY_OP_FULLY_CONNECTED ? 2 : 4,
                    (uint32_t[]){1, 1, 1, 1});
        result.zero_point = n->out_zero_point;
        hy_op_case_output(&test, &result, &out, sizeof out);
        const int32_t status = hy_op_case_run(&test, device);
        if (status != HY_STATUS_OK || out != (uint8_t)want)
            hy_test_fail(__FILE__, __LINE__,
                         "device %u: %s of types %d and %d, %s: status %d (%s), %d for %d", device,
                         hy_operation_name(n->operation), n->in_type, n->filter_type,
                         n->is_constant ? "constant" : "given", status, test.message, out, want);
        hy_op_case_finish(&test);
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static const int32_t operations[] = {HY_OP_CONV_2D, HY_OP_DEPTHWISE_CONV_2D, HY_OP_GROUPED_CONV_2D,
                                     HY_OP_TRANSPOSE_CONV_2D, HY_OP_FULLY_CONNECTED};

/* The scales make `want` of the exact sum of products and bias. */
static void expect_exact_sum(struct numbers n, int64_t sum, int want)
{
    n.in_scale = n.filter_scale = 1;
    n.out_scale = (float)((double)sum / want);
    for (int is_constant = 0; is_constant < 2; is_constant++) {
        n.is_constant = is_constant;
        expect_output(&n, want);
    }
}

TEST(conv_numbers, sums_of_many_products_are_exact)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        struct numbers n = {.operation = operations[i],
                            .in_type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                            .filter_type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM};
        n.inputs = MOST_INPUTS;
        n.in = n.weight = 255;
        expect_exact_sum(n, INT64_C(140000) * 255 * 255, 113);

        n.in_type = n.filter_type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
        n.in = n.weight = 0x80; /* -128 */
        expect_exact_sum(n, INT64_C(140000) * 128 * 128, 99);
        n.in = 127;
        expect_exact_sum(n, INT64_C(-140000) * 127 * 128, -99);
    }
}

TEST(conv_numbers, sums_are_exact_whatever_the_bias_is)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        struct numbers n = {.operation = operations[i],
                            .in_type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED,
                            .filter_type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED};
        n.inputs = 40;
        n.in = n.weight = 0x80;
        n.bias = INT32_MAX - 1000;
        expect_exact_sum(n, INT64_C(40) * 128 * 128 + n.bias, 100);
        n.in = 127;
        n.bias = INT32_MIN + 1000;
        expect_exact_sum(n, INT64_C(-40) * 127 * 128 + n.bias, -100);
        if (operations[i] == HY_OP_FULLY_CONNECTED)
            continue;
        n.filter_type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
        expect_exact_sum(n, INT64_C(-40) * 127 * 128 + n.bias, -100);
    }
}

/* ---- Products of scales ---------------------------------------------------------------------- */

/*
 * The product of these scales is 1.9167098344041733e-06 as a float32 and 1.9167097217358487e-06 as
 * a double; times this bias the one is 100.5000029, the other 100.4999970.
 */
#define SCALE_A 0x1.d468eap-10f
#define SCALE_B 0x1.19325ap-10f
enum { BETWEEN = 52433603, OF_FLOAT = 101, OF_DOUBLE = 100 };

static void expect_product(int32_t operation, int32_t in_type, int32_t filter_type, int want)
{
    struct numbers n = {.operation = operation,
                        .in_type = in_type,
                        .filter_type = filter_type,
                        .in_scale = SCALE_A,
                        .filter_scale = SCALE_B,
                        .out_scale = 1,
                        .inputs = 1,
                        .weight = 1,
                        .bias = BETWEEN};

    for (int is_constant = 0; is_constant < 2; is_constant++) {
        n.is_constant = is_constant;
        expect_output(&n, want);
    }
}

#define UINT8       ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define INT8        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
#define PER_CHANNEL ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL

/* Each operation, type and form of scale in the table of docs/numerics.md. */
#define SCALES_TEST(name, operation, in_type, filter_type, want) \
    TEST(conv_numbers, scales_of_##name) \
    { \
        expect_product(operation, in_type, filter_type, want); \
    }

SCALES_TEST(conv_2d_int8_multiply_in_double, HY_OP_CONV_2D, INT8, INT8, OF_DOUBLE)
SCALES_TEST(conv_2d_int8_per_channel_multiply_in_double, HY_OP_CONV_2D, INT8, PER_CHANNEL,
            OF_DOUBLE)
SCALES_TEST(conv_2d_uint8_per_channel_multiply_in_double, HY_OP_CONV_2D, UINT8, PER_CHANNEL,
            OF_DOUBLE)
SCALES_TEST(conv_2d_uint8_multiply_in_float32, HY_OP_CONV_2D, UINT8, UINT8, OF_FLOAT)

SCALES_TEST(depthwise_conv_2d_int8_multiply_in_double, HY_OP_DEPTHWISE_CONV_2D, INT8, INT8,
            OF_DOUBLE)
SCALES_TEST(depthwise_conv_2d_int8_per_channel_multiply_in_double, HY_OP_DEPTHWISE_CONV_2D, INT8,
            PER_CHANNEL, OF_DOUBLE)
SCALES_TEST(depthwise_conv_2d_uint8_per_channel_multiply_in_double, HY_OP_DEPTHWISE_CONV_2D, UINT8,
            PER_CHANNEL, OF_DOUBLE)
SCALES_TEST(depthwise_conv_2d_uint8_multiply_in_float32, HY_OP_DEPTHWISE_CONV_2D, UINT8, UINT8,
            OF_FLOAT)

SCALES_TEST(grouped_conv_2d_int8_multiply_in_double, HY_OP_GROUPED_CONV_2D, INT8, INT8, OF_DOUBLE)
SCALES_TEST(grouped_conv_2d_int8_per_channel_multiply_in_double, HY_OP_GROUPED_CONV_2D, INT8,
            PER_CHANNEL, OF_DOUBLE)
SCALES_TEST(grouped_conv_2d_uint8_per_channel_multiply_in_double, HY_OP_GROUPED_CONV_2D, UINT8,
            PER_CHANNEL, OF_DOUBLE)
SCALES_TEST(grouped_conv_2d_uint8_multiply_in_float32, HY_OP_GROUPED_CONV_2D, UINT8, UINT8,
            OF_FLOAT)

SCALES_TEST(transpose_conv_2d_int8_multiply_in_double, HY_OP_TRANSPOSE_CONV_2D, INT8, INT8,
            OF_DOUBLE)
SCALES_TEST(transpose_conv_2d_int8_per_channel_multiply_in_double, HY_OP_TRANSPOSE_CONV_2D, INT8,
            PER_CHANNEL, OF_DOUBLE)
SCALES_TEST(transpose_conv_2d_uint8_per_channel_multiply_in_double, HY_OP_TRANSPOSE_CONV_2D, UINT8,
            PER_CHANNEL, OF_DOUBLE)
SCALES_TEST(transpose_conv_2d_uint8_multiply_in_float32, HY_OP_TRANSPOSE_CONV_2D, UINT8, UINT8,
            OF_FLOAT)

SCALES_TEST(fully_connected_int8_multiply_in_float32, HY_OP_FULLY_CONNECTED, INT8, INT8, OF_FLOAT)
SCALES_TEST(fully_connected_uint8_multiply_in_float32, HY_OP_FULLY_CONNECTED, UINT8, UINT8,
            OF_FLOAT)

/* ---- The second rounding --------------------------------------------------------------------- */

/* A sum of -6 quarters, and of 6, beside an output's zero point. */
static void expect_halves(int32_t operation, int32_t in_type, int32_t filter_type, int of_negative)
{
    struct numbers n = {.operation = operation,
                        .in_type = in_type,
                        .filter_type = filter_type,
                        .in_scale = 1,
                        .filter_scale = 1,
                        .out_scale = 4,
                        .out_zero_point = 100,
                        .inputs = 1,
                        .weight = 1};

    for (int is_constant = 0; is_constant < 2; is_constant++) {
        n.is_constant = is_constant;
        n.bias = -6;
        expect_output(&n, 100 + of_negative);
        n.bias = 6;
        expect_output(&n, 102);
    }
}

static void expect_halves_of_types(int32_t operation, int of_negative)
{
    expect_halves(operation, INT8, INT8, of_negative);
    expect_halves(operation, UINT8, UINT8, of_negative);
    if (operation == HY_OP_FULLY_CONNECTED)
        return;
    expect_halves(operation, INT8, PER_CHANNEL, of_negative);
    expect_halves(operation, UINT8, PER_CHANNEL, of_negative);
}

TEST(conv_numbers, halves_of_conv_2d_go_up)
{
    expect_halves_of_types(HY_OP_CONV_2D, -1);
}

TEST(conv_numbers, halves_of_grouped_conv_2d_go_up)
{
    expect_halves_of_types(HY_OP_GROUPED_CONV_2D, -1);
}

TEST(conv_numbers, halves_of_fully_connected_go_up)
{
    expect_halves_of_types(HY_OP_FULLY_CONNECTED, -1);
}

TEST(conv_numbers, halves_of_depthwise_conv_2d_go_away_from_zero)
{
    expect_halves_of_types(HY_OP_DEPTHWISE_CONV_2D, -2);
}

TEST(conv_numbers, halves_of_transpose_conv_2d_go_away_from_zero)
{
    expect_halves_of_types(HY_OP_TRANSPOSE_CONV_2D, -2);
}
