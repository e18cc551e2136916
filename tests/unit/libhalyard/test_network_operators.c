/* What networks tell about operators and memory, also those that cannot run. */
#include <halyard/halyard.h>
#include <halyard/session.h>

#include "tests/kit/test.h"

#include <stdlib.h>

#include "tests/unit/tools/kit/tflite_builder.h"
#include "tests/unit/tools/kit/tflite_samples.h"

static struct halyard_network_operator operator_at(struct halyard_network *network, uint32_t index)
{
    struct halyard_network_operator operator_ = {.struct_size = sizeof operator_};
    EXPECT_INT(halyard_network_get_operator(network, 0, index, &operator_),
               ANEURALNETWORKS_NO_ERROR);
    return operator_;
}

static void add_unary(struct hy_builder *b, int op, const char *custom_name, int32_t input,
                      int32_t output)
{
    hy_builder_operator(b, &(struct hy_builder_operator){.op = op,
                                                         .custom_name = custom_name,
                                                         .input_count = 1,
                                                         .inputs = {input},
                                                         .output_count = 1,
                                                         .outputs = {output}});
}

static int32_t float_vector(struct hy_builder *b, const char *name)
{
    return hy_builder_tensor(b, &(struct hy_builder_tensor){.name = name, .rank = 1, .dims = {4}});
}

/* MUL of x by float16 weights, between two custom operators. */
static uint8_t *make_mixed(size_t *length)
{
    static const uint16_t ones[4] = {0x3c00, 0x3c00, 0x3c00, 0x3c00};
    struct hy_builder *b = hy_builder_create();
    const int32_t x = float_vector(b, "x"), strange = float_vector(b, "strange");
    const int32_t halves =
        hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "halves",
                                                         .type = HY_TFLITE_FLOAT16,
                                                         .rank = 1,
                                                         .dims = {4},
                                                         .data = ones,
                                                         .bytes = sizeof ones});
    const int32_t weights = float_vector(b, "weights"), product = float_vector(b, "product");
    const int32_t y = float_vector(b, "y");

    hy_builder_input(b, x);
    hy_builder_output(b, y);
    add_unary(b, HY_TFLITE_OP_CUSTOM, "Mystery", x, strange);
    add_unary(b, HY_TFLITE_OP_DEQUANTIZE, NULL, halves, weights);
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_MUL,
                                                         .input_count = 2,
                                                         .inputs = {strange, weights},
                                                         .output_count = 1,
                                                         .outputs = {product}});
    add_unary(b, HY_TFLITE_OP_CUSTOM, "DISPATCH_OP", product, y);
    return hy_builder_finish(b, length);
}

TEST(network_operators, every_operator_tells_its_lowering_or_its_obstacle)
{
    size_t length;
    uint8_t *bytes = make_mixed(&length);
    struct halyard_network *network = NULL;

    REQUIRE(halyard_network_open_memory(bytes, length, NULL, &network) == ANEURALNETWORKS_NO_ERROR);
    REQUIRE(halyard_network_operator_count(network, 0) == 4);
    struct halyard_network_operator operator_ = operator_at(network, 0);
    EXPECT_STR(operator_.name, "CUSTOM Mystery");
    EXPECT_STR(operator_.lowering, "");
    EXPECT_CONTAINS(operator_.obstacle, "a custom operator of an unknown library");
    EXPECT_STR(operator_.types, "float32[4] -> float32[4]");
    operator_ = operator_at(network, 1);
    EXPECT_STR(operator_.name, "DEQUANTIZE");
    EXPECT_STR(operator_.lowering, "folded");
    EXPECT_STR(operator_.obstacle, "");
    EXPECT_INT(operator_.parameter_bytes, 8);
    EXPECT_INT(operator_.parameter_count, 4);
    operator_ = operator_at(network, 2);
    EXPECT_STR(operator_.lowering, "MUL");
    EXPECT_INT(operator_.parameter_bytes, 0);
    operator_ = operator_at(network, 3);
    EXPECT_INT(operator_.index, 3);
    EXPECT_CONTAINS(operator_.obstacle, "compiled for");
    halyard_network_close(network);
    free(bytes);
}

