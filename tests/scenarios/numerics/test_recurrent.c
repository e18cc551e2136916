#include <android/NeuralNetworksTypes.h>
#include <math.h>

#include "common/operations/operation.h"
#include "tests/scenarios/numerics/claim.h"

/*
 * Cells of float32 that keep their state in it from step to step, against cells of double: in parts
 * of (inputs + units + 8) * 2^-24 for each step. Weights lie between -1/2 and 1/2.
 */

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32

enum { STEPS = 4, MOST_BATCH = 32, MOST_SIZE = 40, GATES = 4 };
enum { IN_GATE, FORGET_GATE, CELL_GATE, OUT_GATE };

struct cells {
    uint32_t batch, inputs, units, gates;
    float in[STEPS * MOST_BATCH * MOST_SIZE], out[STEPS * MOST_BATCH * MOST_SIZE];
    float weights[GATES][MOST_SIZE * MOST_SIZE], recurrent[GATES][MOST_SIZE * MOST_SIZE];
    float bias[GATES][MOST_SIZE];
    float hidden[MOST_BATCH * MOST_SIZE], cell[MOST_BATCH * MOST_SIZE];
    double want[STEPS * MOST_BATCH * MOST_SIZE];
};

static void fill(struct hy_random *r, float *numbers, uint32_t count, float most)
{
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = most * hy_random_real(r, -1, 1);
}

static void choose(struct hy_random *r, struct cells *c)
{
    c->batch = (uint32_t)hy_random_between(r, 1, MOST_BATCH);
    c->inputs = (uint32_t)hy_random_between(r, 1, MOST_SIZE);
    c->units = (uint32_t)hy_random_between(r, 1, MOST_SIZE);
    fill(r, c->in, STEPS * c->batch * c->inputs, 1);
    fill(r, c->hidden, c->batch * c->units, 1);
    fill(r, c->cell, c->batch * c->units, 1);
    for (uint32_t g = 0; g < c->gates; g++) {
        fill(r, c->weights[g], c->units * c->inputs, 0.5f);
        fill(r, c->recurrent[g], c->units * c->units, 0.5f);
        fill(r, c->bias[g], c->units, 1);
    }
}

