/* Operators of a graph as operations of NNAPI: each on random models, and what has no form. */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>

#include "libhalyard/session/network.h"
#include "libhalyard/tflite/tflite_foreign.h"
#include "tests/unit/tools/kit/tflite_builder.h"
#include "tests/unit/tools/operators/op_case.h"

enum { SEEDS = 8 };

/* Opens, lowers and closes all again; what went wrong, if anything, is in `err`. */
static enum hy_code lower(const uint8_t *bytes, size_t length, uint32_t *operations,
                          struct hy_error *err)
{
    struct hy_tflite_limits limits = hy_tflite_default_limits;
    struct hy_network *network = NULL;

    limits.rank = HY_BUILDER_MAX_RANK; /* beyond the graph's, for the graph to refuse */
    enum hy_code code = hy_network_open(bytes, length, &limits, &network, err);
    if (code == HY_OK)
        *operations = hy_lowered_model_operation_count(network->model);
    hy_network_close(network);
    return code;
}

static const struct hy_op_row *row_of(int op)
{
    for (size_t i = 0; i < hy_op_row_count; i++) {
        if ((int)hy_op_rows[i].op == op)
            return &hy_op_rows[i];
    }
    return NULL;
}

static void lower_case(const struct hy_op_row *row, enum hy_tflite_type type, uint64_t seed)
{
    struct hy_op_case made;
    struct hy_error err = {0};
    uint32_t operations = 0;

    hy_op_case_make(row, type, seed, &made);
    if (lower(made.model, made.length, &operations, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s %s, seed %llu: %s", hy_tflite_op_name(row->op),
                     hy_tflite_type_name(type), (unsigned long long)seed, err.text);
    EXPECT(operations >= 1);
    hy_op_case_finish(&made);
}

TEST(lower, every_operator_and_type_gives_a_model_that_finishes)
{
    for (size_t i = 0; i < hy_op_row_count; i++) {
        for (int type = 0; type < HY_TFLITE_TYPE_COUNT; type++) {
            if (!(hy_op_rows[i].types & 1u << type))
                continue;
            for (uint64_t seed = 1; seed <= SEEDS; seed++)
                lower_case(&hy_op_rows[i], (enum hy_tflite_type)type, seed);
        }
    }
}

/* The end of such a slice, counted in strides, would be far beyond 32 bits. */
TEST(lower, a_stride_beyond_the_extent_takes_one_element)
{
    static const int32_t begin[] = {1}, end[] = {4}, stride[] = {INT32_MAX};
    const int32_t *const lists[] = {begin, end, stride};
    const struct hy_builder_tensor vector = {.name = "x", .rank = 1, .dims = {4}};
    struct hy_builder *b = hy_builder_create();
    struct hy_builder_operator slice = {.op = HY_TFLITE_OP_STRIDED_SLICE};
    struct hy_error err = {0};
    uint32_t operations = 0;
    size_t length;

    slice.inputs[slice.input_count++] = hy_builder_tensor(b, &vector);
    hy_builder_input(b, slice.inputs[0]);
    for (uint32_t i = 0; i < 3; i++)
        slice.inputs[slice.input_count++] =
            hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "ints",
                                                             .type = HY_TFLITE_INT32,
                                                             .rank = 1,
                                                             .dims = {1},
                                                             .data = lists[i],
                                                             .bytes = 4});
    slice.outputs[slice.output_count++] = hy_builder_tensor(b, &vector);
    hy_builder_output(b, slice.outputs[0]);
    hy_builder_operator(b, &slice);
    uint8_t *bytes = hy_builder_finish(b, &length);
    EXPECT_INT(lower(bytes, length, &operations, &err), HY_OK);
    EXPECT_STR(err.text, "");
    EXPECT_INT(operations, 1);
    free(bytes);
}