TEST(network_operators, an_operator_of_several_operations_lists_them)
{
    struct hy_builder *b = hy_builder_create();
    const int32_t x = float_vector(b, "x"), y = float_vector(b, "y");
    struct halyard_network *network = NULL;
    size_t length;

    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_ADD_N,
                                                         .input_count = 3,
                                                         .inputs = {x, x, x},
                                                         .output_count = 1,
                                                         .outputs = {y}});
    hy_builder_input(b, x);
    hy_builder_output(b, y);
    uint8_t *bytes = hy_builder_finish(b, &length);
    REQUIRE(halyard_network_open_memory(bytes, length, NULL, &network) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(operator_at(network, 0).lowering, "ADD x2");
    halyard_network_close(network);
    free(bytes);
}

TEST(network_operators, operators_of_called_subgraphs_follow)
{
    size_t length;
    uint8_t *bytes = hy_sample_branches(&length);
    struct halyard_network *network = NULL;

    REQUIRE(halyard_network_open_memory(bytes, length, NULL, &network) == ANEURALNETWORKS_NO_ERROR);
    REQUIRE(halyard_network_operator_count(network, 0) == 3);
    EXPECT_STR(operator_at(network, 0).name, "IF");
    EXPECT_INT(operator_at(network, 0).subgraph, 0);
    const uint32_t second = operator_at(network, 1).subgraph;
    const uint32_t third = operator_at(network, 2).subgraph;
    EXPECT(second + third == 3 && second != third);
    halyard_network_close(network);
    free(bytes);
}

/* FLOOR, a CALL of a sub-graph that is one CEIL, and ABS. */
static uint8_t *make_call(size_t *length)
{
    struct hy_builder *b = hy_builder_create();
    const int32_t x = float_vector(b, "x"), before = float_vector(b, "before");
    const int32_t after = float_vector(b, "after"), y = float_vector(b, "y");

    hy_builder_input(b, x);
    hy_builder_output(b, y);
    add_unary(b, HY_TFLITE_OP_FLOOR, NULL, x, before);
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_CALL,
                                                         .input_count = 1,
                                                         .inputs = {before},
                                                         .output_count = 1,
                                                         .outputs = {after},
                                                         .options_kind = HY_TFLITE_OPTIONS_CALL,
                                                         .option_count = 1,
                                                         .options = {{0, 4, 1}}});
    add_unary(b, HY_TFLITE_OP_ABS, NULL, after, y);
    hy_builder_subgraph(b);
    const int32_t inner = float_vector(b, "inner"), ceiling = float_vector(b, "ceiling");
    add_unary(b, HY_TFLITE_OP_CEIL, NULL, inner, ceiling);
    hy_builder_input(b, inner);
    hy_builder_output(b, ceiling);
    return hy_builder_finish(b, length);
}

TEST(network_operators, operations_of_a_called_subgraph_are_part_of_its_operators)
{
    static const char *const names[] = {"FLOOR", "CEIL", "ABS"};
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL;
    size_t length;
    uint8_t *bytes = make_call(&length);

    REQUIRE(halyard_network_open_memory(bytes, length, NULL, &network) == ANEURALNETWORKS_NO_ERROR);
    REQUIRE(halyard_session_create(network, NULL, &session) == ANEURALNETWORKS_NO_ERROR);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t index = halyard_session_operator_of(session, i);
        REQUIRE(index < halyard_network_operator_count(network, 0));
        EXPECT_STR(operator_at(network, index).name, names[i]);
        EXPECT_INT(operator_at(network, index).subgraph, i == 1);
    }
    EXPECT_INT(halyard_session_operator_of(session, 3), UINT32_MAX);
    halyard_session_free(session);
    halyard_network_close(network);
    free(bytes);
}

static void add_body(struct hy_builder *b, int op)
{
    hy_builder_subgraph(b);
    const int32_t inner = float_vector(b, "inner"), outer = float_vector(b, "outer");
    add_unary(b, op, NULL, inner, outer);
    hy_builder_input(b, inner);
    hy_builder_output(b, outer);
}

