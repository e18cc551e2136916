#include "lstm.h"

#include "driver_kit/tensor.h"

#include <android/NeuralNetworks.h>

#include <string.h>

/* Extents go by what they are called. */
enum extent { NONE, BATCHES, INPUTS, UNITS, OUTPUTS };

/* What stands where; scalars have no extents. */
static const struct operand {
    const char *name;
    uint8_t extents[2];
    bool is_optional, is_in_columns;
} operands[SAMPLE_MAX_INPUTS] = {
    {"the input", {BATCHES, INPUTS}, false, true},
    {"input-to-input weights", {UNITS, INPUTS}, true, false},
    {"input-to-forget weights", {UNITS, INPUTS}, false, false},
    {"input-to-cell weights", {UNITS, INPUTS}, false, false},
    {"input-to-output weights", {UNITS, INPUTS}, false, false},
    {"recurrent-to-input weights", {UNITS, OUTPUTS}, true, false},
    {"recurrent-to-forget weights", {UNITS, OUTPUTS}, false, false},
    {"recurrent-to-cell weights", {UNITS, OUTPUTS}, false, false},
    {"recurrent-to-output weights", {UNITS, OUTPUTS}, false, false},
    {"cell-to-input weights", {UNITS}, true, false},
    {"cell-to-forget weights", {UNITS}, true, false},
    {"cell-to-output weights", {UNITS}, true, false},
    {"the input gate's bias", {UNITS}, true, false},
    {"the forget gate's bias", {UNITS}, false, false},
    {"the cell's bias", {UNITS}, false, false},
    {"the output gate's bias", {UNITS}, false, false},
    {"projection weights", {OUTPUTS, UNITS}, true, false},
    {"the projection's bias", {OUTPUTS}, true, false},
    {"the output state", {BATCHES, OUTPUTS}, false, true},
    {"the cell state", {BATCHES, UNITS}, false, true},
    {.name = "the activation"},
    {.name = "the cell clip"},
    {.name = "the projection clip"},
    {"the input gate's norm", {UNITS}, true, false},
    {"the forget gate's norm", {UNITS}, true, false},
    {"the cell's norm", {UNITS}, true, false},
    {"the output gate's norm", {UNITS}, true, false},
};

static uint32_t shape_of(const struct sample_lstm *lstm, uint32_t number, uint32_t dims[2])
{
    const uint32_t extents[] = {[NONE] = 0,
                                [BATCHES] = lstm->batches,
                                [INPUTS] = lstm->inputs,
                                [UNITS] = lstm->units,
                                [OUTPUTS] = lstm->outputs};
    dims[0] = extents[operands[number].extents[0]];
    dims[1] = extents[operands[number].extents[1]];
    return operands[number].extents[1] == NONE ? 1 : 2;
}

uint32_t sample_lstm_shape(const struct sample_lstm *lstm, uint32_t input, uint32_t dims[2])
{
    uint32_t number = 0;
    while (lstm->places[number] != input)
        number++;
    return shape_of(lstm, number, dims);
}

/* ---- Its inputs ------------------------------------------------------------------------------ */

/* The extents that all others follow from. */
static bool read_extents(struct hy_model_reader *reader, const struct hy_operation *operation,
                         const struct hy_operand *input, struct sample_lstm *lstm)
{
    if (input->type != ANEURALNETWORKS_TENSOR_FLOAT32 || input->rank != 2)
        return hy_refuse(reader, "input 0 has type %d and rank %u, needs TENSOR_FLOAT32 and 2",
                         input->type, input->rank);
    const uint32_t number = SAMPLE_LSTM_RECURRENT + SAMPLE_FORGET_GATE;
    const struct hy_operand *recurrent =
        hy_tensor_read_input(reader, operation, number, input->type);
    if (!recurrent)
        return false;
    if (recurrent->rank != 2)
        return hy_refuse(reader, "%s have rank %u, need 2", operands[number].name, recurrent->rank);
    lstm->batches = input->dims[0];
    lstm->inputs = input->dims[1];
    lstm->units = recurrent->dims[0];
    lstm->outputs = recurrent->dims[1];
    return true;
}

/* One tensor: it is left out, comes with requests, or lies in the model. */
static bool take_tensor(struct hy_model_reader *reader, const struct hy_operation *operation,
                        uint32_t number, struct sample_step *step)
{
    const int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32;
    const struct operand *known = &operands[number];
    const struct hy_operand *operand = NULL;
    uint32_t dims[2];
    const uint32_t rank = shape_of(&step->as.lstm, number, dims);
    if (!known->is_optional)
        operand = hy_tensor_read_shaped(reader, operation, number, type, rank, dims);
    if (known->is_optional
            ? !hy_tensor_read_optional(reader, operation, number, type, rank, dims, &operand)
            : !operand)
        return hy_refuse_as(reader, known->name);
    if (!operand)
        return true;

    const uint32_t place = step->input_count++;
    const bool is_open = known->is_optional && operand->lifetime == HY_LIFETIME_INPUT;
    step->as.lstm.places[number] = (uint8_t)place;
    step->inputs[place] = operation->inputs[number];
    step->optional_inputs |= (uint32_t)is_open << place;
    step->inputs_in_columns |= (uint32_t)known->is_in_columns << place;
    return true;
}