/* Eight batches, and three indices. */
TEST(lower, a_constant_with_too_few_elements_for_its_operator_is_refused)
{
    static const int32_t indices[3];
    const struct hy_builder_tensor batches = {.name = "x", .rank = 5, .dims = {8, 1, 1, 1, 5}};
    struct hy_builder *b = hy_builder_create();
    const int32_t x = hy_builder_tensor(b, &batches), y = hy_builder_tensor(b, &batches);
    const int32_t list = hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "indices",
                                                                          .type = HY_TFLITE_INT32,
                                                                          .rank = 1,
                                                                          .dims = {3},
                                                                          .data = indices,
                                                                          .bytes = 12});
    struct hy_error err = {0};
    uint32_t operations = 0;
    size_t length;

    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_GATHER,
                                                         .input_count = 2,
                                                         .inputs = {x, list},
                                                         .output_count = 1,
                                                         .outputs = {y},
                                                         .options_kind = HY_TFLITE_OPTIONS_GATHER,
                                                         .option_count = 2,
                                                         .options = {{0, 4, 4}, {1, 4, 1}}});
    hy_builder_input(b, x);
    hy_builder_output(b, y);
    uint8_t *bytes = hy_builder_finish(b, &length);
    EXPECT_INT(lower(bytes, length, &operations, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "(indices): the number of elements does not match");
    free(bytes);
}

TEST(lower, an_operator_without_outputs_is_left_alone_by_passes)
{
    const struct hy_builder_tensor vector = {.name = "x", .rank = 1, .dims = {4}};
    struct hy_builder *b = hy_builder_create();
    const int32_t x = hy_builder_tensor(b, &vector), y = hy_builder_tensor(b, &vector);
    struct hy_error err = {0};
    uint32_t operations = 0;
    size_t length;

    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_RESHAPE,
                                                         .input_count = 1,
                                                         .inputs = {x},
                                                         .output_count = 1,
                                                         .outputs = {y}});
    hy_builder_operator(b, &(struct hy_builder_operator){
                               .op = HY_TFLITE_OP_RESHAPE, .input_count = 1, .inputs = {y}});
    hy_builder_input(b, x);
    hy_builder_output(b, y);
    uint8_t *bytes = hy_builder_finish(b, &length);
    if (lower(bytes, length, &operations, &err) != HY_OK)
        EXPECT(err.text[0] != '\0');
    free(bytes);
}

/* ---- What has no form ------------------------------------------------------------------------ */

/* A model of one operator, whose operands the test adds. */
struct broken {
    struct hy_builder *builder;
    struct hy_builder_operator operator_;
};

static struct broken start(int op)
{
    return (struct broken){.builder = hy_builder_create(), .operator_ = {.op = op}};
}

static const struct hy_builder_tensor matrix = {
    .name = "t", .type = HY_TFLITE_FLOAT32, .rank = 2, .dims = {2, 2}};

static const struct hy_builder_tensor image = {
    .name = "t", .type = HY_TFLITE_FLOAT32, .rank = 4, .dims = {1, 2, 2, 1}};

static void add_input(struct broken *broken, const struct hy_builder_tensor *tensor)
{
    const int32_t index = hy_builder_tensor(broken->builder, tensor);
    if (!tensor->data)
        hy_builder_input(broken->builder, index);
    broken->operator_.inputs[broken->operator_.input_count++] = index;
}

static void add_int_inputs(struct broken *broken, uint32_t count, const int32_t *values)
{
    add_input(broken, &(struct hy_builder_tensor){.name = "ints",
                                                  .type = HY_TFLITE_INT32,
                                                  .rank = 1,
                                                  .dims = {(int32_t)count},
                                                  .data = values,
                                                  .bytes = count * (uint32_t)sizeof *values});
}

static void option(struct broken *broken, unsigned kind, unsigned slot, unsigned size,
                   uint64_t value)
{
    broken->operator_.options_kind = kind;
    broken->operator_.options[broken->operator_.option_count++] =
        (struct hy_fbw_field){slot, size, value};
}

/* Gives the output `tensor` and lowers, which must fail with this text and name the operator.
 */
static void expect_error_text(struct broken *broken, const struct hy_builder_tensor *tensor,
                              const char *expected)
{
    struct hy_error err = {0};
    uint32_t operations;
    size_t length;
    const int32_t output = hy_builder_tensor(broken->builder, tensor);

    broken->operator_.outputs[broken->operator_.output_count++] = output;
    hy_builder_operator(broken->builder, &broken->operator_);
    hy_builder_output(broken->builder, output);
    uint8_t *bytes = hy_builder_finish(broken->builder, &length);
    EXPECT(lower(bytes, length, &operations, &err) != HY_OK);
    EXPECT_CONTAINS(err.text, expected);
    EXPECT_CONTAINS(err.text, "operator 0");
    EXPECT_CONTAINS(err.text, hy_tflite_op_name((enum hy_tflite_op)broken->operator_.op));
    free(bytes);
}

