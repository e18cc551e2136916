#include <android/NeuralNetworksTypes.h>

#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/op_case.h"

/*
 * Arguments at and beyond their limits, on both devices: reductions, pools, matrix products and
 * their kin. What is refused names the numbers.
 */

#define DEVICES 2

static const float numbers[24] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

/* The model of one operation on float32 `numbers` of a shape. */
static struct hy_op_case on_numbers(int32_t operation, uint32_t rank, const uint32_t *dims)
{
    struct hy_op_case test;
    struct hy_builder_type type = hy_op_case_type(ANEURALNETWORKS_TENSOR_FLOAT32, rank, dims);

    hy_op_case_init(&test, operation);
    hy_op_case_tensor(&test, &type, numbers, false);
    return test;
}

static void give(struct hy_op_case *test, int32_t type, uint32_t rank, void *out, uint64_t length)
{
    uint32_t dims[HY_MAX_RANK] = {0};
    struct hy_builder_type declared = hy_op_case_type(type, rank, dims);

    hy_op_case_output(test, &declared, out, length);
}

/* Runs on both devices: refused with `expected` in the message, or accepted where they are NULL. */
static void run_both(struct hy_op_case *test, const char *expected)
{
    for (uint32_t device = 0; device < DEVICES; device++) {
        int32_t status = hy_op_case_run(test, device);
        if (!expected && status != HY_STATUS_OK)
            hy_test_fail(__FILE__, __LINE__, "%s", test->message);
        if (expected && (status == HY_STATUS_OK || !strstr(test->message, expected)))
            hy_test_fail(__FILE__, __LINE__, "status %d: \"%s\" does not say \"%s\"", status,
                         test->message, expected);
    }
    hy_op_case_finish(test);
}

static void reduce(int32_t axis, bool is_constant, float *out, const char *expected)
{
    struct hy_op_case test = on_numbers(ANEURALNETWORKS_REDUCE_SUM, 2, (uint32_t[]){3, 4});

    hy_op_case_ints(&test, 1, (uint32_t[]){2}, (int32_t[]){axis, axis}, is_constant);
    hy_op_case_bool(&test, false);
    give(&test, ANEURALNETWORKS_TENSOR_FLOAT32, 1, out, 16);
    run_both(&test, expected);
}

TEST(reductions, axes_are_checked_wherever_they_come_from)
{
    for (int is_constant = 0; is_constant < 2; is_constant++) {
        float out[4] = {0};
        reduce(-2, is_constant, out, NULL);
        EXPECT(out[0] == 15 && out[3] == 24);
        reduce(2, is_constant, out, "axis 0 is 2, outside a tensor of rank 2");
        reduce(-3, is_constant, out, "axis 0 is -3, outside a tensor of rank 2");
        reduce(INT32_MIN, is_constant, out, "axis 0 is -2147483648");
    }
}

TEST(reductions, mean_of_everything_is_one_element)
{
    struct hy_op_case test = on_numbers(ANEURALNETWORKS_MEAN, 2, (uint32_t[]){3, 4});
    float out = 0;

    hy_op_case_ints(&test, 1, (uint32_t[]){3}, (int32_t[]){0, 1, -1}, true);
    hy_op_case_int(&test, 0);
    give(&test, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &out, sizeof out);
    run_both(&test, NULL);
    EXPECT(out == 6.5f);
}

static void top_k(int32_t k, const char *expected)
{
    struct hy_op_case test = on_numbers(ANEURALNETWORKS_TOPK_V2, 2, (uint32_t[]){3, 4});
    float values[12];
    int32_t indices[12];

    hy_op_case_int(&test, k);
    give(&test, ANEURALNETWORKS_TENSOR_FLOAT32, 2, values, sizeof values);
    give(&test, ANEURALNETWORKS_TENSOR_INT32, 2, indices, sizeof indices);
    run_both(&test, expected);
}

TEST(reductions, k_is_between_one_and_the_row)
{
    top_k(1, NULL);
    top_k(4, NULL);
    top_k(5, "k is 5 for rows of 4 elements");
    top_k(0, "input 1 is 0, needs 1 or more");
    top_k(-1, "input 1 is -1, needs 1 or more");
}

/* The mean of bytes of an image that is one column, on both devices. The input's scale is 0.5. */
static void expect_mean_to(float scale, int32_t type, int32_t zero_point, uint32_t count,
                           const int8_t *column, const int32_t axes[2], bool keep_dimensions,
                           int want)
{
    const uint32_t dims[] = {1, count, 1, 1};
    struct hy_builder_type image = hy_op_case_type(type, 4, dims);
    struct hy_op_case test;
    uint8_t out = 0;

    image.zero_point = zero_point;
    hy_op_case_init(&test, ANEURALNETWORKS_MEAN);
    hy_op_case_tensor(&test, &image, column, false);
    hy_op_case_ints(&test, 1, (uint32_t[]){2}, axes, true);
    hy_op_case_int(&test, keep_dimensions);
    struct hy_builder_type result = hy_op_case_type(type, keep_dimensions ? 4 : 2, dims);
    result.scale = scale;
    result.zero_point = zero_point;
    hy_op_case_output(&test, &result, &out, sizeof out);
    run_both(&test, NULL);
    EXPECT_INT(type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED ? (int8_t)out : out, want);
}

