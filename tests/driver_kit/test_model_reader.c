/* Operands of a model that nobody vouches for. */
#include "driver_kit/model_reader.h"
#include "support/test_host.h"
#include "test.h"

#include <android/NeuralNetworks.h>

#include <math.h>

enum { OPERANDS = 6 };

/* What the operands of the scene are. */
enum { TENSOR, NUMBER, FLAG, LEFT_OUT, IN_POOL, OUTPUT };

struct scene {
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
static void scene_open(struct scene *scene)
{
    static const uint32_t dims[] = {2, 3};
    const int32_t number = 7;
    *scene = (struct scene){
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
    memcpy(scene->values, &number, sizeof number);
    scene->operation = (struct hy_operation){.input_count = OPERANDS + 1,
                                             .inputs = scene->inputs,
                                             .output_count = 1,
                                             .outputs = scene->outputs};
    scene->graph = (struct hy_subgraph){
        .struct_size = sizeof scene->graph, .operand_count = OPERANDS, .operands = scene->operands};
    scene->pool = (struct hy_pool){.kind = HY_POOL_HOST,
                                   .protection = HY_PROTECT_READ,
                                   .size = sizeof scene->pool_values,
                                   .address = scene->pool_values};
    scene->model = (struct hy_model){.struct_size = sizeof scene->model,
                                     .main = &scene->graph,
                                     .values = scene->values,
                                     .values_size = sizeof scene->values,
                                     .pool_count = 1,
                                     .pools = &scene->pool};
    scene->reader = (struct hy_model_reader){
        .host = hy_test_host(), .model = &scene->model, .values = scene->values};
}

TEST(model_reader, operands_have_a_value_and_exist)
{
    struct scene scene;

    scene_open(&scene);
    EXPECT(hy_read_input(&scene.reader, &scene.operation, TENSOR) == &scene.operands[TENSOR]);
    EXPECT(hy_read_output(&scene.reader, &scene.operation, 0) == &scene.operands[OUTPUT]);
    EXPECT(!hy_read_input(&scene.reader, &scene.operation, LEFT_OUT));
    EXPECT_STR(scene.reader.reason, "input 3 is left out");
    EXPECT(!hy_read_input(&scene.reader, &scene.operation, OPERANDS));
    EXPECT_STR(scene.reader.reason, "input 6 is operand 99 of 6");
    scene.operands[OUTPUT].lifetime = HY_LIFETIME_SUBGRAPH;
    EXPECT(!hy_read_output(&scene.reader, &scene.operation, 0));
    EXPECT(hy_is_left_out(&scene.reader, &scene.operation, LEFT_OUT));
    EXPECT(!hy_is_left_out(&scene.reader, &scene.operation, TENSOR));
    EXPECT(!hy_is_left_out(&scene.reader, &scene.operation, OPERANDS));
}

TEST(model_reader, arguments_of_the_model_have_their_lifetimes)
{
    static const uint32_t inputs[] = {TENSOR, TENSOR}, outputs[] = {OUTPUT}, wrong[] = {OPERANDS};
    uint32_t indices[3] = {9, 9, 9};
    struct scene scene;

    scene_open(&scene);
    scene.graph.input_count = 2;
    scene.graph.inputs = inputs;
    scene.graph.output_count = 1;
    scene.graph.outputs = outputs;
    EXPECT(hy_read_model_arguments(&scene.reader, indices));
    EXPECT(indices[0] == TENSOR && indices[1] == TENSOR && indices[2] == OUTPUT);
    scene.graph.outputs = inputs;
    EXPECT(!hy_read_model_arguments(&scene.reader, indices));
    EXPECT_STR(scene.reader.reason, "an output of the model is operand 0, which is none");
    scene.graph.inputs = wrong;
    scene.graph.input_count = 1;
    EXPECT(!hy_read_model_arguments(&scene.reader, indices));
    EXPECT_STR(scene.reader.reason, "an input of the model is operand 6, which is none");
}

TEST(model_reader, views_of_an_older_version_are_not_whole)
{
    struct scene scene;

    scene_open(&scene);
    EXPECT(hy_model_is_whole(&scene.model));
    scene.graph.struct_size = offsetof(struct hy_subgraph, outputs);
    EXPECT(!hy_model_is_whole(&scene.model));
    scene_open(&scene);
    scene.model.struct_size = 8;
    EXPECT(!hy_model_is_whole(&scene.model));
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
    struct scene scene;

    scene_open(&scene);
    scene.reader.limits = (struct hy_extent_limits){.rank = 3, .elements = 100};
    EXPECT(hy_check_extents(&scene.reader, "input", 1, 2, dims, &elements));
    EXPECT_INT(elements, 100);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        EXPECT(
            !hy_check_extents(&scene.reader, "input", 1, cases[i].rank, cases[i].dims, &elements));
        EXPECT_STR(scene.reader.reason, cases[i].reason);
    }
    EXPECT(!hy_check_extents(&scene.reader, "input", 1, 2, NULL, &elements));
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
    struct scene scene;

    scene_open(&scene);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT_INT(hy_check_quantisation(&scene.reader, "output", 0, cases[i].type, cases[i].scale,
                                         cases[i].zero_point),
                   cases[i].is_fine);
    EXPECT_STR(scene.reader.reason, "output 0 has scale inf, zero point 0");
}

TEST(model_reader, constants_are_read_from_values_and_pools)
{
    struct scene scene;
    int32_t number = 0;
    float real = 0;
    bool flag = true;

    scene_open(&scene);
    EXPECT(hy_read_i32(&scene.reader, &scene.operation, NUMBER, &number));
    EXPECT_INT(number, 7);
    EXPECT(hy_read_bool(&scene.reader, &scene.operation, FLAG, &flag));
    EXPECT(!flag);
    EXPECT(hy_read_f32(&scene.reader, &scene.operation, IN_POOL, &real));
    EXPECT(real == 2);
}

TEST(model_reader, constants_are_read_from_the_copy_of_the_values)
{
    const int32_t other = 9;
    struct scene scene;
    int32_t number = 0;

    scene_open(&scene);
    scene.reader.values = (const uint8_t *)&other;
    EXPECT(hy_read_i32(&scene.reader, &scene.operation, NUMBER, &number));
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
        {NUMBER, {.length = 3}, "4 bytes is needed, not one of 3"},
        {IN_POOL, {.offset = 13, .length = 4}, "leaves its pool of 16 bytes"},
        {IN_POOL, {.offset = UINT64_MAX, .length = 4}, "leaves its pool of 16 bytes"},
        {IN_POOL, {.pool = 1, .length = 4}, "lies in pool 1 of 1"},
    };
    struct scene scene;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene_open(&scene);
        scene.operands[cases[i].operand].location = cases[i].location;
        EXPECT(!hy_read_constant(&scene.reader, &scene.operands[cases[i].operand], 4));
        EXPECT_CONTAINS(scene.reader.reason, cases[i].reason);
    }
    scene_open(&scene);
    scene.pool.protection = 0;
    EXPECT(!hy_read_constant(&scene.reader, &scene.operands[IN_POOL], 4));
    EXPECT_CONTAINS(scene.reader.reason, "cannot be mapped");
}

