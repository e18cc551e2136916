/* IF and WHILE on both devices: results, shapes, loops that have to be stopped, threads. */
#include <pthread.h>

#include <android/NeuralNetworksTypes.h>

#include "common/clock.h"
#include "common/operations/operation.h"
#include "cpu_fallback/cpu_driver.h"
#include "cpu_fallback/run/execute.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/flow_model.h"

#define DEVICES 2

/* A device with the model prepared; the model is given up. */
static void open_flow(struct hy_runner *runner, uint32_t device, struct hy_flow *flow)
{
    EXPECT_INT(hy_runner_open(runner, hy_cpu_driver(), device), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(runner, hy_flow_model(flow)), HY_STATUS_OK);
    EXPECT_STR(runner->message, "");
    hy_flow_finish(flow);
}

/* Runs with `count` floats in, and room for `room` of them. */
static int32_t run(struct hy_runner *runner, const uint8_t *condition, const float *in,
                   uint32_t count, float *out, uint32_t capacity)
{
    hy_runner_clear(runner);
    if (condition)
        hy_runner_input(runner, condition, 1, 0, NULL);
    hy_runner_input(runner, in, count * sizeof *in, 1, &count);
    hy_runner_output(runner, out, capacity * sizeof *out, 0, NULL);
    return hy_runner_execute(runner);
}

/* ---- IF -------------------------------------------------------------------------------------- */

static void expect_branches(uint32_t device, uint32_t extent)
{
    const uint8_t yes = 3, no = 0;
    const float in[2] = {1, 2};
    float out[2] = {0};
    struct hy_runner runner;
    struct hy_flow flow;

    hy_flow_init(&flow);
    hy_flow_if_main(&flow, extent, hy_flow_add_body(&flow, extent, 10),
                    hy_flow_add_body(&flow, extent, -1));
    open_flow(&runner, device, &flow);
    EXPECT_INT(run(&runner, &yes, in, 2, out, 2), HY_STATUS_OK);
    EXPECT(out[0] == 11 && out[1] == 12);
    EXPECT_INT(run(&runner, &no, in, 2, out, 2), HY_STATUS_OK);
    EXPECT(out[0] == 0 && out[1] == 1);
    EXPECT_INT(runner.shapes[0].rank, 1);
    EXPECT_INT(runner.shapes[0].dims[0], 2);
    hy_runner_close(&runner);
}

TEST(control_flow, if_runs_the_branch_that_the_condition_names)
{
    for (uint32_t device = 0; device < DEVICES; device++)
        expect_branches(device, 2);
}

TEST(control_flow, branches_of_unknown_shape_tell_theirs)
{
    for (uint32_t device = 0; device < DEVICES; device++)
        expect_branches(device, 0);
}

