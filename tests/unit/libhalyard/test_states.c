/* States: contents that a run leaves for the next. */
#include "tests/kit/test.h"

#include <string.h>

#include "tests/unit/libhalyard/kit/network_run.h"

/* ---- The state of a recurrent operator ------------------------------------------------------- */

enum { STEPS_MOST = 2 };

/* A constant of one element. */
static int32_t weight(struct hy_builder *builder, uint32_t rank, const float *data)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "weight",
                                                                  .type = HY_TFLITE_FLOAT32,
                                                                  .rank = rank,
                                                                  .dims = {1, 1},
                                                                  .data = data,
                                                                  .bytes = sizeof *data});
}

static int32_t state(struct hy_builder *builder, const char *name)
{
    return hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = name,
                                                                  .type = HY_TFLITE_FLOAT32,
                                                                  .rank = 2,
                                                                  .dims = {1, 1},
                                                                  .is_variable = true});
}

static int32_t sequence(struct hy_builder *builder, const char *name, int32_t steps)
{
    return hy_builder_tensor(
        builder, &(struct hy_builder_tensor){
                     .name = name, .type = HY_TFLITE_FLOAT32, .rank = 3, .dims = {1, steps, 1}});
}

/* An LSTM of one cell, without peepholes, projection and norms. */
static struct hy_builder *lstm(int32_t steps)
{
    static const float weights[] = {0.5f, -0.25f, 0.75f, 1.0f, 0.125f, 0.5f, -0.5f, 0.25f};
    static const float bias[] = {0.25f, 1.0f, 0.0f, -0.25f};
    struct hy_builder *builder = hy_builder_create();
    const int32_t x = sequence(builder, "x", steps), y = sequence(builder, "y", steps);
    struct hy_builder_operator operator_ = {
        .op = HY_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM,
        .output_count = 1,
        .outputs = {y},
        .options_kind = HY_TFLITE_OPTIONS_UNIDIRECTIONAL_SEQUENCE_LSTM,
        .option_count = 1,
        .options = {{0, 1, HY_TFLITE_ACTIVATION_TANH}},
    };
    int32_t *inputs = operator_.inputs;

    *inputs++ = x;
    for (int i = 0; i < 8; i++)
        *inputs++ = weight(builder, 2, &weights[i]);
    for (int i = 0; i < 3; i++)
        *inputs++ = -1;
    for (int i = 0; i < 4; i++)
        *inputs++ = weight(builder, 1, &bias[i]);
    *inputs++ = -1;
    *inputs++ = -1;
    *inputs++ = state(builder, "hidden");
    *inputs++ = state(builder, "cell");
    operator_.input_count = (uint32_t)(inputs - operator_.inputs);
    hy_builder_operator(builder, &operator_);
    hy_builder_input(builder, x);
    hy_builder_output(builder, y);
    return builder;
}

static float step(struct hy_network_run *run, float x)
{
    float y;
    memcpy(run->inputs[0], &x, sizeof x);
    EXPECT_INT(hy_network_run(run), HY_OK);
    memcpy(&y, run->outputs[0], sizeof y);
    return y;
}

/* What one run over two steps gives. */
static void expect_both_steps(float both[STEPS_MOST])
{
    static const float x[] = {0.5f, -1.5f};
    struct hy_network_run run;

    both[0] = both[1] = 0;
    REQUIRE(hy_network_run_open(&run, lstm(2)));
    memcpy(run.inputs[0], x, sizeof x);
    EXPECT_INT(hy_network_run(&run), HY_OK);
    memcpy(both, run.outputs[0], sizeof x);
    hy_network_run_close(&run);
}

TEST(states, a_state_survives_runs)
{
    float both[STEPS_MOST];
    struct hy_network_run run;

    expect_both_steps(both);
    REQUIRE(hy_network_run_open(&run, lstm(1)));
    EXPECT_INT(hy_states_count(run.states), 2);
    EXPECT_STR(hy_states_tensor(run.states, 0)->name, "hidden");
    EXPECT_STR(hy_states_tensor(run.states, 1)->name, "cell");
    EXPECT(step(&run, 0.5f) == both[0]);
    EXPECT(step(&run, -1.5f) == both[1]);
    EXPECT(both[0] != 0 && both[0] != both[1]);
    hy_network_run_close(&run);
}

