#include <math.h>
#include <string.h>

#include "cpu_fallback/kernels/recurrent.h"

enum { SIGMOID = 6 }; /* code of the activation */

static float *gate_values(const struct hy_lstm_cell *cell, int gate)
{
    return cell->gates + (size_t)gate * cell->batch * cell->units;
}

/* NaN passes. */
static void clip(float limit, size_t count, float *values)
{
    for (size_t i = 0; limit > 0 && i < count; i++)
        values[i] = values[i] < -limit ? -limit : values[i] > limit ? limit : values[i];
}

/* Adds the products of input, auxiliary input and hidden state for a gate. */
static void sum_products(const struct hy_lstm_cell *cell, int gate, const float *in,
                         const float *aux, const float *hidden)
{
    float *values = gate_values(cell, gate);
    struct hy_matvec_shape shape = {cell->batch, cell->units, cell->inputs};

    memset(values, 0, cell->batch * cell->units * sizeof *values);
    cell->kernels.matvec(&shape, cell->weights[gate], in, values);
    if (cell->aux_weights[gate]) {
        shape.columns = cell->aux_inputs;
        cell->kernels.matvec(&shape, cell->aux_weights[gate], aux, values);
    }
    shape.columns = cell->outputs;
    cell->kernels.matvec(&shape, cell->recurrent[gate], hidden, values);
}

/* Scales and shifts to mean 0 and variance 1. */
static void normalise(size_t count, float *values)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        sum += (double)values[i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += ((double)values[i] - mean) * ((double)values[i] - mean);
    double factor = 1 / sqrt(squares / (double)count + 1e-8);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(((double)values[i] - mean) * factor);
}

/* Computes the gate from the sum of products: peephole, normalisation, bias, activation. */
static void finish_gate(const struct hy_lstm_cell *cell, int gate, const float *state)
{
    const float *peephole = cell->peephole[gate], *norm = cell->norm[gate];
    const float *bias = cell->bias[gate];
    float *values = gate_values(cell, gate);
    size_t units = cell->units;

    for (size_t b = 0; b < cell->batch; b++) {
        float *row = values + b * units;

        for (size_t u = 0; peephole && u < units; u++)
            row[u] += peephole[u] * state[b * units + u];
        if (norm)
            normalise(units, row);
        for (size_t u = 0; u < units; u++)
            row[u] = (norm ? row[u] * norm[u] : row[u]) + bias[u];
    }
    hy_cell_activate(&cell->kernels, gate == HY_LSTM_CELL ? cell->activation : SIGMOID,
                     cell->batch * units, values);
}

/* Computes the new cell state from the first three gates. */
static void update_state(const struct hy_lstm_cell *cell, float *state)
{
    const float *input = cell->weights[HY_LSTM_INPUT] ? gate_values(cell, HY_LSTM_INPUT) : NULL;
    const float *forget = gate_values(cell, HY_LSTM_FORGET);
    const float *update = gate_values(cell, HY_LSTM_CELL);
    size_t count = cell->batch * cell->units;

    for (size_t i = 0; i < count; i++)
        state[i] = forget[i] * state[i] + (input ? input[i] : 1 - forget[i]) * update[i];
    clip(cell->cell_clip, count, state);
}

/* Computes the hidden state from the values of the output gate. */
static void project(const struct hy_lstm_cell *cell, const float *values, float *hidden)
{
    size_t count = cell->batch * cell->outputs;

    memset(hidden, 0, count * sizeof *hidden);
    for (size_t i = 0; cell->projection_bias && i < count; i++)
        hidden[i] = cell->projection_bias[i % cell->outputs];
    cell->kernels.matvec(&(struct hy_matvec_shape){cell->batch, cell->outputs, cell->units},
                         cell->projection, values, hidden);
    clip(cell->projection_clip, count, hidden);
}

/* The new hidden state from the output gate and the new cell state. The buffer of the cell gate is
 * no longer used and holds the values. */
static void update_hidden(const struct hy_lstm_cell *cell, const float *state, float *hidden)
{
    const float *output = gate_values(cell, HY_LSTM_OUTPUT);
    float *values = gate_values(cell, HY_LSTM_CELL);
    size_t count = cell->batch * cell->units;

    memcpy(values, state, count * sizeof *values);
    hy_cell_activate(&cell->kernels, cell->activation, count, values);
    for (size_t i = 0; i < count; i++)
        values[i] *= output[i];
    if (cell->projection)
        project(cell, values, hidden);
    else
        memcpy(hidden, values, count * sizeof *hidden);
}

void hy_lstm_step(const void *cell, size_t step, const float *in, const float *aux, float *hidden,
                  float *state)
{
    const struct hy_lstm_cell *lstm = cell;
    (void)step;

    for (int gate = 0; gate < HY_LSTM_GATES; gate++)
        if (lstm->weights[gate])
            sum_products(lstm, gate, in, aux, hidden);
    for (int gate = 0; gate < HY_LSTM_OUTPUT; gate++)
        if (lstm->weights[gate])
            finish_gate(lstm, gate, state);
    update_state(lstm, state);
    finish_gate(lstm, HY_LSTM_OUTPUT, state); /* its peephole reads the new state */
    update_hidden(lstm, state, hidden);
}