static void expect_mean(int32_t type, int32_t zero_point, uint32_t count, const int8_t *column,
                        const int32_t axes[2], bool keep_dimensions, int want)
{
    expect_mean_to(0.5f, type, zero_point, count, column, axes, keep_dimensions, want);
}

/* As TensorFlow Lite 2.9 gives them. */
TEST(reductions, means_of_images_of_bytes_are_rounded_to_nearest)
{
    const int32_t s8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    const int32_t u8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;

    for (int turned = 0; turned < 2; turned++) {
        const int32_t axes[] = {turned ? 2 : 1, turned ? 1 : 2};
        expect_mean(s8, 0, 4, (const int8_t[]){-99, -100, -100, -100}, axes, true, -100);
        expect_mean(s8, 0, 4, (const int8_t[]){-127, -127, -127, -128}, axes, true, -127);
        /* Halves go away from what is zero. */
        expect_mean(s8, 56, 2, (const int8_t[]){39, 40}, axes, true, 39);
        expect_mean(s8, -15, 2, (const int8_t[]){-4, -5}, axes, true, -4);
        expect_mean(u8, 56, 2, (const int8_t[]){39, 40}, axes, true, 40);
        /* 7.4: uint8 is rounded twice, to fifths of 37.5 first. */
        expect_mean(s8, -3, 5, (const int8_t[]){7, 7, 7, 8, 8}, axes, true, 7);
        expect_mean(u8, 3, 5, (const int8_t[]){7, 7, 7, 8, 8}, axes, true, 8);
    }
}

TEST(reductions, other_means_of_bytes_are_cut_towards_zero)
{
    static const int8_t column[] = {-99, -100, -100, -100};
    const int32_t s8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;

    expect_mean(s8, 0, 4, column, (const int32_t[]){1, 2}, false, -99);
    expect_mean(s8, 0, 4, column, (const int32_t[]){-3, -2}, true, -99);
    expect_mean(s8, 0, 4, column, (const int32_t[]){1, 3}, true, -99);
    expect_mean(s8, 0, 4, column, (const int32_t[]){1, 1}, true, -99);
}

/* As TensorFlow Lite 2.9 gives them: then no mean is cut. The API lets scales differ by so much. */
TEST(reductions, means_of_bytes_in_nearly_the_same_scale_are_brought_to_it)
{
    static const int8_t column[] = {-99, -100, -100, -100}, half[] = {39, 40};
    static const int32_t image[] = {1, 2}, other[] = {1, 3};
    const int32_t s8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    const int32_t u8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;

    expect_mean_to(0.5004f, s8, 0, 4, column, image, true, -100);
    expect_mean_to(0.5004f, s8, 0, 4, column, image, false, -100);
    expect_mean_to(0.5004f, s8, 0, 4, column, other, true, -100);
    expect_mean_to(0.5004f, s8, 56, 2, half, image, true, 39);
    expect_mean_to(0.5004f, u8, 56, 2, half, image, true, 40);
    expect_mean_to(0.5004f, u8, 56, 2, half, image, false, 40);
}

static void arg_max(int32_t axis, const char *expected)
{
    struct hy_op_case test = on_numbers(ANEURALNETWORKS_ARGMAX, 2, (uint32_t[]){3, 4});
    int32_t out[12];

    hy_op_case_int(&test, axis);
    give(&test, ANEURALNETWORKS_TENSOR_INT32, 1, out, sizeof out);
    run_both(&test, expected);
}

TEST(reductions, arg_axis_is_checked)
{
    arg_max(-2, NULL);
    arg_max(1, NULL);
    arg_max(2, "axis 2 is outside a tensor of rank 2");
    arg_max(INT32_MIN, "axis -2147483648 is outside a tensor of rank 2");
}

static void matmul(uint32_t rank, const uint32_t *lhs, const uint32_t *rhs, bool adjoint,
                   const char *expected)
{
    struct hy_op_case test = on_numbers(ANEURALNETWORKS_BATCH_MATMUL, rank, lhs);
    struct hy_builder_type type = hy_op_case_type(ANEURALNETWORKS_TENSOR_FLOAT32, rank, rhs);
    float out[36];

    hy_op_case_tensor(&test, &type, numbers, false);
    hy_op_case_bool(&test, adjoint);
    hy_op_case_bool(&test, false);
    give(&test, ANEURALNETWORKS_TENSOR_FLOAT32, rank, out, sizeof out);
    run_both(&test, expected);
}

