/* Operators whose results only a run can tell the shapes of, and their neighbours. */
#include "tests/kit/test.h"

#include <math.h>
#include <string.h>

#include "tests/unit/libhalyard/kit/network_run.h"

struct sketch {
    struct hy_builder *builder;
    struct hy_builder_operator operator_;
};

static struct sketch start(int op)
{
    return (struct sketch){hy_builder_create(), {.op = op}};
}

static void add_input(struct sketch *sketch, int type, uint32_t rank, const int32_t *dims)
{
    struct hy_builder_tensor tensor = {.name = "x", .type = type, .rank = rank};

    memcpy(tensor.dims, dims, rank * sizeof *dims);
    const int32_t index = hy_builder_tensor(sketch->builder, &tensor);
    sketch->operator_.inputs[sketch->operator_.input_count++] = index;
    hy_builder_input(sketch->builder, index);
}

static void constant(struct sketch *sketch, int type, int32_t count, const void *data)
{
    const struct hy_builder_tensor tensor = {.name = "c",
                                             .type = type,
                                             .rank = count > 0,
                                             .dims = {count},
                                             .data = data,
                                             .bytes = 4 * (count > 0 ? (uint32_t)count : 1)};

    sketch->operator_.inputs[sketch->operator_.input_count++] =
        hy_builder_tensor(sketch->builder, &tensor);
}

/* Of a shape that the file does not know. */
static void give(struct sketch *sketch, int type, uint32_t rank)
{
    const struct hy_builder_tensor tensor = {
        .name = "y", .type = type, .rank = rank, .dims = {1, 1, 1, 1}};
    const int32_t index = hy_builder_tensor(sketch->builder, &tensor);

    sketch->operator_.outputs[sketch->operator_.output_count++] = index;
    hy_builder_output(sketch->builder, index);
}

static bool open_sketch(struct sketch *sketch, struct hy_network_run *run)
{
    hy_builder_operator(sketch->builder, &sketch->operator_);
    return hy_network_run_open(run, sketch->builder);
}

static void expect_ints(const void *bytes, uint32_t count, const int32_t *wanted, int line)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t number;
        memcpy(&number, (const uint8_t *)bytes + 4 * i, sizeof number);
        if (number != wanted[i])
            hy_test_fail(__FILE__, line, "element %u is %d, expected %d", i, number, wanted[i]);
    }
}

#define EXPECT_INTS(bytes, ...) \
    expect_ints(bytes, sizeof((const int32_t[]){__VA_ARGS__}) / 4, (const int32_t[]){__VA_ARGS__}, \
                __LINE__)

TEST(search, where_gives_a_row_for_each_element_that_holds)
{
    static const uint8_t conditions[2][6] = {{0, 1, 0, 1, 1, 0}, {1, 0, 0, 0, 0, 0}};
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_WHERE);

    add_input(&sketch, HY_TFLITE_BOOL, 2, (const int32_t[]){2, 3});
    give(&sketch, HY_TFLITE_INT32, 2);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], conditions[0], 6);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_INTS(run.outputs[0], 0, 1, 1, 0, 1, 1);
    memcpy(run.inputs[0], conditions[1], 6);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    uint32_t extents[2];
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, extents), 0);
    EXPECT_INT(extents[0], 1);
    EXPECT_INT(extents[1], 2);
    EXPECT_INTS(run.outputs[0], 0, 0);
    hy_network_run_close(&run);
}

TEST(search, where_gives_indices_of_64_bits)
{
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_WHERE);

    add_input(&sketch, HY_TFLITE_FLOAT32, 1, (const int32_t[]){4});
    give(&sketch, HY_TFLITE_INT64, 2);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], (const float[]){0, -1, -0.0f, 5}, 16);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT(memcmp(run.outputs[0], (const int64_t[]){1, 3}, 16) == 0);
    hy_network_run_close(&run);
}

