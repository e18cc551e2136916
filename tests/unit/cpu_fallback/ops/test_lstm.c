#include <math.h>

#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/recurrent_case.h"

/*
 * The LSTM operations against an evaluation of their formulas in double, unit by unit. Tensors have
 * the numbers of BIDIRECTIONAL_SEQUENCE_LSTM.
 */
enum { IN = 0, STATES = 35, AUX = 39, AUX_WEIGHTS = 40, NORM = 53 };
enum { INPUT, FORGET, CELL, OUTPUT, GATES };
enum { MOST_ROWS = 3, MOST_UNITS = 32 }; /* these are whole panels of weights */

struct lstm_case {
    struct recurrent_case base;
    int32_t operation;
    uint32_t ways, steps, batch, in, aux, units[2], outs[2];
    bool cifg, peephole, norm, projection, projection_bias, joined, instead;
    bool merged, time_major, gives_states;
    bool given_weights; /* by the request: one of the first cell's matrices is not constant */
    int activation;
    float cell_clip, projection_clip;
    double y[2][RECURRENT_VALUES], h[2][MOST_ROWS][MOST_UNITS], c[2][MOST_ROWS][MOST_UNITS];
};

static struct hy_random *dice(struct lstm_case *test)
{
    return &test->base.random;
}

static bool flip(struct lstm_case *test)
{
    return hy_random_one_in(dice(test), 2);
}

static void choose(struct lstm_case *test, int32_t operation)
{
    static const int activations[] = {0, 1, 3, 4, 6};
    bool both = operation == HY_OP_BIDIRECTIONAL_SEQUENCE_LSTM;

    test->operation = operation;
    test->ways = both ? 2 : 1;
    test->base.half = hy_random_one_in(dice(test), 4);
    test->steps = operation == HY_OP_LSTM ? 1 : (uint32_t)hy_random_between(dice(test), 1, 4);
    test->batch = (uint32_t)hy_random_between(dice(test), 1, MOST_ROWS);
    test->in = (uint32_t)hy_random_between(dice(test), 1, 18);
    test->aux = (uint32_t)hy_random_between(dice(test), 1, 10);
    test->cifg = flip(test);
    test->peephole = flip(test);
    test->norm = operation != HY_OP_LSTM || flip(test) ? flip(test) : false;
    test->projection = flip(test);
    test->projection_bias = test->projection && flip(test);
    test->joined = both && flip(test);
    test->instead = both && !test->joined && flip(test);
    test->merged = both && flip(test);
    test->time_major = operation != HY_OP_LSTM && flip(test);
    test->gives_states = operation == HY_OP_LSTM || flip(test);
    test->activation = flip(test) ? 4 : activations[hy_random_between(dice(test), 0, 4)];
    test->given_weights = hy_random_one_in(dice(test), 4);
    test->cell_clip = flip(test) ? 0.5f : 0;
    test->projection_clip = flip(test) ? 0.25f : 0;
    for (int d = 0; d < 2; d++) {
        test->units[d] = hy_random_one_in(dice(test), 4)
                             ? MOST_UNITS
                             : (uint32_t)hy_random_between(dice(test), 2, 20);
        test->outs[d] =
            test->projection ? (uint32_t)hy_random_between(dice(test), 1, 9) : test->units[d];
    }
}

static uint32_t in_size(const struct lstm_case *test, uint32_t way)
{
    return test->instead && way == 1 ? test->aux : test->in;
}

static void fill_sequence(struct lstm_case *test, uint32_t index, bool given, uint32_t size)
{
    uint32_t first = test->time_major ? test->steps : test->batch;
    uint32_t second = test->time_major ? test->batch : test->steps;

    if (test->operation == HY_OP_LSTM)
        recurrent_fill(&test->base, index, given, test->batch, size, 0);
    else
        recurrent_fill(&test->base, index, given, first, second, size);
}

