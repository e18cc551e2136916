/* Where compiled models keep their tensors: what needs no copy gets none. */
#include "plugin.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"
#include "xnnpack_driver/compile.h"

static const struct hy_builder_type image = {.type = F32, .rank = 4, .dims = {1, 4, 4, 3}};

static uint32_t convolution(struct hy_builder *builder, uint32_t from, uint32_t channels,
                            uint32_t units, uint32_t to)
{
    static const float zeros[64];
    const struct hy_builder_type filter = {.type = F32, .rank = 4, .dims = {units, 1, 1, channels}};
    const struct hy_builder_type bias = {.type = F32, .rank = 1, .dims = {units}};
    const uint32_t inputs[] = {
        from,
        hy_builder_constant(builder, &filter, zeros, 4ull * units * channels),
        hy_builder_constant(builder, &bias, zeros, 4ull * units),
        hy_builder_int(builder, ANEURALNETWORKS_PADDING_VALID),
        hy_builder_int(builder, 1),
        hy_builder_int(builder, 1),
        hy_builder_int(builder, 0)};
    hy_builder_operation(builder, ANEURALNETWORKS_CONV_2D, 7, inputs, 1, &to);
    return to;
}

static struct hy_builder_type with_channels(uint32_t channels)
{
    struct hy_builder_type type = image;
    type.dims[3] = channels;
    return type;
}

