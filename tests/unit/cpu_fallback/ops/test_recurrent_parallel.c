/*
 * Recurrent operations whose steps several threads do together give the same bytes as on one,
 * whatever the number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include <android/NeuralNetworks.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/model_builder.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"
#include "tests/unit/cpu_fallback/kit/team.h"

enum { MOST_VALUES = 256 * 256, MOST_OUTPUT = 96 * 1024 };

enum kind { LSTM, RNN, RNN_BOTH_WAYS };

struct network {
    const char *name;
    enum kind kind;
    uint32_t steps, batch, in_size, units;
    bool time_major, coupled, peephole;
    uint32_t parallel_calls; /* how often work is shared on two threads: inputs, steps */
};

/* So long that other threads are worth it. */
static const struct network networks[] = {
    {"LSTM", LSTM, 61, 1, 40, 128, false, false, false, 2},
    {"LSTM of a batch", LSTM, 60, 3, 24, 128, false, false, true, 2},
    {"LSTM by time", LSTM, 90, 3, 24, 128, true, true, false, 2},
    {"LSTM of more rows than a tile", LSTM, 59, 11, 24, 128, false, false, true, 2},
    {"LSTM of 192", LSTM, 60, 1, 8, 192, false, false, false, 2},
    {"LSTM of units that are no whole panels", LSTM, 80, 1, 40, 136, false, false, false, 1},
    {"RNN", RNN, 61, 1, 190, 256, false, false, false, 2},
    {"RNN of a batch", RNN, 60, 3, 190, 256, true, false, false, 2},
    {"RNN both ways", RNN_BOTH_WAYS, 61, 1, 190, 256, false, false, false, 4},
};

struct model_builder {
    struct hy_builder builder;
    float numbers[MOST_VALUES];
    uint32_t inputs[28], count, seed;
};

static void add_constant(struct model_builder *model_builder, uint32_t rank, uint32_t rows,
                         uint32_t columns)
{
    const struct hy_builder_type type = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, rank, {rows, columns}};
    const uint32_t count = rows * (rank == 2 ? columns : 1);

    hy_sample_numbers(model_builder->seed++, count, model_builder->numbers);
    for (uint32_t i = 0; rank == 2 && i < count; i++)
        model_builder->numbers[i] *= 0.2f;
    model_builder->inputs[model_builder->count++] = hy_builder_constant(
        &model_builder->builder, &type, model_builder->numbers, count * sizeof(float));
}

static void add_matrices(struct model_builder *model_builder, uint32_t count, uint32_t rows,
                         uint32_t columns)
{
    for (uint32_t i = 0; i < count; i++)
        add_constant(model_builder, 2, rows, columns);
}

static void add_absent(struct model_builder *model_builder, uint32_t count, uint32_t rank)
{
    const struct hy_builder_type type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, rank, {0}};

    for (uint32_t i = 0; i < count; i++)
        model_builder->inputs[model_builder->count++] =
            hy_builder_no_value(&model_builder->builder, &type);
}

static void add_state(struct model_builder *model_builder, const struct network *network)
{
    add_constant(model_builder, 2, network->batch, network->units);
}

static void add_lstm(struct model_builder *model_builder, const struct network *network)
{
    const uint32_t units = network->units, gates = network->coupled ? 3 : 4;

    add_absent(model_builder, 4 - gates, 2);
    add_matrices(model_builder, gates, units, network->in_size);
    add_absent(model_builder, 4 - gates, 2);
    add_matrices(model_builder, gates, units, units);
    for (uint32_t i = 0; i < 3; i++) {
        if (network->peephole)
            add_constant(model_builder, 1, units, 0);
        else
            add_absent(model_builder, 1, 1);
    }
    add_absent(model_builder, 4 - gates, 1);
    for (uint32_t i = 0; i < gates; i++)
        add_constant(model_builder, 1, units, 0);
    add_absent(model_builder, 1, 2);
    add_absent(model_builder, 1, 1);
    add_state(model_builder, network);
    add_state(model_builder, network);
    model_builder->inputs[model_builder->count++] = hy_builder_int(&model_builder->builder, 4);
    model_builder->inputs[model_builder->count++] = hy_builder_float(&model_builder->builder, 0);
    model_builder->inputs[model_builder->count++] = hy_builder_float(&model_builder->builder, 0);
    model_builder->inputs[model_builder->count++] =
        hy_builder_bool(&model_builder->builder, network->time_major);
    add_absent(model_builder, 4, 1);
}

static void add_rnn_cell(struct model_builder *model_builder, const struct network *network)
{
    add_matrices(model_builder, 1, network->units, network->in_size);
    add_matrices(model_builder, 1, network->units, network->units);
    add_constant(model_builder, 1, network->units, 0);
    add_state(model_builder, network);
}

static void add_rnn(struct model_builder *model_builder, const struct network *network)
{
    add_rnn_cell(model_builder, network);
    model_builder->inputs[model_builder->count++] = hy_builder_int(&model_builder->builder, 4);
    model_builder->inputs[model_builder->count++] =
        hy_builder_int(&model_builder->builder, network->time_major);
}

