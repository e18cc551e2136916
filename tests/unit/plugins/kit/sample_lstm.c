#include "sample_lstm.h"

#include "common/random.h"

#include <math.h>
#include <string.h>

enum gate { INPUT_GATE, FORGET_GATE, CELL, OUTPUT_GATE, GATES };

/* Extents of the inputs: B, I, U, O; 0 for none. */
static void shape_of(const struct lstm_case *lstm, uint32_t number, uint32_t dims[2])
{
    static const char *const shapes[LSTM_INPUTS] = {
        "BI", "UI", "UI", "UI", "UI", "UO", "UO", "UO", "UO", "U", "U", "U", "U", "U",
        "U",  "U",  "OU", "O",  "BO", "BU", "",   "",   "",   "U", "U", "U", "U"};
    dims[0] = dims[1] = 0;
    for (uint32_t i = 0; shapes[number][i]; i++) {
        const char extent = shapes[number][i];
        dims[i] = extent == 'B'   ? lstm->form.batches
                  : extent == 'I' ? lstm->inputs
                  : extent == 'U' ? lstm->units
                                  : lstm->outputs;
    }
}

bool lstm_case_has(const struct lstm_case *lstm, uint32_t number)
{
    const struct lstm_form *form = &lstm->form;
    const bool is_of_input_gate =
        number == 1 || number == 5 || number == 9 || number == 12 || number == 23;
    if ((is_of_input_gate && !form->has_input_gate) || (number >= 20 && number <= 22))
        return false;
    if (number >= 9 && number <= 11)
        return form->has_peepholes;
    if (number == 16 || number == 17)
        return form->has_projection;
    return number < 23 || form->has_norms;
}

size_t lstm_case_count(const struct lstm_case *lstm, uint32_t number)
{
    uint32_t dims[2];
    shape_of(lstm, number, dims);
    return (size_t)dims[0] * (dims[1] ? dims[1] : 1);
}

/* ---- What has to come out -------------------------------------------------------------------- */

static double squash(double x)
{
    return 1 / (1 + exp(-x));
}

static double activate(int32_t activation, double x)
{
    return activation == 0   ? x
           : activation == 1 ? fmax(x, 0)
           : activation == 3 ? fmin(fmax(x, 0), 6)
           : activation == 4 ? tanh(x)
                             : squash(x);
}

static double clip(double x, double limit)
{
    return limit > 0 ? fmin(fmax(x, -limit), limit) : x;
}

/* What goes into a gate of one row, [units]. */
static void sum_gate(const struct lstm_case *lstm, uint32_t row, enum gate gate,
                     const double *peeped, double *sums)
{
    const float *x = lstm->values[0] + row * lstm->inputs;
    const float *h = lstm->values[18] + row * lstm->outputs;
    const float *peephole = lstm->values[9 + (gate == OUTPUT_GATE ? 2 : gate)];
    double mean = 0, variance = 0;
    for (uint32_t u = 0; u < lstm->units; u++) {
        sums[u] = lstm->form.has_norms ? 0 : lstm->values[12 + gate][u];
        for (uint32_t i = 0; i < lstm->inputs; i++)
            sums[u] += (double)lstm->values[1 + gate][u * lstm->inputs + i] * x[i];
        for (uint32_t i = 0; i < lstm->outputs; i++)
            sums[u] += (double)lstm->values[5 + gate][u * lstm->outputs + i] * h[i];
        if (lstm->form.has_peepholes && gate != CELL)
            sums[u] += peephole[u] * peeped[u];
        mean += sums[u] / lstm->units;
    }
    for (uint32_t u = 0; u < lstm->units; u++)
        variance += (sums[u] - mean) * (sums[u] - mean) / lstm->units;
    for (uint32_t u = 0; lstm->form.has_norms && u < lstm->units; u++)
        sums[u] = (sums[u] - mean) / sqrt(variance + 1e-8) * lstm->values[23 + gate][u] +
                  lstm->values[12 + gate][u];
}