/* Finishes `count` units from `first` on, from the products of the input and of the hidden
 * state. */
static void finish_units(const struct hy_lstm_panel_cell *panel, size_t first, size_t count,
                         const float *in, float *state, float *out)
{
    const struct hy_lstm_cell *lstm = &panel->cell;
    const int first_gate = panel->is_coupled ? HY_LSTM_FORGET : HY_LSTM_INPUT;
    const size_t units = lstm->units, columns = (size_t)(HY_LSTM_GATES - first_gate) * units;
    struct hy_lstm_row row = {.units = count, .cell_clip = lstm->cell_clip};

    for (int gate = 0; gate < HY_LSTM_GATES; gate++)
        row.peephole[gate] = lstm->peephole[gate] ? lstm->peephole[gate] + first : NULL;
    for (size_t b = 0; b < lstm->batch; b++) {
        for (int gate = first_gate; gate < HY_LSTM_GATES; gate++) {
            const size_t column = (size_t)(gate - first_gate) * units + first;
            row.in[gate] = in + b * panel->in_step + column;
            row.hidden[gate] = lstm->gates + b * columns + column;
        }
        panel->row(&row, state + b * units + first, out + b * units + first);
    }
}

void hy_lstm_panel_step(const void *cell, size_t step, const float *in, const float *aux,
                        float *hidden, float *state)
{
    const struct hy_lstm_panel_cell *panel = cell;
    const struct hy_lstm_cell *lstm = &panel->cell;
    (void)step, (void)aux;

    hy_cell_panels_run(&panel->panels, hidden, lstm->gates);
    finish_units(panel, 0, lstm->units, in, state, lstm->projection ? panel->values : hidden);
    if (lstm->projection)
        project(lstm, panel->values, hidden);
}

void hy_lstm_panel_part(const void *cell, size_t step, uint32_t part, const float *in,
                        const float *hidden, float *state, float *out)
{
    const struct hy_lstm_panel_cell *panel = cell;
    const size_t count = panel->cell.units / panel->panels.parts;
    (void)step;

    hy_cell_panels_run_part(&panel->panels, part, hidden, panel->cell.gates);
    finish_units(panel, part * count, count, in, state, out);
}

/* ---- Steps of a kernel that has products and gates ------------------------------------------- */

/* The units of one of `parts` equal parts; the order of panels alternates from step to step. */
static struct hy_lstm_units units_of(const struct hy_lstm_panel_cell *panel, size_t step,
                                     uint32_t parts, uint32_t part, const float *in,
                                     const float *hidden)
{
    const struct hy_lstm_cell *lstm = &panel->cell;
    struct hy_lstm_units units = {
        .units = lstm->units,
        .depth = lstm->outputs,
        .first = lstm->units / parts * part,
        .count = lstm->units / parts,
        .half = part == 0 ? 0 : 1,
        .is_backwards = step % 2 == 1,
        .is_coupled = panel->is_coupled,
        .cell_clip = lstm->cell_clip,
        .weights = panel->panels.weights,
        .in = in,
        .hidden = hidden,
    };

    memcpy(units.peephole, lstm->peephole, sizeof units.peephole);
    return units;
}

void hy_lstm_units_step(const void *cell, size_t step, const float *in, const float *aux,
                        float *hidden, float *state)
{
    const struct hy_lstm_panel_cell *panel = cell;
    const struct hy_lstm_cell *lstm = &panel->cell;
    const struct hy_lstm_units units = units_of(panel, step, 1, 0, in, hidden);
    (void)aux;

    panel->kernel->units(&units, NULL, panel->panels.interleaved, state, panel->values);
    if (lstm->projection)
        project(lstm, panel->values, hidden);
    else
        memcpy(hidden, panel->values, lstm->units * sizeof *hidden);
}

void hy_lstm_units_early(const void *cell, size_t step, uint32_t part, const float *hidden)
{
    const struct hy_lstm_panel_cell *panel = cell;
    const struct hy_lstm_units units = units_of(panel, step, 2, part, NULL, hidden);

    panel->kernel->half(&units, panel->cell.gates);
}

void hy_lstm_units_part(const void *cell, size_t step, uint32_t part, const float *in,
                        const float *hidden, float *state, float *out)
{
    const struct hy_lstm_panel_cell *panel = cell;
    const uint32_t parts = panel->panels.parts;
    const struct hy_lstm_units units = units_of(panel, step, parts, part, in, hidden);
    const struct hy_conv_partition *interleaved =
        panel->panels.interleaved ? &panel->panels.interleaved[part] : NULL;

    panel->kernel->units(&units, parts == 2 ? panel->cell.gates : NULL, interleaved, state, out);
}
