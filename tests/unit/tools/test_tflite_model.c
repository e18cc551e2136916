#include "tests/kit/test.h"

#include <stdlib.h>

#include "libhalyard/tflite/tflite_model.h"
#include "tests/unit/tools/kit/tflite_builder.h"
#include "tests/unit/tools/kit/tflite_samples.h"
#include "tests/unit/tools/kit/tflite_walk.h"

/* A model of one tensor. The bytes are the caller's to free, as are those of the next. */
static uint8_t *one_tensor(const struct hy_builder_tensor *tensor, size_t *length)
{
    struct hy_builder *b = hy_builder_create();
    hy_builder_tensor(b, tensor);
    return hy_builder_finish(b, length);
}

/* Two float vectors, and one operator as given. */
static uint8_t *one_operator(const struct hy_builder_operator *operator_, size_t *length)
{
    const struct hy_builder_tensor vector = {.name = "v", .rank = 1, .dims = {4}};
    struct hy_builder *b = hy_builder_create();
    hy_builder_input(b, hy_builder_tensor(b, &vector));
    hy_builder_output(b, hy_builder_tensor(b, &vector));
    hy_builder_operator(b, operator_);
    return hy_builder_finish(b, length);
}

static void expect_rejected(uint8_t *bytes, size_t length, const struct hy_tflite_limits *limits,
                            const char *expected, int line)
{
    struct hy_tflite_model *model = NULL;
    struct hy_error err = {0};
    const enum hy_code code = hy_tflite_open(bytes, length, limits, &model, &err);
    if (code != HY_BAD_DATA || model || !strstr(err.text, expected))
        hy_test_fail(__FILE__, line, "%s, \"%s\", expected BAD_DATA with \"%s\"",
                     hy_code_name(code), err.text, expected);
    else
        CU_PASS(expected);
    hy_tflite_close(model);
    free(bytes);
}

#define EXPECT_TENSOR_REJECTED(expected, ...) \
    do { \
        size_t length_; \
        uint8_t *bytes_ = one_tensor(&(struct hy_builder_tensor){__VA_ARGS__}, &length_); \
        expect_rejected(bytes_, length_, NULL, expected, __LINE__); \
    } while (0)

#define EXPECT_OPERATOR_REJECTED(expected, ...) \
    do { \
        size_t length_; \
        uint8_t *bytes_ = one_operator(&(struct hy_builder_operator){__VA_ARGS__}, &length_); \
        expect_rejected(bytes_, length_, NULL, expected, __LINE__); \
    } while (0)

TEST(tflite, tensors_of_a_small_model_are_read)
{
    size_t length;
    uint8_t *bytes = hy_sample_convolution(&length);
    struct hy_tflite_model *model = NULL;
    struct hy_error err = {0};
    EXPECT_INT(hy_tflite_open(bytes, length, NULL, &model, &err), HY_OK);
    EXPECT_STR(err.text, "");
    REQUIRE(model != NULL);
    EXPECT_INT(model->version, 3);
    EXPECT_STR(model->description, "built in memory");
    REQUIRE(model->subgraph_count == 1);
    const struct hy_tflite_subgraph *main = &model->subgraphs[0];
    EXPECT_STR(main->name, "main");
    EXPECT_INT(main->inputs.values[0], 0);
    REQUIRE(main->tensor_count == 8);
    const struct hy_tflite_tensor *filter = &main->tensors[1];
    EXPECT_STR(filter->name, "conv/filter");
    EXPECT_INT(filter->type, HY_TFLITE_INT8);
    EXPECT_INT(filter->rank, 4);
    EXPECT_INT(filter->dims[1], 3);
    EXPECT_INT(filter->bytes, 18);
    EXPECT_INT(filter->data_bytes, 18);
    EXPECT_INT(filter->quantisation.count, 2);
    EXPECT(filter->quantisation.scales[1] == 0.25F);
    EXPECT_INT(main->tensors[7].quantisation.zero_points[0], -128);
    EXPECT((const uint8_t *)filter->data > bytes && (const uint8_t *)filter->data < bytes + length);
    EXPECT(main->tensors[0].data == NULL);
    EXPECT(hy_tflite_walk(model, UINT64_MAX) == NULL);
    hy_tflite_close(model);
    free(bytes);
}