static void work_out_row(struct lstm_case *lstm, uint32_t row)
{
    double gates[GATES][LSTM_UNITS], old[LSTM_UNITS];
    double *cells = lstm->cells + row * lstm->units;
    for (uint32_t u = 0; u < lstm->units; u++)
        old[u] = lstm->values[19][row * lstm->units + u];
    for (enum gate gate = INPUT_GATE; gate <= CELL; gate++)
        sum_gate(lstm, row, gate, old, gates[gate]);
    for (uint32_t u = 0; u < lstm->units; u++) {
        const double forget = squash(gates[FORGET_GATE][u]);
        const double input_gate =
            lstm->form.has_input_gate ? squash(gates[INPUT_GATE][u]) : 1 - forget;
        cells[u] =
            clip(forget * old[u] + input_gate * activate(lstm->form.activation, gates[CELL][u]),
                 lstm->form.cell_clip);
    }
    sum_gate(lstm, row, OUTPUT_GATE, cells, gates[OUTPUT_GATE]);
    for (uint32_t o = 0; o < lstm->outputs; o++) {
        double sum = lstm->form.has_projection ? lstm->values[17][o] : 0;
        for (uint32_t u = 0; u < lstm->units; u++) {
            const double out =
                squash(gates[OUTPUT_GATE][u]) * activate(lstm->form.activation, cells[u]);
            sum += lstm->form.has_projection ? lstm->values[16][o * lstm->units + u] * out
                   : u == o                  ? out
                                             : 0;
        }
        lstm->states[row * lstm->outputs + o] =
            lstm->form.has_projection ? clip(sum, lstm->form.projection_clip) : sum;
    }
}

void lstm_case_init(const struct lstm_form *form, struct lstm_case *out)
{
    static struct hy_random random = {4711};
    memset(out, 0, sizeof *out);
    out->form = *form;
    out->inputs = 3;
    out->units = LSTM_UNITS;
    out->outputs = form->has_projection ? 4 : LSTM_UNITS;
    for (uint32_t number = 0; number < LSTM_INPUTS; number++) {
        const size_t count = lstm_case_has(out, number) ? lstm_case_count(out, number) : 0;
        for (size_t i = 0; i < count; i++)
            out->values[number][i] = hy_random_real(&random, -1, 1);
    }
    for (uint32_t row = 0; row < form->batches; row++)
        work_out_row(out, row);
}

/* ---- The model ------------------------------------------------------------------------------- */

static uint32_t add_tensor(const struct lstm_case *lstm, uint32_t number,
                           struct sample_model *model)
{
    const int32_t type = ANEURALNETWORKS_TENSOR_FLOAT32;
    const bool is_state = number == 0 || number == 18 || number == 19;
    const bool has_value = lstm_case_has(lstm, number);
    uint32_t dims[2];
    shape_of(lstm, number, dims);
    const uint32_t rank = dims[1] ? 2 : 1;
    if (has_value && !is_state && !lstm->form.is_open)
        return sample_model_constant(model, type, rank, dims, 0, 0, lstm->values[number],
                                     lstm_case_count(lstm, number) * sizeof(float));
    if (!has_value && lstm->form.is_open)
        dims[0] = dims[1] = 0; /* an app that means to leave it out has no shape to tell */
    return sample_model_tensor(
        model, type, has_value || lstm->form.is_open ? HY_LIFETIME_INPUT : HY_LIFETIME_NO_VALUE,
        rank, dims, 0, 0);
}

static uint32_t add_scalar(struct sample_model *model, float value)
{
    return sample_model_constant(model, ANEURALNETWORKS_FLOAT32, 0, NULL, 0, 0, &value,
                                 sizeof value);
}

void lstm_case_model(const struct lstm_case *lstm, struct sample_model *model)
{
    const uint32_t columns[] = {(lstm->form.has_input_gate ? 4 : 3) * lstm->units, lstm->outputs,
                                lstm->units, lstm->outputs};
    uint32_t inputs[LSTM_INPUTS], outputs[4];
    sample_model_init(model);
    for (uint32_t i = 0; i < LSTM_INPUTS; i++)
        inputs[i] = i == 20   ? sample_model_i32(model, lstm->form.activation)
                    : i == 21 ? add_scalar(model, lstm->form.cell_clip)
                    : i == 22 ? add_scalar(model, lstm->form.projection_clip)
                              : add_tensor(lstm, i, model);
    for (uint32_t i = 0; i < 4; i++)
        outputs[i] =
            sample_model_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, HY_LIFETIME_OUTPUT, 2,
                                (const uint32_t[]){lstm->form.batches, columns[i]}, 0, 0);
    sample_model_lstm(model, LSTM_INPUTS, inputs, outputs);
}
