/* LSTMs of float32 with a matrix per gate. */
#include "tests/unit/tools/operators/op_recurrent.h"

enum { GATES = 4, PEEPHOLES = 3 };

/* Gates of input and forget may be coupled, the output may be projected, layers be normalised. */
struct cell {
    int32_t features, cells, units;
    bool coupled, peephole, projected, projection_bias, normalised;
};

static struct cell any_cell(struct hy_op_builder *op_builder, int32_t features)
{
    struct cell cell = {
        .features = features,
        .cells = hy_op_between(op_builder, 1, 20),
        .coupled = hy_op_pick(op_builder, 3) == 0,
        .peephole = hy_op_pick(op_builder, 3) == 0,
        .projected = hy_op_pick(op_builder, 3) == 0,
        .projection_bias = hy_op_pick(op_builder, 2),
        .normalised = hy_op_pick(op_builder, 3) == 0,
    };
    cell.units = cell.projected ? hy_op_between(op_builder, 1, 9) : cell.cells;
    return cell;
}

static void add_matrices(struct hy_op_builder *op_builder, const struct cell *cell, int32_t columns)
{
    hy_op_omit_inputs(op_builder, cell->coupled);
    for (uint32_t gate = cell->coupled; gate < GATES; gate++)
        hy_op_add_weights(op_builder, 2, cell->cells, columns);
}

static void add_vectors(struct hy_op_builder *op_builder, const struct cell *cell)
{
    hy_op_omit_inputs(op_builder, cell->coupled);
    for (uint32_t gate = cell->coupled; gate < GATES; gate++)
        hy_op_add_vector(op_builder, cell->cells);
}

static void add_peepholes(struct hy_op_builder *op_builder, const struct cell *cell)
{
    for (int gate = 0; gate < PEEPHOLES; gate++) {
        if (cell->peephole && !(cell->coupled && gate == 0))
            hy_op_add_weights(op_builder, 1, cell->cells, 1);
        else
            hy_op_nothing(op_builder);
    }
}

static void add_cell(struct hy_op_builder *op_builder, const struct cell *cell)
{
    add_matrices(op_builder, cell, cell->features);
    add_matrices(op_builder, cell, cell->units);
    add_peepholes(op_builder, cell);
    add_vectors(op_builder, cell);
    if (cell->projected)
        hy_op_add_weights(op_builder, 2, cell->units, cell->cells);
    else
        hy_op_nothing(op_builder);
    if (cell->projected && cell->projection_bias)
        hy_op_add_vector(op_builder, cell->units);
    else
        hy_op_nothing(op_builder);
}

static void add_states(struct hy_op_builder *op_builder, const struct cell *cell, int32_t batch)
{
    const struct hy_op_tensor output =
        hy_op_of(op_builder, HY_TFLITE_FLOAT32, 2, (const int32_t[]){batch, cell->units});
    const struct hy_op_tensor state =
        hy_op_shaped(&output, 2, (const int32_t[]){batch, cell->cells});

    hy_op_state(op_builder, &output);
    hy_op_state(op_builder, &state);
}

static void add_layer_norm(struct hy_op_builder *op_builder, const struct cell *cell)
{
    if (cell->normalised)
        add_vectors(op_builder, cell);
    else if (hy_op_pick(op_builder, 2)) /* older files end before */
        hy_op_omit_inputs(op_builder, GATES);
}

/* TensorFlow Lite reads memory that nothing has written where there is no activation. */
static enum hy_tflite_activation lstm_activation(struct hy_op_builder *op_builder)
{
    const enum hy_tflite_activation activation = hy_op_cell_activation(op_builder);
    return activation == HY_TFLITE_ACTIVATION_NONE ? HY_TFLITE_ACTIVATION_TANH : activation;
}

/* Activation and clips, which all three kinds of options begin with. */
static void add_options(struct hy_op_builder *op_builder, enum hy_tflite_options_kind kind)
{
    hy_op_options(op_builder, kind);
    hy_op_option(op_builder, 0, 1, lstm_activation(op_builder));
    hy_op_option_float(op_builder, 1,
                       hy_op_pick(op_builder, 2) ? hy_op_real(op_builder, 0.1f, 1.0f) : 0.0f);
    hy_op_option_float(op_builder, 2,
                       hy_op_pick(op_builder, 2) ? hy_op_real(op_builder, 0.1f, 1.0f) : 0.0f);
}

