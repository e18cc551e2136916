/* Products of matrices, and int16 in other scales, by definitions in plain C. */
#include "tests/kit/test.h"

#include <string.h>

#include "tests/unit/libhalyard/kit/network_run.h"

static const float tenth = 0.1f, half = 0.5f, quarter = 0.25f;
static const int64_t zero, three = 3;

static struct hy_builder_tensor of(int type, uint32_t rank, int32_t first, int32_t second)
{
    return (struct hy_builder_tensor){
        .name = "t", .type = type, .rank = rank, .dims = {first, second}};
}

static struct hy_builder_tensor scaled(struct hy_builder_tensor tensor, const float *scale,
                                       const int64_t *zero_point)
{
    tensor.scale_count = tensor.zero_point_count = 1;
    tensor.scales = scale;
    tensor.zero_points = zero_point;
    return tensor;
}

/* An operator of two inputs of the network, or of an input and a constant. */
static bool open_pair(struct hy_network_run *run, int op, const struct hy_builder_tensor *a,
                      const struct hy_builder_tensor *b, const struct hy_builder_tensor *y)
{
    struct hy_builder *builder = hy_builder_create();
    const int32_t first = hy_builder_tensor(builder, a), second = hy_builder_tensor(builder, b);
    const int32_t output = hy_builder_tensor(builder, y);

    hy_builder_operator(builder, &(struct hy_builder_operator){.op = op,
                                                               .input_count = 2,
                                                               .inputs = {first, second},
                                                               .output_count = 1,
                                                               .outputs = {output}});
    hy_builder_input(builder, first);
    if (!b->data)
        hy_builder_input(builder, second);
    hy_builder_output(builder, output);
    return hy_network_run_open(run, builder);
}

TEST(products, a_vector_is_a_row_for_fully_connected)
{
    static const float weights[] = {1, 2, 3, 4, 5, 6}, data[] = {7, -8, 9};
    const struct hy_builder_tensor x = of(HY_TFLITE_FLOAT32, 1, 3, 0);
    struct hy_builder_tensor filter = of(HY_TFLITE_FLOAT32, 2, 2, 3);
    const struct hy_builder_tensor y = of(HY_TFLITE_FLOAT32, 2, 1, 2);
    static struct hy_network_run run;

    filter.data = weights;
    filter.bytes = sizeof weights;
    REQUIRE(open_pair(&run, HY_TFLITE_OP_FULLY_CONNECTED, &x, &filter, &y));
    memcpy(run.inputs[0], data, sizeof data);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT(memcmp(run.outputs[0], (const float[]){18, 42}, 8) == 0);
    hy_network_run_close(&run);
}

/* Whatever the zero points are. */
TEST(products, stored_numbers_of_int8_make_int32)
{
    const struct hy_builder_tensor a = scaled(of(HY_TFLITE_INT8, 2, 2, 2), &tenth, &three);
    const struct hy_builder_tensor b = scaled(of(HY_TFLITE_INT8, 2, 2, 1), &half, &zero);
    const struct hy_builder_tensor y = of(HY_TFLITE_INT32, 2, 2, 1);
    static struct hy_network_run run;

    REQUIRE(open_pair(&run, HY_TFLITE_OP_BATCH_MATMUL, &a, &b, &y));
    memcpy(run.inputs[0], (const int8_t[]){-128, 127, 3, 4}, 4);
    memcpy(run.inputs[1], (const int8_t[]){-128, 100}, 2);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT(memcmp(run.outputs[0], (const int32_t[]){29084, 16}, 8) == 0);
    hy_network_run_close(&run);
}

TEST(products, int8_that_a_run_computes_is_real_beside_floats)
{
    const struct hy_builder_tensor a = of(HY_TFLITE_FLOAT32, 2, 1, 2);
    const struct hy_builder_tensor b = scaled(of(HY_TFLITE_INT8, 2, 2, 1), &quarter, &three);
    const struct hy_builder_tensor y = of(HY_TFLITE_FLOAT32, 2, 1, 1);
    static struct hy_network_run run;
    float product;

    REQUIRE(open_pair(&run, HY_TFLITE_OP_BATCH_MATMUL, &a, &b, &y));
    memcpy(run.inputs[0], (const float[]){2, -3}, 8);
    memcpy(run.inputs[1], (const int8_t[]){7, -13}, 2);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    memcpy(&product, run.outputs[0], sizeof product);
    EXPECT(product == 2 * 1.0f + 3 * 4.0f);
    hy_network_run_close(&run);
}

/* TensorFlow Lite compares what is stored. */
TEST(products, int16_in_other_scales_is_compared_as_stored)
{
    const struct hy_builder_tensor a = scaled(of(HY_TFLITE_INT16, 1, 3, 0), &half, &zero);
    const struct hy_builder_tensor b = scaled(of(HY_TFLITE_INT16, 1, 3, 0), &quarter, &zero);
    static struct hy_network_run run;

    REQUIRE(open_pair(&run, HY_TFLITE_OP_MAXIMUM, &a, &b, &a));
    memcpy(run.inputs[0], (const int16_t[]){1000, -32768, 5}, 6);
    memcpy(run.inputs[1], (const int16_t[]){1001, 32767, 4}, 6);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT(memcmp(run.outputs[0], (const int16_t[]){1001, 32767, 5}, 6) == 0);
    hy_network_run_close(&run);
}