TEST(network_operators, operations_of_bodies_are_part_of_the_if)
{
    struct hy_builder *b = hy_builder_create();
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL;
    size_t length;

    const int32_t condition =
        hy_builder_tensor(b, &(struct hy_builder_tensor){.name = "choice", .type = HY_TFLITE_BOOL});
    const int32_t x = float_vector(b, "x"), y = float_vector(b, "y");
    hy_builder_operator(b, &(struct hy_builder_operator){.op = HY_TFLITE_OP_IF,
                                                         .input_count = 2,
                                                         .inputs = {condition, x},
                                                         .output_count = 1,
                                                         .outputs = {y},
                                                         .options_kind = HY_TFLITE_OPTIONS_IF,
                                                         .option_count = 2,
                                                         .options = {{0, 4, 1}, {1, 4, 2}}});
    hy_builder_input(b, condition);
    hy_builder_input(b, x);
    hy_builder_output(b, y);
    add_body(b, HY_TFLITE_OP_CEIL);
    add_body(b, HY_TFLITE_OP_ABS);
    uint8_t *bytes = hy_builder_finish(b, &length);
    REQUIRE(halyard_network_open_memory(bytes, length, NULL, &network) == ANEURALNETWORKS_NO_ERROR);
    REQUIRE(halyard_session_create(network, NULL, &session) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_operator_of(session, 0), 0);
    EXPECT_INT(halyard_session_operator_of(session, 1), UINT32_MAX);
    halyard_session_free(session);
    halyard_network_close(network);
    free(bytes);
}

TEST(network_operators, memory_is_told_without_an_nnapi_model)
{
    struct halyard_network_memory memory = {.struct_size = sizeof memory};
    size_t length;
    uint8_t *bytes = make_mixed(&length);
    struct halyard_network *network = NULL;

    REQUIRE(halyard_network_open_memory(bytes, length, NULL, &network) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_network_get_memory(network, 0, &memory), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(memory.mapped, 8);
    EXPECT(memory.made >= 16);
    EXPECT_INT(memory.io, 32);
    EXPECT_INT(memory.peak, 64);
    halyard_network_close(network);
    free(bytes);
}

TEST(network_operators, wrong_calls_are_refused)
{
    struct halyard_network_operator operator_ = {.struct_size = sizeof operator_};
    struct halyard_network_memory memory = {.struct_size = sizeof memory};
    size_t length;
    uint8_t *bytes = make_mixed(&length);
    struct halyard_network *network = NULL;

    REQUIRE(halyard_network_open_memory(bytes, length, NULL, &network) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_network_get_operator(network, 0, 4, &operator_), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "operator 4 does not exist, the signature has 4");
    EXPECT_INT(halyard_network_get_operator(network, 1, 0, &operator_), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_network_get_operator(NULL, 0, 0, &operator_),
               ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_network_get_operator(network, 0, 0, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_network_get_memory(network, 1, &memory), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_network_get_memory(NULL, 0, &memory), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_network_get_memory(network, 0, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_network_operator_count(NULL, 0), 0);
    EXPECT_INT(halyard_network_operator_count(network, 7), 0);
    halyard_network_close(network);
    free(bytes);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

TEST(network_operators, limits_of_sessions_and_networks_hold)
{
    const struct halyard_network_options few = {.struct_size = sizeof few, .max_operations = 2};
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    size_t length;
    uint8_t *bytes = hy_sample_convolution(&length);
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL;

    EXPECT_INT(halyard_network_open_memory(bytes, length, &few, &network),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "exceed the limit operators = 2");
    REQUIRE(halyard_network_open_memory(bytes, length, NULL, &network) == ANEURALNETWORKS_NO_ERROR);
    options.max_memory = 16;
    EXPECT_INT(halyard_session_create(network, &options, &session), ANEURALNETWORKS_OUT_OF_MEMORY);
    EXPECT_CONTAINS(halyard_last_error(), "max_memory is 16");
    options.max_memory = 0;
    options.max_operations = 2;
    EXPECT_INT(halyard_session_create(network, &options, &session), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "at most 2 are allowed");
    options.max_operations = 0;
    EXPECT_INT(halyard_session_create(network, &options, &session), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    halyard_network_close(network);
    free(bytes);
}
