/* Tensors of one type and of known shape. */
#include "driver_kit/tensor.h"
#include "support/test_host.h"
#include "test.h"

#include <android/NeuralNetworks.h>

#include <string.h>

static const uint32_t shape[] = {2, 3};

/* An operation with one input and one output, both float32 [2, 3]. */
struct scene {
    struct hy_model_reader reader;
    struct hy_model model;
    struct hy_subgraph graph;
    struct hy_operand operands[2];
    struct hy_operation operation;
    uint8_t values[24];
};

static void scene_open(struct scene *scene)
{
    static const uint32_t indices[] = {0, 1};
    memset(scene, 0, sizeof *scene);
    for (uint32_t i = 0; i < 2; i++)
        scene->operands[i] =
            (struct hy_operand){.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                .lifetime = i ? HY_LIFETIME_OUTPUT : HY_LIFETIME_INPUT,
                                .rank = 2,
                                .dims = shape};
    scene->operation = (struct hy_operation){
        .input_count = 1, .inputs = indices, .output_count = 1, .outputs = indices + 1};
    scene->graph = (struct hy_subgraph){
        .struct_size = sizeof scene->graph, .operand_count = 2, .operands = scene->operands};
    scene->model = (struct hy_model){.struct_size = sizeof scene->model,
                                     .main = &scene->graph,
                                     .values = scene->values,
                                     .values_size = sizeof scene->values};
    scene->reader = (struct hy_model_reader){.host = hy_test_host(),
                                             .model = &scene->model,
                                             .values = scene->values,
                                             .limits = {4, 100}};
}

static const struct hy_operand *read_input(struct scene *scene)
{
    return hy_tensor_read_input(&scene->reader, &scene->operation, 0,
                                ANEURALNETWORKS_TENSOR_FLOAT32);
}

static const struct hy_operand *read_output(struct scene *scene, uint32_t rank,
                                            const uint32_t *dims)
{
    return hy_tensor_read_output(&scene->reader, &scene->operation, 0,
                                 ANEURALNETWORKS_TENSOR_FLOAT32, rank, dims);
}

TEST(tensor, has_elements_of_a_size)
{
    struct scene scene;
    scene_open(&scene);
    EXPECT_INT(hy_tensor_elements(&scene.operands[0]), 6);
    EXPECT_INT(hy_tensor_element_size(ANEURALNETWORKS_TENSOR_FLOAT32), 4);
    EXPECT_INT(hy_tensor_element_size(ANEURALNETWORKS_TENSOR_FLOAT16), 2);
    EXPECT_INT(hy_tensor_element_size(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM), 1);
    EXPECT_INT(hy_tensor_element_size(ANEURALNETWORKS_FLOAT32), 0);
}

TEST(tensor, input_is_of_the_type_and_within_the_limits)
{
    static const uint32_t large[] = {2, 51};
    struct scene scene;
    scene_open(&scene);
    EXPECT(read_input(&scene) == &scene.operands[0]);
    scene.operands[0].dims = large;
    EXPECT(read_input(&scene) == NULL);
    scene.operands[0].dims = shape;
    scene.operands[0].type = ANEURALNETWORKS_TENSOR_INT32;
    EXPECT(read_input(&scene) == NULL);
    EXPECT_CONTAINS(scene.reader.reason, "input 0 has type 4, needs 3");
}

TEST(tensor, constant_input_has_all_its_bytes)
{
    struct scene scene;
    scene_open(&scene);
    scene.operands[0].lifetime = HY_LIFETIME_CONSTANT_COPY;
    scene.operands[0].location.length = sizeof scene.values;
    EXPECT(read_input(&scene) == &scene.operands[0]);
    scene.operands[0].location.length--;
    EXPECT(read_input(&scene) == NULL);
}

TEST(tensor, output_is_writable_and_of_the_shape)
{
    static const uint32_t other[] = {2, 4};
    struct scene scene;
    scene_open(&scene);
    EXPECT(read_output(&scene, 2, shape) == &scene.operands[1]);
    EXPECT(read_output(&scene, 2, other) == NULL);
    EXPECT_CONTAINS(scene.reader.reason, "extent 1 of output 0 is 3, needs 4");
    EXPECT(read_output(&scene, 1, shape) == NULL);
    scene.operands[1].lifetime = HY_LIFETIME_INPUT;
    EXPECT(read_output(&scene, 2, shape) == NULL);
    EXPECT_CONTAINS(scene.reader.reason, "output 0 cannot be written");
}

TEST(tensor, shaped_input_has_exactly_the_shape)
{
    static const uint32_t other[] = {2, 4};
    struct scene scene;
    scene_open(&scene);
    EXPECT(hy_tensor_read_shaped(&scene.reader, &scene.operation, 0, ANEURALNETWORKS_TENSOR_FLOAT32,
                                 2, shape) == &scene.operands[0]);
    EXPECT(!hy_tensor_read_shaped(&scene.reader, &scene.operation, 0,
                                  ANEURALNETWORKS_TENSOR_FLOAT32, 2, other));
    EXPECT_STR(scene.reader.reason, "extent 1 of input 0 is 3, needs 4");
    EXPECT(!hy_tensor_read_shaped(&scene.reader, &scene.operation, 0,
                                  ANEURALNETWORKS_TENSOR_FLOAT32, 1, shape));
    EXPECT_STR(scene.reader.reason, "input 0 has rank 2, needs 1");
}

static bool read_optional(struct scene *scene, const struct hy_operand **operand)
{
    return hy_tensor_read_optional(&scene->reader, &scene->operation, 0,
                                   ANEURALNETWORKS_TENSOR_FLOAT32, 2, shape, operand);
}

TEST(tensor, optional_input_may_be_left_out_in_the_model_or_in_a_request)
{
    static const uint32_t unknown[] = {0, 3}, other[] = {0, 4};
    const struct hy_operand *operand;
    struct scene scene;
    scene_open(&scene);
    EXPECT(read_optional(&scene, &operand) && operand == &scene.operands[0]);
    scene.operands[0].dims = unknown;
    EXPECT(read_optional(&scene, &operand) && operand == &scene.operands[0]);
    scene.operands[0].lifetime = HY_LIFETIME_TEMPORARY; /* which no request leaves out */
    EXPECT(!read_optional(&scene, &operand));
    scene.operands[0].lifetime = HY_LIFETIME_INPUT;
    scene.operands[0].dims = other;
    EXPECT(!read_optional(&scene, &operand) && operand == NULL);
    EXPECT_STR(scene.reader.reason, "extent 1 of input 0 is 4, needs 3");
    scene.operands[0].rank = 0;
    EXPECT(read_optional(&scene, &operand) && operand == &scene.operands[0]);
    scene.operands[0].type = ANEURALNETWORKS_TENSOR_INT32;
    EXPECT(!read_optional(&scene, &operand));
    scene.operands[0].lifetime = HY_LIFETIME_NO_VALUE;
    EXPECT(read_optional(&scene, &operand) && operand == NULL);
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
