/* Tensors of one type and of known shape. */
#include "driver_kit/tensor.h"
#include "support/test_host.h"
#include "test.h"

#include <android/NeuralNetworks.h>

#include <string.h>

static const struct hy_extent_limits limits = {.rank = 4, .elements = 100};
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
    scene->reader = (struct hy_model_reader){
        .host = hy_test_host(), .model = &scene->model, .values = scene->values};
}

static const struct hy_operand *read_input(struct scene *scene)
{
    return hy_tensor_read_input(&scene->reader, &scene->operation, 0,
                                ANEURALNETWORKS_TENSOR_FLOAT32, &limits);
}

static const struct hy_operand *read_output(struct scene *scene, uint32_t rank,
                                            const uint32_t *dims)
{
    return hy_tensor_read_output(&scene->reader, &scene->operation, 0,
                                 ANEURALNETWORKS_TENSOR_FLOAT32, rank, dims, &limits);
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