static void add_rnn_both_ways(struct model_builder *model_builder, const struct network *network)
{
    add_rnn_cell(model_builder, network);
    add_rnn_cell(model_builder, network);
    add_absent(model_builder, 1, 3);
    add_absent(model_builder, 2, 2);
    model_builder->inputs[model_builder->count++] = hy_builder_int(&model_builder->builder, 4);
    model_builder->inputs[model_builder->count++] =
        hy_builder_bool(&model_builder->builder, network->time_major);
    model_builder->inputs[model_builder->count++] = hy_builder_bool(&model_builder->builder, false);
}

static struct hy_builder_type rows_of(const struct network *network, uint32_t size)
{
    struct hy_builder_type type = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 3, {network->batch, network->steps, size}};

    if (network->time_major) {
        type.dims[0] = network->steps;
        type.dims[1] = network->batch;
    }
    return type;
}

/* All hidden states and the last ones of each kind; both ways, all hidden states of each. */
static uint32_t count_outputs(const struct network *network)
{
    return network->kind == LSTM ? 3 : 2;
}

static bool has_all_steps(const struct network *network, uint32_t output)
{
    return output == 0 || network->kind == RNN_BOTH_WAYS;
}

static uint64_t count_rows(const struct network *network, uint32_t output)
{
    return (uint64_t)network->batch * (has_all_steps(network, output) ? network->steps : 1);
}

static void build(struct model_builder *model_builder, const struct network *network)
{
    static const int32_t operations[] = {
        [LSTM] = HY_OP_UNIDIRECTIONAL_SEQUENCE_LSTM,
        [RNN] = HY_OP_UNIDIRECTIONAL_SEQUENCE_RNN,
        [RNN_BOTH_WAYS] = HY_OP_BIDIRECTIONAL_SEQUENCE_RNN,
    };
    const struct hy_builder_type in = rows_of(network, network->in_size);
    const struct hy_builder_type out = rows_of(network, network->units);
    const struct hy_builder_type state = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {network->batch, network->units}};
    uint32_t outputs[3], count = 0;

    hy_builder_init(&model_builder->builder);
    model_builder->count = 0;
    model_builder->seed = 1;
    for (; count < count_outputs(network); count++)
        outputs[count] = hy_builder_output(&model_builder->builder,
                                           has_all_steps(network, count) ? &out : &state);
    model_builder->inputs[model_builder->count++] = hy_builder_input(&model_builder->builder, &in);
    if (network->kind == LSTM)
        add_lstm(model_builder, network);
    else if (network->kind == RNN)
        add_rnn(model_builder, network);
    else
        add_rnn_both_ways(model_builder, network);
    hy_builder_operation(&model_builder->builder, operations[network->kind], model_builder->count,
                         model_builder->inputs, count, outputs);
}

struct results {
    float outputs[3][MOST_OUTPUT];
};

/* Gives how often threads were asked for. */
static uint32_t run_on(uint32_t threads, struct model_builder *model_builder,
                       const struct network *network, const float *in, struct results *results)
{
    const uint64_t rows = (uint64_t)network->steps * network->batch;
    struct team team = {.threads = threads};
    const struct hy_host host = team_host(&team);
    struct hy_runner runner;

    memset(results, 0x55, sizeof *results);
    EXPECT_INT(hy_runner_open_on(&runner, &host, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&model_builder->builder)), HY_STATUS_OK);
    if (*runner.message)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", network->name, runner.message);
    hy_runner_input(&runner, in, rows * network->in_size * sizeof *in, 0, NULL);
    for (uint32_t i = 0; i < count_outputs(network); i++)
        hy_runner_output(&runner, results->outputs[i],
                         count_rows(network, i) * network->units * sizeof(float), 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_OK);
    if (*runner.message)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", network->name, runner.message);
    hy_runner_close(&runner);
    return team.calls;
}

TEST(cpu_recurrent_parallel, threads_share_steps_and_the_bytes_are_those_of_one)
{
    static const uint32_t threads[] = {2, 3, 8};
    static struct results alone, together;
    static struct model_builder model_builder;
    static float in[MOST_OUTPUT];

    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        const struct network *network = &networks[n];
        build(&model_builder, network);
        hy_sample_numbers(99, network->steps * network->batch * network->in_size, in);
        EXPECT_INT(run_on(1, &model_builder, network, in, &alone), 0);
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
            const uint32_t calls = run_on(threads[i], &model_builder, network, in, &together);
            const bool is_same = memcmp(&alone, &together, sizeof alone) == 0;
            if (!is_same || (threads[i] == 2 && calls != network->parallel_calls))
                hy_test_fail(__FILE__, __LINE__, "%s on %u threads: shared %u times, %s bytes",
                             network->name, threads[i], calls, is_same ? "the same" : "other");
        }
        hy_builder_finish(&model_builder.builder);
    }
}