static void fill_way(struct lstm_case *test, uint32_t way)
{
    uint32_t first = 1 + 17 * way, units = test->units[way], outs = test->outs[way];
    struct recurrent_case *base = &test->base;

    for (uint32_t g = 0; g < GATES; g++) {
        bool has = g != INPUT || !test->cifg;
        recurrent_fill(base, first + g, has, units, in_size(test, way), 0);
        recurrent_fill(base, first + 4 + g, has, units, outs, 0);
        recurrent_fill(base, first + 11 + g, has, units, 0, 0);
        recurrent_fill(base, AUX_WEIGHTS + 4 * way + g, has && test->joined, units, test->aux, 0);
        recurrent_fill(base, NORM + 4 * way + g, has && test->norm, units, 0, 0);
    }
    for (uint32_t p = 0; p < 3; p++)
        recurrent_fill(base, first + 8 + p, test->peephole && (p || !test->cifg), units, 0, 0);
    recurrent_fill(base, first + 15, test->projection, outs, units, 0);
    recurrent_fill(base, first + 16, test->projection_bias, outs, 0, 0);
    recurrent_fill(base, STATES + 2 * way, true, test->batch, outs, 0);
    recurrent_fill(base, STATES + 2 * way + 1, true, test->batch, units, 0);
}

/* The inputs in the order of the operation. */
static void add_inputs(struct lstm_case *test)
{
    struct recurrent_case *base = &test->base;
    bool both = test->ways == 2;

    recurrent_add(base, IN, false);
    recurrent_add(base, 1 + INPUT, true);
    recurrent_add(base, 1 + FORGET, !test->given_weights);
    recurrent_add_range(base, 3, both ? 34 : 17);
    for (uint32_t s = 0; s < 2 * test->ways; s++)
        recurrent_add(base, STATES + s, false);
    if (both) {
        recurrent_add(base, AUX, false);
        recurrent_add_range(base, AUX_WEIGHTS, AUX_WEIGHTS + 7);
    }
    recurrent_add_int(base, test->activation);
    recurrent_add_real(base, test->cell_clip);
    recurrent_add_real(base, test->projection_clip);
    if (both)
        recurrent_add_bool(base, test->merged);
    if (test->operation != HY_OP_LSTM)
        recurrent_add_bool(base, test->time_major);
    if (test->operation != HY_OP_LSTM || test->norm)
        recurrent_add_range(base, NORM, both ? NORM + 7 : NORM + 3);
}

static void add_outputs(struct lstm_case *test)
{
    if (test->operation == HY_OP_LSTM) {
        for (int i = 0; i < 4; i++)
            recurrent_add_output(&test->base, 2);
        return;
    }
    for (uint32_t i = 0; i < (test->merged ? 1 : test->ways); i++)
        recurrent_add_output(&test->base, 3);
    for (uint32_t i = 0; test->gives_states && i < 2 * test->ways; i++)
        recurrent_add_output(&test->base, 2);
}

static const struct recurrent_tensor *tensor(const struct lstm_case *test, uint32_t index)
{
    return &test->base.tensors[index];
}

/* Bias, weight by layer normalisation, activation. */
static void finish_gate(const struct lstm_case *test, uint32_t way, uint32_t gate, double *values)
{
    const double *bias = tensor(test, 1 + 17 * way + 11 + gate)->values;
    const double *norm = tensor(test, NORM + 4 * way + gate)->values;
    uint32_t units = test->units[way];
    double mean = 0, variance = 0;

    for (uint32_t u = 0; u < units; u++)
        mean += values[u] / units;
    for (uint32_t u = 0; u < units; u++)
        variance += (values[u] - mean) * (values[u] - mean) / units;
    for (uint32_t u = 0; u < units; u++) {
        if (test->norm)
            values[u] = (values[u] - mean) / sqrt(variance + 1e-8) * norm[u];
        values[u] = recurrent_activate(gate == CELL ? test->activation : 6, values[u] + bias[u]);
    }
}

static double clipped(double value, float limit)
{
    return limit > 0 ? fmin(fmax(value, -(double)limit), (double)limit) : value;
}