static void float_lstm(struct hy_op_builder *op_builder)
{
    const int32_t batch = hy_op_between(op_builder, 1, 3);
    const struct cell cell = any_cell(op_builder, hy_op_between(op_builder, 1, 20));
    const struct hy_op_tensor x =
        hy_op_of(op_builder, op_builder->type, 2, (const int32_t[]){batch, cell.features});
    const struct hy_op_tensor y = hy_op_shaped(&x, 2, (const int32_t[]){batch, cell.units});

    hy_op_input(op_builder, &x);
    add_cell(op_builder, &cell);
    add_states(op_builder, &cell, batch);
    add_layer_norm(op_builder, &cell);
    add_options(op_builder, HY_TFLITE_OPTIONS_LSTM);
    hy_op_output(op_builder, &y);
}

void hy_op_lstm(struct hy_op_builder *op_builder)
{
    if (op_builder->type == HY_TFLITE_INT8)
        hy_op_integer_lstm(op_builder, NULL);
    else if (op_builder->type == HY_TFLITE_UINT8 ||
             (op_builder->weights == HY_OP_WEIGHTS_FLOAT && hy_op_pick(op_builder, 4) == 0))
        hy_op_basic_lstm(op_builder);
    else
        float_lstm(op_builder);
}

void hy_op_sequence_lstm(struct hy_op_builder *op_builder)
{
    const struct hy_op_sequence sequence = hy_op_any_sequence(op_builder);

    if (op_builder->type == HY_TFLITE_INT8) {
        hy_op_integer_lstm(op_builder, &sequence);
        return;
    }
    const struct cell cell = any_cell(op_builder, sequence.features);
    const struct hy_op_tensor x = hy_op_sequence_of(op_builder, &sequence, cell.features);
    const struct hy_op_tensor y = hy_op_sequence_of(op_builder, &sequence, cell.units);

    hy_op_input(op_builder, &x);
    add_cell(op_builder, &cell);
    add_states(op_builder, &cell, sequence.batch);
    add_layer_norm(op_builder, &cell);
    add_options(op_builder, HY_TFLITE_OPTIONS_UNIDIRECTIONAL_SEQUENCE_LSTM);
    hy_op_option(op_builder, 3, 1, sequence.time_major);
    hy_op_output(op_builder, &y);
}

/* Both directions have the same sizes, as TensorFlow Lite checks. Another layer's result is left
 * out, weighed beside the input, or what the backward cell reads. */
void hy_op_bidirectional_lstm(struct hy_op_builder *op_builder)
{
    const struct hy_op_sequence sequence = hy_op_any_sequence(op_builder);
    const struct cell cell = any_cell(op_builder, sequence.features);
    const uint32_t auxiliary = hy_op_pick(op_builder, 3);
    /* TensorFlow Lite writes merged rows of several batches over each other. */
    const bool mergeable = sequence.time_major || sequence.batch == 1;
    const bool merged = mergeable && hy_op_pick(op_builder, 2);
    const struct hy_op_tensor x = hy_op_sequence_of(op_builder, &sequence, sequence.features);

    hy_op_input(op_builder, &x);
    add_cell(op_builder, &cell);
    add_cell(op_builder, &cell);
    add_states(op_builder, &cell, sequence.batch);
    add_states(op_builder, &cell, sequence.batch);
    if (auxiliary)
        hy_op_input(op_builder, &x);
    if (auxiliary == 1) {
        add_matrices(op_builder, &cell, sequence.features);
        add_matrices(op_builder, &cell, sequence.features);
    } else {
        hy_op_omit_inputs(op_builder, auxiliary ? 2 * GATES : 2 * GATES + 1);
    }
    add_options(op_builder, HY_TFLITE_OPTIONS_BIDIRECTIONAL_SEQUENCE_LSTM);
    hy_op_option(op_builder, 3, 1, merged);
    hy_op_option(op_builder, 4, 1, sequence.time_major);
    hy_op_both_outputs(op_builder, &sequence, merged, cell.units, cell.units);
}