/* What a gate adds up before its function. */
static double gate_sum(const struct cells *c, uint32_t gate, uint32_t unit, const float *in,
                       const double *hidden)
{
    double sum = c->bias[gate][unit];

    for (uint32_t i = 0; i < c->inputs; i++)
        sum += (double)c->weights[gate][unit * c->inputs + i] * in[i];
    for (uint32_t i = 0; i < c->units; i++)
        sum += (double)c->recurrent[gate][unit * c->units + i] * hidden[i];
    return sum;
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double next_hidden(const struct cells *c, uint32_t unit, const float *in,
                          const double *hidden, double *cell)
{
    if (c->gates == 1)
        return tanh(gate_sum(c, 0, unit, in, hidden));
    *cell = logistic(gate_sum(c, FORGET_GATE, unit, in, hidden)) * *cell +
            logistic(gate_sum(c, IN_GATE, unit, in, hidden)) *
                tanh(gate_sum(c, CELL_GATE, unit, in, hidden));
    return logistic(gate_sum(c, OUT_GATE, unit, in, hidden)) * tanh(*cell);
}

static void expect(struct cells *c)
{
    for (uint32_t row = 0; row < c->batch; row++) {
        double hidden[MOST_SIZE], cell[MOST_SIZE];
        for (uint32_t u = 0; u < c->units; u++) {
            hidden[u] = c->hidden[row * c->units + u];
            cell[u] = c->cell[row * c->units + u];
        }
        for (uint32_t step = 0; step < STEPS; step++) {
            double *next = c->want + (size_t)(step * c->batch + row) * c->units;
            const float *in = c->in + (size_t)(step * c->batch + row) * c->inputs;
            for (uint32_t u = 0; u < c->units; u++)
                next[u] = next_hidden(c, u, in, hidden, &cell[u]);
            memcpy(hidden, next, c->units * sizeof *hidden);
        }
    }
}

static void check(struct claim *claim, struct claim_device *device, void *context)
{
    const struct cells *c = context;
    const double unit = (c->inputs + c->units + 8) * 0x1p-24;

    for (uint32_t i = 0; i < STEPS * c->batch * c->units; i++) {
        const uint32_t step = i / (c->batch * c->units) + 1;
        if (!claim_near(device, fabs((double)c->out[i] - c->want[i]) / (unit * step), 1))
            claim_wrong(claim, device, "step %u of %u inputs and %u units is %.9g, exactly %.9g",
                        step, c->inputs, c->units, (double)c->out[i], c->want[i]);
    }
}

/* ---- Models ---------------------------------------------------------------------------------- */

static struct hy_builder_type floats(uint32_t rank, uint32_t a, uint32_t b, uint32_t c)
{
    return hy_op_case_type(F32, rank, (uint32_t[]){a, b, c});
}

static void add_rnn(struct hy_op_case *test, const struct cells *c)
{
    const struct hy_builder_type weights = floats(2, c->units, c->inputs, 0);
    const struct hy_builder_type recurrent = floats(2, c->units, c->units, 0);
    const struct hy_builder_type bias = floats(1, c->units, 0, 0);
    const struct hy_builder_type state = floats(2, c->batch, c->units, 0);

    hy_op_case_tensor(test, &weights, c->weights[0], true);
    hy_op_case_tensor(test, &recurrent, c->recurrent[0], true);
    hy_op_case_tensor(test, &bias, c->bias[0], true);
    hy_op_case_tensor(test, &state, c->hidden, false);
    hy_op_case_int(test, 4); /* tanh */
    hy_op_case_int(test, 1); /* time first */
}

static void add_absent(struct hy_op_case *test, int count)
{
    for (int i = 0; i < count; i++)
        hy_op_case_no_value(test, F32);
}

static void add_lstm(struct hy_op_case *test, const struct cells *c)
{
    const struct hy_builder_type weights = floats(2, c->units, c->inputs, 0);
    const struct hy_builder_type recurrent = floats(2, c->units, c->units, 0);
    const struct hy_builder_type bias = floats(1, c->units, 0, 0);
    const struct hy_builder_type state = floats(2, c->batch, c->units, 0);

    for (int g = 0; g < GATES; g++)
        hy_op_case_tensor(test, &weights, c->weights[g], true);
    for (int g = 0; g < GATES; g++)
        hy_op_case_tensor(test, &recurrent, c->recurrent[g], true);
    add_absent(test, 3); /* peepholes */
    for (int g = 0; g < GATES; g++)
        hy_op_case_tensor(test, &bias, c->bias[g], true);
    add_absent(test, 2); /* projection */
    hy_op_case_tensor(test, &state, c->hidden, false);
    hy_op_case_tensor(test, &state, c->cell, false);
    hy_op_case_int(test, 4); /* tanh */
    hy_op_case_float(test, 0);
    hy_op_case_float(test, 0);
    hy_op_case_bool(test, true); /* time first */
    add_absent(test, 4);         /* normalisation */
}

static void check_cells(struct claim *claim, int32_t operation, uint32_t gates)
{
    static struct cells c;

    c.gates = gates;
    while (claim_goes_on(claim)) {
        struct hy_op_case test;
        choose(&claim->random, &c);
        expect(&c);
        const struct hy_builder_type in = floats(3, STEPS, c.batch, c.inputs);
        const struct hy_builder_type out = floats(3, STEPS, c.batch, c.units);
        hy_op_case_init(&test, operation);
        hy_op_case_tensor(&test, &in, c.in, false);
        if (gates == 1)
            add_rnn(&test, &c);
        else
            add_lstm(&test, &c);
        hy_op_case_output(&test, &out, c.out, sizeof c.out);
        claim_run(claim, &test, check, &c);
        hy_op_case_finish(&test);
        claim_count(claim, STEPS * c.batch * c.units);
    }
}

CLAIM(recurrent, rnn_is_within_its_bound)
{
    check_cells(claim, HY_OP_UNIDIRECTIONAL_SEQUENCE_RNN, 1);
}

CLAIM(recurrent, lstm_is_within_its_bound)
{
    check_cells(claim, HY_OP_UNIDIRECTIONAL_SEQUENCE_LSTM, GATES);
}
