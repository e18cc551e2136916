/* Custom operators of MediaPipe: against their definitions in plain C, and their options. */
#include "tests/kit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "tests/unit/libhalyard/kit/network_run.h"
#include "tests/unit/tools/kit/flex_writer.h"

/* ---- Networks of one operator ---------------------------------------------------------------- */

struct sketch {
    struct hy_builder *builder;
    struct hy_builder_operator operator_;
    uint8_t options[1024];
};

static void start(struct sketch *sketch, const char *name, uint32_t version)
{
    *sketch = (struct sketch){.builder = hy_builder_create(),
                              .operator_ = {.op = HY_TFLITE_OP_CUSTOM,
                                            .version = version,
                                            .custom_name = name,
                                            .custom_options = sketch->options}};
}

static int32_t add_float_tensor(struct sketch *sketch, uint32_t rank, const int32_t *dims)
{
    struct hy_builder_tensor tensor = {.name = "t", .rank = rank};

    memcpy(tensor.dims, dims, rank * sizeof *dims);
    return hy_builder_tensor(sketch->builder, &tensor);
}

#define ADD_INPUT(sketch, ...) \
    add_input((sketch), sizeof((int32_t[]){__VA_ARGS__}) / 4, (int32_t[]){__VA_ARGS__})
#define ADD_OUTPUT(sketch, ...) \
    give((sketch), sizeof((int32_t[]){__VA_ARGS__}) / 4, (int32_t[]){__VA_ARGS__})

static void add_input(struct sketch *sketch, uint32_t rank, const int32_t *dims)
{
    const int32_t index = add_float_tensor(sketch, rank, dims);

    sketch->operator_.inputs[sketch->operator_.input_count++] = index;
    hy_builder_input(sketch->builder, index);
}

static void give(struct sketch *sketch, uint32_t rank, const int32_t *dims)
{
    const int32_t index = add_float_tensor(sketch, rank, dims);

    sketch->operator_.outputs[sketch->operator_.output_count++] = index;
    hy_builder_output(sketch->builder, index);
}

static void set_map(struct sketch *sketch, const struct hy_flex_option *options, uint32_t count)
{
    sketch->operator_.custom_bytes =
        hy_flex_write(sketch->options, sizeof sketch->options, options, count);
}

static void set_struct(struct sketch *sketch, const int32_t *numbers, uint32_t bytes)
{
    memcpy(sketch->options, numbers, bytes);
    sketch->operator_.custom_bytes = bytes;
}

static bool open_sketch(struct sketch *sketch, struct hy_network_run *run)
{
    hy_builder_operator(sketch->builder, &sketch->operator_);
    return hy_network_run_open(run, sketch->builder);
}

/* Opens, which has to fail with this text, and names the operator. */
static void expect_refused(struct sketch *sketch, const char *expected, int line)
{
    static struct hy_network_run run;

    hy_builder_operator(sketch->builder, &sketch->operator_);
    if (hy_network_run_try(&run, sketch->builder) == HY_OK) {
        hy_test_fail(__FILE__, line, "opened, expected \"%s\"", expected);
        hy_network_run_close(&run);
        return;
    }
    if (!strstr(run.err.text, expected) || !strstr(run.err.text, sketch->operator_.custom_name))
        hy_test_fail(__FILE__, line, "\"%s\", expected \"%s\"", run.err.text, expected);
}

static void fill(float *out, uint32_t count, float low, float high, uint64_t seed)
{
    struct hy_random random = {seed};

    for (uint32_t i = 0; i < count; i++)
        out[i] = low + (high - low) * (float)hy_random_below(&random, 1000) / 999.0f;
}

static void expect_floats(const uint8_t *bytes, const double *wanted, uint32_t count, double most,
                          int line)
{
    for (uint32_t i = 0; i < count; i++) {
        float got;
        memcpy(&got, bytes + i * sizeof got, sizeof got);
        if (!(fabs((double)got - wanted[i]) <= most))
            hy_test_fail(__FILE__, line, "element %u is %.9g, expected %.9g", i, (double)got,
                         wanted[i]);
    }
}

