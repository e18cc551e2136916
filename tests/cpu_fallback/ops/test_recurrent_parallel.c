/*
 * Recurrent operations whose steps several threads do together give the same bytes as on one,
 * whatever the number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include <android/NeuralNetworks.h>

#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "support/driver_runner.h"
#include "support/model_builder.h"
#include "test.h"
#include "tests/cpu_fallback/kit/samples.h"
#include "tests/cpu_fallback/kit/team.h"

enum { MOST_VALUES = 256 * 256, MOST_OUTPUT = 96 * 1024 };

enum kind { LSTM, RNN, RNN_BOTH_WAYS };

struct network {
    const char *name;
    enum kind kind;
    uint32_t steps, batch, in_size, units;
    bool time_major, coupled, peephole;
    uint32_t shares; /* how often work is shared on two threads: inputs, steps */
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

struct draft {
    struct hy_builder builder;
    float numbers[MOST_VALUES];
    uint32_t inputs[28], count, seed;
};

static void add_constant(struct draft *draft, uint32_t rank, uint32_t rows, uint32_t columns)
{
    const struct hy_builder_type type = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, rank, {rows, columns}};
    const uint32_t count = rows * (rank == 2 ? columns : 1);

    hy_sample_numbers(draft->seed++, count, draft->numbers);
    for (uint32_t i = 0; rank == 2 && i < count; i++)
        draft->numbers[i] *= 0.2f;
    draft->inputs[draft->count++] =
        hy_builder_constant(&draft->builder, &type, draft->numbers, count * sizeof(float));
}

static void add_matrices(struct draft *draft, uint32_t count, uint32_t rows, uint32_t columns)
{
    for (uint32_t i = 0; i < count; i++)
        add_constant(draft, 2, rows, columns);
}

static void add_absent(struct draft *draft, uint32_t count, uint32_t rank)
{
    const struct hy_builder_type type = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, rank, {0}};

    for (uint32_t i = 0; i < count; i++)
        draft->inputs[draft->count++] = hy_builder_no_value(&draft->builder, &type);
}

static void add_state(struct draft *draft, const struct network *network)
{
    add_constant(draft, 2, network->batch, network->units);
}

static void add_lstm(struct draft *draft, const struct network *network)
{
    const uint32_t units = network->units, gates = network->coupled ? 3 : 4;

    add_absent(draft, 4 - gates, 2);
    add_matrices(draft, gates, units, network->in_size);
    add_absent(draft, 4 - gates, 2);
    add_matrices(draft, gates, units, units);
    for (uint32_t i = 0; i < 3; i++) {
        if (network->peephole)
            add_constant(draft, 1, units, 0);
        else
            add_absent(draft, 1, 1);
    }
    add_absent(draft, 4 - gates, 1);
    for (uint32_t i = 0; i < gates; i++)
        add_constant(draft, 1, units, 0);
    add_absent(draft, 1, 2);
    add_absent(draft, 1, 1);
    add_state(draft, network);
    add_state(draft, network);
    draft->inputs[draft->count++] = hy_builder_int(&draft->builder, 4);
    draft->inputs[draft->count++] = hy_builder_float(&draft->builder, 0);
    draft->inputs[draft->count++] = hy_builder_float(&draft->builder, 0);
    draft->inputs[draft->count++] = hy_builder_bool(&draft->builder, network->time_major);
    add_absent(draft, 4, 1);
}

static void add_rnn_cell(struct draft *draft, const struct network *network)
{
    add_matrices(draft, 1, network->units, network->in_size);
    add_matrices(draft, 1, network->units, network->units);
    add_constant(draft, 1, network->units, 0);
    add_state(draft, network);
}

static void add_rnn(struct draft *draft, const struct network *network)
{
    add_rnn_cell(draft, network);
    draft->inputs[draft->count++] = hy_builder_int(&draft->builder, 4);
    draft->inputs[draft->count++] = hy_builder_int(&draft->builder, network->time_major);
}

static void add_rnn_both_ways(struct draft *draft, const struct network *network)
{
    add_rnn_cell(draft, network);
    add_rnn_cell(draft, network);
    add_absent(draft, 1, 3);
    add_absent(draft, 2, 2);
    draft->inputs[draft->count++] = hy_builder_int(&draft->builder, 4);
    draft->inputs[draft->count++] = hy_builder_bool(&draft->builder, network->time_major);
    draft->inputs[draft->count++] = hy_builder_bool(&draft->builder, false);
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

static void build(struct draft *draft, const struct network *network)
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

    hy_builder_init(&draft->builder);
    draft->count = 0;
    draft->seed = 1;
    for (; count < count_outputs(network); count++)
        outputs[count] =
            hy_builder_output(&draft->builder, has_all_steps(network, count) ? &out : &state);
    draft->inputs[draft->count++] = hy_builder_input(&draft->builder, &in);
    if (network->kind == LSTM)
        add_lstm(draft, network);
    else if (network->kind == RNN)
        add_rnn(draft, network);
    else
        add_rnn_both_ways(draft, network);
    hy_builder_operation(&draft->builder, operations[network->kind], draft->count, draft->inputs,
                         count, outputs);
}

struct results {
    float outputs[3][MOST_OUTPUT];
};

/* Gives how often threads were asked for. */
static uint32_t run_on(uint32_t threads, struct draft *draft, const struct network *network,
                       const float *in, struct results *results)
{
    const uint64_t rows = (uint64_t)network->steps * network->batch;
    struct team team = {.threads = threads};
    const struct hy_host host = team_host(&team);
    struct hy_runner runner;

    memset(results, 0x55, sizeof *results);
    EXPECT_INT(hy_runner_open_on(&runner, &host, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&runner, hy_builder_model(&draft->builder)), HY_STATUS_OK);
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
    static struct draft draft;
    static float in[MOST_OUTPUT];

    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        const struct network *network = &networks[n];
        build(&draft, network);
        hy_sample_numbers(99, network->steps * network->batch * network->in_size, in);
        EXPECT_INT(run_on(1, &draft, network, in, &alone), 0);
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
            const uint32_t calls = run_on(threads[i], &draft, network, in, &together);
            const bool is_same = memcmp(&alone, &together, sizeof alone) == 0;
            if (!is_same || (threads[i] == 2 && calls != network->shares))
                hy_test_fail(__FILE__, __LINE__, "%s on %u threads: shared %u times, %s bytes",
                             network->name, threads[i], calls, is_same ? "the same" : "other");
        }
        hy_builder_finish(&draft.builder);
    }
}
