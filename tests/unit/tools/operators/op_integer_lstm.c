/* LSTMs of integers, and those whose gates have one matrix. */
#include "tests/unit/tools/operators/op_recurrent.h"

#include <math.h>

enum { GATES = 4, PEEPHOLES = 3 };

/* A tensor whose quantisation is `scale` and `zero_point`. */
static struct hy_op_tensor quantised(enum hy_tflite_type type, uint32_t rank, int32_t rows,
                                     int32_t columns, float scale, int64_t zero_point)
{
    return (struct hy_op_tensor){.type = type,
                                 .rank = rank,
                                 .dims = {rows, columns},
                                 .scale = scale,
                                 .zero_point = zero_point};
}

/* ---- int8, with a cell state of int16 -------------------------------------------------------- */

struct cell {
    int32_t batch, features, cells, units;
    bool coupled, peephole, projected, projection_bias, normalised;
    float input_scale, output_scale, weight_scale, state_scale;
    int64_t output_zero_point;
};

static struct cell any_cell(struct hy_op_builder *op_builder, int32_t batch, int32_t features)
{
    struct cell cell = {
        .batch = batch,
        .features = features,
        .cells = hy_op_between(op_builder, 1, 20),
        .coupled = hy_op_pick(op_builder, 3) == 0,
        .projected = hy_op_pick(op_builder, 3) == 0,
        .projection_bias = hy_op_pick(op_builder, 2),
        .normalised = hy_op_pick(op_builder, 3) == 0,
        .input_scale = hy_op_real(op_builder, 0.005f, 0.05f),
        .output_scale = hy_op_real(op_builder, 0.005f, 0.02f),
        .weight_scale = hy_op_real(op_builder, 0.002f, 0.02f),
        .state_scale = ldexpf(1, -hy_op_between(op_builder, 9, 15)),
        .output_zero_point = hy_op_zero_point(op_builder, HY_TFLITE_INT8),
    };
    cell.units = cell.projected ? hy_op_between(op_builder, 1, 9) : cell.cells;
    /* TensorFlow Lite has as many peepholes as outputs, not cells. */
    cell.peephole = !cell.projected && hy_op_pick(op_builder, 3) == 0;
    return cell;
}

static void add_weight_matrix(struct hy_op_builder *op_builder, const struct cell *cell,
                              int32_t rows, int32_t columns)
{
    struct hy_op_tensor matrix =
        quantised(HY_TFLITE_INT8, 2, rows, columns,
                  cell->weight_scale * hy_op_real(op_builder, 0.5f, 1.0f), 0);
    matrix.low = -127.0f;
    matrix.high = 127.0f;
    hy_op_constant(op_builder, &matrix);
}

static void add_matrices(struct hy_op_builder *op_builder, const struct cell *cell, int32_t columns)
{
    hy_op_omit_inputs(op_builder, cell->coupled);
    for (uint32_t gate = cell->coupled; gate < GATES; gate++)
        add_weight_matrix(op_builder, cell, cell->cells, columns);
}

/* A bias up to `most` in both directions. */
static void add_bias(struct hy_op_builder *op_builder, int32_t count, float scale, float most)
{
    struct hy_op_tensor bias = quantised(HY_TFLITE_INT32, 1, count, 1, scale, 0);
    bias.low = -most;
    bias.high = most;
    hy_op_constant(op_builder, &bias);
}

static void add_vector16(struct hy_op_builder *op_builder, int32_t count, float scale)
{
    const struct hy_op_tensor vector = quantised(HY_TFLITE_INT16, 1, count, 1, scale, 0);
    hy_op_constant(op_builder, &vector);
}

static void add_peepholes(struct hy_op_builder *op_builder, const struct cell *cell)
{
    for (int gate = 0; gate < PEEPHOLES; gate++) {
        if (cell->peephole && !(cell->coupled && gate == 0))
            add_vector16(op_builder, cell->cells, hy_op_real(op_builder, 1e-5f, 5e-5f));
        else
            hy_op_nothing(op_builder);
    }
}

