#include "driver_kit/lstm.h"

#include "driver_kit/tensor.h"

#include <android/NeuralNetworks.h>

/* Names of the extents. */
enum extent { NONE, BATCHES, INPUTS, UNITS, OUTPUTS };

/* The shape of each input; scalars have no extents. */
static const struct operand {
    const char *name;
    uint8_t extents[2];
    bool is_optional;
} operands[HY_LSTM_INPUTS] = {
    {"the input", {BATCHES, INPUTS}, false},
    {"input-to-input weights", {UNITS, INPUTS}, true},
    {"input-to-forget weights", {UNITS, INPUTS}, false},
    {"input-to-cell weights", {UNITS, INPUTS}, false},
    {"input-to-output weights", {UNITS, INPUTS}, false},
    {"recurrent-to-input weights", {UNITS, OUTPUTS}, true},
    {"recurrent-to-forget weights", {UNITS, OUTPUTS}, false},
    {"recurrent-to-cell weights", {UNITS, OUTPUTS}, false},
    {"recurrent-to-output weights", {UNITS, OUTPUTS}, false},
    {"cell-to-input weights", {UNITS}, true},
    {"cell-to-forget weights", {UNITS}, true},
    {"cell-to-output weights", {UNITS}, true},
    {"the input gate's bias", {UNITS}, true},
    {"the forget gate's bias", {UNITS}, false},
    {"the cell's bias", {UNITS}, false},
    {"the output gate's bias", {UNITS}, false},
    {"projection weights", {OUTPUTS, UNITS}, true},
    {"the projection's bias", {OUTPUTS}, true},
    {"the output state", {BATCHES, OUTPUTS}, false},
    {"the cell state", {BATCHES, UNITS}, false},
    {.name = "the activation"},
    {.name = "the cell clip"},
    {.name = "the projection clip"},
    {"the input gate's norm", {UNITS}, true},
    {"the forget gate's norm", {UNITS}, true},
    {"the cell's norm", {UNITS}, true},
    {"the output gate's norm", {UNITS}, true},
};

uint32_t hy_lstm_form_shape(const struct hy_lstm_form *lstm, uint32_t number, uint32_t dims[2])
{
    const uint32_t extents[] = {[NONE] = 0,
                                [BATCHES] = lstm->batches,
                                [INPUTS] = lstm->inputs,
                                [UNITS] = lstm->units,
                                [OUTPUTS] = lstm->outputs};
    const uint8_t *names = operands[number].extents;
    dims[0] = extents[names[0]];
    dims[1] = extents[names[1]];
    return (names[0] != NONE) + (names[1] != NONE);
}

bool hy_lstm_form_is_whole(const struct hy_lstm_form *lstm, uint32_t present)
{
#define HAS(number) ((present >> (number)&1) != 0)
    const bool has_gate = HAS(HY_LSTM_WEIGHTS), has_norm = HAS(HY_LSTM_NORMS + 1);
    const bool has_peepholes = HAS(HY_LSTM_PEEPHOLES + 1);
    const bool is_gate_whole = HAS(HY_LSTM_RECURRENT) == has_gate &&
                               HAS(HY_LSTM_BIASES) == has_gate &&
                               HAS(HY_LSTM_NORMS) == (has_gate && has_norm) &&
                               (!has_gate || HAS(HY_LSTM_PEEPHOLES) == has_peepholes);
    return is_gate_whole && lstm->gates == (has_gate ? 4 : 3) &&
           HAS(HY_LSTM_PEEPHOLES + 2) == has_peepholes && HAS(HY_LSTM_NORMS + 2) == has_norm &&
           HAS(HY_LSTM_NORMS + 3) == has_norm &&
           (HAS(HY_LSTM_PROJECTION) ||
            (!HAS(HY_LSTM_PROJECTION_BIAS) && lstm->outputs == lstm->units));
#undef HAS
}

/* Reads the extents that determine all others. */
static bool read_extents(struct hy_model_reader *reader, const struct hy_operation *operation,
                         struct hy_lstm_form *lstm)
{
    const int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32;
    const uint32_t number = HY_LSTM_RECURRENT + HY_LSTM_FORGET_GATE;
    const struct hy_operand *input = hy_tensor_read_input(reader, operation, 0, type);
    const struct hy_operand *recurrent =
        input ? hy_tensor_read_input(reader, operation, number, type) : NULL;
    if (!recurrent)
        return false;
    if (input->rank != 2 || recurrent->rank != 2)
        return hy_refuse(reader, "the input and %s have ranks %u and %u, need 2",
                         operands[number].name, input->rank, recurrent->rank);
    *lstm = (struct hy_lstm_form){.batches = input->dims[0],
                                  .inputs = input->dims[1],
                                  .units = recurrent->dims[0],
                                  .outputs = recurrent->dims[1]};
    return true;
}

