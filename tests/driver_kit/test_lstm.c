/* The operands of LSTM. */
#include "driver_kit/lstm.h"
#include "support/test_host.h"
#include "test.h"

#include <android/NeuralNetworks.h>

#include <string.h>

enum { B = 2, I = 3, U = 4, O = 5, OPERANDS = HY_LSTM_INPUTS + HY_LSTM_OUTPUTS };

/* Operands in the order of the operation: inputs, then outputs. */
struct scene {
    struct hy_model_reader reader;
    struct hy_model model;
    struct hy_subgraph graph;
    struct hy_operand operands[OPERANDS];
    uint32_t dims[OPERANDS][2], indices[OPERANDS];
    struct hy_operation operation;
    struct {
        int32_t activation;
        float clips[2];
    } values;
};

static void set(struct scene *scene, uint32_t number, int32_t lifetime, uint32_t rank,
                uint32_t first, uint32_t second)
{
    scene->dims[number][0] = first;
    scene->dims[number][1] = second;
    scene->operands[number] = (struct hy_operand){.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                                  .lifetime = lifetime,
                                                  .rank = rank,
                                                  .dims = scene->dims[number]};
}

static void set_scalar(struct scene *scene, uint32_t number, int32_t type)
{
    scene->operands[number] =
        (struct hy_operand){.type = type,
                            .lifetime = HY_LIFETIME_CONSTANT_COPY,
                            .location = {.offset = 4 * (number - 20), .length = 4}};
}

/* A cell with all there is, whose tensors all come with requests. */
static void scene_open(struct scene *scene)
{
    static const uint32_t columns[HY_LSTM_OUTPUTS] = {4 * U, O, U, O};
    const int32_t input = HY_LIFETIME_INPUT;
    memset(scene, 0, sizeof *scene);
    set(scene, HY_LSTM_INPUT, input, 2, B, I);
    for (uint32_t gate = 0; gate < 4; gate++) {
        set(scene, HY_LSTM_WEIGHTS + gate, input, 2, U, I);
        set(scene, HY_LSTM_RECURRENT + gate, input, 2, U, O);
        set(scene, HY_LSTM_BIASES + gate, input, 1, U, 0);
        set(scene, HY_LSTM_NORMS + gate, input, 1, U, 0);
    }
    for (uint32_t i = 0; i < 3; i++)
        set(scene, HY_LSTM_PEEPHOLES + i, input, 1, U, 0);
    set(scene, HY_LSTM_PROJECTION, input, 2, O, U);
    set(scene, HY_LSTM_PROJECTION_BIAS, input, 1, O, 0);
    set(scene, HY_LSTM_OUTPUT_STATE, input, 2, B, O);
    set(scene, HY_LSTM_CELL_STATE, input, 2, B, U);
    set_scalar(scene, HY_LSTM_ACTIVATION, ANEURALNETWORKS_INT32);
    set_scalar(scene, HY_LSTM_CELL_CLIP, ANEURALNETWORKS_FLOAT32);
    set_scalar(scene, HY_LSTM_PROJECTION_CLIP, ANEURALNETWORKS_FLOAT32);
    for (uint32_t i = 0; i < HY_LSTM_OUTPUTS; i++)
        set(scene, HY_LSTM_INPUTS + i, HY_LIFETIME_OUTPUT, 2, B, columns[i]);
    for (uint32_t i = 0; i < OPERANDS; i++)
        scene->indices[i] = i;
    scene->values.activation = 4;
    scene->operation = (struct hy_operation){.input_count = HY_LSTM_INPUTS,
                                             .inputs = scene->indices,
                                             .output_count = HY_LSTM_OUTPUTS,
                                             .outputs = scene->indices + HY_LSTM_INPUTS};
    scene->graph = (struct hy_subgraph){
        .struct_size = sizeof scene->graph, .operand_count = OPERANDS, .operands = scene->operands};
    scene->model = (struct hy_model){.struct_size = sizeof scene->model,
                                     .main = &scene->graph,
                                     .values_size = sizeof scene->values};
    scene->reader = (struct hy_model_reader){.host = hy_test_host(),
                                             .model = &scene->model,
                                             .values = (const uint8_t *)&scene->values,
                                             .limits = {4, 1000}};
}

static void leave_out(struct scene *scene, uint32_t number)
{
    scene->operands[number].lifetime = HY_LIFETIME_NO_VALUE;
}

