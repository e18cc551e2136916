/* Tensors of one type and of known shape. */
#include "driver_kit/tensor.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"

#include <android/NeuralNetworks.h>

#include <string.h>

static const uint32_t shape[] = {2, 3};

/* An operation with one input and one output, both float32 [2, 3]. */
struct fixture {
    struct hy_model_reader reader;
    struct hy_model model;
    struct hy_subgraph graph;
    struct hy_operand operands[2];
    struct hy_operation operation;
    uint8_t values[24];
};

static void fixture_open(struct fixture *fixture)
{
    static const uint32_t indices[] = {0, 1};
    memset(fixture, 0, sizeof *fixture);
    for (uint32_t i = 0; i < 2; i++)
        fixture->operands[i] =
            (struct hy_operand){.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                .lifetime = i ? HY_LIFETIME_OUTPUT : HY_LIFETIME_INPUT,
                                .rank = 2,
                                .dims = shape};
    fixture->operation = (struct hy_operation){
        .input_count = 1, .inputs = indices, .output_count = 1, .outputs = indices + 1};
    fixture->graph = (struct hy_subgraph){
        .struct_size = sizeof fixture->graph, .operand_count = 2, .operands = fixture->operands};
    fixture->model = (struct hy_model){.struct_size = sizeof fixture->model,
                                       .main = &fixture->graph,
                                       .values = fixture->values,
                                       .values_size = sizeof fixture->values};
    fixture->reader = (struct hy_model_reader){.host = hy_test_host(),
                                               .model = &fixture->model,
                                               .values = fixture->values,
                                               .limits = {4, 100}};
}

static const struct hy_operand *read_input(struct fixture *fixture)
{
    return hy_tensor_read_input(&fixture->reader, &fixture->operation, 0,
                                ANEURALNETWORKS_TENSOR_FLOAT32);
}

static const struct hy_operand *read_output(struct fixture *fixture, uint32_t rank,
                                            const uint32_t *dims)
{
    return hy_tensor_read_output(&fixture->reader, &fixture->operation, 0,
                                 ANEURALNETWORKS_TENSOR_FLOAT32, rank, dims);
}

TEST(tensor, has_elements_of_a_size)
{
    struct fixture fixture;
    fixture_open(&fixture);
    EXPECT_INT(hy_tensor_elements(&fixture.operands[0]), 6);
    EXPECT_INT(hy_tensor_element_size(ANEURALNETWORKS_TENSOR_FLOAT32), 4);
    EXPECT_INT(hy_tensor_element_size(ANEURALNETWORKS_TENSOR_FLOAT16), 2);
    EXPECT_INT(hy_tensor_element_size(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM), 1);
    EXPECT_INT(hy_tensor_element_size(ANEURALNETWORKS_FLOAT32), 0);
}

TEST(tensor, input_is_of_the_type_and_within_the_limits)
{
    static const uint32_t large[] = {2, 51};
    struct fixture fixture;
    fixture_open(&fixture);
    EXPECT(read_input(&fixture) == &fixture.operands[0]);
    fixture.operands[0].dims = large;
    EXPECT(read_input(&fixture) == NULL);
    fixture.operands[0].dims = shape;
    fixture.operands[0].type = ANEURALNETWORKS_TENSOR_INT32;
    EXPECT(read_input(&fixture) == NULL);
    EXPECT_CONTAINS(fixture.reader.reason, "input 0 has type 4, needs 3");
}

TEST(tensor, constant_input_has_all_its_bytes)
{
    struct fixture fixture;
    fixture_open(&fixture);
    fixture.operands[0].lifetime = HY_LIFETIME_CONSTANT_COPY;
    fixture.operands[0].location.length = sizeof fixture.values;
    EXPECT(read_input(&fixture) == &fixture.operands[0]);
    fixture.operands[0].location.length--;
    EXPECT(read_input(&fixture) == NULL);
}

