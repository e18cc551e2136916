#include "lstm.h"

#include "elements.h"

#include <math.h>
#include <string.h>

#define LEFT_OUT      UINT8_MAX /* in sample_lstm.places */
#define GATES         4u
#define NORM_VARIANCE 1e-8f /* avoids a division by 0 */

/* ---- Making a step --------------------------------------------------------------------------- */

bool sample_lstm_make(struct hy_model_reader *reader, const struct hy_operation *operation,
                      const struct hy_operand *input, struct sample_step *step)
{
    static const uint32_t in_columns =
        1u << HY_LSTM_INPUT | 1u << HY_LSTM_OUTPUT_STATE | 1u << HY_LSTM_CELL_STATE;
    struct sample_lstm *lstm = &step->as.lstm;
    (void)input; /* which is read with the others */
    if (!hy_lstm_form_read(reader, operation, &lstm->form))
        return false;
    memset(lstm->input_slots, LEFT_OUT, sizeof lstm->input_slots);
    for (uint32_t number = 0; number < operation->input_count; number++) {
        if (!(lstm->form.present >> number & 1))
            continue;
        const uint32_t slot = step->input_count++;
        lstm->input_slots[number] = (uint8_t)slot;
        step->inputs[slot] = operation->inputs[number];
        step->optional_inputs |= (lstm->form.optional >> number & 1) << slot;
        step->inputs_in_columns |= (in_columns >> number & 1) << slot;
    }
    step->outputs_in_columns = 0xe; /* all but the scratch output */
    return true;
}

uint32_t sample_lstm_shape(const struct sample_lstm *lstm, uint32_t input, uint32_t dims[2])
{
    uint32_t number = 0;
    while (lstm->input_slots[number] != input)
        number++;
    return hy_lstm_form_shape(&lstm->form, number, dims);
}

bool sample_lstm_is_whole(const struct sample_lstm *lstm, const uint8_t *const *inputs)
{
    uint32_t present = 0;
    for (uint32_t number = 0; number < HY_LSTM_INPUTS; number++) {
        const uint8_t slot = lstm->input_slots[number];
        present |= (uint32_t)(slot != LEFT_OUT && inputs[slot]) << number;
    }
    return hy_lstm_form_is_whole(&lstm->form, present);
}

/* ---- The arithmetic -------------------------------------------------------------------------- */

/* A step on its way. Tensors are in columns: the batches of an element lie side by side. Those of
 * the gates are [units]. */
struct cell {
    const struct hy_lstm_form *lstm;
    const uint8_t *input_slots;
    const uint8_t *const *inputs;
    size_t batches;
    size_t elements; /* of a tensor of the units */
    float *gates[GATES];
};

/* Weights lie at any address. */
static const uint8_t *weights_of(const struct cell *cell, uint32_t number)
{
    const uint8_t slot = cell->input_slots[number];
    return slot == LEFT_OUT ? NULL : cell->inputs[slot];
}

static const float *columns_of(const struct cell *cell, uint32_t number)
{
    return (const float *)weights_of(cell, number);
}

/* sums += weight * values, in all batches */
static void add_scaled(size_t batches, float weight, const float *values, float *sums)
{
    for (size_t i = 0; i < batches; i++)
        sums[i] += weight * values[i];
}

/* sums [rows] += weights [rows, depth] * values [depth] */
static void add_product(const struct cell *cell, const uint8_t *weights, uint32_t rows,
                        uint32_t depth, const float *values, float *sums)
{
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < depth; i++)
            add_scaled(cell->batches, load_f32(weights, row * depth + i),
                       values + i * cell->batches, sums + row * cell->batches);
}

static void fill(const struct cell *cell, const uint8_t *bias, uint32_t count, float *sums)
{
    for (size_t i = 0; i < count * cell->batches; i++)
        sums[i] = bias ? load_f32(bias, i / cell->batches) : 0;
}

/* Each batch to mean 0 and variance 1, times the weights, plus the bias. */
static void normalise(const struct cell *cell, const uint8_t *weights, const uint8_t *bias,
                      float *values)
{
    const size_t units = cell->lstm->units, batches = cell->batches;
    for (size_t batch = 0; batch < batches; batch++) {
        float mean = 0, variance = 0;
        for (size_t i = batch; i < cell->elements; i += batches)
            mean += values[i] / (float)units;
        for (size_t i = batch; i < cell->elements; i += batches)
            variance += (values[i] - mean) * (values[i] - mean) / (float)units;
        const float scale = 1 / sqrtf(variance + NORM_VARIANCE);
        for (size_t u = 0; u < units; u++) {
            float *value = &values[u * batches + batch];
            *value = (*value - mean) * scale * load_f32(weights, u) + load_f32(bias, u);
        }
    }
}

static float clamp(float x, float low, float high)
{
    const float value = x < low ? low : x;
    return value > high ? high : value;
}

static float clip(float x, float limit)
{
    return limit > 0 ? clamp(x, -limit, limit) : x;
}

static float squash(float x)
{
    return 1 / (1 + expf(-x));
}

