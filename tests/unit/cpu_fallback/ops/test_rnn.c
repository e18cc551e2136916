#include "common/operations/operation.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/recurrent_case.h"

/*
 * The RNN operations and SVDF against an evaluation of their formulas in double. Tensors of the
 * former have the numbers of BIDIRECTIONAL_SEQUENCE_RNN.
 */
enum { IN = 0, WEIGHTS = 1, RECURRENT = 2, BIAS = 3, STATE = 4, AUX = 9, AUX_WEIGHTS = 10 };
enum { MOST_ROWS = 3, MOST_UNITS = 9 };

struct rnn_case {
    struct recurrent_case base;
    int32_t operation;
    uint32_t ways, steps, batch, in, aux, units[2];
    bool joined, instead, merged, time_major, gives_states;
    int activation;
    double y[2][RECURRENT_VALUES], h[2][MOST_ROWS * MOST_UNITS];
};

static uint32_t between(struct rnn_case *test, int32_t low, int32_t high)
{
    return (uint32_t)hy_random_between(&test->base.random, low, high);
}

static void choose(struct rnn_case *test, int32_t operation)
{
    static const int activations[] = {0, 1, 3, 4, 6};
    bool both = operation == HY_OP_BIDIRECTIONAL_SEQUENCE_RNN;

    test->operation = operation;
    test->ways = both ? 2 : 1;
    test->base.half = between(test, 0, 3) == 0;
    test->steps = operation == HY_OP_RNN ? 1 : between(test, 1, 4);
    test->batch = between(test, 1, MOST_ROWS);
    test->in = between(test, 1, 18);
    test->aux = between(test, 1, 10);
    test->joined = both && between(test, 0, 1);
    test->instead = both && !test->joined && between(test, 0, 1);
    test->merged = both && between(test, 0, 1);
    test->time_major = operation != HY_OP_RNN && between(test, 0, 1);
    test->gives_states = operation == HY_OP_RNN || between(test, 0, 1);
    test->activation = activations[between(test, 0, 4)];
    for (int d = 0; d < 2; d++)
        test->units[d] = between(test, 1, MOST_UNITS);
}

static void fill_sequence(struct rnn_case *test, uint32_t index, bool given, uint32_t size)
{
    uint32_t first = test->time_major ? test->steps : test->batch;
    uint32_t second = test->time_major ? test->batch : test->steps;

    if (test->operation == HY_OP_RNN)
        recurrent_fill(&test->base, index, given, test->batch, size, 0);
    else
        recurrent_fill(&test->base, index, given, first, second, size);
}

static void fill(struct rnn_case *test)
{
    fill_sequence(test, IN, true, test->in);
    fill_sequence(test, AUX, test->joined || test->instead, test->aux);
    for (uint32_t d = 0; d < test->ways; d++) {
        uint32_t units = test->units[d], in = d && test->instead ? test->aux : test->in;
        recurrent_fill(&test->base, 4 * d + WEIGHTS, true, units, in, 0);
        recurrent_fill(&test->base, 4 * d + RECURRENT, true, units, units, 0);
        recurrent_fill(&test->base, 4 * d + BIAS, true, units, 0, 0);
        recurrent_fill(&test->base, 4 * d + STATE, true, test->batch, units, 0);
        recurrent_fill(&test->base, AUX_WEIGHTS + d, test->joined, units, test->aux, 0);
    }
}

static void add_arguments(struct rnn_case *test)
{
    struct recurrent_case *base = &test->base;
    bool both = test->ways == 2, single = test->operation == HY_OP_RNN;

    for (uint32_t i = 0; i <= (both ? 11 : 4); i++)
        recurrent_add(base, i, i != IN && i != STATE && i != AUX);
    recurrent_add_int(base, test->activation);
    if (both) {
        recurrent_add_bool(base, test->time_major);
        recurrent_add_bool(base, test->merged);
    } else if (!single) {
        recurrent_add_int(base, test->time_major);
    }
    for (uint32_t i = 0; i < (test->merged ? 1 : test->ways); i++)
        recurrent_add_output(base, single ? 2 : 3);
    for (uint32_t i = 0; test->gives_states && i < test->ways; i++)
        recurrent_add_output(base, 2);
}

static void evaluate_row(const struct rnn_case *test, uint32_t way, const double *x,
                         const double *aux, double *h)
{
    const struct recurrent_tensor *cell = &test->base.tensors[4 * way];
    double next[MOST_UNITS];

    for (uint32_t u = 0; u < test->units[way]; u++)
        next[u] = recurrent_activate(
            test->activation, cell[BIAS].values[u] + recurrent_dot(&cell[WEIGHTS], u, x) +
                                  recurrent_dot(&cell[RECURRENT], u, h) +
                                  recurrent_dot(&test->base.tensors[AUX_WEIGHTS + way], u, aux));
    for (uint32_t u = 0; u < test->units[way]; u++)
        h[u] = next[u];
}