/* Checks one tensor, which is omitted, an input of the model, or a constant. */
static bool read_tensor(struct hy_model_reader *reader, const struct hy_operation *operation,
                        uint32_t number, struct hy_lstm_form *lstm)
{
    const int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32;
    const bool is_optional = operands[number].is_optional;
    const struct hy_operand *operand = NULL;
    uint32_t dims[2];
    const uint32_t rank = hy_lstm_form_shape(lstm, number, dims);
    if (rank == 0)
        return true;
    if (!is_optional)
        operand = hy_tensor_read_shaped(reader, operation, number, type, rank, dims);
    if (is_optional
            ? !hy_tensor_read_optional(reader, operation, number, type, rank, dims, &operand)
            : !operand)
        return hy_refuse_as(reader, operands[number].name);
    const bool is_open = operand && is_optional && operand->lifetime == HY_LIFETIME_INPUT;
    lstm->present |= (uint32_t)(operand != NULL) << number;
    lstm->optional |= (uint32_t)is_open << number;
    return true;
}

static bool read_clip(struct hy_model_reader *reader, const struct hy_operation *operation,
                      uint32_t number, float *clip)
{
    if (!hy_read_f32(reader, operation, number, clip))
        return false;
    return *clip >= 0 ||
           hy_refuse(reader, "%s is %g, needs 0 or more", operands[number].name, (double)*clip);
}

static bool read_scalars(struct hy_model_reader *reader, const struct hy_operation *operation,
                         struct hy_lstm_form *lstm)
{
    static const uint32_t known = 1u << 0 | 1u << 1 | 1u << 3 | 1u << 4 | 1u << 6;
    if (!hy_read_i32(reader, operation, HY_LSTM_ACTIVATION, &lstm->activation))
        return false;
    if (lstm->activation < 0 || lstm->activation > 6 || !(known >> lstm->activation & 1))
        return hy_refuse(reader, "the activation is %d, needs 0, 1, 3, 4 or 6", lstm->activation);
    return read_clip(reader, operation, HY_LSTM_CELL_CLIP, &lstm->cell_clip) &&
           read_clip(reader, operation, HY_LSTM_PROJECTION_CLIP, &lstm->projection_clip);
}

static bool check_outputs(struct hy_model_reader *reader, const struct hy_operation *operation,
                          struct hy_lstm_form *lstm)
{
    const struct hy_operand *scratch = hy_read_output(reader, operation, 0);
    if (!scratch)
        return false;
    const bool is_wide = scratch->rank == 2 && scratch->dims && scratch->dims[1] / 4 == lstm->units;
    lstm->gates = is_wide ? 4 : 3;
    const uint32_t columns[HY_LSTM_OUTPUTS] = {lstm->gates * lstm->units, lstm->outputs,
                                               lstm->units, lstm->outputs};
    for (uint32_t i = 0; i < HY_LSTM_OUTPUTS; i++) {
        const uint32_t dims[] = {lstm->batches, columns[i]};
        if (!hy_tensor_read_output(reader, operation, i, ANEURALNETWORKS_TENSOR_FLOAT32, 2, dims))
            return false;
    }
    return true;
}

bool hy_lstm_form_read(struct hy_model_reader *reader, const struct hy_operation *operation,
                       struct hy_lstm_form *lstm)
{
    if ((operation->input_count != HY_LSTM_NORMS && operation->input_count != HY_LSTM_INPUTS) ||
        operation->output_count != HY_LSTM_OUTPUTS)
        return hy_refuse(reader, "%u inputs and %u outputs, needs 23 or 27 and 4",
                         operation->input_count, operation->output_count);
    if (!read_extents(reader, operation, lstm))
        return false;
    for (uint32_t number = 0; number < operation->input_count; number++)
        if (!read_tensor(reader, operation, number, lstm))
            return false;
    if (!read_scalars(reader, operation, lstm) || !check_outputs(reader, operation, lstm))
        return false;
    return lstm->optional != 0 || hy_lstm_form_is_whole(lstm, lstm->present) ||
           hy_refuse(reader, "some inputs of a whole LSTM cell are left out");
}