static float activate(int32_t activation, float x)
{
    switch (activation) {
    case 1:
        return clamp(x, 0, INFINITY);
    case 3:
        return clamp(x, 0, 6);
    case 4:
        return tanhf(x);
    case 6:
        return squash(x);
    default:
        return x;
    }
}

/* The input sum of a gate. `peephole`: input number of the peephole weights for `cells`, 0: none.
 */
static void sum_gate(const struct cell *cell, enum hy_lstm_form_gate gate, uint32_t peephole,
                     const float *cells)
{
    const struct hy_lstm_form *lstm = cell->lstm;
    const uint8_t *norm = weights_of(cell, HY_LSTM_NORMS + gate);
    const uint8_t *bias = weights_of(cell, HY_LSTM_BIASES + gate);
    const uint8_t *peepholes = peephole ? weights_of(cell, peephole) : NULL;
    float *sums = cell->gates[gate];

    fill(cell, norm ? NULL : bias, lstm->units, sums);
    add_product(cell, weights_of(cell, HY_LSTM_WEIGHTS + gate), lstm->units, lstm->inputs,
                columns_of(cell, HY_LSTM_INPUT), sums);
    add_product(cell, weights_of(cell, HY_LSTM_RECURRENT + gate), lstm->units, lstm->outputs,
                columns_of(cell, HY_LSTM_OUTPUT_STATE), sums);
    for (size_t i = 0; peepholes && i < cell->elements; i += cell->batches)
        add_scaled(cell->batches, load_f32(peepholes, i / cell->batches), cells + i, sums + i);
    if (norm)
        normalise(cell, norm, bias, sums);
}

/* The new cell state. Without an input gate, what is not forgotten is taken in. */
static void update_cells(const struct cell *cell, float *cells)
{
    const struct hy_lstm_form *lstm = cell->lstm;
    const bool has_gate = weights_of(cell, HY_LSTM_WEIGHTS);
    const float *old = columns_of(cell, HY_LSTM_CELL_STATE);
    if (has_gate)
        sum_gate(cell, HY_LSTM_INPUT_GATE, HY_LSTM_PEEPHOLES, old);
    sum_gate(cell, HY_LSTM_FORGET_GATE, HY_LSTM_PEEPHOLES + 1, old);
    sum_gate(cell, HY_LSTM_CELL, 0, NULL);
    for (size_t i = 0; i < cell->elements; i++) {
        const float forget_gate = squash(cell->gates[HY_LSTM_FORGET_GATE][i]);
        const float input_gate =
            has_gate ? squash(cell->gates[HY_LSTM_INPUT_GATE][i]) : 1 - forget_gate;
        const float fresh = activate(lstm->activation, cell->gates[HY_LSTM_CELL][i]);
        cells[i] = clip(forget_gate * old[i] + input_gate * fresh, lstm->cell_clip);
    }
}

/* The output [outputs], projected if projection weights exist. */
static void let_out(const struct cell *cell, const float *cells, float *state)
{
    const struct hy_lstm_form *lstm = cell->lstm;
    const uint8_t *projection = weights_of(cell, HY_LSTM_PROJECTION);
    const size_t count = lstm->outputs * cell->batches;
    float *out = cell->gates[HY_LSTM_OUTPUT_GATE];
    sum_gate(cell, HY_LSTM_OUTPUT_GATE, HY_LSTM_PEEPHOLES + 2, cells);
    for (size_t i = 0; i < cell->elements; i++)
        out[i] = squash(out[i]) * activate(lstm->activation, cells[i]);
    if (!projection) {
        memcpy(state, out, count * sizeof *state);
        return;
    }
    fill(cell, weights_of(cell, HY_LSTM_PROJECTION_BIAS), lstm->outputs, state);
    add_product(cell, projection, lstm->outputs, lstm->units, out, state);
    for (size_t i = 0; i < count; i++)
        state[i] = clip(state[i], lstm->projection_clip);
}

uint64_t sample_lstm_work_bytes(const struct sample_lstm *lstm)
{
    return (uint64_t)GATES * lstm->form.units * lstm->form.batches * sizeof(float);
}

void sample_lstm_run(const struct sample_step *step, const uint8_t *const *inputs,
                     uint8_t *const *outputs, void *work)
{
    const struct hy_lstm_form *lstm = &step->as.lstm.form;
    struct cell cell = {.lstm = lstm,
                        .input_slots = step->as.lstm.input_slots,
                        .inputs = inputs,
                        .batches = lstm->batches,
                        .elements = (size_t)lstm->units * lstm->batches};
    for (uint32_t gate = 0; gate < GATES; gate++)
        cell.gates[gate] = (float *)work + gate * cell.elements;
    update_cells(&cell, (float *)outputs[2]);
    let_out(&cell, (const float *)outputs[2], (float *)outputs[1]);
    memcpy(outputs[3], outputs[1], (size_t)lstm->outputs * lstm->batches * sizeof(float));
    /* The kernel uses its own scratch memory; the output named scratch gets zeros. */
    memset(outputs[0], 0, lstm->gates * cell.elements * sizeof(float));
}