static void evaluate(struct rnn_case *test, uint32_t way)
{
    uint32_t units = test->units[way], width = units;
    double *y = test->y[test->merged ? 0 : way];

    if (test->merged)
        width = test->units[0] + test->units[1];
    for (uint32_t b = 0; b < test->batch; b++) {
        double *h = test->h[way] + b * units;
        for (uint32_t u = 0; u < units; u++)
            h[u] = test->base.tensors[4 * way + STATE].values[b * units + u];
        for (uint32_t i = 0; i < test->steps; i++) {
            uint32_t t = way ? test->steps - 1 - i : i;
            uint32_t row = test->time_major ? t * test->batch + b : b * test->steps + t;
            const double *aux = test->base.tensors[AUX].values + row * test->aux;
            const double *x = test->base.tensors[IN].values + row * test->in;

            evaluate_row(test, way, test->instead && way ? aux : x, aux, h);
            for (uint32_t u = 0; u < units; u++)
                y[row * width + (test->merged && way ? test->units[0] : 0) + u] = h[u];
        }
    }
}

static void expect_outputs(const struct rnn_case *test)
{
    uint32_t rows = test->steps * test->batch, next = test->operation == HY_OP_RNN ? 1 : 0;

    if (test->merged) {
        recurrent_expect(&test->base, next++, rows * (test->units[0] + test->units[1]), test->y[0]);
    } else {
        for (uint32_t d = 0; d < test->ways; d++)
            recurrent_expect(&test->base, next++, rows * test->units[d], test->y[d]);
    }
    next = test->operation == HY_OP_RNN ? 0 : next;
    for (uint32_t d = 0; test->gives_states && d < test->ways; d++)
        recurrent_expect(&test->base, next++, test->batch * test->units[d], test->h[d]);
}

static void check(uint64_t seed, int32_t operation)
{
    static struct rnn_case test;

    recurrent_init(&test.base, seed);
    choose(&test, operation);
    fill(&test);
    add_arguments(&test);
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

TEST(cpu_rnn, single_steps_follow_the_formula)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        check(seed, HY_OP_RNN);
}

TEST(cpu_rnn, sequences_follow_the_formula)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        check(seed, HY_OP_UNIDIRECTIONAL_SEQUENCE_RNN);
}

TEST(cpu_rnn, sequences_both_ways_follow_the_formula)
{
    for (uint64_t seed = 0; seed < 200; seed++)
        check(seed, HY_OP_BIDIRECTIONAL_SEQUENCE_RNN);
}

/* SVDF: 0 input, 1 feature weights, 2 time weights, 3 bias, 4 state */
struct svdf_sizes {
    uint32_t batch, in, filters, memory, rank;
    int activation;
};

static void evaluate_svdf(const struct recurrent_case *test, const struct svdf_sizes *s,
                          double *state, double *out)
{
    const struct recurrent_tensor *t = test->tensors;
    uint32_t units = s->filters / s->rank;

    for (uint32_t b = 0; b < s->batch; b++)
        for (uint32_t u = 0; u < units; u++) {
            double sum = t[3].given ? t[3].values[u] : 0;
            for (uint32_t f = u * s->rank; f < (u + 1) * s->rank; f++) {
                double *past = state + (b * s->filters + f) * s->memory;
                for (uint32_t i = 0; i < s->memory; i++)
                    past[i] = t[4].values[(b * s->filters + f) * s->memory + i];
                past[s->memory - 1] = recurrent_dot(&t[1], f, t[0].values + b * s->in);
                sum += recurrent_dot(&t[2], f, past);
                for (uint32_t i = 0; i + 1 < s->memory; i++)
                    past[i] = past[i + 1];
                past[s->memory - 1] = 0;
            }
            out[b * units + u] = recurrent_activate(s->activation, sum);
        }
}

static void check_svdf(uint64_t seed)
{
    static struct recurrent_case test;
    double state[RECURRENT_VALUES], out[RECURRENT_VALUES];

    recurrent_init(&test, seed);
    struct svdf_sizes s = {.batch = (uint32_t)hy_random_between(&test.random, 1, 3),
                           .in = (uint32_t)hy_random_between(&test.random, 1, 18),
                           .memory = (uint32_t)hy_random_between(&test.random, 1, 7),
                           .rank = (uint32_t)hy_random_between(&test.random, 1, 3),
                           .activation = hy_random_one_in(&test.random, 2) ? 1 : 0};
    s.filters = s.rank * (uint32_t)hy_random_between(&test.random, 1, 4);
    test.half = hy_random_one_in(&test.random, 4);
    recurrent_fill(&test, 0, true, s.batch, s.in, 0);
    recurrent_fill(&test, 1, true, s.filters, s.in, 0);
    recurrent_fill(&test, 2, true, s.filters, s.memory, 0);
    recurrent_fill(&test, 3, hy_random_one_in(&test.random, 2), s.filters / s.rank, 0, 0);
    recurrent_fill(&test, 4, true, s.batch, s.filters * s.memory, 0);
    for (uint32_t i = 0; i < 5; i++)
        recurrent_add(&test, i, i > 0 && i < 4);
    recurrent_add_int(&test, (int32_t)s.rank);
    recurrent_add_int(&test, s.activation);
    recurrent_add_output(&test, 2);
    recurrent_add_output(&test, 2);

    EXPECT_INT(recurrent_run(&test, HY_OP_SVDF, (uint32_t)(seed / 2 % 2)), HY_STATUS_OK);
    evaluate_svdf(&test, &s, state, out);
    recurrent_expect(&test, 0, (size_t)s.batch * s.filters * s.memory, state);
    recurrent_expect(&test, 1, (size_t)s.batch * s.filters / s.rank, out);
    recurrent_finish(&test);
}

TEST(cpu_svdf, follows_the_formula)
{
    for (uint64_t seed = 0; seed < 200; seed++)
        check_svdf(seed);
}