TEST(model_reader, scalars_have_the_type_and_are_constant)
{
    struct scene scene;
    int32_t number = 1;
    float real;

    scene_open(&scene);
    EXPECT(!hy_read_f32(&scene.reader, &scene.operation, NUMBER, &real));
    EXPECT_STR(scene.reader.reason, "input 1 has type 1, needs the scalar type 0");
    scene.operands[NUMBER].lifetime = HY_LIFETIME_INPUT;
    EXPECT(!hy_read_i32(&scene.reader, &scene.operation, NUMBER, &number));
    EXPECT_STR(scene.reader.reason, "input 1 is not constant");
    EXPECT(!hy_read_i32(&scene.reader, &scene.operation, OPERANDS, &number));
    EXPECT_INT(number, 1);
}

TEST(model_reader, layout_flag_may_be_missing_and_not_set)
{
    struct scene scene;

    scene_open(&scene);
    EXPECT(hy_check_nhwc(&scene.reader, &scene.operation, FLAG));
    EXPECT(hy_check_nhwc(&scene.reader, &scene.operation, OPERANDS + 1));
    EXPECT(!hy_check_nhwc(&scene.reader, &scene.operation, NUMBER));
    scene.values[4] = 1;
    EXPECT(!hy_check_nhwc(&scene.reader, &scene.operation, FLAG));
    EXPECT_STR(scene.reader.reason, "channels first (NCHW) is not supported");
}

TEST(model_reader, axes_count_from_either_end)
{
    struct scene scene;
    uint32_t axis = 9;

    scene_open(&scene);
    EXPECT(hy_resolve_axis(&scene.reader, 2, 3, &axis));
    EXPECT_INT(axis, 2);
    EXPECT(hy_resolve_axis(&scene.reader, -3, 3, &axis));
    EXPECT_INT(axis, 0);
    EXPECT(!hy_resolve_axis(&scene.reader, 3, 3, &axis));
    EXPECT(!hy_resolve_axis(&scene.reader, -4, 3, &axis));
    EXPECT_STR(scene.reader.reason, "the axis is -4 at rank 3");
    EXPECT(!hy_resolve_axis(&scene.reader, INT32_MIN, 3, &axis));
}

TEST(model_reader, reasons_take_a_name_and_tell_want_of_memory)
{
    struct scene scene;

    scene_open(&scene);
    EXPECT(!hy_refuse(&scene.reader, "input %d", 3));
    EXPECT(!hy_refuse_as(&scene.reader, "ADD"));
    EXPECT_STR(scene.reader.reason, "ADD: input 3");
    EXPECT(!scene.reader.is_exhausted);
    EXPECT(!hy_refuse_exhausted(&scene.reader));
    EXPECT(scene.reader.is_exhausted);
    EXPECT_STR(scene.reader.reason, "out of memory");
}
