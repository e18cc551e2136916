/* The arithmetic of LSTM: eight rows at a time, one tile after the other. */
#include "lstm.h"

#include "elements.h"
#include "lanes.h"

#include <math.h>
#include <string.h>

#define LANES         SAMPLE_LANES
#define NORM_VARIANCE 1e-8f /* keeps the root away from 0 */

/* A column of a tile: one element of eight rows. */
typedef float column[LANES];

/* One tile on its way. */
struct cell {
    const struct sample_lstm *lstm;
    const uint8_t *const *inputs;
    const column *input, *state; /* [inputs], [outputs] */
    const column *old_cells;     /* [units] */
    column *new_cells;
    column *gates[SAMPLE_GATES]; /* [units] each */
};

static const uint8_t *operand(const struct cell *cell, uint32_t number)
{
    const uint8_t place = cell->lstm->places[number];
    return place == SAMPLE_LEFT_OUT ? NULL : cell->inputs[place];
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* sums [rows] += weights [rows, depth] * values [depth] */
static void add_product(const uint8_t *weights, uint32_t rows, uint32_t depth, const column *values,
                        column *sums)
{
    for (size_t row = 0; row < rows; row++) {
        column sum;
        memcpy(sum, sums[row], sizeof sum);
        for (size_t i = 0; i < depth; i++) {
            const float weight = load_f32(weights, row * depth + i);
            for (size_t lane = 0; lane < LANES; lane++)
                sum[lane] += weight * values[i][lane];
        }
        memcpy(sums[row], sum, sizeof sum);
    }
}

/* sums += weights . values; NULL: nothing. */
static void add_scaled(const uint8_t *weights, uint32_t count, const column *values, column *sums)
{
    for (size_t i = 0; weights && i < count; i++) {
        const float weight = load_f32(weights, i);
        for (size_t lane = 0; lane < LANES; lane++)
            sums[i][lane] += weight * values[i][lane];
    }
}

static void fill(const uint8_t *bias, uint32_t count, column *sums)
{
    for (size_t i = 0; i < count; i++) {
        const float value = bias ? load_f32(bias, i) : 0;
        for (size_t lane = 0; lane < LANES; lane++)
            sums[i][lane] = value;
    }
}

/* Each lane to mean 0 and variance 1, times the weights, plus the bias. */
static void normalise(const uint8_t *weights, const uint8_t *bias, uint32_t count, column *values)
{
    for (size_t lane = 0; lane < LANES; lane++) {
        float mean = 0, variance = 0;
        for (size_t i = 0; i < count; i++)
            mean += values[i][lane] / (float)count;
        for (size_t i = 0; i < count; i++)
            variance += (values[i][lane] - mean) * (values[i][lane] - mean) / (float)count;
        const float scale = 1 / sqrtf(variance + NORM_VARIANCE);
        for (size_t i = 0; i < count; i++)
            values[i][lane] =
                (values[i][lane] - mean) * scale * load_f32(weights, i) + load_f32(bias, i);
    }
}

/* ---- Gates ----------------------------------------------------------------------------------- */

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

/* What goes into a gate. `peephole`: the number of its weights for `cells`, 0 for none. */
static void sum_gate(const struct cell *cell, enum sample_lstm_gate gate, uint32_t peephole,
                     const column *cells)
{
    const struct sample_lstm *lstm = cell->lstm;
    const uint8_t *norm = operand(cell, SAMPLE_LSTM_NORMS + gate);
    const uint8_t *bias = operand(cell, SAMPLE_LSTM_BIASES + gate);
    column *sums = cell->gates[gate];

    fill(norm ? NULL : bias, lstm->units, sums);
    add_product(operand(cell, SAMPLE_LSTM_WEIGHTS + gate), lstm->units, lstm->inputs, cell->input,
                sums);
    add_product(operand(cell, SAMPLE_LSTM_RECURRENT + gate), lstm->units, lstm->outputs,
                cell->state, sums);
    if (peephole)
        add_scaled(operand(cell, peephole), lstm->units, cells, sums);
    if (norm)
        normalise(norm, bias, lstm->units, sums);
}

/* The new cell state. Without an input gate, what is not forgotten is taken in. */
static void update_cells(const struct cell *cell)
{
    const struct sample_lstm *lstm = cell->lstm;
    const bool has_gate = operand(cell, SAMPLE_LSTM_WEIGHTS);
    if (has_gate)
        sum_gate(cell, SAMPLE_INPUT_GATE, SAMPLE_LSTM_PEEPHOLES, cell->old_cells);
    sum_gate(cell, SAMPLE_FORGET_GATE, SAMPLE_LSTM_PEEPHOLES + 1, cell->old_cells);
    sum_gate(cell, SAMPLE_CELL, 0, NULL);
    const float *forget = (const float *)cell->gates[SAMPLE_FORGET_GATE];
    const float *in = (const float *)cell->gates[SAMPLE_INPUT_GATE];
    const float *fresh = (const float *)cell->gates[SAMPLE_CELL];
    const float *old = (const float *)cell->old_cells;
    for (size_t i = 0; i < (size_t)lstm->units * LANES; i++) {
        const float keep = squash(forget[i]), take = has_gate ? squash(in[i]) : 1 - keep;
        const float value = keep * old[i] + take * activate(lstm->activation, fresh[i]);
        ((float *)cell->new_cells)[i] = clip(value, lstm->cell_clip);
    }
}

/* What comes out, [units], in the place of the output gate. */
static column *let_out(const struct cell *cell)
{
    const struct sample_lstm *lstm = cell->lstm;
    column *out = cell->gates[SAMPLE_OUTPUT_GATE];
    const float *cells = (const float *)cell->new_cells;
    float *values = (float *)out;
    sum_gate(cell, SAMPLE_OUTPUT_GATE, SAMPLE_LSTM_PEEPHOLES + 2, (const column *)cell->new_cells);
    for (size_t i = 0; i < (size_t)lstm->units * LANES; i++)
        values[i] = squash(values[i]) * activate(lstm->activation, cells[i]);
    return out;
}

/* [outputs] of it. */
static void project(const struct cell *cell, const column *out, column *projected)
{
    const struct sample_lstm *lstm = cell->lstm;
    const uint8_t *weights = operand(cell, SAMPLE_LSTM_PROJECTION);
    if (!weights) {
        memcpy(projected, out, lstm->outputs * sizeof *projected);
        return;
    }
    fill(operand(cell, SAMPLE_LSTM_PROJECTION_BIAS), lstm->outputs, projected);
    add_product(weights, lstm->outputs, lstm->units, out, projected);
    for (size_t i = 0; i < (size_t)lstm->outputs * LANES; i++)
        ((float *)projected)[i] = clip(((float *)projected)[i], lstm->projection_clip);
}

/* ---- The step -------------------------------------------------------------------------------- */

uint64_t sample_lstm_work_bytes(const struct sample_lstm *lstm)
{
    return (uint64_t)SAMPLE_GATES * lstm->units * sizeof(column);
}

static const column *tile_of(const struct cell *cell, uint32_t number, size_t tile,
                             uint32_t columns)
{
    return (const column *)operand(cell, number) + tile * columns;
}

void sample_lstm_run(const struct sample_step *step, const uint8_t *const *inputs,
                     uint8_t *const *outputs, void *work)
{
    const struct sample_lstm *lstm = &step->as.lstm;
    struct cell cell = {.lstm = lstm, .inputs = inputs};
    for (uint32_t gate = 0; gate < SAMPLE_GATES; gate++)
        cell.gates[gate] = (column *)work + (size_t)gate * lstm->units;

    for (size_t tile = 0; tile * LANES < lstm->batches; tile++) {
        column *state = (column *)outputs[1] + tile * lstm->outputs;
        cell.input = tile_of(&cell, SAMPLE_LSTM_INPUT, tile, lstm->inputs);
        cell.state = tile_of(&cell, SAMPLE_LSTM_OUTPUT_STATE, tile, lstm->outputs);
        cell.old_cells = tile_of(&cell, SAMPLE_LSTM_CELL_STATE, tile, lstm->units);
        cell.new_cells = (column *)outputs[2] + tile * lstm->units;
        update_cells(&cell);
        project(&cell, (const column *)let_out(&cell), state);
        memcpy((column *)outputs[3] + tile * lstm->outputs, state, lstm->outputs * sizeof *state);
    }
    /* Our scratch memory is our own: the output of that name gets zeros. */
    memset(outputs[0], 0, (size_t)lstm->gates * lstm->units * lstm->batches * sizeof(float));
}
