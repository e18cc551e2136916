/* LSTMs of float32 with a matrix per gate. */
#include "tests/tools/operators/op_recurrent.h"

enum { GATES = 4, PEEPHOLES = 3 };

/* Gates of input and forget may be coupled, the output may be projected, layers be normalised. */
struct cell {
    int32_t features, cells, units;
    bool coupled, peephole, projected, projection_bias, normalised;
};

static struct cell any_cell(struct hy_op_draft *draft, int32_t features)
{
    struct cell cell = {
        .features = features,
        .cells = hy_op_between(draft, 1, 20),
        .coupled = hy_op_pick(draft, 3) == 0,
        .peephole = hy_op_pick(draft, 3) == 0,
        .projected = hy_op_pick(draft, 3) == 0,
        .projection_bias = hy_op_pick(draft, 2),
        .normalised = hy_op_pick(draft, 3) == 0,
    };
    cell.units = cell.projected ? hy_op_between(draft, 1, 9) : cell.cells;
    return cell;
}

static void take_matrices(struct hy_op_draft *draft, const struct cell *cell, int32_t columns)
{
    hy_op_take_nothing(draft, cell->coupled);
    for (uint32_t gate = cell->coupled; gate < GATES; gate++)
        hy_op_take_weights(draft, 2, cell->cells, columns);
}

static void take_vectors(struct hy_op_draft *draft, const struct cell *cell)
{
    hy_op_take_nothing(draft, cell->coupled);
    for (uint32_t gate = cell->coupled; gate < GATES; gate++)
        hy_op_take_vector(draft, cell->cells);
}

static void take_peepholes(struct hy_op_draft *draft, const struct cell *cell)
{
    for (int gate = 0; gate < PEEPHOLES; gate++) {
        if (cell->peephole && !(cell->coupled && gate == 0))
            hy_op_take_weights(draft, 1, cell->cells, 1);
        else
            hy_op_nothing(draft);
    }
}

static void take_cell(struct hy_op_draft *draft, const struct cell *cell)
{
    take_matrices(draft, cell, cell->features);
    take_matrices(draft, cell, cell->units);
    take_peepholes(draft, cell);
    take_vectors(draft, cell);
    if (cell->projected)
        hy_op_take_weights(draft, 2, cell->units, cell->cells);
    else
        hy_op_nothing(draft);
    if (cell->projected && cell->projection_bias)
        hy_op_take_vector(draft, cell->units);
    else
        hy_op_nothing(draft);
}

static void take_states(struct hy_op_draft *draft, const struct cell *cell, int32_t batch)
{
    const struct hy_op_tensor output =
        hy_op_of(draft, HY_TFLITE_FLOAT32, 2, (const int32_t[]){batch, cell->units});
    const struct hy_op_tensor state =
        hy_op_shaped(&output, 2, (const int32_t[]){batch, cell->cells});

    hy_op_state(draft, &output);
    hy_op_state(draft, &state);
}

static void take_layer_norm(struct hy_op_draft *draft, const struct cell *cell)
{
    if (cell->normalised)
        take_vectors(draft, cell);
    else if (hy_op_pick(draft, 2)) /* older files end before */
        hy_op_take_nothing(draft, GATES);
}

/* TensorFlow Lite reads memory that nothing has written where there is no activation. */
static enum hy_tflite_activation lstm_activation(struct hy_op_draft *draft)
{
    const enum hy_tflite_activation activation = hy_op_cell_activation(draft);
    return activation == HY_TFLITE_ACTIVATION_NONE ? HY_TFLITE_ACTIVATION_TANH : activation;
}

/* Activation and clips, which all three kinds of options begin with. */
static void take_options(struct hy_op_draft *draft, enum hy_tflite_options_kind kind)
{
    hy_op_options(draft, kind);
    hy_op_option(draft, 0, 1, lstm_activation(draft));
    hy_op_option_float(draft, 1, hy_op_pick(draft, 2) ? hy_op_real(draft, 0.1f, 1.0f) : 0.0f);
    hy_op_option_float(draft, 2, hy_op_pick(draft, 2) ? hy_op_real(draft, 0.1f, 1.0f) : 0.0f);
}