#define EXPECT_FLOATS(bytes, wanted, count, most) \
    expect_floats((bytes), (wanted), (count), (most), __LINE__)

/* ---- Poolings -------------------------------------------------------------------------------- */

enum { POOL_BYTES = 40, ROWS = 5, COLUMNS = 6, CHANNELS = 2 };

/* The largest element of the window at (y, x) and its place; -1 where none lies in the image. */
static double largest_of(const float *image, int y, int x, int height, int width, int channel,
                         double *position)
{
    double largest = -INFINITY;

    for (int i = 0; i < height; i++) {
        for (int j = 0; j < width; j++) {
            if (y + i < 0 || y + i >= ROWS || x + j < 0 || x + j >= COLUMNS)
                continue;
            const double element = (double)image[((y + i) * COLUMNS + x + j) * CHANNELS + channel];
            if (element <= largest)
                continue;
            largest = element;
            *position = i * width + j + 0.1;
        }
    }
    return largest;
}

/* SAME, windows of 3 by 2 in steps of 2 by 2: one row of padding above and one below, none on the
 * left. Options: padding, width, height of strides and windows, RELU6. */
TEST(custom, max_pooling_gives_the_largest_elements_and_their_places)
{
    static const int32_t options[] = {1, 2, 2, 2, 3, 3, 0, 0, 0, 0};
    static struct hy_network_run run;
    double largest[3 * 3 * CHANNELS], indices[3 * 3 * CHANNELS];
    static struct sketch sketch;

    start(&sketch, "MaxPoolingWithArgmax2D", 1);
    ADD_INPUT(&sketch, 1, ROWS, COLUMNS, CHANNELS);
    ADD_OUTPUT(&sketch, 1, 3, 3, CHANNELS);
    ADD_OUTPUT(&sketch, 1, 1, 1, CHANNELS); /* the shape is told anew */
    set_struct(&sketch, options, POOL_BYTES);
    REQUIRE(open_sketch(&sketch, &run));
    float *image = (float *)run.inputs[0];
    fill(image, ROWS * COLUMNS * CHANNELS, -5, 9, 1);
    for (int i = 0; i < 3 * 3 * CHANNELS; i++) {
        const int pixel = i / CHANNELS;
        const double found =
            largest_of(image, pixel / 3 * 2 - 1, pixel % 3 * 2, 3, 2, i % CHANNELS, &indices[i]);
        largest[i] = fmin(fmax(found, 0), 6);
    }
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_FLOATS(run.outputs[0], largest, 3 * 3 * CHANNELS, 0);
    EXPECT_FLOATS(run.outputs[1], indices, 3 * 3 * CHANNELS, 1e-6);
    hy_network_run_close(&run);
}

/* VALID, windows side by side: each element goes where it came from. */
TEST(custom, max_unpooling_puts_elements_back_in_their_places)
{
    static const int32_t options[] = {2, 3, 2, 3, 2, 0};
    static const float elements[] = {1, 2, 3, 4}, indices[] = {0.1f, 5.1f, 2.1f, 6.1f};
    static struct hy_network_run run;
    static struct sketch sketch;
    double wanted[4 * 6] = {0};

    start(&sketch, "MaxUnpooling2D", 1);
    ADD_INPUT(&sketch, 1, 2, 2, 1);
    ADD_INPUT(&sketch, 1, 2, 2, 1);
    ADD_OUTPUT(&sketch, 1, 4, 6, 1);
    set_struct(&sketch, options, sizeof options);
    REQUIRE(open_sketch(&sketch, &run));
    memcpy(run.inputs[0], elements, sizeof elements);
    memcpy(run.inputs[1], indices, sizeof indices);
    wanted[0] = 1;
    wanted[1 * 6 + 5] = 2;
    wanted[2 * 6 + 2] = 3; /* the last one has no place in its window of 3 by 2 */
    EXPECT_INT(hy_network_run(&run), HY_OK);
    EXPECT_FLOATS(run.outputs[0], wanted, 4 * 6, 0);
    hy_network_run_close(&run);
}