static void add_biases(struct hy_op_builder *op_builder, const struct cell *cell)
{
    hy_op_omit_inputs(op_builder, cell->coupled);
    for (uint32_t gate = cell->coupled; gate < GATES; gate++)
        add_bias(op_builder, cell->cells, cell->weight_scale * cell->input_scale,
                 cell->normalised ? 1e7f : 1e4f);
}

static void add_projection(struct hy_op_builder *op_builder, const struct cell *cell)
{
    if (!cell->projected) {
        hy_op_omit_inputs(op_builder, 2);
        return;
    }
    add_weight_matrix(op_builder, cell, cell->units, cell->cells);
    if (cell->projection_bias)
        add_bias(op_builder, cell->units, cell->weight_scale * cell->output_scale, 1e4f);
    else
        hy_op_nothing(op_builder);
}

static void add_states(struct hy_op_builder *op_builder, const struct cell *cell)
{
    const struct hy_op_tensor output = quantised(HY_TFLITE_INT8, 2, cell->batch, cell->units,
                                                 cell->output_scale, cell->output_zero_point);
    const struct hy_op_tensor state =
        quantised(HY_TFLITE_INT16, 2, cell->batch, cell->cells, cell->state_scale, 0);

    hy_op_state(op_builder, &output);
    hy_op_state(op_builder, &state);
}

static void add_layer_norm(struct hy_op_builder *op_builder, const struct cell *cell)
{
    if (!cell->normalised)
        return;
    hy_op_omit_inputs(op_builder, cell->coupled);
    for (uint32_t gate = cell->coupled; gate < GATES; gate++)
        add_vector16(op_builder, cell->cells, hy_op_real(op_builder, 1e-5f, 5e-5f));
}

/* The scales of the gates' sums are told where layers are normalised, that of the output before its
 * projection is always told. */
static void add_intermediates(struct hy_op_builder *op_builder, const struct cell *cell)
{
    const float hidden_scale =
        cell->projected ? hy_op_real(op_builder, 0.005f, 0.02f) : cell->output_scale;
    const struct hy_op_tensor hidden = quantised(
        HY_TFLITE_INT8, 1, 1, 1, hidden_scale,
        cell->projected ? hy_op_zero_point(op_builder, HY_TFLITE_INT8) : cell->output_zero_point);

    for (int gate = 0; gate < GATES; gate++) {
        const struct hy_op_tensor sums =
            quantised(HY_TFLITE_INT16, 1, 1, 1, hy_op_real(op_builder, 1e-4f, 5e-4f), 0);
        hy_op_intermediate(op_builder, &sums);
    }
    hy_op_intermediate(op_builder, &hidden);
}

void hy_op_integer_lstm(struct hy_op_builder *op_builder, const struct hy_op_sequence *sequence)
{
    const struct cell cell =
        any_cell(op_builder, sequence ? sequence->batch : hy_op_between(op_builder, 1, 3),
                 sequence ? sequence->features : hy_op_between(op_builder, 1, 20));
    struct hy_op_tensor x = quantised(HY_TFLITE_INT8, 2, cell.batch, cell.features, 0, 0);
    struct hy_op_tensor y = quantised(HY_TFLITE_INT8, 2, cell.batch, cell.units, 0, 0);
    if (sequence) {
        x = hy_op_sequence_of(op_builder, sequence, cell.features);
        y = hy_op_sequence_of(op_builder, sequence, cell.units);
    }
    x = hy_op_scaled(&x, cell.input_scale, hy_op_zero_point(op_builder, HY_TFLITE_INT8));
    y = hy_op_scaled(&y, cell.output_scale, cell.output_zero_point);

    hy_op_input(op_builder, &x);
    add_matrices(op_builder, &cell, cell.features);
    add_matrices(op_builder, &cell, cell.units);
    add_peepholes(op_builder, &cell);
    add_biases(op_builder, &cell);
    add_projection(op_builder, &cell);
    add_states(op_builder, &cell);
    add_layer_norm(op_builder, &cell);
    add_intermediates(op_builder, &cell);
    hy_op_options(op_builder, sequence ? HY_TFLITE_OPTIONS_UNIDIRECTIONAL_SEQUENCE_LSTM
                                       : HY_TFLITE_OPTIONS_LSTM);
    hy_op_option(op_builder, 0, 1, HY_TFLITE_ACTIVATION_TANH);
    hy_op_option_float(op_builder, 1,
                       hy_op_pick(op_builder, 2) ? hy_op_real(op_builder, 0.1f, 10.0f) : 0.0f);
    hy_op_option_float(op_builder, 2,
                       hy_op_pick(op_builder, 2) ? hy_op_real(op_builder, 0.01f, 1.0f) : 0.0f);
    if (sequence)
        hy_op_option(op_builder, 3, 1, sequence->time_major);
    hy_op_output(op_builder, &y);
}