static struct xd_program *compile(struct hy_builder *builder)
{
    char text[256] = "";
    const struct hy_message message = {text, sizeof text};
    struct xd_program *program = NULL;
    if (xd_compile(hy_test_host(), hy_builder_model(builder), &message, &program) != HY_STATUS_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", text);
    return program;
}

TEST(xnnpack_allocation, parts_of_a_concatenation_are_written_in_place)
{
    struct hy_builder builder;
    hy_builder_init(&builder);
    const struct hy_builder_type five = with_channels(5), seven = with_channels(7);
    const struct hy_builder_type twelve = with_channels(12);
    const uint32_t in = hy_builder_input(&builder, &image);
    const uint32_t inputs[] = {
        convolution(&builder, in, 3, 5, hy_builder_temporary(&builder, &five)),
        convolution(&builder, in, 3, 7, hy_builder_temporary(&builder, &seven)),
        hy_builder_int(&builder, 3)};
    const uint32_t out = hy_builder_output(&builder, &twelve);
    hy_builder_operation(&builder, ANEURALNETWORKS_CONCATENATION, 3, inputs, 1, &out);

    struct xd_program *program = compile(&builder);
    REQUIRE(program != NULL);
    EXPECT_INT(program->node_count, 2);
    EXPECT_INT(program->copy_count, 0);
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT_INT(program->nodes[i].output_stride, 12);
        EXPECT_INT(program->nodes[i].output_allocation.space, XD_ARGUMENT);
        EXPECT_INT(program->nodes[i].output_allocation.offset, i * 5 * sizeof(float));
    }
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

TEST(xnnpack_allocation, what_is_read_elsewhere_as_well_is_copied)
{
    struct hy_builder builder;
    hy_builder_init(&builder);
    const struct hy_builder_type five = with_channels(5), eight = with_channels(8);
    const uint32_t in = hy_builder_input(&builder, &image);
    const uint32_t middle = convolution(&builder, in, 3, 5, hy_builder_temporary(&builder, &five));
    const uint32_t inputs[] = {in, middle, hy_builder_int(&builder, 3)};
    const uint32_t out = hy_builder_output(&builder, &eight);
    const uint32_t other = hy_builder_output(&builder, &five);
    hy_builder_operation(&builder, ANEURALNETWORKS_CONCATENATION, 3, inputs, 1, &out);
    hy_builder_operation(&builder, ANEURALNETWORKS_RELU, 1, &middle, 1, &other);

    struct xd_program *program = compile(&builder);
    REQUIRE(program != NULL);
    EXPECT_INT(program->node_count, 4);
    EXPECT_STR(xd_node_name(&program->nodes[1]), "copy_nc_x32");
    EXPECT_INT(program->nodes[1].output_stride, 8);
    EXPECT_STR(xd_node_name(&program->nodes[2]), "copy_nc_x32");
    EXPECT_INT(program->nodes[2].output_allocation.offset, 3 * sizeof(float));
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

TEST(xnnpack_allocation, reshape_and_split_of_rows_need_no_node)
{
    struct hy_builder builder;
    hy_builder_init(&builder);
    const struct hy_builder_type rows = {.type = F32, .rank = 2, .dims = {4, 12}};
    const struct hy_builder_type half = {.type = F32, .rank = 2, .dims = {2, 12}};
    const struct hy_builder_type list = {.type = I32, .rank = 1, .dims = {2}};
    const int32_t shape[] = {4, -1};
    const uint32_t flat = hy_builder_temporary(&builder, &rows);
    const uint32_t reshaped[] = {hy_builder_input(&builder, &image),
                                 hy_builder_constant(&builder, &list, shape, sizeof shape)};
    hy_builder_operation(&builder, ANEURALNETWORKS_RESHAPE, 2, reshaped, 1, &flat);
    const uint32_t split[] = {flat, hy_builder_int(&builder, 0), hy_builder_int(&builder, 2)};
    const uint32_t halves[] = {hy_builder_temporary(&builder, &half),
                               hy_builder_temporary(&builder, &half)};
    hy_builder_operation(&builder, ANEURALNETWORKS_SPLIT, 3, split, 2, halves);
    const uint32_t out = hy_builder_output(&builder, &half);
    const uint32_t sum[] = {halves[0], halves[1], hy_builder_int(&builder, 0)};
    hy_builder_operation(&builder, ANEURALNETWORKS_ADD, 3, sum, 1, &out);

    struct xd_program *program = compile(&builder);
    REQUIRE(program != NULL);
    EXPECT_INT(program->node_count, 1);
    EXPECT_INT(program->nodes[0].input_allocations[0].space, XD_ARGUMENT);
    EXPECT_INT(program->nodes[0].input_allocations[1].space, XD_ARGUMENT);
    EXPECT_INT(program->nodes[0].input_allocations[1].offset, 24 * sizeof(float));
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

TEST(xnnpack_allocation, reshape_to_an_output_is_written_by_the_operator_before_it)
{
    struct hy_builder builder;
    hy_builder_init(&builder);
    const struct hy_builder_type row = {.type = F32, .rank = 1, .dims = {48}};
    const struct hy_builder_type list = {.type = I32, .rank = 1, .dims = {1}};
    const int32_t shape[] = {-1};
    const uint32_t in = hy_builder_input(&builder, &image);
    const uint32_t middle = hy_builder_temporary(&builder, &image);
    const uint32_t inputs[] = {middle, hy_builder_constant(&builder, &list, shape, sizeof shape)};
    const uint32_t out = hy_builder_output(&builder, &row);
    hy_builder_operation(&builder, ANEURALNETWORKS_RELU, 1, &in, 1, &middle);
    hy_builder_operation(&builder, ANEURALNETWORKS_RESHAPE, 2, inputs, 1, &out);

    struct xd_program *program = compile(&builder);
    REQUIRE(program != NULL);
    EXPECT_INT(program->node_count, 1);
    EXPECT_INT(program->copy_count, 0);
    EXPECT_INT(program->nodes[0].output_allocation.space, XD_ARGUMENT);
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

/* Kernels read beyond the ends of their inputs, where an output of the app may end. */
TEST(xnnpack_allocation, outputs_that_are_read_lie_in_the_arena)
{
    struct hy_builder builder;
    hy_builder_init(&builder);
    const uint32_t in = hy_builder_input(&builder, &image);
    const uint32_t first = hy_builder_output(&builder, &image);
    const uint32_t second = hy_builder_output(&builder, &image);
    hy_builder_operation(&builder, ANEURALNETWORKS_RELU, 1, &in, 1, &first);
    hy_builder_operation(&builder, ANEURALNETWORKS_ABS, 1, &first, 1, &second);

    struct xd_program *program = compile(&builder);
    REQUIRE(program != NULL);
    EXPECT_INT(program->nodes[0].output_allocation.space, XD_ARENA);
    EXPECT_INT(program->nodes[1].output_allocation.space, XD_ARGUMENT);
    EXPECT_INT(program->copy_count, 1);
    EXPECT_INT(program->copies[0].argument, 1);
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

/* MAX_POOL_2D over more than nine cells keeps its maxima so far in its output. */
TEST(xnnpack_allocation, outputs_that_their_own_operator_reads_lie_in_the_arena)
{
    struct hy_builder builder;
    hy_builder_init(&builder);
    uint32_t inputs[7] = {hy_builder_input(&builder, &image)};
    const int32_t scalars[] = {ANEURALNETWORKS_PADDING_SAME, 1, 1, 4, 4, 0};
    for (uint32_t i = 0; i < 6; i++)
        inputs[1 + i] = hy_builder_int(&builder, scalars[i]);
    const uint32_t out = hy_builder_output(&builder, &image);
    hy_builder_operation(&builder, ANEURALNETWORKS_MAX_POOL_2D, 7, inputs, 1, &out);

    struct xd_program *program = compile(&builder);
    REQUIRE(program != NULL);
    EXPECT_INT(program->nodes[0].output_allocation.space, XD_ARENA);
    EXPECT_INT(program->copy_count, 1);
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

TEST(xnnpack_allocation, tensors_that_do_not_live_together_share_memory)
{
    struct hy_builder builder;
    hy_builder_init(&builder);
    uint32_t last = hy_builder_input(&builder, &image);
    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t next = hy_builder_temporary(&builder, &image);
        hy_builder_operation(&builder, ANEURALNETWORKS_ABS, 1, &last, 1, &next);
        last = next;
    }
    const uint32_t out = hy_builder_output(&builder, &image);
    hy_builder_operation(&builder, ANEURALNETWORKS_NEG, 1, &last, 1, &out);

    struct xd_program *program = compile(&builder);
    REQUIRE(program != NULL);
    const uint64_t one =
        (48 * sizeof(float) + XNN_EXTRA_BYTES + XD_ALIGNMENT - 1) / XD_ALIGNMENT * XD_ALIGNMENT;
    EXPECT_INT(program->arena_bytes, 3 * one); /* the input's room, and two in turn */
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

/* Networks with byte weights and float arithmetic. */
TEST(xnnpack_allocation, dequantize_of_a_constant_is_done_beforehand)
{
    struct hy_builder builder;
    hy_builder_init(&builder);
    const struct hy_builder_type row = {.type = F32, .rank = 2, .dims = {1, 2}};
    const struct hy_builder_type square = {.type = F32, .rank = 2, .dims = {2, 2}};
    const struct hy_builder_type bytes = {
        .type = ANEURALNETWORKS_TENSOR_QUANT8_SYMM, .rank = 2, .dims = {2, 2}, .scale = 0.5f};
    const struct hy_builder_type pair = {.type = F32, .rank = 1, .dims = {2}};
    const int8_t weights[] = {2, -4, 6, 127};
    const float zeros[2] = {0};
    const uint32_t packed = hy_builder_constant(&builder, &bytes, weights, sizeof weights);
    const uint32_t filter = hy_builder_temporary(&builder, &square);
    hy_builder_operation(&builder, ANEURALNETWORKS_DEQUANTIZE, 1, &packed, 1, &filter);
    const uint32_t inputs[] = {hy_builder_input(&builder, &row), filter,
                               hy_builder_constant(&builder, &pair, zeros, sizeof zeros),
                               hy_builder_int(&builder, 0)};
    const uint32_t out = hy_builder_output(&builder, &row);
    hy_builder_operation(&builder, ANEURALNETWORKS_FULLY_CONNECTED, 4, inputs, 1, &out);

    struct xd_program *program = compile(&builder);
    REQUIRE(program != NULL);
    EXPECT_INT(program->node_count, 1);
    const float *folded = program->nodes[0].weights;
    EXPECT(folded[0] == 1 && folded[1] == -2 && folded[2] == 3 && folded[3] == 63.5f);
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}