static void expect_struct_refused(const char *name, const int32_t *numbers, uint32_t bytes,
                                  const char *expected, int line)
{
    static struct sketch sketch;

    start(&sketch, name, 1);
    ADD_INPUT(&sketch, 1, 4, 4, 1);
    ADD_INPUT(&sketch, 1, 2, 2, 1);
    ADD_INPUT(&sketch, 1);
    ADD_OUTPUT(&sketch, 1, 2, 2, 1);
    ADD_OUTPUT(&sketch, 1, 2, 2, 1);
    set_struct(&sketch, numbers, bytes);
    expect_refused(&sketch, expected, line);
}

#define EXPECT_STRUCT_REFUSED(name, bytes, expected, ...) \
    expect_struct_refused((name), (int32_t[]){__VA_ARGS__}, (bytes), (expected), __LINE__)

TEST(custom, options_of_poolings_are_refused_by_name_and_value)
{
    static const char pool[] = "MaxPoolingWithArgmax2D", unpool[] = "MaxUnpooling2D";
    static const char conv[] = "Convolution2DTransposeBias";

    EXPECT_STRUCT_REFUSED(pool, 0, "options have 0 bytes, option padding ends at 4", 0);
    EXPECT_STRUCT_REFUSED(pool, 23, "options have 23 bytes, option activation ends at 24", 1, 2, 2,
                          2, 2, 0);
    EXPECT_STRUCT_REFUSED(pool, 24, "option padding is 0, needs 1 to 2", 0, 2, 2, 2, 2, 0);
    EXPECT_STRUCT_REFUSED(pool, 24, "option padding is 3", 3, 2, 2, 2, 2, 0);
    EXPECT_STRUCT_REFUSED(pool, 24, "option stride_width is 0", 1, 0, 2, 2, 2, 0);
    EXPECT_STRUCT_REFUSED(pool, 24, "option stride_height is -2", 1, 2, -2, 2, 2, 0);
    EXPECT_STRUCT_REFUSED(pool, 24, "option filter_width is 0", 1, 2, 2, 0, 2, 0);
    EXPECT_STRUCT_REFUSED(pool, 24, "option filter_height is -1", 1, 2, 2, 2, -1, 0);
    EXPECT_STRUCT_REFUSED(pool, 24, "option activation is 4, needs 0 to 3", 1, 2, 2, 2, 2, 4);
    EXPECT_STRUCT_REFUSED(unpool, 19, "option filter_height ends at 20", 1, 2, 2, 2, 2);
    EXPECT_STRUCT_REFUSED(unpool, 20, "option stride_width is 0", 1, 0, 2, 2, 2);
    EXPECT_STRUCT_REFUSED(conv, 8, "options have 8 bytes, option stride_height ends at 12", 1, 1);
    EXPECT_STRUCT_REFUSED(conv, 12, "option padding is 7", 7, 1, 1);
}

/* ---- Landmarks ------------------------------------------------------------------------------- */

enum { LANDMARKS = 6 };

static const int32_t subset[] = {0, 2, 3, 5, 1};

/* Keys in their order, without `left_out`. */
struct matrix_options {
    const char *left_out;
    double left, right;
    enum hy_flex_kind rotation_kind; /* of 0.25 */
    double width, scale_x;
    struct hy_flex_option subset;
};

static const struct matrix_options usual = {
    .left = 1,
    .right = 4,
    .rotation_kind = HY_FLEX_REAL,
    .width = 16,
    .scale_x = 1.5,
    .subset = {.kind = HY_FLEX_INTS, .count = 5, .ints = subset, .number = 0.5, .text = "0"},
};