static void float_lstm(struct hy_op_draft *draft)
{
    const int32_t batch = hy_op_between(draft, 1, 3);
    const struct cell cell = any_cell(draft, hy_op_between(draft, 1, 20));
    const struct hy_op_tensor x =
        hy_op_of(draft, draft->type, 2, (const int32_t[]){batch, cell.features});
    const struct hy_op_tensor y = hy_op_shaped(&x, 2, (const int32_t[]){batch, cell.units});

    hy_op_input(draft, &x);
    take_cell(draft, &cell);
    take_states(draft, &cell, batch);
    take_layer_norm(draft, &cell);
    take_options(draft, HY_TFLITE_OPTIONS_LSTM);
    hy_op_output(draft, &y);
}

void hy_op_lstm(struct hy_op_draft *draft)
{
    if (draft->type == HY_TFLITE_INT8)
        hy_op_integer_lstm(draft, NULL);
    else if (draft->type == HY_TFLITE_UINT8 ||
             (draft->weights == HY_OP_WEIGHTS_FLOAT && hy_op_pick(draft, 4) == 0))
        hy_op_basic_lstm(draft);
    else
        float_lstm(draft);
}

void hy_op_sequence_lstm(struct hy_op_draft *draft)
{
    const struct hy_op_sequence sequence = hy_op_any_sequence(draft);

    if (draft->type == HY_TFLITE_INT8) {
        hy_op_integer_lstm(draft, &sequence);
        return;
    }
    const struct cell cell = any_cell(draft, sequence.features);
    const struct hy_op_tensor x = hy_op_sequence_of(draft, &sequence, cell.features);
    const struct hy_op_tensor y = hy_op_sequence_of(draft, &sequence, cell.units);

    hy_op_input(draft, &x);
    take_cell(draft, &cell);
    take_states(draft, &cell, sequence.batch);
    take_layer_norm(draft, &cell);
    take_options(draft, HY_TFLITE_OPTIONS_UNIDIRECTIONAL_SEQUENCE_LSTM);
    hy_op_option(draft, 3, 1, sequence.time_major);
    hy_op_output(draft, &y);
}

/* Both directions have the same sizes, as TensorFlow Lite checks. Another layer's result is left
 * out, weighed beside the input, or what the backward cell reads. */
void hy_op_bidirectional_lstm(struct hy_op_draft *draft)
{
    const struct hy_op_sequence sequence = hy_op_any_sequence(draft);
    const struct cell cell = any_cell(draft, sequence.features);
    const uint32_t auxiliary = hy_op_pick(draft, 3);
    /* TensorFlow Lite writes merged rows of several batches over each other. */
    const bool mergeable = sequence.time_major || sequence.batch == 1;
    const bool merged = mergeable && hy_op_pick(draft, 2);
    const struct hy_op_tensor x = hy_op_sequence_of(draft, &sequence, sequence.features);

    hy_op_input(draft, &x);
    take_cell(draft, &cell);
    take_cell(draft, &cell);
    take_states(draft, &cell, sequence.batch);
    take_states(draft, &cell, sequence.batch);
    if (auxiliary)
        hy_op_input(draft, &x);
    if (auxiliary == 1) {
        take_matrices(draft, &cell, sequence.features);
        take_matrices(draft, &cell, sequence.features);
    } else {
        hy_op_take_nothing(draft, auxiliary ? 2 * GATES : 2 * GATES + 1);
    }
    take_options(draft, HY_TFLITE_OPTIONS_BIDIRECTIONAL_SEQUENCE_LSTM);
    hy_op_option(draft, 3, 1, merged);
    hy_op_option(draft, 4, 1, sequence.time_major);
    hy_op_both_outputs(draft, &sequence, merged, cell.units, cell.units);
}