TEST(tflite, operators_and_their_options_are_read)
{
    size_t length;
    uint8_t *bytes = hy_sample_convolution(&length);
    struct hy_tflite_model *model = NULL;
    REQUIRE(hy_tflite_open(bytes, length, NULL, &model, NULL) == HY_OK);
    const struct hy_tflite_operator *ops = model->subgraphs[0].operators;
    REQUIRE(model->subgraphs[0].operator_count == 4);
    EXPECT_INT(ops[0].code, HY_TFLITE_OP_CONV_2D);
    EXPECT_INT(ops[0].options.kind, HY_TFLITE_OPTIONS_CONV_2D);
    EXPECT_INT(ops[0].options.conv_2d.padding, HY_TFLITE_PADDING_VALID);
    EXPECT_INT(ops[0].options.conv_2d.stride_h, 2);
    EXPECT_INT(ops[0].options.conv_2d.dilation_w, 1); /* left out of the file */
    EXPECT_INT(ops[0].options.conv_2d.activation, HY_TFLITE_ACTIVATION_RELU6);
    EXPECT_INT(ops[1].options.reshape.new_shape.count, 2);
    EXPECT_INT(ops[1].options.reshape.new_shape.values[1], 8);
    EXPECT_INT(ops[2].inputs.values[2], -1);
    EXPECT(ops[3].options.softmax.beta == 1.0F);
    EXPECT_STR(hy_tflite_op_name(ops[3].code), "SOFTMAX");
    hy_tflite_close(model);
    free(bytes);
}

TEST(tflite, intermediate_tensors_of_an_operator_are_read)
{
    const struct hy_builder_operator lstm = {.op = HY_TFLITE_OP_LSTM,
                                             .input_count = 1,
                                             .inputs = {0},
                                             .intermediate_count = 2,
                                             .intermediates = {-1, 1}};
    size_t length;
    uint8_t *bytes = one_operator(&lstm, &length);
    struct hy_tflite_model *model = NULL;
    REQUIRE(hy_tflite_open(bytes, length, NULL, &model, NULL) == HY_OK);
    const struct hy_tflite_ints *intermediates = &model->subgraphs[0].operators[0].intermediates;
    REQUIRE(intermediates->count == 2);
    EXPECT_INT(intermediates->values[0], -1);
    EXPECT_INT(intermediates->values[1], 1);
    hy_tflite_close(model);
    free(bytes);
}

TEST(tflite, subgraphs_custom_operators_and_dynamic_dimensions_are_read)
{
    size_t length;
    uint8_t *bytes = hy_sample_branches(&length);
    struct hy_tflite_model *model = NULL;
    struct hy_error err = {0};
    EXPECT_INT(hy_tflite_open(bytes, length, NULL, &model, &err), HY_OK);
    EXPECT_STR(err.text, "");
    REQUIRE(model && model->subgraph_count == 3);
    const struct hy_tflite_subgraph *main = &model->subgraphs[0];
    EXPECT_INT(main->operators[0].options.if_.else_subgraph, 2);
    EXPECT_INT(main->tensors[0].rank, 0);
    EXPECT_INT(main->tensors[1].signature[0], -1);
    EXPECT_INT(model->subgraphs[1].operators[0].code, HY_TFLITE_OP_GELU); /* above 127 */
    EXPECT_STR(model->subgraphs[2].operators[0].custom_name, "Twice");
    EXPECT(hy_tflite_walk(model, UINT64_MAX) == NULL);
    hy_tflite_close(model);
    free(bytes);
}

TEST(tflite, a_tensor_without_a_name_or_shape_is_a_nameless_scalar)
{
    size_t length;
    uint8_t *bytes = one_tensor(&(struct hy_builder_tensor){.type = HY_TFLITE_INT64}, &length);
    struct hy_tflite_model *model = NULL;
    REQUIRE(hy_tflite_open(bytes, length, NULL, &model, NULL) == HY_OK);
    EXPECT_STR(model->subgraphs[0].tensors[0].name, "");
    EXPECT_INT(model->subgraphs[0].tensors[0].bytes, 8);
    hy_tflite_close(model);
    free(bytes);
}

TEST(tflite, control_characters_in_names_are_replaced)
{
    size_t length;
    uint8_t *bytes = one_tensor(&(struct hy_builder_tensor){.name = "a\033[31m\177z"}, &length);
    struct hy_tflite_model *model = NULL;
    REQUIRE(hy_tflite_open(bytes, length, NULL, &model, NULL) == HY_OK);
    EXPECT_STR(model->subgraphs[0].tensors[0].name, "a?[31m?z");
    hy_tflite_close(model);
    free(bytes);
}

TEST(tflite, four_bit_elements_share_bytes)
{
    size_t length;
    uint8_t *bytes = one_tensor(
        &(struct hy_builder_tensor){
            .type = HY_TFLITE_INT4, .rank = 1, .dims = {5}, .data = "abc", .bytes = 3},
        &length);
    struct hy_tflite_model *model = NULL;
    EXPECT_INT(hy_tflite_open(bytes, length, NULL, &model, NULL), HY_OK);
    hy_tflite_close(model);
    free(bytes);
}