TEST(search, where_looks_at_stored_numbers)
{
    static const float scale = 0.5f;
    static const int64_t zero_point = -3;
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_WHERE);

    sketch.operator_.inputs[sketch.operator_.input_count++] =
        hy_builder_tensor(sketch.builder, &(struct hy_builder_tensor){.name = "x",
                                                                      .type = HY_TFLITE_INT8,
                                                                      .rank = 1,
                                                                      .dims = {4},
                                                                      .scale_count = 1,
                                                                      .scales = &scale,
                                                                      .zero_point_count = 1,
                                                                      .zero_points = &zero_point});
    hy_builder_input(sketch.builder, sketch.operator_.inputs[0]);
    give(&sketch, HY_TFLITE_INT32, 2);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], (const int8_t[]){-3, 0, 5, 0}, 4);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_INTS(run.outputs[0], 0, 2);
    hy_network_run_close(&run);
}

TEST(search, where_of_five_dimensions_is_refused)
{
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_WHERE);

    add_input(&sketch, HY_TFLITE_BOOL, 5, (const int32_t[]){1, 2, 1, 2, 1});
    give(&sketch, HY_TFLITE_INT32, 2);
    hy_builder_operator(sketch.builder, &sketch.operator_);
    EXPECT_INT(hy_network_run_try(&run, sketch.builder), HY_BAD_DATA);
    EXPECT_CONTAINS(run.err.text, "a condition of more than four dimensions");
}

TEST(search, unique_values_come_in_the_order_of_their_first_places)
{
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_UNIQUE);

    add_input(&sketch, HY_TFLITE_INT32, 1, (const int32_t[]){6});
    give(&sketch, HY_TFLITE_INT32, 1);
    give(&sketch, HY_TFLITE_INT32, 1);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], (const int32_t[]){7, -2, 7, 9, -2, 7}, 24);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_INTS(run.outputs[0], 7, -2, 9);
    EXPECT_INTS(run.outputs[1], 0, 1, 0, 2, 1, 0);
    hy_network_run_close(&run);
}

TEST(search, segments_that_a_run_tells_are_summed)
{
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_SEGMENT_SUM);

    add_input(&sketch, HY_TFLITE_INT32, 2, (const int32_t[]){4, 2});
    add_input(&sketch, HY_TFLITE_INT32, 1, (const int32_t[]){4});
    give(&sketch, HY_TFLITE_INT32, 2);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], (const int32_t[]){1, 2, 3, 4, 5, 6, 7, 8}, 32);
    memcpy(run.inputs[1], (const int32_t[]){0, 0, 2, 2}, 16);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_INTS(run.outputs[0], 4, 6, 0, 0, 12, 14);
    memcpy(run.inputs[1], (const int32_t[]){0, 1, 0, 2}, 16);
    EXPECT_INT(hy_network_run(&run), ANEURALNETWORKS_OP_FAILED);
    hy_network_run_close(&run);
}

/* The file's scales: 0.5 and 0.25. */
TEST(search, sums_of_int16_are_rescaled)
{
    static const float scales[2] = {0.5f, 0.25f};
    static const int64_t zero = 0;
    static const int32_t axis = 1;
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_SUM);
    struct hy_builder_tensor tensor = {.name = "t",
                                       .type = HY_TFLITE_INT16,
                                       .rank = 2,
                                       .dims = {2, 3},
                                       .scale_count = 1,
                                       .scales = &scales[0],
                                       .zero_point_count = 1,
                                       .zero_points = &zero};

    sketch.operator_.inputs[sketch.operator_.input_count++] =
        hy_builder_tensor(sketch.builder, &tensor);
    hy_builder_input(sketch.builder, sketch.operator_.inputs[0]);
    constant(&sketch, HY_TFLITE_INT32, 1, &axis);
    tensor.rank = 1;
    tensor.scales = &scales[1];
    sketch.operator_.outputs[sketch.operator_.output_count++] =
        hy_builder_tensor(sketch.builder, &tensor);
    hy_builder_output(sketch.builder, sketch.operator_.outputs[0]);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], (const int16_t[]){1, 2, 3, 20000, 10000, -1}, 12);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT(memcmp(run.outputs[0], (const int16_t[]){12, INT16_MAX}, 4) == 0);
    hy_network_run_close(&run);
}