TEST(control_flow, result_too_large_for_its_room_is_reported)
{
    const uint8_t yes = 1;
    const float in[2] = {1, 2};
    float out[1] = {7};
    struct hy_runner runner;
    struct hy_flow flow;

    hy_flow_init(&flow);
    uint32_t add = hy_flow_add_body(&flow, 0, 10);
    hy_flow_if_main(&flow, 0, add, add);
    open_flow(&runner, 0, &flow);
    EXPECT_INT(run(&runner, &yes, in, 2, out, 1), HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_INT(runner.shapes[0].dims[0], 2);
    EXPECT_INT(runner.shapes[0].sufficient, 0);
    EXPECT(out[0] == 7);
    hy_runner_close(&runner);
}

TEST(control_flow, condition_left_out_fails_in_words)
{
    const float in[2] = {1, 2};
    float out[2];
    struct hy_runner runner;
    struct hy_flow flow;

    hy_flow_init(&flow);
    uint32_t add = hy_flow_add_body(&flow, 2, 10);
    hy_flow_if_main(&flow, 2, add, add);
    open_flow(&runner, 0, &flow);
    hy_runner_clear(&runner);
    hy_runner_no_input(&runner);
    hy_runner_input(&runner, in, sizeof in, 0, NULL);
    hy_runner_output(&runner, out, sizeof out, 0, NULL);
    EXPECT_INT(hy_runner_execute(&runner), HY_STATUS_GENERAL_FAILURE);
    EXPECT_STR(runner.message, "operation 0 IF: the condition is left out");
    hy_runner_close(&runner);
}

/* ---- WHILE ----------------------------------------------------------------------------------- */

/* WHILE (x < limit) x = x + step. */
static void open_counter(struct hy_runner *runner, uint32_t device, float limit, float step)
{
    struct hy_flow flow;

    hy_flow_init(&flow);
    uint32_t condition = hy_flow_less_body(&flow, limit);
    hy_flow_while_main(&flow, 1, condition, hy_flow_add_body(&flow, 1, step));
    open_flow(runner, device, &flow);
}

TEST(control_flow, while_runs_until_the_condition_fails)
{
    for (uint32_t device = 0; device < DEVICES; device++) {
        struct hy_runner runner;
        open_counter(&runner, device, 10, 1);
        for (int i = 10; i < 26; i++) {
            const float start = (float)i / 2;
            float out = 0, want = start;
            while (want < 10)
                want += 1;
            EXPECT_INT(run(&runner, NULL, &start, 1, &out, 1), HY_STATUS_OK);
            EXPECT(out == want);
        }
        hy_runner_close(&runner);
    }
}

/* Loop state: a counter, and a tensor that grows by one element each round. */
static void build_growing(struct hy_flow *flow)
{
    const struct hy_builder_type one = hy_flow_floats(1), open = hy_flow_floats(0);
    const struct hy_builder_type bool_type = {ANEURALNETWORKS_TENSOR_BOOL8, 0, 0, 1, {1}};
    const float limit = 40, step = 1;

    hy_flow_init(flow);
    struct hy_builder *condition = hy_flow_body(flow), *body = hy_flow_body(flow);
    (void)hy_builder_input(condition, &open);
    uint32_t less[] = {hy_builder_input(condition, &one),
                       hy_builder_constant(condition, &one, &limit, sizeof limit)};
    uint32_t go_on = hy_builder_output(condition, &bool_type);
    hy_builder_operation(condition, HY_OP_LESS, 2, less, 1, &go_on);

    uint32_t list = hy_builder_input(body, &open), count = hy_builder_input(body, &one);
    uint32_t longer = hy_builder_output(body, &open), next = hy_builder_output(body, &one);
    uint32_t join[] = {list, count, hy_builder_int(body, 0)};
    uint32_t add[] = {count, hy_builder_constant(body, &one, &step, sizeof step),
                      hy_builder_int(body, 0)};
    hy_builder_operation(body, HY_OP_CONCATENATION, 3, join, 1, &longer);
    hy_builder_operation(body, HY_OP_ADD, 3, add, 1, &next);

    uint32_t inputs[] = {hy_flow_reference(&flow->main, 0), hy_flow_reference(&flow->main, 1),
                         hy_builder_input(&flow->main, &one), hy_builder_input(&flow->main, &one)};
    uint32_t result = hy_builder_output(&flow->main, &open);
    hy_builder_operation(&flow->main, HY_OP_WHILE, 4, inputs, 1, &result);
}

static int32_t run_growing(struct hy_runner *runner, float start, float *out, uint32_t capacity)
{
    const float first = -1;

    hy_runner_clear(runner);
    hy_runner_input(runner, &first, sizeof first, 0, NULL);
    hy_runner_input(runner, &start, sizeof start, 0, NULL);
    hy_runner_output(runner, out, capacity * sizeof *out, 0, NULL);
    return hy_runner_execute(runner);
}

TEST(control_flow, loop_state_may_grow)
{
    float out[64];
    for (uint32_t device = 0; device < DEVICES; device++) {
        struct hy_runner runner;
        struct hy_flow flow;
        build_growing(&flow);
        open_flow(&runner, device, &flow);
        for (uint32_t start = 0; start <= 40; start += 8) {
            EXPECT_INT(run_growing(&runner, (float)start, out, 64), HY_STATUS_OK);
            EXPECT_INT(runner.shapes[0].dims[0], 41 - start);
            EXPECT(out[0] == -1);
            for (uint32_t i = 1; i < 41 - start; i++)
                EXPECT(out[i] == (float)(start + i - 1));
        }
        hy_runner_close(&runner);
    }
}

TEST(control_flow, loops_nest)
{
    struct hy_runner runner;
    struct hy_flow flow;
    const float in = 0;
    float out = 0;

    /* WHILE (x < 20) { x = x + 1; WHILE (x < 7) x = x + 3 }: through 1, 4, 7. */
    hy_flow_init(&flow);
    const struct hy_builder_type one = hy_flow_floats(1);
    const float step = 1;
    uint32_t less_20 = hy_flow_less_body(&flow, 20), less_7 = hy_flow_less_body(&flow, 7);
    uint32_t add_3 = hy_flow_add_body(&flow, 1, 3);
    struct hy_builder *body = hy_flow_body(&flow);
    uint32_t add[] = {hy_builder_input(body, &one),
                      hy_builder_constant(body, &one, &step, sizeof step), hy_builder_int(body, 0)};
    uint32_t sum = hy_builder_temporary(body, &one), result = hy_builder_output(body, &one);
    uint32_t inner[] = {hy_flow_reference(body, less_7), hy_flow_reference(body, add_3), sum};
    hy_builder_operation(body, HY_OP_ADD, 3, add, 1, &sum);
    hy_builder_operation(body, HY_OP_WHILE, 3, inner, 1, &result);
    hy_flow_while_main(&flow, 1, less_20, 3);
    open_flow(&runner, 0, &flow);
    EXPECT_INT(run(&runner, NULL, &in, 1, &out, 1), HY_STATUS_OK);
    EXPECT(out == 20);
    hy_runner_close(&runner);
}

/* ---- Time ------------------------------------------------------------------------------------ */

TEST(control_flow, endless_loop_ends_with_its_timeout)
{
    const float in = 0;
    float out;
    struct hy_runner runner;

    open_counter(&runner, 0, 1, 0);
    runner.loop_timeout = 1000000;
    EXPECT_INT(run(&runner, NULL, &in, 1, &out, 1), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_STR(runner.message, "operation 0 WHILE: the loop timeout of 1000000 ns has passed");
    hy_runner_close(&runner);
}

TEST(control_flow, no_time_at_all_allows_no_round)
{
    const float small = 0, large = 5;
    float out = 0;
    struct hy_runner runner;

    open_counter(&runner, 0, 1, 1);
    runner.loop_timeout = 0;
    EXPECT_INT(run(&runner, NULL, &small, 1, &out, 1), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_INT(run(&runner, NULL, &large, 1, &out, 1), HY_STATUS_OK);
    EXPECT(out == 5);
    hy_runner_close(&runner);
}

TEST(control_flow, deadline_ends_a_loop)
{
    const float in = 0;
    float out;
    struct hy_runner runner;

    int32_t status = HY_STATUS_MISSED_DEADLINE_PERSISTENT;

    open_counter(&runner, 0, 1, 0);
    /* On a busy machine it may pass before the start: then a later one is tried. */
    for (int64_t ns = 5000000; status == HY_STATUS_MISSED_DEADLINE_PERSISTENT && ns < 5000000000;
         ns *= 3) {
        runner.deadline = hy_clock_boot() + ns;
        status = run(&runner, NULL, &in, 1, &out, 1);
    }
    EXPECT_INT(status, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_CONTAINS(runner.message, "the deadline has passed");
    hy_runner_close(&runner);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct part {
    struct hy_runner runner; /* shares device and prepared model with the others */
    uint32_t number, failures;
};

static void *run_part(void *argument)
{
    struct part *part = argument;
    float out[64];

    for (uint32_t i = 0; i < 40; i++) {
        uint32_t start = (i + part->number) % 40;
        int32_t status = run_growing(&part->runner, (float)start, out, 64);
        part->failures += status != HY_STATUS_OK || part->runner.shapes[0].dims[0] != 41 - start ||
                          out[40 - start] != 39;
    }
    return NULL;
}

TEST(control_flow, executions_of_one_prepared_model_do_not_meet)
{
    static struct part parts[4];
    pthread_t threads[4];
    struct hy_runner runner;
    struct hy_flow flow;

    build_growing(&flow);
    open_flow(&runner, 0, &flow);
    for (uint32_t i = 0; i < 4; i++) {
        parts[i] = (struct part){.runner = runner, .number = i};
        REQUIRE(pthread_create(&threads[i], NULL, run_part, &parts[i]) == 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_INT(parts[i].failures, 0);
    }
    hy_runner_close(&runner);
}
