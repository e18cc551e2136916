/* Operands of a model that nobody vouches for. */
#include "driver_kit/model_reader.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"

#include <android/NeuralNetworks.h>

#include <math.h>

enum { OPERANDS = 6 };

/* What the operands of the scene are. */
enum { TENSOR, NUMBER, FLAG, LEFT_OUT, IN_POOL, OUTPUT };

struct fixture {
    struct hy_model_reader reader;
    struct hy_model model;
    struct hy_subgraph graph;
    struct hy_operand operands[OPERANDS];
    struct hy_operation operation;
    uint32_t inputs[OPERANDS + 1], outputs[1];
    struct hy_pool pool;
    uint8_t values[8];
    float pool_values[4];
};

/* An operation whose input i is operand i, apart from the last input, which is no operand. */
static void fixture_open(struct fixture *fixture)
{
    static const uint32_t dims[] = {2, 3};
    const int32_t number = 7;
    *fixture = (struct fixture){
        .operands = {[TENSOR] = {.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                 .lifetime = HY_LIFETIME_INPUT,
                                 .rank = 2,
                                 .dims = dims},
                     [NUMBER] = {.type = ANEURALNETWORKS_INT32,
                                 .lifetime = HY_LIFETIME_CONSTANT_COPY,
                                 .location = {.length = 4}},
                     [FLAG] = {.type = ANEURALNETWORKS_BOOL,
                               .lifetime = HY_LIFETIME_CONSTANT_COPY,
                               .location = {.offset = 4, .length = 1}},
                     [LEFT_OUT] = {.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                   .lifetime = HY_LIFETIME_NO_VALUE},
                     [IN_POOL] = {.type = ANEURALNETWORKS_FLOAT32,
                                  .lifetime = HY_LIFETIME_CONSTANT_POOL,
                                  .location = {.offset = 4, .length = 4}},
                     [OUTPUT] = {.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                 .lifetime = HY_LIFETIME_OUTPUT}},
        .inputs = {0, 1, 2, 3, 4, 5, 99},
        .outputs = {OUTPUT},
        .pool_values = {1, 2, 3, 4},
    };
    memcpy(fixture->values, &number, sizeof number);
    fixture->operation = (struct hy_operation){.input_count = OPERANDS + 1,
                                               .inputs = fixture->inputs,
                                               .output_count = 1,
                                               .outputs = fixture->outputs};
    fixture->graph = (struct hy_subgraph){.struct_size = sizeof fixture->graph,
                                          .operand_count = OPERANDS,
                                          .operands = fixture->operands};
    fixture->pool = (struct hy_pool){.kind = HY_POOL_HOST,
                                     .protection = HY_PROTECT_READ,
                                     .size = sizeof fixture->pool_values,
                                     .address = fixture->pool_values};
    fixture->model = (struct hy_model){.struct_size = sizeof fixture->model,
                                       .main = &fixture->graph,
                                       .values = fixture->values,
                                       .values_size = sizeof fixture->values,
                                       .pool_count = 1,
                                       .pools = &fixture->pool};
    fixture->reader = (struct hy_model_reader){
        .host = hy_test_host(), .model = &fixture->model, .values = fixture->values};
}

TEST(model_reader, operands_have_a_value_and_exist)
{
    struct fixture fixture;

    fixture_open(&fixture);
    EXPECT(hy_read_input(&fixture.reader, &fixture.operation, TENSOR) == &fixture.operands[TENSOR]);
    EXPECT(hy_read_output(&fixture.reader, &fixture.operation, 0) == &fixture.operands[OUTPUT]);
    EXPECT(!hy_read_input(&fixture.reader, &fixture.operation, LEFT_OUT));
    EXPECT_STR(fixture.reader.reason, "input 3 is left out");
    EXPECT(!hy_read_input(&fixture.reader, &fixture.operation, OPERANDS));
    EXPECT_STR(fixture.reader.reason, "input 6 is operand 99 of 6");
    fixture.operands[OUTPUT].lifetime = HY_LIFETIME_SUBGRAPH;
    EXPECT(!hy_read_output(&fixture.reader, &fixture.operation, 0));
    EXPECT(hy_is_left_out(&fixture.reader, &fixture.operation, LEFT_OUT));
    EXPECT(!hy_is_left_out(&fixture.reader, &fixture.operation, TENSOR));
    EXPECT(!hy_is_left_out(&fixture.reader, &fixture.operation, OPERANDS));
}