/* One gate of one row: `x` and `aux` are its inputs. */
static void evaluate_gate(const struct lstm_case *test, uint32_t way, uint32_t gate,
                          const double *x, const double *aux, const double *h, const double *c,
                          double *values)
{
    uint32_t first = 1 + 17 * way, peephole = first + 8 + (gate == OUTPUT ? 2 : gate);

    for (uint32_t u = 0; u < test->units[way]; u++) {
        values[u] = recurrent_dot(tensor(test, first + gate), u, x) +
                    recurrent_dot(tensor(test, first + 4 + gate), u, h) +
                    recurrent_dot(tensor(test, AUX_WEIGHTS + 4 * way + gate), u, aux);
        if (gate != CELL && tensor(test, peephole)->given)
            values[u] += tensor(test, peephole)->values[u] * c[u];
    }
    finish_gate(test, way, gate, values);
}

static void evaluate_row(const struct lstm_case *test, uint32_t way, const double *x,
                         const double *aux, double *h, double *c)
{
    const struct recurrent_tensor *projection = tensor(test, 1 + 17 * way + 15);
    const struct recurrent_tensor *bias = tensor(test, 1 + 17 * way + 16);
    double gates[GATES][MOST_UNITS], m[MOST_UNITS] = {0};

    for (uint32_t g = test->cifg ? FORGET : INPUT; g < OUTPUT; g++)
        evaluate_gate(test, way, g, x, aux, h, c, gates[g]);
    for (uint32_t u = 0; u < test->units[way]; u++) {
        double in = test->cifg ? 1 - gates[FORGET][u] : gates[INPUT][u];
        c[u] = clipped(gates[FORGET][u] * c[u] + in * gates[CELL][u], test->cell_clip);
    }
    evaluate_gate(test, way, OUTPUT, x, aux, h, c, gates[OUTPUT]);
    for (uint32_t u = 0; u < test->units[way]; u++)
        m[u] = gates[OUTPUT][u] * recurrent_activate(test->activation, c[u]);
    for (uint32_t o = 0; o < test->outs[way]; o++)
        h[o] = !projection->given
                   ? m[o]
                   : clipped(recurrent_dot(projection, o, m) + (bias->given ? bias->values[o] : 0),
                             test->projection_clip);
}

static void evaluate(struct lstm_case *test, uint32_t way)
{
    const struct recurrent_tensor *state = tensor(test, STATES + 2 * way);
    uint32_t outs = test->outs[way], units = test->units[way];
    uint32_t width = test->merged ? test->outs[0] + test->outs[1] : outs;
    double *y = test->y[test->merged ? 0 : way];

    for (uint32_t b = 0; b < test->batch; b++) {
        double *h = test->h[way][b], *c = test->c[way][b];
        for (uint32_t i = 0; i < outs; i++)
            h[i] = state[0].values[b * outs + i];
        for (uint32_t i = 0; i < units; i++)
            c[i] = state[1].values[b * units + i];
        for (uint32_t i = 0; i < test->steps; i++) {
            uint32_t t = way ? test->steps - 1 - i : i;
            uint32_t row = test->time_major ? t * test->batch + b : b * test->steps + t;
            const double *aux = tensor(test, AUX)->values + row * test->aux;
            const double *x = tensor(test, IN)->values + row * test->in;

            evaluate_row(test, way, test->instead && way ? aux : x, aux, h, c);
            for (uint32_t o = 0; o < outs; o++)
                y[row * width + (test->merged && way ? test->outs[0] : 0) + o] = h[o];
        }
    }
}

/* A state of all rows, without the room between them. */
static void expect_state(const struct lstm_case *test, uint32_t output, uint32_t size,
                         const double rows[MOST_ROWS][MOST_UNITS])
{
    double want[RECURRENT_VALUES];

    for (uint32_t i = 0; i < test->batch * size; i++)
        want[i] = rows[i / size][i % size];
    recurrent_expect(&test->base, output, (size_t)test->batch * size, want);
}

static void expect_outputs(const struct lstm_case *test)
{
    uint32_t rows = test->steps * test->batch;
    uint32_t next = test->operation == HY_OP_LSTM ? 3 : 0;

    if (test->merged) {
        recurrent_expect(&test->base, next++, rows * (test->outs[0] + test->outs[1]), test->y[0]);
    } else {
        for (uint32_t d = 0; d < test->ways; d++)
            recurrent_expect(&test->base, next++, rows * test->outs[d], test->y[d]);
    }
    next = test->operation == HY_OP_LSTM ? 1 : next;
    for (uint32_t d = 0; test->gives_states && d < test->ways; d++) {
        expect_state(test, next++, test->outs[d], (const double(*)[MOST_UNITS])test->h[d]);
        expect_state(test, next++, test->units[d], (const double(*)[MOST_UNITS])test->c[d]);
    }
}