/* Gives the output `tensor` and lowers to so many operations. */
static void expect_operations(struct broken *broken, const struct hy_builder_tensor *tensor,
                              uint32_t count)
{
    struct hy_error err = {0};
    uint32_t operations = 0;
    size_t length;
    const int32_t output = hy_builder_tensor(broken->builder, tensor);

    broken->operator_.outputs[broken->operator_.output_count++] = output;
    hy_builder_operator(broken->builder, &broken->operator_);
    hy_builder_output(broken->builder, output);
    uint8_t *bytes = hy_builder_finish(broken->builder, &length);
    if (lower(bytes, length, &operations, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    EXPECT_INT(operations, count);
    free(bytes);
}

/* Operators that shapes and constants decide, those that are more than a node, and those of complex
 * numbers and tables; test_propagate.c, test_states.c, test_flow.c, test_session_signals.c and
 * test_session_tables.c have them. */
static bool is_decided_before(int op)
{
    switch (op) {
    case HY_TFLITE_OP_ASSIGN_VARIABLE:
    case HY_TFLITE_OP_BROADCAST_ARGS:
    case HY_TFLITE_OP_CALL:
    case HY_TFLITE_OP_CALL_ONCE:
    case HY_TFLITE_OP_COMPLEX_ABS:
    case HY_TFLITE_OP_HASHTABLE:
    case HY_TFLITE_OP_HASHTABLE_FIND:
    case HY_TFLITE_OP_HASHTABLE_IMPORT:
    case HY_TFLITE_OP_HASHTABLE_SIZE:
    case HY_TFLITE_OP_IMAG:
    case HY_TFLITE_OP_RANGE:
    case HY_TFLITE_OP_RANK:
    case HY_TFLITE_OP_READ_VARIABLE:
    case HY_TFLITE_OP_REAL:
    case HY_TFLITE_OP_RFFT2D:
    case HY_TFLITE_OP_SHAPE:
    case HY_TFLITE_OP_VAR_HANDLE:
        return true;
    default:
        return false;
    }
}

/* So an operator that the lowering learns must join the random models. */
TEST(lower, an_operator_without_random_models_has_no_form)
{
    for (int op = 0; op < HY_TFLITE_OP_COUNT; op++) {
        if (row_of(op) || is_decided_before(op) ||
            strcmp(hy_tflite_op_name((enum hy_tflite_op)op), "unknown") == 0)
            continue;
        struct broken broken = start(op);
        if (op == HY_TFLITE_OP_CUSTOM)
            broken.operator_.custom_name = "Mystery";
        add_input(&broken, &matrix);
        const char *reason =
            hy_tflite_foreign_reason((enum hy_tflite_op)op, broken.operator_.custom_name);
        if (op == HY_TFLITE_OP_DENSIFY)
            reason = "a sparse tensor that is not a constant has no NNAPI form";
        if (!reason)
            hy_test_fail(__FILE__, __LINE__, "%s: no reason",
                         hy_tflite_op_name((enum hy_tflite_op)op));
        expect_error_text(&broken, &matrix, reason ? reason : "");
    }
}

TEST(lower, an_input_that_is_left_out_or_missing_is_named)
{
    struct broken left_out = start(HY_TFLITE_OP_ADD);
    add_input(&left_out, &matrix);
    left_out.operator_.inputs[left_out.operator_.input_count++] = -1;
    expect_error_text(&left_out, &matrix, "input 1 is left out");

    struct broken missing = start(HY_TFLITE_OP_CONV_2D);
    add_input(&missing, &image);
    expect_error_text(&missing, &image, "input 1 is left out");

    struct broken unary = start(HY_TFLITE_OP_SOFTMAX);
    expect_error_text(&unary, &matrix, "input 0 is left out");
}

TEST(lower, a_scalar_must_be_one_constant_number)
{
    static const int32_t two[2] = {0, 1};
    const struct hy_builder_tensor axis = {.name = "axis", .type = HY_TFLITE_FLOAT32, .rank = 0};

    struct broken at_run_time = start(HY_TFLITE_OP_ARG_MAX);
    add_input(&at_run_time, &matrix);
    add_input(&at_run_time, &axis);
    expect_error_text(&at_run_time, &matrix, "not a constant");

    struct broken several = start(HY_TFLITE_OP_ARG_MAX);
    add_input(&several, &matrix);
    add_int_inputs(&several, 2, two);
    expect_error_text(&several, &matrix, "not a single number");
}

TEST(lower, an_activation_that_nnapi_has_not_is_refused)
{
    struct broken add = start(HY_TFLITE_OP_ADD);
    add_input(&add, &matrix);
    add_input(&add, &matrix);
    option(&add, HY_TFLITE_OPTIONS_ADD, 0, 1, HY_TFLITE_ACTIVATION_TANH);
    expect_error_text(&add, &matrix, "the fused activation has no NNAPI form");

    struct broken norm = start(HY_TFLITE_OP_L2_NORMALIZATION);
    add_input(&norm, &matrix);
    option(&norm, HY_TFLITE_OPTIONS_L2_NORM, 0, 1, HY_TFLITE_ACTIVATION_RELU);
    expect_error_text(&norm, &matrix, "a fused activation has no NNAPI form");

    struct broken joined = start(HY_TFLITE_OP_CONCATENATION);
    add_input(&joined, &matrix);
    option(&joined, HY_TFLITE_OPTIONS_CONCATENATION, 1, 1, HY_TFLITE_ACTIVATION_RELU);
    expect_error_text(&joined, &matrix, "a fused activation has no NNAPI form");
}

TEST(lower, an_option_that_nnapi_has_not_is_refused)
{
    struct broken shuffled = start(HY_TFLITE_OP_FULLY_CONNECTED);
    add_input(&shuffled, &matrix);
    add_input(&shuffled, &matrix);
    option(&shuffled, HY_TFLITE_OPTIONS_FULLY_CONNECTED, 1, 1, 1);
    expect_error_text(&shuffled, &matrix, "a shuffled filter has no NNAPI form");
}

TEST(lower, a_shape_must_be_known_before_the_run)
{
    const struct hy_builder_tensor shape = {
        .name = "shape", .type = HY_TFLITE_INT32, .rank = 1, .dims = {2}};

    struct broken broadcast = start(HY_TFLITE_OP_BROADCAST_ARGS);
    add_input(&broadcast, &shape);
    add_input(&broadcast, &shape);
    expect_error_text(&broadcast, &shape, "a shape known only at run time has no NNAPI form");
}

TEST(lower, a_type_without_operands_is_refused)
{
    const struct hy_builder_tensor wide = {
        .name = "wide", .type = HY_TFLITE_COMPLEX128, .rank = 2, .dims = {2, 2}};

    struct broken typed = start(HY_TFLITE_OP_ABS);
    add_input(&typed, &wide);
    expect_error_text(&typed, &wide, "complex128 of rank 2: the type has no NNAPI form");
}

TEST(lower, a_type_that_nnapi_has_not_is_one_of_the_extension)
{
    const struct hy_builder_tensor wide = {
        .name = "wide", .type = HY_TFLITE_FLOAT64, .rank = 2, .dims = {2, 2}};

    struct broken typed = start(HY_TFLITE_OP_ABS);
    add_input(&typed, &wide);
    expect_operations(&typed, &wide, 1);
}

TEST(lower, the_rank_of_a_graph_is_bounded)
{
    const struct hy_builder_tensor deep = {
        .name = "deep", .type = HY_TFLITE_FLOAT32, .rank = 9, .dims = {1, 1, 1, 1, 1, 1, 1, 1, 1}};
    struct hy_error err = {0};
    uint32_t operations;
    size_t length;
    struct broken ranked = start(HY_TFLITE_OP_ABS);

    add_input(&ranked, &deep);
    uint8_t *bytes = hy_builder_finish(ranked.builder, &length);
    EXPECT_INT(lower(bytes, length, &operations, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "tensor 0 (deep): rank 9, at most 8");
    free(bytes);
}

/* ---- Filters --------------------------------------------------------------------------------- */

static const float scales[2] = {0.5f, 0.25f};
static const int64_t zero_points[2];
static const int8_t weights[4] = {1, 2, 3, 4};

/* An int8 FULLY_CONNECTED of 2 x 2 with so many scales in data and filter; the filter's belong to
 * `dimension`. */
static struct broken start_int8(uint32_t data_scales, uint32_t filter_scales, int32_t dimension)
{
    const struct hy_builder_tensor data = {.name = "data",
                                           .type = HY_TFLITE_INT8,
                                           .rank = 2,
                                           .dims = {2, 2},
                                           .scale_count = data_scales,
                                           .scales = scales,
                                           .zero_point_count = data_scales,
                                           .zero_points = zero_points};
    struct hy_builder_tensor filter = data;
    struct broken broken = start(HY_TFLITE_OP_FULLY_CONNECTED);

    filter.scale_count = filter.zero_point_count = filter_scales;
    filter.quantised_dimension = dimension;
    filter.data = weights;
    filter.bytes = sizeof weights;
    add_input(&broken, &data);
    add_input(&broken, &filter);
    return broken;
}

TEST(lower, a_quantised_filter_needs_fitting_scales)
{
    struct broken no_data_scale = start_int8(0, 1, 0);
    expect_error_text(&no_data_scale, &matrix, "quantised data or filter without a scale");

    struct broken no_filter_scale = start_int8(1, 0, 0);
    expect_error_text(&no_filter_scale, &matrix, "quantised data or filter without a scale");

    struct broken other_dimension = start_int8(1, 2, 1);
    expect_error_text(&other_dimension, &matrix,
                      "the scales lie along another dimension than the channels");
}

static const struct hy_builder_tensor bytes_out = {.name = "out",
                                                   .type = HY_TFLITE_INT8,
                                                   .rank = 2,
                                                   .dims = {2, 2},
                                                   .scale_count = 1,
                                                   .scales = scales,
                                                   .zero_point_count = 1,
                                                   .zero_points = zero_points};

TEST(lower, a_bias_of_another_type_than_the_operation_takes_is_refused)
{
    static const int64_t numbers[2];
    struct broken wide = start_int8(1, 1, 0);

    add_input(&wide, &(struct hy_builder_tensor){.name = "bias",
                                                 .type = HY_TFLITE_INT64,
                                                 .rank = 1,
                                                 .dims = {2},
                                                 .data = numbers,
                                                 .bytes = sizeof numbers});
    expect_error_text(
        &wide, &bytes_out,
        "tensor 2 (bias), int64 of rank 1: the type of the bias does not match the operation");
}

/* RESHAPE, CONV_2D, RESHAPE. */
TEST(lower, a_fully_connected_filter_with_a_scale_per_unit_becomes_a_convolution)
{
    struct broken per_unit = start_int8(1, 2, 0);
    expect_operations(&per_unit, &bytes_out, 3);
}

/* FULLY_CONNECTED, RESHAPE: both of the extension, as NNAPI's RESHAPE takes no int16. */
TEST(lower, int16_data_keep_their_dimensions_in_a_fully_connected)
{
    const struct hy_builder_tensor data = {.name = "data",
                                           .type = HY_TFLITE_INT16,
                                           .rank = 3,
                                           .dims = {1, 3, 2},
                                           .scale_count = 1,
                                           .scales = scales,
                                           .zero_point_count = 1,
                                           .zero_points = zero_points};
    const struct hy_builder_tensor filter = {.name = "filter",
                                             .type = HY_TFLITE_INT8,
                                             .rank = 2,
                                             .dims = {2, 2},
                                             .data = weights,
                                             .bytes = sizeof weights,
                                             .scale_count = 1,
                                             .scales = scales,
                                             .zero_point_count = 1,
                                             .zero_points = zero_points};
    struct broken broken = start(HY_TFLITE_OP_FULLY_CONNECTED);

    add_input(&broken, &data);
    add_input(&broken, &filter);
    option(&broken, HY_TFLITE_OPTIONS_FULLY_CONNECTED, 2, 1, 1);
    expect_operations(&broken, &data, 2);
}

/* DEQUANTIZE of the weights, FULLY_CONNECTED. */
TEST(lower, weights_of_int4_and_uint8_serve_a_hybrid_operator)
{
    static const uint8_t halves[2] = {0x21, 0xfe};
    const struct hy_builder_tensor int4 = {.name = "int4",
                                           .type = HY_TFLITE_INT4,
                                           .rank = 2,
                                           .dims = {2, 2},
                                           .data = halves,
                                           .bytes = sizeof halves,
                                           .scale_count = 1,
                                           .scales = scales,
                                           .zero_point_count = 1,
                                           .zero_points = zero_points};
    struct hy_builder_tensor uint8 = int4;
    uint8.type = HY_TFLITE_UINT8;
    uint8.data = weights;
    uint8.bytes = sizeof weights;

    struct broken narrow = start(HY_TFLITE_OP_FULLY_CONNECTED);
    add_input(&narrow, &matrix);
    add_input(&narrow, &int4);
    expect_operations(&narrow, &matrix, 2);

    struct broken wide = start(HY_TFLITE_OP_FULLY_CONNECTED);
    add_input(&wide, &matrix);
    add_input(&wide, &uint8);
    expect_operations(&wide, &matrix, 2);
}

/* Filters of 2 channels over data of 4: two groups. */
TEST(lower, filters_that_see_a_part_of_the_channels_become_a_grouped_convolution)
{
    static const float numbers[4] = {1, 2, 3, 4};
    const struct hy_builder_tensor data = {
        .name = "data", .type = HY_TFLITE_FLOAT32, .rank = 4, .dims = {1, 2, 2, 4}};
    const struct hy_builder_tensor filter = {.name = "filter",
                                             .type = HY_TFLITE_FLOAT32,
                                             .rank = 4,
                                             .dims = {2, 1, 1, 2},
                                             .data = numbers,
                                             .bytes = sizeof numbers};
    const struct hy_builder_tensor out = {
        .name = "out", .type = HY_TFLITE_FLOAT32, .rank = 4, .dims = {1, 2, 2, 2}};

    for (unsigned dilation = 1; dilation <= 2; dilation++) {
        struct broken conv = start(HY_TFLITE_OP_CONV_2D);
        add_input(&conv, &data);
        add_input(&conv, &filter);
        option(&conv, HY_TFLITE_OPTIONS_CONV_2D, 0, 1, HY_TFLITE_PADDING_VALID);
        option(&conv, HY_TFLITE_OPTIONS_CONV_2D, 1, 4, 1);
        option(&conv, HY_TFLITE_OPTIONS_CONV_2D, 2, 4, 1);
        option(&conv, HY_TFLITE_OPTIONS_CONV_2D, 4, 4, dilation);
        option(&conv, HY_TFLITE_OPTIONS_CONV_2D, 5, 4, dilation);
        expect_operations(&conv, &out, 1);
    }
}

TEST(lower, a_bias_may_be_computed_by_the_run)
{
    const struct hy_builder_tensor bias = {
        .name = "bias", .type = HY_TFLITE_FLOAT32, .rank = 1, .dims = {2}};
    struct broken broken = start(HY_TFLITE_OP_FULLY_CONNECTED);

    add_input(&broken, &matrix);
    add_input(&broken, &matrix);
    add_input(&broken, &bias);
    expect_operations(&broken, &matrix, 1);
}

TEST(lower, the_words_of_the_api_are_passed_on)
{
    const struct hy_builder_tensor whole = {
        .name = "whole", .type = HY_TFLITE_INT32, .rank = 2, .dims = {2, 2}};
    struct broken broken = start(HY_TFLITE_OP_ADD);

    add_input(&broken, &matrix);
    add_input(&broken, &whole);
    expect_error_text(&broken, &matrix, "ADD: input 1");
}

TEST(lower, zeros_of_a_type_of_sixteen_bytes_are_refused)
{
    struct broken broken = start(HY_TFLITE_OP_MATRIX_DIAG);
    struct hy_builder_tensor vector = {
        .name = "t", .type = HY_TFLITE_COMPLEX128, .rank = 1, .dims = {4}};
    struct hy_builder_tensor matrix_of = vector;

    matrix_of.rank = 2;
    matrix_of.dims[1] = 4;
    add_input(&broken, &vector);
    expect_error_text(&broken, &matrix_of, "complex128");
}