TEST(tflite, bad_shapes_and_types_are_rejected)
{
    EXPECT_TENSOR_REJECTED("tensor 0 (w): dimension 1 is -3", .name = "w", .rank = 2,
                           .dims = {1, -3});
    EXPECT_TENSOR_REJECTED("rank 9 exceeds the limit rank = 8", .rank = 9);
    EXPECT_TENSOR_REJECTED("type 99 is unknown", .type = 99);
    EXPECT_TENSOR_REJECTED("limit tensor_bytes", .rank = 4,
                           .dims = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
    EXPECT_TENSOR_REJECTED("signature has 1 dimensions, the shape 2", .rank = 2, .dims = {1, 2},
                           .signature_rank = 1, .signature = {-1});
    EXPECT_TENSOR_REJECTED("dimension 1 is 3 in the shape signature, 2 in the shape", .rank = 2,
                           .dims = {1, 2}, .signature_rank = 2, .signature = {-1, 3});
}

TEST(tflite, constants_of_the_wrong_length_are_rejected)
{
    EXPECT_TENSOR_REJECTED("the constant has 7 bytes, its shape needs 8 of float32", .rank = 1,
                           .dims = {2}, .data = "1234567", .bytes = 7);
    EXPECT_TENSOR_REJECTED("the constant has 9 bytes, its shape needs 8", .rank = 1, .dims = {2},
                           .data = "123456789", .bytes = 9);
}

TEST(tflite, constants_behind_the_flatbuffer_are_found_by_offset)
{
    size_t length;
    uint8_t *bytes = one_tensor(/* the file identifier will do as data */
                                &(struct hy_builder_tensor){
                                    .rank = 1, .dims = {1}, .far_offset = 4, .far_bytes = 4},
                                &length);
    struct hy_tflite_model *model = NULL;
    REQUIRE(hy_tflite_open(bytes, length, NULL, &model, NULL) == HY_OK);
    EXPECT(memcmp(model->subgraphs[0].tensors[0].data, "TFL3", 4) == 0);
    hy_tflite_close(model);
    free(bytes);
    EXPECT_TENSOR_REJECTED("buffer 1: 4 bytes at byte 1099511627776", .rank = 1, .dims = {1},
                           .far_offset = UINT64_C(1) << 40, .far_bytes = 4);
    EXPECT_TENSOR_REJECTED("buffer 1: 18446744073709551612 bytes", .rank = 1, .dims = {1},
                           .far_offset = 8, .far_bytes = UINT64_MAX - 3);
    EXPECT_TENSOR_REJECTED("the constant has 5 bytes", .rank = 1, .dims = {1}, .far_offset = 8,
                           .far_bytes = 5);
}

TEST(tflite, buffers_that_do_not_exist_are_rejected)
{
    EXPECT_TENSOR_REJECTED("buffer 2 does not exist, the model has 2", .buffer = 2);
    EXPECT_TENSOR_REJECTED("buffer 4294967295 does not exist", .buffer = UINT32_MAX);
}

TEST(tflite, bad_quantisation_is_rejected)
{
    static const float scales[] = {0.5F, 0.25F, 0.125F}, infinite = 1.0F / 0.0F, negative = -1;
    static const int64_t zeros[3] = {0}, high = 128, huge = INT64_C(1) << 40;
    EXPECT_TENSOR_REJECTED("3 scales, but 2 zero points", .type = HY_TFLITE_INT8, .rank = 1,
                           .dims = {3}, .scale_count = 3, .scales = scales, .zero_point_count = 2,
                           .zero_points = zeros);
    EXPECT_TENSOR_REJECTED("3 scales for dimension 0 of size 4", .type = HY_TFLITE_INT8, .rank = 1,
                           .dims = {4}, .scale_count = 3, .scales = scales, .zero_point_count = 3,
                           .zero_points = zeros);
    EXPECT_TENSOR_REJECTED("quantised dimension 1 of a tensor of rank 1", .type = HY_TFLITE_INT8,
                           .rank = 1, .dims = {3}, .scale_count = 3, .scales = scales,
                           .zero_point_count = 3, .zero_points = zeros, .quantised_dimension = 1);
    EXPECT_TENSOR_REJECTED("quantised dimension -1", .type = HY_TFLITE_INT8, .rank = 1, .dims = {3},
                           .scale_count = 3, .scales = scales, .zero_point_count = 3,
                           .zero_points = zeros, .quantised_dimension = -1);
    EXPECT_TENSOR_REJECTED("scale 0 is inf", .scale_count = 1, .scales = &infinite,
                           .zero_point_count = 1, .zero_points = zeros);
    EXPECT_TENSOR_REJECTED("scale 0 is -1", .scale_count = 1, .scales = &negative,
                           .zero_point_count = 1, .zero_points = zeros);
    EXPECT_TENSOR_REJECTED("zero point 0 is 128, int8 has -128 to 127", .type = HY_TFLITE_INT8,
                           .scale_count = 1, .scales = scales, .zero_point_count = 1,
                           .zero_points = &high);
    EXPECT_TENSOR_REJECTED("zero point 0 is 1099511627776", .type = HY_TFLITE_INT32,
                           .scale_count = 1, .scales = scales, .zero_point_count = 1,
                           .zero_points = &huge);
}

TEST(tflite, operands_out_of_range_are_rejected)
{
    EXPECT_OPERATOR_REJECTED("operator 0: RELU: input 0 is tensor 2, the subgraph has 2",
                             .op = HY_TFLITE_OP_RELU, .input_count = 1, .inputs = {2});
    EXPECT_OPERATOR_REJECTED("input 1 is tensor -2", .op = HY_TFLITE_OP_RELU, .input_count = 2,
                             .inputs = {0, -2});
    EXPECT_OPERATOR_REJECTED("output 0 is tensor -1", .op = HY_TFLITE_OP_RELU, .output_count = 1,
                             .outputs = {-1});
    EXPECT_OPERATOR_REJECTED("intermediate 1 is tensor 2, the subgraph has 2",
                             .op = HY_TFLITE_OP_LSTM, .intermediate_count = 2,
                             .intermediates = {-1, 2});
    EXPECT_OPERATOR_REJECTED("operator 5000 is unknown", .op = 5000);
    EXPECT_OPERATOR_REJECTED("operator code 0: operator -7 is unknown", .op = -7);
}

TEST(tflite, options_of_another_kind_or_range_are_rejected)
{
    EXPECT_OPERATOR_REJECTED("CONV_2D: options are of kind 5, needs 1", .op = HY_TFLITE_OP_CONV_2D,
                             .options_kind = HY_TFLITE_OPTIONS_POOL_2D);
    EXPECT_OPERATOR_REJECTED("option padding is 2, needs 0 to 1", .op = HY_TFLITE_OP_CONV_2D,
                             .options_kind = HY_TFLITE_OPTIONS_CONV_2D, .option_count = 1,
                             .options = {{0, 1, 2}});
    EXPECT_OPERATOR_REJECTED("option activation is 6, needs 0 to 5", .op = HY_TFLITE_OP_ADD,
                             .options_kind = HY_TFLITE_OPTIONS_ADD, .option_count = 1,
                             .options = {{0, 1, 6}});
    EXPECT_OPERATOR_REJECTED("option beta is inf", .op = HY_TFLITE_OP_SOFTMAX,
                             .options_kind = HY_TFLITE_OPTIONS_SOFTMAX, .option_count = 1,
                             .options = {{0, 4, 0x7f800000}});
    EXPECT_OPERATOR_REJECTED("option then_subgraph is 1, the model has 1 subgraphs",
                             .op = HY_TFLITE_OP_IF, .options_kind = HY_TFLITE_OPTIONS_IF,
                             .option_count = 1, .options = {{0, 4, 1}});
}

TEST(tflite, a_tensor_with_two_sources_is_rejected)
{
    EXPECT_OPERATOR_REJECTED("operator 0: RELU: tensor 0 is written", .op = HY_TFLITE_OP_RELU,
                             .input_count = 1, .inputs = {1}, .output_count = 1, .outputs = {0});
    EXPECT_OPERATOR_REJECTED("operator 0: SPLIT: tensor 1 is written", .op = HY_TFLITE_OP_SPLIT,
                             .output_count = 2, .outputs = {1, 1});
    struct hy_builder *b = hy_builder_create();
    const int32_t constant = hy_builder_tensor(
        b, &(struct hy_builder_tensor){.rank = 1, .dims = {1}, .data = "1234", .bytes = 4});
    hy_builder_input(b, constant);
    size_t length;
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_rejected(bytes, length, NULL, "subgraph 0: inputs: tensor 0 is written", __LINE__);
}

TEST(tflite, inputs_and_outputs_of_a_subgraph_out_of_range_are_rejected)
{
    struct hy_builder *b = hy_builder_create();
    hy_builder_input(b, 3);
    size_t length;
    uint8_t *bytes = hy_builder_finish(b, &length);
    expect_rejected(bytes, length, NULL, "subgraph 0: input 0 is tensor 3", __LINE__);
    b = hy_builder_create();
    hy_builder_output(b, -1);
    bytes = hy_builder_finish(b, &length);
    expect_rejected(bytes, length, NULL, "subgraph 0: output 0 is tensor -1", __LINE__);
}

TEST(tflite, each_limit_is_enforced_by_name)
{
    static const struct {
        size_t offset;
        const char *expected;
        uint64_t value;
        size_t size;
    } cases[] = {
        {offsetof(struct hy_tflite_limits, file_bytes), "file_bytes = 100", 100, 8},
        {offsetof(struct hy_tflite_limits, tensor_bytes), "tensor_bytes = 7", 7, 8},
        {offsetof(struct hy_tflite_limits, subgraphs), "subgraphs = 2", 2, 4},
        {offsetof(struct hy_tflite_limits, tensors), "tensors = 6", 6, 4},
        {offsetof(struct hy_tflite_limits, operators), "operators = 2", 2, 4},
        {offsetof(struct hy_tflite_limits, operator_codes), "operator_codes = 2", 2, 4},
        {offsetof(struct hy_tflite_limits, rank), "rank = 0", 0, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hy_tflite_limits limits = hy_tflite_default_limits;
        memcpy((char *)&limits + cases[i].offset, &cases[i].value, cases[i].size);
        size_t length;
        uint8_t *bytes = i == 1 ? hy_sample_convolution(&length) : hy_sample_branches(&length);
        expect_rejected(bytes, length, &limits, cases[i].expected, __LINE__);
    }
}

/* 20,000 tensors in 80 KB of offsets, all the same table with one name of 100,000 bytes. */
TEST(tflite, references_to_one_large_object_do_not_multiply_it)
{
    enum { TENSORS = 20000, NAME = 100000 };
    static const struct hy_fbw_field model[] = {{0, 4, 3}, {2, 4, 0}};
    static const struct hy_fbw_field offset = {0, 4, 0}, name = {3, 4, 0};
    struct hy_fbw writer;
    hy_fbw_start(&writer, "TFL3");
    const size_t root = hy_fbw_table(&writer, model, 2);
    const size_t subgraphs = hy_fbw_vector(&writer, 4, 1, NULL);
    const size_t subgraph = hy_fbw_table(&writer, &offset, 1);
    const size_t tensors = hy_fbw_vector(&writer, 4, TENSORS, NULL);
    const size_t tensor = hy_fbw_table(&writer, &name, 1);
    const size_t text = hy_fbw_vector(&writer, 1, NAME, NULL);
    memset(writer.bytes + text + 4, 'x', NAME - 4);
    hy_fbw_put(&writer, text, NAME - 4, 4);
    hy_fbw_link_at(&writer, 0, root);
    hy_fbw_link(&writer, root, 2, subgraphs);
    hy_fbw_link_element(&writer, subgraphs, 0, subgraph);
    hy_fbw_link(&writer, subgraph, 0, tensors);
    hy_fbw_link(&writer, tensor, 3, text);
    for (uint32_t i = 0; i < TENSORS; i++)
        hy_fbw_link_element(&writer, tensors, i, tensor);
    struct hy_tflite_limits limits = hy_tflite_default_limits;
    limits.memory_per_byte = 32; /* enough for the tensors, not for their names */
    expect_rejected(writer.bytes, writer.length, &limits, "memory_per_byte = 32", __LINE__);
}

/* Every bit of models that use all that the reader knows, one at a time. */
TEST(tflite, single_bit_flips_are_an_error_or_a_valid_model)
{
    uint8_t *(*const samples[])(size_t *) = {hy_sample_convolution, hy_sample_branches,
                                             hy_sample_loop};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        size_t length, loaded = 0;
        uint8_t *bytes = samples[i](&length);
        for (size_t bit = 0; bit < 8 * length; bit++) {
            struct hy_tflite_model *model = NULL;
            struct hy_error err = {0};
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
            const enum hy_code code = hy_tflite_open(bytes, length, NULL, &model, &err);
            const char *wrong = code == HY_OK ? hy_tflite_walk(model, 1 << 20) : NULL;
            if (wrong || (code != HY_OK && !err.text[0]))
                hy_test_fail(__FILE__, __LINE__, "sample %zu, bit %zu: %s, %s", i, bit,
                             hy_code_name(code), wrong ? wrong : "no words");
            loaded += code == HY_OK;
            hy_tflite_close(model);
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        EXPECT(loaded > 0 && loaded < 8 * length);
        free(bytes);
    }
}