static bool take_tensors(struct hy_model_reader *reader, const struct hy_operation *operation,
                         struct sample_step *step)
{
    memset(step->as.lstm.places, SAMPLE_LEFT_OUT, sizeof step->as.lstm.places);
    for (uint32_t number = 0; number < operation->input_count; number++) {
        const bool is_scalar = operands[number].extents[0] == NONE;
        if (!is_scalar && !take_tensor(reader, operation, number, step))
            return false;
    }
    return true;
}

static bool read_clip(struct hy_model_reader *reader, const struct hy_operation *operation,
                      uint32_t number, float *clip)
{
    if (!hy_read_f32(reader, operation, number, clip))
        return false;
    return *clip >= 0 || hy_refuse(reader, "%s is %g, needs to be 0 or more", operands[number].name,
                                   (double)*clip);
}

static bool read_scalars(struct hy_model_reader *reader, const struct hy_operation *operation,
                         struct sample_lstm *lstm)
{
    static const uint32_t known = 1u << 0 | 1u << 1 | 1u << 3 | 1u << 4 | 1u << 6;
    if (!hy_read_i32(reader, operation, SAMPLE_LSTM_ACTIVATION, &lstm->activation))
        return false;
    if (lstm->activation < 0 || lstm->activation > 6 || !(known >> lstm->activation & 1))
        return hy_refuse(reader, "the activation is %d, needs 0, 1, 3, 4 or 6", lstm->activation);
    return read_clip(reader, operation, SAMPLE_LSTM_CELL_CLIP, &lstm->cell_clip) &&
           read_clip(reader, operation, SAMPLE_LSTM_PROJECTION_CLIP, &lstm->projection_clip);
}

/* ---- What belongs together ------------------------------------------------------------------- */

/* Present inputs as bits by their numbers. */
static bool is_whole(const struct sample_lstm *lstm, uint32_t present)
{
#define HAS(number) ((present >> (number)&1) != 0)
    const bool has_gate = HAS(SAMPLE_LSTM_WEIGHTS), has_norm = HAS(SAMPLE_LSTM_NORMS + 1);
    const bool has_peepholes = HAS(SAMPLE_LSTM_PEEPHOLES + 1);
    const bool is_gate_whole = HAS(SAMPLE_LSTM_RECURRENT) == has_gate &&
                               HAS(SAMPLE_LSTM_BIASES) == has_gate &&
                               HAS(SAMPLE_LSTM_NORMS) == (has_gate && has_norm) &&
                               (!has_gate || HAS(SAMPLE_LSTM_PEEPHOLES) == has_peepholes);
    return is_gate_whole && lstm->gates == (has_gate ? 4 : 3) &&
           HAS(SAMPLE_LSTM_PEEPHOLES + 2) == has_peepholes &&
           HAS(SAMPLE_LSTM_NORMS + 2) == has_norm && HAS(SAMPLE_LSTM_NORMS + 3) == has_norm &&
           (HAS(SAMPLE_LSTM_PROJECTION) ||
            (!HAS(SAMPLE_LSTM_PROJECTION_BIAS) && lstm->outputs == lstm->units));
#undef HAS
}

bool sample_lstm_is_whole(const struct sample_lstm *lstm, const uint8_t *const *inputs)
{
    uint32_t present = 0;
    for (uint32_t number = 0; number < SAMPLE_MAX_INPUTS; number++) {
        const uint8_t place = lstm->places[number];
        present |= (uint32_t)(place != SAMPLE_LEFT_OUT && inputs[place]) << number;
    }
    return is_whole(lstm, present);
}

/* Where requests may leave something out they decide; else the model has. */
static bool may_be_whole(const struct sample_step *step)
{
    uint32_t present = 0;
    for (uint32_t number = 0; number < SAMPLE_MAX_INPUTS; number++)
        present |= (uint32_t)(step->as.lstm.places[number] != SAMPLE_LEFT_OUT) << number;
    return step->optional_inputs != 0 || is_whole(&step->as.lstm, present);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool check_outputs(struct hy_model_reader *reader, const struct hy_operation *operation,
                          struct sample_step *step)
{
    struct sample_lstm *lstm = &step->as.lstm;
    const struct hy_operand *scratch = hy_read_output(reader, operation, 0);
    if (!scratch)
        return false;
    const bool is_wide = scratch->rank == 2 && scratch->dims && scratch->dims[1] / 4 == lstm->units;
    lstm->gates = is_wide ? 4 : 3;
    const uint32_t columns[SAMPLE_MAX_OUTPUTS] = {lstm->gates * lstm->units, lstm->outputs,
                                                  lstm->units, lstm->outputs};
    for (uint32_t i = 0; i < SAMPLE_MAX_OUTPUTS; i++) {
        const uint32_t dims[] = {lstm->batches, columns[i]};
        if (!hy_tensor_read_output(reader, operation, i, ANEURALNETWORKS_TENSOR_FLOAT32, 2, dims))
            return false;
    }
    step->outputs_in_columns = 0xe; /* all but the scratch output */
    return true;
}

bool sample_lstm_make(struct hy_model_reader *reader, const struct hy_operation *operation,
                      const struct hy_operand *input, struct sample_step *step)
{
    if (!read_extents(reader, operation, input, &step->as.lstm) ||
        !take_tensors(reader, operation, step) ||
        !read_scalars(reader, operation, &step->as.lstm) || !check_outputs(reader, operation, step))
        return false;
    return may_be_whole(step) ||
           hy_refuse(reader, "the inputs that are there do not make a whole cell");
}