TEST(model_reader, arguments_of_the_model_have_their_lifetimes)
{
    static const uint32_t inputs[] = {TENSOR, TENSOR}, outputs[] = {OUTPUT}, wrong[] = {OPERANDS};
    uint32_t indices[3] = {9, 9, 9};
    struct fixture fixture;

    fixture_open(&fixture);
    fixture.graph.input_count = 2;
    fixture.graph.inputs = inputs;
    fixture.graph.output_count = 1;
    fixture.graph.outputs = outputs;
    EXPECT(hy_read_model_arguments(&fixture.reader, indices));
    EXPECT(indices[0] == TENSOR && indices[1] == TENSOR && indices[2] == OUTPUT);
    fixture.graph.outputs = inputs;
    EXPECT(!hy_read_model_arguments(&fixture.reader, indices));
    EXPECT_STR(fixture.reader.reason,
               "an output of the model is operand 0, which does not exist or has another lifetime");
    fixture.graph.inputs = wrong;
    fixture.graph.input_count = 1;
    EXPECT(!hy_read_model_arguments(&fixture.reader, indices));
    EXPECT_STR(fixture.reader.reason,
               "an input of the model is operand 6, which does not exist or has another lifetime");
}

TEST(model_reader, views_of_an_older_version_are_not_whole)
{
    struct fixture fixture;

    fixture_open(&fixture);
    EXPECT(hy_model_is_whole(&fixture.model));
    fixture.graph.struct_size = offsetof(struct hy_subgraph, outputs);
    EXPECT(!hy_model_is_whole(&fixture.model));
    fixture_open(&fixture);
    fixture.model.struct_size = 8;
    EXPECT(!hy_model_is_whole(&fixture.model));
}

TEST(model_reader, extents_are_known_and_within_the_limits)
{
    static const struct {
        uint32_t rank, dims[4];
        const char *reason;
    } cases[] = {{0, {0}, "input 1 has rank 0, needs 1 to 3"},
                 {4, {1, 1, 1, 1}, "input 1 has rank 4, needs 1 to 3"},
                 {2, {5, 0}, "extent 1 of input 1 is not known"},
                 {3, {10, 10, 2}, "input 1 has more than 100 elements"},
                 {3, {UINT32_MAX, UINT32_MAX, 4}, "input 1 has more than 100 elements"}};
    const uint32_t dims[] = {10, 10};
    uint64_t elements = 0;
    struct fixture fixture;

    fixture_open(&fixture);
    fixture.reader.limits = (struct hy_extent_limits){.rank = 3, .elements = 100};
    EXPECT(hy_check_extents(&fixture.reader, "input", 1, 2, dims, &elements));
    EXPECT_INT(elements, 100);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        EXPECT(!hy_check_extents(&fixture.reader, "input", 1, cases[i].rank, cases[i].dims,
                                 &elements));
        EXPECT_STR(fixture.reader.reason, cases[i].reason);
    }
    EXPECT(!hy_check_extents(&fixture.reader, "input", 1, 2, NULL, &elements));
}

TEST(model_reader, quantisation_is_checked_by_type)
{
    static const struct {
        int32_t type;
        float scale;
        int32_t zero_point;
        bool is_fine;
    } cases[] = {
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, 255, true},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, 256, false},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, .5f, -1, false},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, .5f, -128, true},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, .5f, 128, false},
        {ANEURALNETWORKS_TENSOR_QUANT8_SYMM, .5f, 0, true},
        {ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 0, 0, false},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, -1, 0, false},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, NAN, 0, false},
        {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, INFINITY, 0, false},
        {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 1000, true},
    };
    struct fixture fixture;

    fixture_open(&fixture);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_INT(hy_check_quantisation(&fixture.reader, "output", 0, cases[i].type,
                                         cases[i].scale, cases[i].zero_point),
                   cases[i].is_fine);
    EXPECT_STR(fixture.reader.reason, "output 0 has scale inf, zero point 0");
}

TEST(model_reader, constants_are_read_from_values_and_pools)
{
    struct fixture fixture;
    int32_t number = 0;
    float real = 0;
    bool flag = true;

    fixture_open(&fixture);
    EXPECT(hy_read_i32(&fixture.reader, &fixture.operation, NUMBER, &number));
    EXPECT_INT(number, 7);
    EXPECT(hy_read_bool(&fixture.reader, &fixture.operation, FLAG, &flag));
    EXPECT(!flag);
    EXPECT(hy_read_f32(&fixture.reader, &fixture.operation, IN_POOL, &real));
    EXPECT(real == 2);
}

