#include "common/inference/infer_lstm.h"
#include "common/inference/infer_rules.h"

#include "common/operations/operation.h"

/* Auxiliary input of BIDIRECTIONAL_SEQUENCE_LSTM. */
enum { AUX = 39 };

/* The clips follow the activation. */
struct form {
    uint32_t count, rank;
    uint32_t states[HY_DIRECTIONS];
    struct hy_lstm_inputs inputs[HY_DIRECTIONS];
    uint32_t activation, merge, time_major; /* 0: not an argument */
};

static const struct form single_form = {
    .count = 1,
    .rank = 2,
    .states = {18},
    .inputs = {{.weights = 1, .norm = 23}},
    .activation = 20,
};
static const struct form forward_form = {
    .count = 1,
    .rank = 3,
    .states = {18},
    .inputs = {{.weights = 1, .norm = 24}},
    .activation = 20,
    .time_major = 23,
};
static const struct form both_ways_form = {
    .count = 2,
    .rank = 3,
    .states = {35, 37},
    .inputs = {{.weights = 1, .norm = 53, .aux_weights = 40},
               {.weights = 18, .norm = 57, .aux_weights = 44}},
    .activation = 48,
    .merge = 51,
    .time_major = 52,
};

static const struct form *form_of(int32_t operation)
{
    switch (operation) {
    case HY_OP_LSTM:
        return &single_form;
    case HY_OP_UNIDIRECTIONAL_SEQUENCE_LSTM:
        return &forward_form;
    default:
        return &both_ways_form;
    }
}

/* Units and options of a cell, and the length of its output. */
static enum hy_code read_options(const struct hy_call *call, struct hy_lstm_inputs *inputs,
                                 struct hy_direction *way, struct hy_error *err)
{
    uint32_t weights = inputs->weights + HY_GATE_OUTPUT;
    enum hy_code code = hy_call_check_rank(call, weights, 2, 2, err);

    if (code == HY_OK)
        code = hy_call_check_rank(call, weights + HY_LSTM_RECURRENT, 2, 2, err);
    if (code != HY_OK)
        return code;
    inputs->units = hy_call_input(call, weights)->shape.dims[0];
    inputs->cifg = !hy_call_has_input(call, inputs->weights);
    inputs->peephole = hy_call_has_input(call, inputs->weights + HY_LSTM_PEEPHOLE + 2);
    inputs->layer_norm = hy_call_has_input(call, inputs->norm + HY_GATE_OUTPUT);
    inputs->projection = hy_call_has_input(call, inputs->weights + HY_LSTM_PROJECTION);
    inputs->projection_bias = hy_call_has_input(call, inputs->weights + HY_LSTM_PROJECTION_BIAS);
    way->sizes[0] = hy_call_input(call, weights + HY_LSTM_RECURRENT)->shape.dims[1];
    way->sizes[1] = inputs->units;

    if (inputs->units == 0 || way->sizes[0] == 0)
        return hy_fail(err, HY_FAILED, "a cell of %u units and %u outputs is empty", inputs->units,
                       way->sizes[0]);
    if (!inputs->projection && way->sizes[0] != inputs->units)
        return hy_fail(err, HY_FAILED, "%u outputs of %u units need a projection", way->sizes[0],
                       inputs->units);
    return HY_OK;
}

static enum hy_code check_gate(const struct hy_call *call, uint32_t gate,
                               const struct hy_lstm_inputs *inputs, const struct hy_direction *way,
                               struct hy_error *err)
{
    uint32_t weights = inputs->weights + gate, units = inputs->units;
    bool needed = gate != HY_GATE_INPUT || !inputs->cifg;

    enum hy_code code = hy_call_check_matrix(call, weights, needed, units, way->in_size, err);
    if (code == HY_OK)
        code = hy_call_check_matrix(call, weights + HY_LSTM_RECURRENT, needed, units, way->sizes[0],
                                    err);
    if (code == HY_OK)
        code = hy_call_check_vector(call, weights + HY_LSTM_BIAS, needed, units, err);
    if (code == HY_OK)
        code = hy_call_check_vector(call, inputs->norm + gate, needed && inputs->layer_norm, units,
                                    err);
    if (code == HY_OK && inputs->aux_weights)
        code = hy_call_check_matrix(call, inputs->aux_weights + gate, needed && way->aux_size > 0,
                                    units, way->aux_size, err);
    return code;
}

static enum hy_code check_peepholes(const struct hy_call *call, const struct hy_lstm_inputs *inputs,
                                    struct hy_error *err)
{
    uint32_t peephole = inputs->weights + HY_LSTM_PEEPHOLE;
    enum hy_code code =
        hy_call_check_vector(call, peephole, inputs->peephole && !inputs->cifg, inputs->units, err);

    for (uint32_t i = 1; i < 3 && code == HY_OK; i++)
        code = hy_call_check_vector(call, peephole + i, inputs->peephole, inputs->units, err);
    return code;
}

static enum hy_code check_projection(const struct hy_call *call,
                                     const struct hy_lstm_inputs *inputs, uint32_t outputs,
                                     struct hy_error *err)
{
    enum hy_code code = hy_call_check_matrix(call, inputs->weights + HY_LSTM_PROJECTION,
                                             inputs->projection, outputs, inputs->units, err);