static void start_matrix(struct sketch *sketch, uint32_t version,
                         const struct matrix_options *chosen)
{
    struct hy_flex_option subset_option = chosen->subset;
    subset_option.key = "subset_idxs";
    const struct hy_flex_option all[] = {
        {.key = "left_rotation_idx", .kind = HY_FLEX_WHOLE, .number = chosen->left},
        {.key = "output_height", .kind = HY_FLEX_WHOLE, .number = 12},
        {.key = "output_width", .kind = HY_FLEX_REAL, .number = chosen->width},
        {.key = "right_rotation_idx", .kind = HY_FLEX_WHOLE, .number = chosen->right},
        {.key = "scale_x", .kind = HY_FLEX_REAL, .number = chosen->scale_x},
        {.key = "scale_y", .kind = HY_FLEX_REAL, .number = 2},
        subset_option,
        {.key = "target_rotation_radians",
         .kind = chosen->rotation_kind,
         .number = 0.25,
         .text = "0.25"},
    };
    struct hy_flex_option options[8];
    uint32_t count = 0;

    for (uint32_t i = 0; i < 8; i++) {
        if (!chosen->left_out || strcmp(all[i].key, chosen->left_out) != 0)
            options[count++] = all[i];
    }
    start(sketch, "Landmarks2TransformMatrix", version);
    ADD_INPUT(sketch, 1, LANDMARKS, 3);
    ADD_OUTPUT(sketch, 1, 4, 4);
    set_map(sketch, options, count);
}

struct matrix {
    double at[16];
};

static struct matrix product(struct matrix a, struct matrix b)
{
    struct matrix c = {{0}};

    for (int i = 0; i < 16; i++) {
        for (int k = 0; k < 4; k++)
            c.at[i] += a.at[i / 4 * 4 + k] * b.at[k * 4 + i % 4];
    }
    return c;
}

static struct matrix moved(double x, double y)
{
    return (struct matrix){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, 0, 0, 0, 0, 1}};
}