TEST(model_reader, constants_are_read_from_the_copy_of_the_values)
{
    const int32_t other = 9;
    struct fixture fixture;
    int32_t number = 0;

    fixture_open(&fixture);
    fixture.reader.values = (const uint8_t *)&other;
    EXPECT(hy_read_i32(&fixture.reader, &fixture.operation, NUMBER, &number));
    EXPECT_INT(number, 9);
}

TEST(model_reader, constants_outside_of_their_memory_are_refused)
{
    static const struct {
        uint32_t operand;
        struct hy_location location;
        const char *reason;
    } cases[] = {
        {NUMBER, {.offset = 5, .length = 4}, "outside the model's values"},
        {NUMBER, {.offset = UINT64_MAX, .length = 4}, "outside the model's values"},
        {NUMBER, {.length = 3}, "a constant needs 4 bytes, has 3"},
        {IN_POOL, {.offset = 13, .length = 4}, "does not fit its pool of 16 bytes"},
        {IN_POOL, {.offset = UINT64_MAX, .length = 4}, "does not fit its pool of 16 bytes"},
        {IN_POOL, {.pool = 1, .length = 4}, "lies in pool 1 of 1"},
    };
    struct fixture fixture;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture_open(&fixture);
        fixture.operands[cases[i].operand].location = cases[i].location;
        EXPECT(!hy_read_constant(&fixture.reader, &fixture.operands[cases[i].operand], 4));
        EXPECT_CONTAINS(fixture.reader.reason, cases[i].reason);
    }
    fixture_open(&fixture);
    fixture.pool.protection = 0;
    EXPECT(!hy_read_constant(&fixture.reader, &fixture.operands[IN_POOL], 4));
    EXPECT_CONTAINS(fixture.reader.reason, "cannot be mapped");
}

TEST(model_reader, scalars_have_the_type_and_are_constant)
{
    struct fixture fixture;
    int32_t number = 1;
    float real;

    fixture_open(&fixture);
    EXPECT(!hy_read_f32(&fixture.reader, &fixture.operation, NUMBER, &real));
    EXPECT_STR(fixture.reader.reason, "input 1 has type 1, needs the scalar type 0");
    fixture.operands[NUMBER].lifetime = HY_LIFETIME_INPUT;
    EXPECT(!hy_read_i32(&fixture.reader, &fixture.operation, NUMBER, &number));
    EXPECT_STR(fixture.reader.reason, "input 1 is not constant");
    EXPECT(!hy_read_i32(&fixture.reader, &fixture.operation, OPERANDS, &number));
    EXPECT_INT(number, 1);
}

TEST(model_reader, layout_flag_may_be_missing_and_not_set)
{
    struct fixture fixture;

    fixture_open(&fixture);
    EXPECT(hy_check_nhwc(&fixture.reader, &fixture.operation, FLAG));
    EXPECT(hy_check_nhwc(&fixture.reader, &fixture.operation, OPERANDS + 1));
    EXPECT(!hy_check_nhwc(&fixture.reader, &fixture.operation, NUMBER));
    fixture.values[4] = 1;
    EXPECT(!hy_check_nhwc(&fixture.reader, &fixture.operation, FLAG));
    EXPECT_STR(fixture.reader.reason, "channels first (NCHW) is not supported");
}

TEST(model_reader, axes_count_from_either_end)
{
    struct fixture fixture;
    uint32_t axis = 9;

    fixture_open(&fixture);
    EXPECT(hy_resolve_axis(&fixture.reader, 2, 3, &axis));
    EXPECT_INT(axis, 2);
    EXPECT(hy_resolve_axis(&fixture.reader, -3, 3, &axis));
    EXPECT_INT(axis, 0);
    EXPECT(!hy_resolve_axis(&fixture.reader, 3, 3, &axis));
    EXPECT(!hy_resolve_axis(&fixture.reader, -4, 3, &axis));
    EXPECT_STR(fixture.reader.reason, "the axis is -4 at rank 3");
    EXPECT(!hy_resolve_axis(&fixture.reader, INT32_MIN, 3, &axis));
}

TEST(model_reader, reasons_take_a_name_and_tell_want_of_memory)
{
    struct fixture fixture;

    fixture_open(&fixture);
    EXPECT(!hy_refuse(&fixture.reader, "input %d", 3));
    EXPECT(!hy_refuse_as(&fixture.reader, "ADD"));
    EXPECT_STR(fixture.reader.reason, "ADD: input 3");
    EXPECT(!fixture.reader.is_exhausted);
    EXPECT(!hy_refuse_exhausted(&fixture.reader));
    EXPECT(fixture.reader.is_exhausted);
    EXPECT_STR(fixture.reader.reason, "out of memory");
}