TEST(states, a_reset_begins_again)
{
    struct hy_network_run run;

    REQUIRE(hy_network_run_open(&run, lstm(1)));
    const float first = step(&run, 0.5f);
    EXPECT(step(&run, 0.5f) != first);
    hy_states_reset(run.states);
    EXPECT(step(&run, 0.5f) == first);
    hy_network_run_close(&run);
}

TEST(states, contents_are_read_and_written)
{
    struct hy_network_run run;
    float hidden, cell, large[2];

    REQUIRE(hy_network_run_open(&run, lstm(1)));
    const float first = step(&run, 0.5f);
    EXPECT_INT(hy_states_read(run.states, 0, &hidden, sizeof hidden, &run.err), HY_OK);
    EXPECT_INT(hy_states_read(run.states, 1, &cell, sizeof cell, &run.err), HY_OK);
    EXPECT(hidden == first);
    const float second = step(&run, 0.5f);
    EXPECT_INT(hy_states_write(run.states, 0, &hidden, sizeof hidden, &run.err), HY_OK);
    EXPECT_INT(hy_states_write(run.states, 1, &cell, sizeof cell, &run.err), HY_OK);
    EXPECT(step(&run, 0.5f) == second);

    EXPECT_INT(hy_states_read(run.states, 2, &cell, sizeof cell, &run.err), HY_BAD_DATA);
    EXPECT_STR(run.err.text, "state 2 does not exist, there are 2");
    EXPECT_INT(hy_states_write(run.states, 1, large, sizeof large, &run.err), HY_BAD_DATA);
    EXPECT_STR(run.err.text, "state 1 (cell) has 4 bytes, not 8");
    hy_network_run_close(&run);
}

TEST(states, a_failed_run_leaves_a_state)
{
    struct hy_network_run run;
    float before, after;

    REQUIRE(hy_network_run_open(&run, lstm(1)));
    step(&run, 0.5f);
    EXPECT_INT(hy_states_read(run.states, 1, &before, sizeof before, &run.err), HY_OK);
    EXPECT_INT(ANeuralNetworksExecution_compute(run.execution), 0); /* and nothing after it */
    EXPECT_INT(hy_states_read(run.states, 1, &after, sizeof after, &run.err), HY_OK);
    EXPECT(before == after);
    hy_network_run_close(&run);
}

TEST(states, two_sets_of_states_are_apart)
{
    struct hy_network_run one, two;

    REQUIRE(hy_network_run_open(&one, lstm(1)));
    REQUIRE(hy_network_run_open(&two, lstm(1)));
    const float first = step(&one, 0.5f);
    step(&one, 0.5f);
    EXPECT(step(&two, 0.5f) == first);
    hy_network_run_close(&one);
    hy_network_run_close(&two);
}

/* A file of a few hundred bytes must not ask for any memory. */
TEST(states, states_beyond_the_budget_are_refused)
{
    struct hy_builder *builder = hy_builder_create();
    struct hy_network_run run;
    const int32_t x = sequence(builder, "x", 1), y = sequence(builder, "y", 1);
    const int32_t large =
        hy_builder_tensor(builder, &(struct hy_builder_tensor){.name = "large",
                                                               .type = HY_TFLITE_FLOAT32,
                                                               .rank = 2,
                                                               .dims = {1 << 14, 1 << 11},
                                                               .is_variable = true});
    hy_builder_operator(builder, &(struct hy_builder_operator){.op = HY_TFLITE_OP_ABS,
                                                               .input_count = 1,
                                                               .inputs = {x},
                                                               .output_count = 1,
                                                               .outputs = {y}});
    hy_builder_input(builder, x);
    hy_builder_output(builder, y);
    hy_builder_output(builder, large);
    REQUIRE(hy_network_run_try(&run, builder) == HY_OK);
    run.network->budget.memory_limit = 1 << 26;
    EXPECT_INT(hy_states_create(&run.network->graph, run.network->model, &run.states, &run.err),
               HY_OUT_OF_MEMORY);
    EXPECT_STR(
        run.err.text,
        "state 0 (large): 134217728 bytes, with 0 bytes of other states; max_memory is 67108864");
    hy_network_run_close(&run);
}