/* ---- One matrix for all gates ---------------------------------------------------------------- */

#define STATE_SCALE 0x1p-11f

/* What the cell reads of the run before, as a state or as an input of the model. */
static void add_previous(struct hy_op_builder *op_builder, const struct hy_op_tensor *previous,
                         bool is_state)
{
    if (is_state)
        hy_op_state(op_builder, previous);
    else
        hy_op_input(op_builder, previous);
}

static void add_basic_weights(struct hy_op_builder *op_builder, int32_t features, int32_t units)
{
    const int32_t rows = GATES * units, columns = features + units;
    const float scale = hy_op_real(op_builder, 0.001f, 0.02f);
    const struct hy_op_tensor matrix = quantised(HY_TFLITE_UINT8, 2, rows, columns, scale,
                                                 hy_op_zero_point(op_builder, HY_TFLITE_UINT8));

    if (op_builder->type == HY_TFLITE_FLOAT32) {
        hy_op_add_weights(op_builder, 2, rows, columns);
        hy_op_add_vector(op_builder, rows);
        return;
    }
    hy_op_constant(op_builder, &matrix);
    add_bias(op_builder, rows, scale / 128, 1e4f);
}

/* Of float32 or uint8. Outputs: output, cell state, and two intermediate values. */
void hy_op_basic_lstm(struct hy_op_builder *op_builder)
{
    const bool is_float = op_builder->type == HY_TFLITE_FLOAT32,
               is_state = hy_op_pick(op_builder, 2);
    const int32_t batch = hy_op_between(op_builder, 1, 3),
                  features = hy_op_between(op_builder, 1, 20);
    const int32_t units = hy_op_between(op_builder, 1, 20);
    struct hy_op_tensor x = quantised(HY_TFLITE_UINT8, 2, batch, features, 1.0f / 128, 128);
    struct hy_op_tensor state = quantised(HY_TFLITE_INT16, 2, batch, units, STATE_SCALE, 0);

    if (is_float)
        x = hy_op_of(op_builder, op_builder->type, 2, (const int32_t[]){batch, features});
    if (is_float)
        state = hy_op_shaped(&x, 2, (const int32_t[]){batch, units});
    const struct hy_op_tensor y = hy_op_shaped(&x, 2, (const int32_t[]){batch, units});
    const struct hy_op_tensor joined =
        hy_op_shaped(&x, 2, (const int32_t[]){batch, features + units});
    const struct hy_op_tensor gates =
        hy_op_shaped(&state, 2, (const int32_t[]){batch, GATES * units});

    hy_op_input(op_builder, &x);
    add_previous(op_builder, &y, is_state);
    add_basic_weights(op_builder, features, units);
    add_previous(op_builder, &state, is_state);
    hy_op_options(op_builder, HY_TFLITE_OPTIONS_LSTM);
    hy_op_option(op_builder, 0, 1, HY_TFLITE_ACTIVATION_TANH);
    hy_op_option(op_builder, 3, 1, HY_TFLITE_LSTM_BASIC);
    hy_op_output(op_builder, &y);
    hy_op_scratch(op_builder, &state);
    hy_op_scratch(op_builder, &joined);
    hy_op_scratch(op_builder, &gates);
}