TEST(lstm, all_operands_are_read)
{
    struct scene scene;
    struct hy_lstm_form lstm;
    uint32_t dims[2];

    scene_open(&scene);
    scene.values.clips[1] = 0.5f;
    REQUIRE(hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
    EXPECT(lstm.batches == B && lstm.inputs == I && lstm.units == U && lstm.outputs == O);
    EXPECT_INT(lstm.gates, 4);
    EXPECT_INT(lstm.activation, 4);
    EXPECT(lstm.cell_clip == 0 && lstm.projection_clip == 0.5f);
    EXPECT_INT(lstm.present, 0x78fffff); /* all but the scalars */
    EXPECT_INT(lstm.optional, 1 << 1 | 1 << 5 | 7 << 9 | 1 << 12 | 3 << 16 | 15 << 23);
    EXPECT_INT(hy_lstm_form_shape(&lstm, HY_LSTM_PROJECTION, dims), 2);
    EXPECT(dims[0] == O && dims[1] == U);
    EXPECT_INT(hy_lstm_form_shape(&lstm, HY_LSTM_NORMS, dims), 1);
    EXPECT_INT(hy_lstm_form_shape(&lstm, HY_LSTM_CELL_CLIP, dims), 0);
}

TEST(lstm, tensors_that_the_model_leaves_out_are_not_present)
{
    static const uint32_t absent[] = {1, 5, 9, 10, 11, 12, 17};
    struct scene scene;
    struct hy_lstm_form lstm;

    scene_open(&scene);
    scene.operation.input_count = 23; /* no normalisation */
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        leave_out(&scene, absent[i]);
    scene.dims[HY_LSTM_INPUTS][1] = 3 * U;
    REQUIRE(hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
    EXPECT_INT(lstm.gates, 3);
    EXPECT_INT(lstm.optional, 1 << HY_LSTM_PROJECTION);
    EXPECT(hy_lstm_form_is_whole(&lstm, lstm.present));
    EXPECT(!hy_lstm_form_is_whole(&lstm, lstm.present & ~(1u << HY_LSTM_PROJECTION)));
}

TEST(lstm, optional_inputs_of_the_model_may_have_open_extents)
{
    struct scene scene;
    struct hy_lstm_form lstm;

    scene_open(&scene);
    scene.dims[HY_LSTM_PROJECTION][0] = 0;
    scene.operands[HY_LSTM_NORMS].rank = 0;
    EXPECT(hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
    scene.dims[HY_LSTM_WEIGHTS + HY_LSTM_CELL][0] = 0;
    EXPECT(!hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
}

TEST(lstm, gates_peepholes_and_norms_are_whole_or_absent)
{
    static const uint32_t halves[] = {
        HY_LSTM_WEIGHTS,       HY_LSTM_RECURRENT,     HY_LSTM_BIASES,    HY_LSTM_PEEPHOLES,
        HY_LSTM_PEEPHOLES + 2, HY_LSTM_NORMS,         HY_LSTM_NORMS + 1, HY_LSTM_NORMS + 2,
        HY_LSTM_NORMS + 3,     HY_LSTM_PEEPHOLES + 1, HY_LSTM_PROJECTION};
    const struct hy_lstm_form lstm = {.units = U, .outputs = O, .gates = 4};
    const uint32_t all = 0x78fffff;

    EXPECT(hy_lstm_form_is_whole(&lstm, all));
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        EXPECT(!hy_lstm_form_is_whole(&lstm, all & ~(1u << halves[i])));
    EXPECT(hy_lstm_form_is_whole(&lstm, all & ~(7u << HY_LSTM_PEEPHOLES)));
    EXPECT(hy_lstm_form_is_whole(&lstm, all & ~(15u << HY_LSTM_NORMS)));
    EXPECT(hy_lstm_form_is_whole(&lstm, all & ~(1u << HY_LSTM_PROJECTION_BIAS)));
}

TEST(lstm, what_does_not_fit_is_refused_with_a_reason)
{
    struct scene scene;
    struct hy_lstm_form lstm;

    scene_open(&scene);
    scene.dims[HY_LSTM_WEIGHTS + HY_LSTM_CELL][1]++;
    EXPECT(!hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
    EXPECT_STR(scene.reader.reason, "input-to-cell weights: extent 1 of input 3 is 4, needs 3");
    scene_open(&scene);
    leave_out(&scene, HY_LSTM_WEIGHTS + HY_LSTM_FORGET_GATE);
    EXPECT(!hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
    EXPECT_CONTAINS(scene.reader.reason, "input 2 is left out");
    scene_open(&scene);
    scene.operands[HY_LSTM_INPUT].rank = 1;
    EXPECT(!hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
    EXPECT_CONTAINS(scene.reader.reason, "have ranks 1 and 2, need 2");
    scene_open(&scene);
    scene.values.activation = 2;
    EXPECT(!hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
    EXPECT_CONTAINS(scene.reader.reason, "the activation is 2");
    scene_open(&scene);
    scene.values.clips[0] = -1;
    EXPECT(!hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
    EXPECT_CONTAINS(scene.reader.reason, "the cell clip is -1");
    scene_open(&scene);
    scene.dims[HY_LSTM_INPUTS][1] = 2 * U;
    EXPECT(!hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
    EXPECT_CONTAINS(scene.reader.reason, "extent 1 of output 0");
    scene_open(&scene);
    scene.operation.input_count = 20;
    EXPECT(!hy_lstm_form_read(&scene.reader, &scene.operation, &lstm));
    EXPECT_CONTAINS(scene.reader.reason, "20 inputs and 4 outputs");
}