static void make(struct lstm_case *test, uint64_t seed, int32_t operation)
{
    recurrent_init(&test->base, seed);
    choose(test, operation);
    fill_sequence(test, IN, true, test->in);
    fill_sequence(test, AUX, test->joined || test->instead, test->aux);
    for (uint32_t d = 0; d < test->ways; d++)
        fill_way(test, d);
}

static void check(uint64_t seed, int32_t operation)
{
    static struct lstm_case test;

    make(&test, seed, operation);
    add_inputs(&test);
    add_outputs(&test);
    int32_t status = recurrent_run(&test.base, operation, (uint32_t)(seed / 2 % 2));
    if (status == HY_STATUS_OK) {
        for (uint32_t d = 0; d < test.ways; d++)
            evaluate(&test, d);
        expect_outputs(&test);
    } else {
        hy_test_fail(__FILE__, __LINE__, "seed %llu: %s", (unsigned long long)seed,
                     test.base.message);
    }
    recurrent_finish(&test.base);
}

TEST(cpu_lstm, single_steps_follow_the_formula)
{
    for (uint64_t seed = 0; seed < 600; seed++)
        check(seed, HY_OP_LSTM);
}

TEST(cpu_lstm, sequences_follow_the_formula)
{
    for (uint64_t seed = 0; seed < 600; seed++)
        check(seed, HY_OP_UNIDIRECTIONAL_SEQUENCE_LSTM);
}

TEST(cpu_lstm, sequences_both_ways_follow_the_formula)
{
    for (uint64_t seed = 0; seed < 1200; seed++)
        check(seed, HY_OP_BIDIRECTIONAL_SEQUENCE_LSTM);
}

/* Whatever one tensor has for a shape of its own, or for being there: an error, not a crash. */
TEST(cpu_lstm, every_tensor_of_a_wrong_shape_is_refused)
{
    static struct lstm_case test;

    for (uint32_t index = 1; index < RECURRENT_TENSORS; index++) {
        make(&test, index, HY_OP_BIDIRECTIONAL_SEQUENCE_LSTM);
        struct recurrent_tensor *wrong = &test.base.tensors[index];
        bool skipped = !wrong->given;
        if (wrong->rank == 1)
            recurrent_fill(&test.base, index, true, wrong->dims[0] + 1, 0, 0);
        else if (wrong->rank == 2)
            recurrent_fill(&test.base, index, true, wrong->dims[0], wrong->dims[1] + 1, 0);
        else
            recurrent_fill(&test.base, index, true, wrong->dims[0] + 1, wrong->dims[1],
                           wrong->dims[2]);
        add_inputs(&test);
        add_outputs(&test);
        if (!skipped && wrong->rank > 0) {
            EXPECT(recurrent_run(&test.base, test.operation, index % 2) != HY_STATUS_OK);
            EXPECT_CONTAINS(test.base.message, "BIDIRECTIONAL_SEQUENCE_LSTM");
        }
        recurrent_finish(&test.base);
    }
}

TEST(cpu_lstm, negative_clip_and_unknown_activation_are_refused)
{
    static struct lstm_case test;

    make(&test, 1, HY_OP_LSTM);
    test.cell_clip = -1;
    add_inputs(&test);
    add_outputs(&test);
    EXPECT(recurrent_run(&test.base, test.operation, 0) != HY_STATUS_OK);
    EXPECT_CONTAINS(test.base.message, "clips at -1");
    recurrent_finish(&test.base);

    make(&test, 1, HY_OP_LSTM);
    test.activation = 5;
    add_inputs(&test);
    add_outputs(&test);
    EXPECT(recurrent_run(&test.base, test.operation, 0) != HY_STATUS_OK);
    EXPECT_CONTAINS(test.base.message, "not an activation");
    recurrent_finish(&test.base);
}
