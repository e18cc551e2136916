/* BATCH_MATMUL whose second operand has a shape that only a run can tell. */
#include "tests/kit/test.h"

#include <string.h>

#include "tests/unit/libhalyard/kit/network_run.h"

static int32_t add_input(struct hy_builder *builder, const struct hy_builder_tensor *tensor)
{
    const int32_t index = hy_builder_tensor(builder, tensor);
    hy_builder_input(builder, index);
    return index;
}

static void add_binary(struct hy_builder *builder, int op, int32_t a, int32_t b,
                       const struct hy_builder_tensor *output, int32_t *index)
{
    *index = hy_builder_tensor(builder, output);
    hy_builder_operator(
        builder,
        &(struct hy_builder_operator){
            .op = op, .input_count = 2, .inputs = {a, b}, .output_count = 1, .outputs = {*index}});
}

/* float32[batches,1,2] times TILE(float32[1,2,1], int32[3]). */
static struct hy_builder *product(int32_t batches)
{
    static const struct hy_builder_tensor open = {
        .name = "open", .type = HY_TFLITE_FLOAT32, .rank = 3, .dims = {1, 1, 1}};
    struct hy_builder *builder = hy_builder_create();
    int32_t tiled, out;

    const int32_t a = add_input(
        builder, &(struct hy_builder_tensor){
                     .name = "a", .type = HY_TFLITE_FLOAT32, .rank = 3, .dims = {batches, 1, 2}});
    const int32_t b = add_input(
        builder, &(struct hy_builder_tensor){
                     .name = "b", .type = HY_TFLITE_FLOAT32, .rank = 3, .dims = {1, 2, 1}});
    const int32_t times =
        add_input(builder, &(struct hy_builder_tensor){
                               .name = "times", .type = HY_TFLITE_INT32, .rank = 1, .dims = {3}});
    add_binary(builder, HY_TFLITE_OP_TILE, b, times, &open, &tiled);
    add_binary(builder, HY_TFLITE_OP_BATCH_MATMUL, a, tiled, &open, &out);
    hy_builder_output(builder, out);
    return builder;
}

static void run(struct hy_network_run *run, const int32_t times[3])
{
    static const float a[] = {1, 2, 3, 4}, b[] = {10, 100};

    memcpy(run->inputs[0], a, sizeof a);
    memcpy(run->inputs[1], b, sizeof b);
    memcpy(run->inputs[2], times, 3 * sizeof *times);
    EXPECT_INT(hy_network_run(run), HY_OK);
}

TEST(open_batches, are_one_or_those_of_the_first_operand)
{
    static const int32_t same[] = {2, 1, 3}, one[] = {1, 1, 3};
    static const float expected[] = {210, 210, 210, 430, 430, 430};
    struct hy_network_run product_run;

    REQUIRE(hy_network_run_open(&product_run, product(2)));
    run(&product_run, same);
    EXPECT(memcmp(product_run.outputs[0], expected, sizeof expected) == 0);
    memset(product_run.outputs[0], 0, sizeof expected);
    run(&product_run, one);
    EXPECT(memcmp(product_run.outputs[0], expected, sizeof expected) == 0);
    hy_network_run_close(&product_run);
}

TEST(open_batches, beside_one_matrix_repeat_it)
{
    static const int32_t times[] = {2, 1, 3};
    static const float a[] = {1, 2}, b[] = {10, 100};
    static const float expected[] = {210, 210, 210, 210, 210, 210};
    struct hy_network_run product_run;

    REQUIRE(hy_network_run_open(&product_run, product(1)));
    memcpy(product_run.inputs[0], a, sizeof a);
    memcpy(product_run.inputs[1], b, sizeof b);
    memcpy(product_run.inputs[2], times, sizeof times);
    EXPECT_INT(hy_network_run(&product_run), HY_OK);
    EXPECT(memcmp(product_run.outputs[0], expected, sizeof expected) == 0);
    hy_network_run_close(&product_run);
}
