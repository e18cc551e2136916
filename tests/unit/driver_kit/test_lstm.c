/* The operands of LSTM. */
#include "driver_kit/lstm.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"

#include <android/NeuralNetworks.h>

#include <string.h>

enum { B = 2, I = 3, U = 4, O = 5, OPERANDS = HY_LSTM_INPUTS + HY_LSTM_OUTPUTS };

/* Operands in the order of the operation: inputs, then outputs. */
struct fixture {
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

static void set(struct fixture *fixture, uint32_t number, int32_t lifetime, uint32_t rank,
                uint32_t first, uint32_t second)
{
    fixture->dims[number][0] = first;
    fixture->dims[number][1] = second;
    fixture->operands[number] = (struct hy_operand){.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                                    .lifetime = lifetime,
                                                    .rank = rank,
                                                    .dims = fixture->dims[number]};
}

static void set_scalar(struct fixture *fixture, uint32_t number, int32_t type)
{
    fixture->operands[number] =
        (struct hy_operand){.type = type,
                            .lifetime = HY_LIFETIME_CONSTANT_COPY,
                            .location = {.offset = 4 * (number - 20), .length = 4}};
}

/* A cell with all there is, whose tensors all come with requests. */
static void fixture_open(struct fixture *fixture)
{
    static const uint32_t columns[HY_LSTM_OUTPUTS] = {4 * U, O, U, O};
    const int32_t input = HY_LIFETIME_INPUT;
    memset(fixture, 0, sizeof *fixture);
    set(fixture, HY_LSTM_INPUT, input, 2, B, I);
    for (uint32_t gate = 0; gate < 4; gate++) {
        set(fixture, HY_LSTM_WEIGHTS + gate, input, 2, U, I);
        set(fixture, HY_LSTM_RECURRENT + gate, input, 2, U, O);
        set(fixture, HY_LSTM_BIASES + gate, input, 1, U, 0);
        set(fixture, HY_LSTM_NORMS + gate, input, 1, U, 0);
    }
    for (uint32_t i = 0; i < 3; i++)
        set(fixture, HY_LSTM_PEEPHOLES + i, input, 1, U, 0);
    set(fixture, HY_LSTM_PROJECTION, input, 2, O, U);
    set(fixture, HY_LSTM_PROJECTION_BIAS, input, 1, O, 0);
    set(fixture, HY_LSTM_OUTPUT_STATE, input, 2, B, O);
    set(fixture, HY_LSTM_CELL_STATE, input, 2, B, U);
    set_scalar(fixture, HY_LSTM_ACTIVATION, ANEURALNETWORKS_INT32);
    set_scalar(fixture, HY_LSTM_CELL_CLIP, ANEURALNETWORKS_FLOAT32);
    set_scalar(fixture, HY_LSTM_PROJECTION_CLIP, ANEURALNETWORKS_FLOAT32);
    for (uint32_t i = 0; i < HY_LSTM_OUTPUTS; i++)
        set(fixture, HY_LSTM_INPUTS + i, HY_LIFETIME_OUTPUT, 2, B, columns[i]);
    for (uint32_t i = 0; i < OPERANDS; i++)
        fixture->indices[i] = i;
    fixture->values.activation = 4;
    fixture->operation = (struct hy_operation){.input_count = HY_LSTM_INPUTS,
                                               .inputs = fixture->indices,
                                               .output_count = HY_LSTM_OUTPUTS,
                                               .outputs = fixture->indices + HY_LSTM_INPUTS};
    fixture->graph = (struct hy_subgraph){.struct_size = sizeof fixture->graph,
                                          .operand_count = OPERANDS,
                                          .operands = fixture->operands};
    fixture->model = (struct hy_model){.struct_size = sizeof fixture->model,
                                       .main = &fixture->graph,
                                       .values_size = sizeof fixture->values};
    fixture->reader = (struct hy_model_reader){.host = hy_test_host(),
                                               .model = &fixture->model,
                                               .values = (const uint8_t *)&fixture->values,
                                               .limits = {4, 1000}};
}

static void leave_out(struct fixture *fixture, uint32_t number)
{
    fixture->operands[number].lifetime = HY_LIFETIME_NO_VALUE;
}

TEST(lstm, all_operands_are_read)
{
    struct fixture fixture;
    struct hy_lstm_form lstm;
    uint32_t dims[2];

    fixture_open(&fixture);
    fixture.values.clips[1] = 0.5f;
    REQUIRE(hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
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
    struct fixture fixture;
    struct hy_lstm_form lstm;

    fixture_open(&fixture);
    fixture.operation.input_count = 23; /* no normalisation */
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        leave_out(&fixture, absent[i]);
    fixture.dims[HY_LSTM_INPUTS][1] = 3 * U;
    REQUIRE(hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
    EXPECT_INT(lstm.gates, 3);
    EXPECT_INT(lstm.optional, 1 << HY_LSTM_PROJECTION);
    EXPECT(hy_lstm_form_is_whole(&lstm, lstm.present));
    EXPECT(!hy_lstm_form_is_whole(&lstm, lstm.present & ~(1u << HY_LSTM_PROJECTION)));
}

TEST(lstm, optional_inputs_of_the_model_may_have_open_extents)
{
    struct fixture fixture;
    struct hy_lstm_form lstm;

    fixture_open(&fixture);
    fixture.dims[HY_LSTM_PROJECTION][0] = 0;
    fixture.operands[HY_LSTM_NORMS].rank = 0;
    EXPECT(hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
    fixture.dims[HY_LSTM_WEIGHTS + HY_LSTM_CELL][0] = 0;
    EXPECT(!hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
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
    struct fixture fixture;
    struct hy_lstm_form lstm;

    fixture_open(&fixture);
    fixture.dims[HY_LSTM_WEIGHTS + HY_LSTM_CELL][1]++;
    EXPECT(!hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
    EXPECT_STR(fixture.reader.reason, "input-to-cell weights: extent 1 of input 3 is 4, needs 3");
    fixture_open(&fixture);
    leave_out(&fixture, HY_LSTM_WEIGHTS + HY_LSTM_FORGET_GATE);
    EXPECT(!hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
    EXPECT_CONTAINS(fixture.reader.reason, "input 2 is left out");
    fixture_open(&fixture);
    fixture.operands[HY_LSTM_INPUT].rank = 1;
    EXPECT(!hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
    EXPECT_CONTAINS(fixture.reader.reason, "have ranks 1 and 2, need 2");
    fixture_open(&fixture);
    fixture.values.activation = 2;
    EXPECT(!hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
    EXPECT_CONTAINS(fixture.reader.reason, "the activation is 2");
    fixture_open(&fixture);
    fixture.values.clips[0] = -1;
    EXPECT(!hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
    EXPECT_CONTAINS(fixture.reader.reason, "the cell clip is -1");
    fixture_open(&fixture);
    fixture.dims[HY_LSTM_INPUTS][1] = 2 * U;
    EXPECT(!hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
    EXPECT_CONTAINS(fixture.reader.reason, "extent 1 of output 0");
    fixture_open(&fixture);
    fixture.operation.input_count = 20;
    EXPECT(!hy_lstm_form_read(&fixture.reader, &fixture.operation, &lstm));
    EXPECT_CONTAINS(fixture.reader.reason, "20 inputs and 4 outputs");
}