static struct matrix turned(double angle)
{
    return (struct matrix){
        {cos(angle), -sin(angle), 0, 0, sin(angle), cos(angle), 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

static struct matrix scaled(double x, double y)
{
    return (struct matrix){{x, 0, 0, 0, 0, y, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

/* The definition of docs/extension.md, step by step, in double precision. */
static struct matrix matrix_of(const float *landmarks)
{
    const float *left = landmarks + 3 * 1, *right = landmarks + 3 * 4;
    const double angle = 0.25 - atan2((double)(right[1] - left[1]), (double)(right[0] - left[0]));
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};

    for (int i = 0; i < 5; i++) {
        const double x = (double)landmarks[3 * subset[i]], y = (double)landmarks[3 * subset[i] + 1];
        const double at[2] = {x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    const double x = (low[0] + high[0]) / 2, y = (low[1] + high[1]) / 2;
    struct matrix all = moved(x * cos(angle) + y * sin(angle), y * cos(angle) - x * sin(angle));
    all = product(all, turned(-angle));
    all = product(all, scaled(1.5 * (high[0] - low[0]) / 16, 2 * (high[1] - low[1]) / 12));
    return product(all, moved(-8, -6));
}

static void expect_matrix(const struct matrix_options *chosen, int line)
{
    static struct hy_network_run run;
    static struct sketch sketch;

    start_matrix(&sketch, 2, chosen);
    REQUIRE(open_sketch(&sketch, &run));
    fill((float *)run.inputs[0], 3 * LANDMARKS, 0, 64, 2);
    const struct matrix wanted = matrix_of((const float *)run.inputs[0]);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    expect_floats(run.outputs[0], wanted.at, 16, 1e-4, line);
    hy_network_run_close(&run);
}

TEST(custom, landmarks_become_the_matrix_of_their_box)
{
    struct matrix_options mixed = usual;

    mixed.subset =
        (struct hy_flex_option){.kind = HY_FLEX_MIXED, .count = 4, .ints = subset, .number = 1};
    expect_matrix(&usual, __LINE__);
    expect_matrix(&mixed, __LINE__); /* elements with a type each */
}

static void expect_matrix_refused(struct matrix_options chosen, const char *expected, int line)
{
    static struct sketch sketch;

    start_matrix(&sketch, 2, &chosen);
    expect_refused(&sketch, expected, line);
}

#define EXPECT_MATRIX_REFUSED(field, value, expected) \
    do { \
        struct matrix_options matrix_options_ = usual; \
        matrix_options_.field = value; \
        expect_matrix_refused(matrix_options_, expected, __LINE__); \
    } while (0)

TEST(custom, options_of_landmarks_are_refused_by_name_and_value)
{
    static const char *const keys[] = {
        "left_rotation_idx", "output_height", "output_width", "right_rotation_idx",
        "scale_x",           "scale_y",       "subset_idxs",  "target_rotation_radians"};
    static const int32_t negative[] = {0, 1, -1, 2, 3}, wild[] = {0, 1, 2, 3, 77};
    char expected[64];

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        snprintf(expected, sizeof expected, "option %s is left out", keys[i]);
        EXPECT_MATRIX_REFUSED(left_out, keys[i], expected);
    }
    EXPECT_MATRIX_REFUSED(left, -1, "option left_rotation_idx is -1, needs a whole number from 0");
    EXPECT_MATRIX_REFUSED(left, LANDMARKS, "left_rotation_idx is landmark 6, the input has 6");
    EXPECT_MATRIX_REFUSED(right, 400, "right_rotation_idx is landmark 400, the input has 6");
    EXPECT_MATRIX_REFUSED(rotation_kind, HY_FLEX_TEXT,
                          "option target_rotation_radians is not a number");
    EXPECT_MATRIX_REFUSED(width, 0, "option output_width is 0, needs a whole number from 1");
    EXPECT_MATRIX_REFUSED(width, 1.5, "option output_width is 1.5, needs a whole number from 1");
    EXPECT_MATRIX_REFUSED(width, 1e12, "option output_width is 9.99999996e+11, needs a whole");
    EXPECT_MATRIX_REFUSED(scale_x, 0, "option scale_x is 0, must be above 0");
    EXPECT_MATRIX_REFUSED(scale_x, INFINITY, "option scale_x is inf, must be finite");
    EXPECT_MATRIX_REFUSED(scale_x, NAN, "option scale_x is not a number");
    EXPECT_MATRIX_REFUSED(subset.kind, HY_FLEX_WHOLE,
                          "option subset_idxs is not a vector of numbers");
    EXPECT_MATRIX_REFUSED(subset.count, 0, "option subset_idxs is not a vector of numbers");
    EXPECT_MATRIX_REFUSED(subset.kind, HY_FLEX_TEXT,
                          "option subset_idxs is not a vector of numbers");
    EXPECT_MATRIX_REFUSED(subset.kind, HY_FLEX_MIXED,
                          "option subset_idxs[5] is 0.5, needs a whole");
    EXPECT_MATRIX_REFUSED(subset.ints, negative, "option subset_idxs[2] is -1, needs a whole");
    EXPECT_MATRIX_REFUSED(subset.ints, wild,
                          "an element of subset_idxs is landmark 77, the input has 6");
}

TEST(custom, a_map_that_is_cut_is_refused)
{
    static struct sketch sketch;

    start_matrix(&sketch, 2, &usual);
    const uint32_t whole = sketch.operator_.custom_bytes;
    hy_builder_output(sketch.builder, 0);
    free(hy_builder_finish(sketch.builder, &(size_t){0}));
    for (uint32_t cut = 1; cut <= whole; cut++) {
        start_matrix(&sketch, 2, &usual);
        sketch.operator_.custom_bytes = whole - cut;
        expect_refused(&sketch, "option", __LINE__);
    }
}

TEST(custom, versions_without_a_definition_here_are_refused)
{
    static struct sketch sketch;

    start_matrix(&sketch, 1, &usual);
    expect_refused(&sketch, "version 1 of the operator", __LINE__);
    start_matrix(&sketch, 3, &usual);
    expect_refused(&sketch, "version 3 of the operator is not known, the newest known is 2",
                   __LINE__);
}

static const float corner_matrix[16] = {0.5f, -0.25f, 9, 3, 0.125f, 2, 9, -1,
                                        9,    9,      9, 9, 9,      9, 9, 9};

/* Version 2 has no options: landmarks are the last extent. */
static void expect_landmarks(uint32_t version, const struct hy_flex_option *options, uint32_t count,
                             uint32_t dimensions, double scale, int line)
{
    static struct hy_network_run run;
    static struct sketch sketch;
    double wanted[12];

    start(&sketch, "TransformLandmarks", version);
    if (version == 1) {
        ADD_INPUT(&sketch, 1, 1, 1, 12);
        set_map(&sketch, options, count);
    } else {
        ADD_INPUT(&sketch, 1, 12 / (int32_t)dimensions, (int32_t)dimensions);
    }
    ADD_INPUT(&sketch, 1, 4, 4);
    ADD_OUTPUT(&sketch, 1, 1, 1, 1);
    REQUIRE(open_sketch(&sketch, &run));
    float *landmarks = (float *)run.inputs[0];
    fill(landmarks, 12, -8, 8, 3);
    memcpy(run.inputs[1], corner_matrix, sizeof corner_matrix);
    for (uint32_t i = 0; i < 12; i++) {
        const float *at = landmarks + i - i % dimensions,
                    *row = corner_matrix + 4 * (i % dimensions);
        wanted[i] = i % dimensions == 2
                        ? (double)at[2]
                        : (double)row[0] * (double)at[0] + (double)row[1] * (double)at[1] +
                              (double)row[3] * scale;
    }
    EXPECT_INT(hy_network_run(&run), HY_OK);
    expect_floats(run.outputs[0], wanted, 12, 1e-5, line);
    hy_network_run_close(&run);
}

TEST(custom, landmarks_are_transformed_by_a_matrix)
{
    static const struct hy_flex_option pairs[] = {
        {.key = "dimensions", .kind = HY_FLEX_WHOLE, .number = 2},
        {.key = "scale", .kind = HY_FLEX_REAL, .number = 0.5}};

    expect_landmarks(2, NULL, 0, 3, 1, __LINE__);
    expect_landmarks(2, NULL, 0, 2, 1, __LINE__);
    expect_landmarks(1, pairs, 2, 2, 0.5, __LINE__);
    expect_landmarks(1, pairs + 1, 1, 3, 0.5, __LINE__);
    expect_landmarks(1, pairs, 1, 2, 1, __LINE__);
}

static void expect_transform_refused(const char *name, uint32_t version,
                                     const struct hy_flex_option *options, uint32_t count,
                                     const char *expected, int line)
{
    static struct sketch sketch;

    start(&sketch, name, version);
    ADD_INPUT(&sketch, 1, 4, 4, 5);
    ADD_INPUT(&sketch, 1, 4, 4);
    ADD_OUTPUT(&sketch, 1, 4, 4, 5);
    set_map(&sketch, options, count);
    expect_refused(&sketch, expected, line);
}

#define EXPECT_TRANSFORM_REFUSED(name, version, expected, ...) \
    do { \
        const struct hy_flex_option options_[] = {__VA_ARGS__}; \
        expect_transform_refused((name), (version), options_, sizeof options_ / sizeof *options_, \
                                 (expected), __LINE__); \
    } while (0)

TEST(custom, options_of_transforms_are_refused_by_name_and_value)
{
    static const char landmarks[] = "TransformLandmarks", tensor[] = "TransformTensorBilinear";
    static const int32_t sizes[] = {3, 0, 2};

    EXPECT_TRANSFORM_REFUSED(landmarks, 1, "option dimensions is 4, needs a whole number from 2",
                             {.key = "dimensions", .kind = HY_FLEX_WHOLE, .number = 4});
    EXPECT_TRANSFORM_REFUSED(landmarks, 1, "option scale is 0",
                             {.key = "scale", .kind = HY_FLEX_REAL, .number = 0});
    EXPECT_TRANSFORM_REFUSED(landmarks, 2, "other than two or three numbers",
                             {.key = "scale", .kind = HY_FLEX_REAL, .number = 0});
    EXPECT_TRANSFORM_REFUSED(tensor, 2, "option output_width is left out",
                             {.key = "output_height", .kind = HY_FLEX_WHOLE, .number = 4});
    EXPECT_TRANSFORM_REFUSED(tensor, 1, "option mode is not \"bilinear\"",
                             {.key = "mode", .kind = HY_FLEX_TEXT, .text = "nearest"});
    EXPECT_TRANSFORM_REFUSED(tensor, 1, "option output_size is left out",
                             {.key = "mode", .kind = HY_FLEX_TEXT, .text = "bilinear"});
    EXPECT_TRANSFORM_REFUSED(
        tensor, 1, "option output_size[1] is 0, needs a whole number from 1",
        {.key = "output_size", .kind = HY_FLEX_PAIR, .count = 2, .ints = sizes});
    EXPECT_TRANSFORM_REFUSED(
        tensor, 1, "option output_size has 1 numbers, needs 2",
        {.key = "output_size", .kind = HY_FLEX_INTS, .count = 1, .ints = sizes});
}

/* ---- Images ---------------------------------------------------------------------------------- */

enum { IMAGE = 7, CROP_WIDTH = 5, CROP_HEIGHT = 4 };

/* Linear between the pixels; outside of them 0. */
static double pixel_at(const float *image, double x, double y)
{
    const int left = (int)floor(x), top = (int)floor(y);
    double sum = 0;

    if (!(x >= 0 && x <= IMAGE - 1 && y >= 0 && y <= IMAGE - 1))
        return 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            const double weight = (1 - fabs(x - (left + j))) * (1 - fabs(y - (top + i)));
            if (weight > 0)
                sum += weight * (double)image[(top + i) * IMAGE + left + j];
        }
    }
    return sum;
}

/* `half`: of the place of a pixel's middle. */
static void expect_crop(uint32_t version, const struct hy_flex_option *options, double half,
                        int line)
{
    static const float matrix[16] = {1.3f, -0.4f, 9, 1.2f, 0.3f, 1.1f, 9, 0.7f};
    static struct hy_network_run run;
    static struct sketch sketch;
    double wanted[CROP_HEIGHT * CROP_WIDTH];

    start(&sketch, "TransformTensorBilinear", version);
    ADD_INPUT(&sketch, 1, IMAGE, IMAGE, 1);
    ADD_INPUT(&sketch, 1, 4, 4);
    ADD_OUTPUT(&sketch, 1, 1, 1, 1); /* the shape is told anew */
    set_map(&sketch, options, 2);
    REQUIRE(open_sketch(&sketch, &run));
    fill((float *)run.inputs[0], IMAGE * IMAGE, -1, 1, 4);
    memcpy(run.inputs[1], matrix, sizeof matrix);
    for (int i = 0; i < CROP_HEIGHT * CROP_WIDTH; i++) {
        const double x = i % CROP_WIDTH + half, y = i / CROP_WIDTH + half;
        const double from_x = (double)matrix[0] * x + (double)matrix[1] * y + (double)matrix[3];
        const double from_y = (double)matrix[4] * x + (double)matrix[5] * y + (double)matrix[7];
        wanted[i] = pixel_at((const float *)run.inputs[0], from_x - half, from_y - half);
    }
    EXPECT_INT(hy_network_run(&run), HY_OK);
    expect_floats(run.outputs[0], wanted, CROP_HEIGHT * CROP_WIDTH, 1e-5, line);
    hy_network_run_close(&run);
}

TEST(custom, an_image_is_transformed_by_a_matrix)
{
    static const int32_t size[] = {CROP_HEIGHT, CROP_WIDTH};
    static const struct hy_flex_option first[] = {
        {.key = "mode", .kind = HY_FLEX_TEXT, .text = "bilinear"},
        {.key = "output_size", .kind = HY_FLEX_PAIR, .count = 2, .ints = size}};
    static const struct hy_flex_option second[] = {
        {.key = "output_height", .kind = HY_FLEX_WHOLE, .number = CROP_HEIGHT},
        {.key = "output_width", .kind = HY_FLEX_WHOLE, .number = CROP_WIDTH}};

    expect_crop(1, first, 0, __LINE__);
    expect_crop(2, second, 0.5, __LINE__);
}