TEST(search, equal_elements_come_in_their_order)
{
    static const int32_t k = 3;
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_TOPK_V2);

    add_input(&sketch, HY_TFLITE_FLOAT32, 1, (const int32_t[]){5});
    constant(&sketch, HY_TFLITE_INT32, 0, &k);
    give(&sketch, HY_TFLITE_FLOAT32, 1);
    give(&sketch, HY_TFLITE_INT32, 1);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], (const float[]){1, 2, 1, 2, 2}, 20);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_INTS(run.outputs[1], 1, 3, 4);
    hy_network_run_close(&run);
}

/* Two boxes overlap by a half, the third one is elsewhere. */
static const float boxes[] = {0, 0, 1, 1, 0, 0, 1, 0.5f, 5, 5, 6, 6};
static const float scores[] = {0.5f, 0.75f, 0.625f};

TEST(search, overlapping_boxes_are_suppressed)
{
    static const int32_t most = 4;
    static const float overlap = 0.5f, score = 0.25f;
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_NON_MAX_SUPPRESSION_V4);

    add_input(&sketch, HY_TFLITE_FLOAT32, 2, (const int32_t[]){3, 4});
    add_input(&sketch, HY_TFLITE_FLOAT32, 1, (const int32_t[]){3});
    constant(&sketch, HY_TFLITE_INT32, 0, &most);
    constant(&sketch, HY_TFLITE_FLOAT32, 0, &overlap);
    constant(&sketch, HY_TFLITE_FLOAT32, 0, &score);
    give(&sketch, HY_TFLITE_INT32, 1);
    give(&sketch, HY_TFLITE_INT32, 0);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], boxes, sizeof boxes);
    memcpy(run.inputs[1], scores, sizeof scores);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_INTS(run.outputs[0], 1, 2, 0, 0);
    EXPECT_INTS(run.outputs[1], 2);
    hy_network_run_close(&run);
}

TEST(search, overlap_lowers_scores)
{
    static const int32_t most = 3;
    static const float overlap = 0.9f, score = 0.25f, sigma = 0.5f;
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_NON_MAX_SUPPRESSION_V5);
    float third;

    add_input(&sketch, HY_TFLITE_FLOAT32, 2, (const int32_t[]){3, 4});
    add_input(&sketch, HY_TFLITE_FLOAT32, 1, (const int32_t[]){3});
    constant(&sketch, HY_TFLITE_INT32, 0, &most);
    constant(&sketch, HY_TFLITE_FLOAT32, 0, &overlap);
    constant(&sketch, HY_TFLITE_FLOAT32, 0, &score);
    constant(&sketch, HY_TFLITE_FLOAT32, 0, &sigma);
    give(&sketch, HY_TFLITE_INT32, 1);
    give(&sketch, HY_TFLITE_FLOAT32, 1);
    give(&sketch, HY_TFLITE_INT32, 0);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], boxes, sizeof boxes);
    memcpy(run.inputs[1], scores, sizeof scores);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_INTS(run.outputs[0], 1, 2, 0);
    EXPECT_INTS(run.outputs[2], 3);
    memcpy(&third, run.outputs[1] + 8, sizeof third);
    EXPECT(fabsf(third - 0.5f * expf(-0.25f)) < 1e-6f);
    hy_network_run_close(&run);
}

/* The option is a vector of floats, of the same bytes as these integers. */
TEST(search, elements_are_numbered_by_their_buckets)
{
    static const float boundaries[] = {-1, 0, 10};
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_BUCKETIZE);
    int32_t bits[3];

    memcpy(bits, boundaries, sizeof bits);
    sketch.operator_.options_kind = HY_TFLITE_OPTIONS_BUCKETIZE;
    sketch.operator_.int_count = 3;
    sketch.operator_.ints = bits;
    add_input(&sketch, HY_TFLITE_INT32, 1, (const int32_t[]){5});
    give(&sketch, HY_TFLITE_INT32, 1);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], (const int32_t[]){-2, -1, 0, 9, 10}, 20);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_INTS(run.outputs[0], 0, 1, 2, 2, 3);
    hy_network_run_close(&run);
}