TEST(reductions, matrices_have_to_fit)
{
    matmul(2, (uint32_t[]){3, 2}, (uint32_t[]){2, 4}, false, NULL);
    matmul(2, (uint32_t[]){2, 3}, (uint32_t[]){2, 4}, true, NULL);
    matmul(2, (uint32_t[]){3, 2}, (uint32_t[]){3, 4}, false,
           "shapes [3, 2] and [3, 4] do not multiply");
    matmul(3, (uint32_t[]){2, 3, 2}, (uint32_t[]){1, 2, 3}, false, NULL);
    matmul(3, (uint32_t[]){2, 3, 2}, (uint32_t[]){3, 2, 3}, false, "do not multiply");
}

/* An explicit transposed convolution of a 2 x 2 image with a 3 x 3 filter. */
static void transpose_conv(int32_t stride, int32_t head, int32_t tail, const char *expected)
{
    struct hy_op_case test =
        on_numbers(ANEURALNETWORKS_TRANSPOSE_CONV_2D, 4, (uint32_t[]){1, 2, 2, 1});
    struct hy_builder_type filter =
        hy_op_case_type(ANEURALNETWORKS_TENSOR_FLOAT32, 4, (uint32_t[]){1, 3, 3, 1});
    struct hy_builder_type bias =
        hy_op_case_type(ANEURALNETWORKS_TENSOR_FLOAT32, 1, (uint32_t[]){1});
    float out[400];

    hy_op_case_tensor(&test, &filter, numbers, true);
    hy_op_case_tensor(&test, &bias, numbers, true);
    for (int i = 0; i < 2; i++) {
        hy_op_case_int(&test, head);
        hy_op_case_int(&test, tail);
    }
    hy_op_case_int(&test, stride);
    hy_op_case_int(&test, stride);
    hy_op_case_int(&test, 0);
    hy_op_case_bool(&test, false);
    give(&test, ANEURALNETWORKS_TENSOR_FLOAT32, 4, out, sizeof out);
    run_both(&test, expected);
}

TEST(reductions, transposed_sizes_are_checked)
{
    transpose_conv(1, 0, 0, NULL);
    transpose_conv(2, 1, -3, NULL);
    transpose_conv(1, 2, 1, NULL);
    transpose_conv(1, 2, 2, "make 0");
    transpose_conv(0, 0, 0, "input 7 is 0, needs 1 or more");
    transpose_conv(1, -1, 0, "input 3 is -1, needs 0 or more");
    transpose_conv(INT32_MAX, 0, 0, "2 elements with stride 2147483647");
    transpose_conv(1, INT32_MAX, INT32_MIN, "padding 2147483647 and -2147483648");
}

TEST(reductions, groups_divide_the_channels)
{
    for (int32_t groups = 0; groups < 4; groups++) {
        struct hy_op_case test =
            on_numbers(ANEURALNETWORKS_GROUPED_CONV_2D, 4, (uint32_t[]){1, 1, 1, 4});
        struct hy_builder_type filter =
            hy_op_case_type(ANEURALNETWORKS_TENSOR_FLOAT32, 4, (uint32_t[]){4, 1, 1, 2});
        struct hy_builder_type bias =
            hy_op_case_type(ANEURALNETWORKS_TENSOR_FLOAT32, 1, (uint32_t[]){4});
        const float zeros[4] = {0};
        float out[4] = {0};

        hy_op_case_tensor(&test, &filter, numbers, true);
        hy_op_case_tensor(&test, &bias, zeros, true);
        const int32_t rest[] = {ANEURALNETWORKS_PADDING_VALID, 1, 1, groups, 0};
        for (int i = 0; i < 5; i++)
            hy_op_case_int(&test, rest[i]);
        hy_op_case_bool(&test, false);
        give(&test, ANEURALNETWORKS_TENSOR_FLOAT32, 4, out, sizeof out);
        run_both(&test, groups == 2   ? NULL
                        : groups == 0 ? "input 6 is 0"
                                      : "filter is for 2 channels in");
        /* rows {1,2} {3,4} of inputs {1,2}, rows {5,6} {7,8} of inputs {3,4} */
        EXPECT(groups != 2 || (out[0] == 5 && out[1] == 11 && out[2] == 39 && out[3] == 53));
    }
}

TEST(reductions, two_zero_seeds_give_other_numbers_each_time)
{
    int32_t out[DEVICES][64];

    for (int device = 0; device < DEVICES; device++) {
        struct hy_op_case test =
            on_numbers(ANEURALNETWORKS_RANDOM_MULTINOMIAL, 2, (uint32_t[]){1, 3});
        hy_op_case_int(&test, 64);
        hy_op_case_ints(&test, 1, (uint32_t[]){2}, (int32_t[]){0, 0}, true);
        give(&test, ANEURALNETWORKS_TENSOR_INT32, 2, out[device], sizeof out[device]);
        run_both(&test, NULL);
    }
    EXPECT(memcmp(out[0], out[1], sizeof out[0]) != 0);
}