TEST(tensor, output_is_writable_and_of_the_shape)
{
    static const uint32_t other[] = {2, 4};
    struct fixture fixture;
    fixture_open(&fixture);
    EXPECT(read_output(&fixture, 2, shape) == &fixture.operands[1]);
    EXPECT(read_output(&fixture, 2, other) == NULL);
    EXPECT_CONTAINS(fixture.reader.reason, "extent 1 of output 0 is 3, needs 4");
    EXPECT(read_output(&fixture, 1, shape) == NULL);
    fixture.operands[1].lifetime = HY_LIFETIME_INPUT;
    EXPECT(read_output(&fixture, 2, shape) == NULL);
    EXPECT_CONTAINS(fixture.reader.reason, "output 0 cannot be written");
}

TEST(tensor, shaped_input_has_exactly_the_shape)
{
    static const uint32_t other[] = {2, 4};
    struct fixture fixture;
    fixture_open(&fixture);
    EXPECT(hy_tensor_read_shaped(&fixture.reader, &fixture.operation, 0,
                                 ANEURALNETWORKS_TENSOR_FLOAT32, 2, shape) == &fixture.operands[0]);
    EXPECT(!hy_tensor_read_shaped(&fixture.reader, &fixture.operation, 0,
                                  ANEURALNETWORKS_TENSOR_FLOAT32, 2, other));
    EXPECT_STR(fixture.reader.reason, "extent 1 of input 0 is 3, needs 4");
    EXPECT(!hy_tensor_read_shaped(&fixture.reader, &fixture.operation, 0,
                                  ANEURALNETWORKS_TENSOR_FLOAT32, 1, shape));
    EXPECT_STR(fixture.reader.reason, "input 0 has rank 2, needs 1");
}

static bool read_optional(struct fixture *fixture, const struct hy_operand **operand)
{
    return hy_tensor_read_optional(&fixture->reader, &fixture->operation, 0,
                                   ANEURALNETWORKS_TENSOR_FLOAT32, 2, shape, operand);
}

TEST(tensor, optional_input_may_be_left_out_in_the_model_or_in_a_request)
{
    static const uint32_t unknown[] = {0, 3}, other[] = {0, 4};
    const struct hy_operand *operand;
    struct fixture fixture;
    fixture_open(&fixture);
    EXPECT(read_optional(&fixture, &operand) && operand == &fixture.operands[0]);
    fixture.operands[0].dims = unknown;
    EXPECT(read_optional(&fixture, &operand) && operand == &fixture.operands[0]);
    fixture.operands[0].lifetime = HY_LIFETIME_TEMPORARY; /* which no request leaves out */
    EXPECT(!read_optional(&fixture, &operand));
    fixture.operands[0].lifetime = HY_LIFETIME_INPUT;
    fixture.operands[0].dims = other;
    EXPECT(!read_optional(&fixture, &operand) && operand == NULL);
    EXPECT_STR(fixture.reader.reason, "extent 1 of input 0 is 4, needs 3");
    fixture.operands[0].rank = 0;
    EXPECT(read_optional(&fixture, &operand) && operand == &fixture.operands[0]);
    fixture.operands[0].type = ANEURALNETWORKS_TENSOR_INT32;
    EXPECT(!read_optional(&fixture, &operand));
    fixture.operands[0].lifetime = HY_LIFETIME_NO_VALUE;
    EXPECT(read_optional(&fixture, &operand) && operand == NULL);
}

TEST(tensor, shapes_are_broadcast_from_their_last_extents)
{
    static const uint32_t wide[] = {2, 1, 3}, narrow[] = {4, 1}, wrong[] = {2};
    struct hy_model_reader reader = {.model = NULL};
    uint32_t rank = 0, dims[HY_MAX_RANK];
    REQUIRE(hy_broadcast(&reader, 3, wide, 2, narrow, &rank, dims));
    EXPECT(rank == 3 && dims[0] == 2 && dims[1] == 4 && dims[2] == 3);
    REQUIRE(hy_broadcast(&reader, 2, narrow, 3, wide, &rank, dims));
    EXPECT(rank == 3 && dims[0] == 2 && dims[1] == 4 && dims[2] == 3);
    EXPECT(!hy_broadcast(&reader, 3, wide, 1, wrong, &rank, dims));
    EXPECT_STR(reader.reason, "extents 3 and 2 cannot be broadcast");
}