/* The maximum of three elements, every other place. */
TEST(search, a_window_moves_in_strides)
{
    static const int32_t least = INT32_MIN, size = 3, stride = 2, dilation = 1;
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_REDUCE_WINDOW);

    sketch.operator_.options_kind = HY_TFLITE_OPTIONS_REDUCE_WINDOW;
    sketch.operator_.option_count = 1;
    sketch.operator_.options[0] = (struct hy_fbw_field){0, 4, 4};
    add_input(&sketch, HY_TFLITE_INT32, 1, (const int32_t[]){7});
    constant(&sketch, HY_TFLITE_INT32, 0, &least);
    constant(&sketch, HY_TFLITE_INT32, 1, &size);
    constant(&sketch, HY_TFLITE_INT32, 1, &stride);
    constant(&sketch, HY_TFLITE_INT32, 1, &dilation);
    give(&sketch, HY_TFLITE_INT32, 1);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], (const int32_t[]){-3, -9, -4, 5, 1, 0, 2}, 28);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_INTS(run.outputs[0], -3, 5, 2);
    hy_network_run_close(&run);
}

/* Behind another operation, so that the numbers are no output and might be folded. */
static void draw_numbers(int64_t seed, float numbers[2][8])
{
    static const int32_t count = 8;
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_RANDOM_UNIFORM);

    sketch.operator_.options_kind = HY_TFLITE_OPTIONS_RANDOM;
    sketch.operator_.option_count = 2;
    sketch.operator_.options[0] = (struct hy_fbw_field){0, 8, (uint64_t)seed};
    sketch.operator_.options[1] = (struct hy_fbw_field){1, 8, 0};
    constant(&sketch, HY_TFLITE_INT32, 1, &count);
    sketch.operator_.outputs[sketch.operator_.output_count++] = hy_builder_tensor(
        sketch.builder, &(struct hy_builder_tensor){.name = "drawn", .rank = 1, .dims = {8}});
    hy_builder_operator(sketch.builder, &sketch.operator_);
    sketch.operator_ = (struct hy_builder_operator){
        .op = HY_TFLITE_OP_ABS, .input_count = 1, .inputs = {sketch.operator_.outputs[0]}};
    give(&sketch, HY_TFLITE_FLOAT32, 1);
    REQUIRE(open_sketch(&sketch, &run));
    for (int i = 0; i < 2; i++) {
        EXPECT_INT(hy_network_run(&run), HY_OK);
        memcpy(numbers[i], run.outputs[0], 8 * sizeof(float));
    }
    hy_network_run_close(&run);
}

TEST(search, random_numbers_are_others_in_each_run_unless_they_have_a_seed)
{
    float numbers[2][8] = {{0}};

    draw_numbers(0, numbers);
    EXPECT(memcmp(numbers[0], numbers[1], sizeof numbers[0]) != 0);
    draw_numbers(5, numbers);
    EXPECT(memcmp(numbers[0], numbers[1], sizeof numbers[0]) == 0);
    for (int i = 0; i < 8; i++)
        EXPECT(numbers[0][i] >= 0 && numbers[0][i] < 1);
}

TEST(search, a_seed_of_more_than_32_bits_is_refused)
{
    static const int32_t count = 8;
    static struct hy_network_run run;
    struct sketch sketch = start(HY_TFLITE_OP_RANDOM_STANDARD_NORMAL);

    sketch.operator_.options_kind = HY_TFLITE_OPTIONS_RANDOM;
    sketch.operator_.option_count = 1;
    sketch.operator_.options[0] = (struct hy_fbw_field){0, 8, UINT64_C(1) << 32};
    constant(&sketch, HY_TFLITE_INT32, 1, &count);
    give(&sketch, HY_TFLITE_FLOAT32, 1);
    hy_builder_operator(sketch.builder, &sketch.operator_);
    EXPECT_INT(hy_network_run_try(&run, sketch.builder), HY_BAD_DATA);
    EXPECT_CONTAINS(run.err.text, "a seed of more than 32 bits");
}