    if (code == HY_OK)
        code = hy_call_check_vector(call, inputs->weights + HY_LSTM_PROJECTION_BIAS,
                                    inputs->projection && inputs->projection_bias, outputs, err);
    return code;
}

enum hy_code hy_lstm_read_cell(const struct hy_call *call, uint32_t batch,
                               struct hy_lstm_inputs *inputs, struct hy_direction *way,
                               struct hy_error *err)
{
    enum hy_code code = read_options(call, inputs, way, err);

    for (uint32_t gate = 0; gate < HY_GATE_COUNT && code == HY_OK; gate++)
        code = check_gate(call, gate, inputs, way, err);
    if (code == HY_OK)
        code = check_peepholes(call, inputs, err);
    if (code == HY_OK)
        code = check_projection(call, inputs, way->sizes[0], err);
    for (uint32_t s = 0; s < HY_CELL_STATES && code == HY_OK; s++)
        code = hy_call_check_matrix(call, way->state + s, true, batch, way->sizes[s], err);
    return code;
}

enum hy_code hy_lstm_read_clip(const struct hy_call *call, uint32_t index, float *out,
                               struct hy_error *err)
{
    float value;
    enum hy_code code = hy_call_float(call, index, &value, err);

    if (code != HY_OK)
        return code;
    if (!(value >= 0))
        return hy_fail(err, HY_FAILED, "input %u clips at %g, needs 0 or more", index,
                       (double)value);
    *out = value;
    return HY_OK;
}

static enum hy_code read_scalars(const struct hy_call *call, const struct form *form,
                                 struct hy_lstm *lstm, bool *merged, struct hy_error *err)
{
    enum hy_code code = hy_call_cell_activation(call, form->activation, &lstm->activation, err);

    if (code == HY_OK)
        code = hy_lstm_read_clip(call, form->activation + 1, &lstm->cell_clip, err);
    if (code == HY_OK)
        code = hy_lstm_read_clip(call, form->activation + 2, &lstm->projection_clip, err);
    if (code == HY_OK && form->merge)
        code = hy_call_bool(call, form->merge, merged, err);
    if (code == HY_OK && form->time_major)
        code = hy_call_bool(call, form->time_major, &lstm->sequence.time_major, err);
    return code;
}

/* Assigns the outputs of one direction. */
static void number_outputs(const struct hy_call *call, struct hy_sequence *sequence)
{
    struct hy_direction *way = &sequence->directions[0];

    way->out = call->operation == HY_OP_LSTM ? 3 : 0;
    way->state_out = 1;
    way->out_size = way->sizes[0];
    sequence->gives_states = call->output_count > 1;
}

static enum hy_code read_cells(const struct hy_call *call, const struct form *form,
                               struct hy_lstm *lstm, struct hy_error *err)
{
    struct hy_sequence *sequence = &lstm->sequence;
    enum hy_code code = hy_sequence_read_input(call, sequence, err);

    if (code == HY_OK && form->count == 2) {
        uint32_t forget = form->inputs[0].aux_weights + HY_GATE_FORGET;
        code = hy_sequence_read_aux(call, AUX, hy_call_has_input(call, forget), sequence, err);
    }
    for (uint32_t d = 0; d < form->count && code == HY_OK; d++) {
        lstm->inputs[d] = form->inputs[d];
        sequence->directions[d].state = form->states[d];
        code = hy_lstm_read_cell(call, sequence->batch, &lstm->inputs[d], &sequence->directions[d],
                                 err);
    }
    return code;
}

enum hy_code hy_lstm_read(const struct hy_call *call, struct hy_lstm *lstm, struct hy_error *err)
{
    const struct form *form = form_of(call->operation);
    struct hy_lstm read = {.sequence = {.count = form->count, .rank = form->rank}};
    bool merged = false;

    enum hy_code code = read_scalars(call, form, &read, &merged, err);
    if (code == HY_OK)
        code = read_cells(call, form, &read, err);
    if (code != HY_OK)
        return code;
    if (form->count == 1)
        number_outputs(call, &read.sequence);
    else
        code = hy_sequence_number_outputs(call, merged, HY_CELL_STATES, &read.sequence, err);
    if (code == HY_OK)
        *lstm = read;
    return code;
}

enum hy_code hy_infer_lstm(const struct hy_call *call, struct hy_shape *outputs,
                           struct hy_error *err)
{
    struct hy_lstm lstm;
    enum hy_code code = hy_lstm_read(call, &lstm, err);

    if (code != HY_OK)
        return code;
    hy_sequence_shapes(&lstm.sequence, outputs);
    if (call->operation != HY_OP_LSTM)
        return HY_OK;
    /* Scratch output of the first API version. */
    uint64_t scratch = (uint64_t)lstm.inputs[0].units * (lstm.inputs[0].cifg ? 3 : 4);
    if (scratch > UINT32_MAX)
        return hy_fail(err, HY_FAILED, "%u units are too many", lstm.inputs[0].units);
    outputs[0] = (struct hy_shape){2, {lstm.sequence.batch, (uint32_t)scratch}};
    return HY_OK;
}
