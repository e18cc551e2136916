/* Asynchronous executions that are worth no other thread. */
#include "runtime/event/event.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <sched.h>

/* Far below what a slow run takes. Where none is slow there is no limit: whoever computes may lose
 * the core for any time. */
#define LIMIT_NS 1000000u
#define NO_LIMIT UINT64_MAX
#define SLOW_US  5000

static struct fake_device npu, cpu;
static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[EXTENT];

/* A compilation for one of them, and an execution that is reused. */
static struct hy_execution *open_chain(struct fake_device *device, uint64_t limit)
{
    struct fake_device *const one[] = {device};

    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_ALL);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    struct hy_compilation *compilation = compile(chain_model(), one, 1, true, NULL);
    if (!compilation)
        return NULL;
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    hy_compilation_release(compilation); /* the execution keeps it */
    if (!execution)
        return NULL;
    execution->reusable = true;
    execution->compilation->inline_policy.limit = limit;
    return execution;
}

static bool is_quick(const struct hy_execution *execution)
{
    return hy_inline_policy_is_quick(&execution->compilation->inline_policy);
}

/* One run; tells whether it was over when it had been started. */
static bool run(struct hy_execution *execution, enum hy_code expected, struct hy_error *err)
{
    struct hy_event *event = NULL;

    if (hy_event_start(execution, &event, err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "cannot start: %s", err->text);
        return false;
    }
    const bool was_over = hy_execution_state(execution) != HY_EXECUTION_COMPUTING;
    EXPECT_INT(hy_event_wait(event, err), expected);
    hy_event_destroy(event);
    return was_over;
}

/* With a limit it may take some runs: other work on the machine can make any of them slow. */
static void become_quick(struct hy_execution *execution)
{
    struct hy_error err = {0};

    for (int i = 0; i < 1000 && !is_quick(execution); i++) {
        run(execution, HY_OK, &err);
        sched_yield();
    }
    EXPECT(is_quick(execution));
}

TEST(inline_policy, quick_runs_are_made_by_whoever_starts_them)
{
    struct hy_error err = {0};
    struct hy_execution *execution = open_chain(&cpu, NO_LIMIT);
    REQUIRE(execution);
    EXPECT(!is_quick(execution)); /* nothing is known yet */
    become_quick(execution);
    memset(output, 0, sizeof output);
    EXPECT(run(execution, HY_OK, &err));
    for (uint32_t i = 0; i < EXTENT; i++)
        EXPECT(output[i] == chain_result(input[i]));
    hy_execution_release(execution);
}

TEST(inline_policy, failure_made_at_once_is_told_by_the_wait)
{
    struct hy_error err = {0};
    struct hy_execution *execution = open_chain(&cpu, NO_LIMIT);
    REQUIRE(execution);
    become_quick(execution);
    cpu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT(run(execution, HY_FAILED, &err));
    EXPECT_CONTAINS(err.text, "the core is on fire");
    cpu.execute_status = HY_STATUS_OK;
    EXPECT(run(execution, HY_OK, &err)); /* a failure says nothing of the pace */
    hy_execution_release(execution);
}

TEST(inline_policy, slow_runs_are_made_by_another_thread)
{
    pthread_barrier_t inside;
    struct hy_event *event = NULL;
    struct hy_error err = {0};
    struct hy_execution *execution = open_chain(&cpu, LIMIT_NS);
    REQUIRE(execution);
    cpu.run_us = SLOW_US;
    for (int i = 0; i < 3; i++)
        run(execution, HY_OK, &err);
    REQUIRE(!is_quick(execution));

    pthread_barrier_init(&inside, NULL, 2);
    cpu.inside = &inside;
    REQUIRE(hy_event_start(execution, &event, NULL) == HY_OK);
    pthread_barrier_wait(&inside);
    EXPECT_INT(hy_execution_state(execution), HY_EXECUTION_COMPUTING);
    pthread_barrier_wait(&inside);
    EXPECT_INT(hy_event_wait(event, NULL), HY_OK);
    hy_event_destroy(event);
    pthread_barrier_destroy(&inside);
    hy_execution_release(execution);
}

TEST(inline_policy, runs_that_have_become_slow_are_noticed)
{
    struct hy_error err = {0};
    struct hy_execution *execution = open_chain(&cpu, LIMIT_NS);
    REQUIRE(execution);
    become_quick(execution);
    cpu.run_us = SLOW_US;
    for (int i = 0; i < 200 && is_quick(execution); i++)
        run(execution, HY_OK, &err);
    EXPECT(!is_quick(execution));
    cpu.run_us = 0;
    become_quick(execution);
    hy_execution_release(execution);
}

TEST(inline_policy, drivers_are_never_waited_for)
{
    struct hy_error err = {0};
    struct hy_execution *execution = open_chain(&npu, NO_LIMIT);
    REQUIRE(execution);
    for (int i = 0; i < 20; i++)
        run(execution, HY_OK, &err);
    EXPECT(!is_quick(execution));
    hy_execution_release(execution);
}

TEST(inline_policy, loops_are_never_waited_for)
{
    const struct hy_model model = {.referenced_count = 1};
    struct hy_step step = {.device = &cpu.device};
    const struct hy_plan plan = {.request = {.model = &model}, .steps = &step, .step_count = 1};
    struct hy_inline_policy inline_policy = {0};

    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    hy_inline_policy_init(&inline_policy, &plan);
    EXPECT_INT(hy_inline_policy_start(&inline_policy), 0);
    EXPECT(!hy_inline_policy_is_quick(&inline_policy));
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Several at once, so that no thread can keep them all. */
TEST(inline_policy, events_of_runs_made_at_once_are_independent)
{
    enum { MANY = 5 };
    struct hy_event *events[MANY];
    struct hy_error err = {0};
    struct hy_execution *execution = open_chain(&cpu, NO_LIMIT);
    REQUIRE(execution);
    become_quick(execution);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) {
            cpu.execute_status = i % 2 ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_OK;
            REQUIRE(hy_event_start(execution, &events[i], &err) == HY_OK);
        }
        for (int i = 0; i < MANY; i++)
            EXPECT_INT(hy_event_wait(events[i], &err), i % 2 ? HY_FAILED : HY_OK);
        for (int i = 0; i < MANY; i++)
            hy_event_destroy(events[i]);
    }
    hy_execution_release(execution);
}

TEST(inline_policy, event_outlives_the_execution_and_the_compilation)
{
    struct hy_event *event = NULL;
    struct hy_execution *execution = open_chain(&cpu, NO_LIMIT);
    REQUIRE(execution);
    become_quick(execution);
    REQUIRE(hy_event_start(execution, &event, NULL) == HY_OK);
    hy_execution_release(execution);
    EXPECT_INT(hy_event_wait(event, NULL), HY_OK);
    hy_event_destroy(event);
    EXPECT_INT(cpu.prepared, 0);
}
