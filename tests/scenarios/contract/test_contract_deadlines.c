/* Timeouts of executions, the duration of fenced ones, and the timeout of a compilation: the
 * deadlines that a driver gets to see, and what the CPU devices do about those that are over. */
#include "tests/scenarios/contract/kit/fake_setup.h"

#include "runtime/drivers/device_list.h"

#include <time.h>

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[EXTENT];

#define MS      INT64_C(1000000)
#define SECONDS (1000 * MS)

/* On the clock of the driver ABI. */
static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_BOOTTIME, &time);
    return (int64_t)time.tv_sec * SECONDS + time.tv_nsec;
}

/* ---- What the driver sees -------------------------------------------------------------------- */

TEST(contract_deadlines, timeout_becomes_a_deadline_in_every_kind_of_run)
{
    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        struct fake_setup fake_setup;
        REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        EXPECT_OK(ANeuralNetworksExecution_setTimeout(execution, 5 * SECONDS));
        const int64_t before = now();
        EXPECT_INT(run(&fake_setup, kind, execution), ANEURALNETWORKS_NO_ERROR);
        EXPECT(fake_setup.npu.last_deadline >= before + 5 * SECONDS);
        EXPECT(fake_setup.npu.last_deadline <= now() + 5 * SECONDS);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_deadlines, timeout_of_0_is_none_and_one_that_is_too_long_is_the_end_of_time)
{
    static const struct {
        uint64_t timeout;
        int64_t deadline;
    } cases[] = {
        {0, HY_NO_DEADLINE},
        {INT64_MAX, INT64_MAX},
        {UINT64_MAX, INT64_MAX},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fake_setup fake_setup;
        REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        EXPECT_OK(ANeuralNetworksExecution_setTimeout(execution, 1)); /* the last one counts */
        EXPECT_OK(ANeuralNetworksExecution_setTimeout(execution, cases[i].timeout));
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        EXPECT(fake_setup.npu.last_deadline == cases[i].deadline);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_deadlines, every_run_of_a_reusable_execution_has_a_deadline_of_its_own)
{
    int64_t last = 0;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    EXPECT_OK(ANeuralNetworksExecution_setTimeout(execution, 5 * SECONDS));
    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
    for (int i = 0; i < 2 * RUN_KINDS; i++) {
        const int64_t before = now();
        EXPECT_INT(run(&fake_setup, (enum run_kind)(i % RUN_KINDS), execution),
                   ANEURALNETWORKS_NO_ERROR);
        EXPECT(fake_setup.npu.last_deadline > last);
        EXPECT(fake_setup.npu.last_deadline >= before + 5 * SECONDS);
        last = fake_setup.npu.last_deadline;
    }
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* ---- Fenced ---------------------------------------------------------------------------------- */

struct moments {
    int64_t called;    /* before the call */
    int64_t returned;  /* after it */
    int64_t signalled; /* before the gate opened */
    int64_t ended;
    int64_t deadline; /* that the driver saw */
};

/* Waits at a gate for 30 ms. */
static struct moments run_behind_fence(uint64_t timeout, uint64_t duration)
{
    const struct timespec wait = {.tv_nsec = 30 * MS};
    struct moments moments = {0};
    ANeuralNetworksEvent *event = NULL;
    struct fake_setup fake_setup;
    struct manual_fence manual_fence;
    if (!fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE) ||
        !manual_fence_make(&manual_fence))
        return moments;
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
    const ANeuralNetworksEvent *dependency = manual_fence.event;

    EXPECT_OK(ANeuralNetworksExecution_setTimeout(execution, timeout));
    moments.called = now();
    EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(execution, &dependency, 1,
                                                                    duration, &event));
    moments.returned = now();
    nanosleep(&wait, NULL);
    moments.signalled = now();
    manual_fence_signal(&manual_fence);
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    moments.ended = now();
    moments.deadline = fake_setup.npu.last_deadline;
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(execution);
    manual_fence_free(&manual_fence);
    fake_setup_close(&fake_setup);
    return moments;
}

TEST(contract_deadlines, duration_counts_from_the_signal_and_timeout_from_the_call)
{
    struct moments moments = run_behind_fence(0, 5 * SECONDS);
    EXPECT(moments.deadline >= moments.signalled + 5 * SECONDS);
    EXPECT(moments.deadline <= moments.ended + 5 * SECONDS);

    moments = run_behind_fence(5 * SECONDS, 0);
    EXPECT(moments.deadline >= moments.called + 5 * SECONDS);
    EXPECT(moments.deadline <= moments.returned + 5 * SECONDS);

    moments = run_behind_fence(0, 0);
    EXPECT(moments.deadline == HY_NO_DEADLINE);
}

TEST(contract_deadlines, nearer_of_duration_and_timeout_wins)
{
    struct moments moments = run_behind_fence(9 * SECONDS, 5 * SECONDS);
    EXPECT(moments.deadline >= moments.signalled + 5 * SECONDS);
    EXPECT(moments.deadline <= moments.ended + 5 * SECONDS);

    moments = run_behind_fence(5 * SECONDS, 9 * SECONDS);
    EXPECT(moments.deadline <= moments.returned + 5 * SECONDS);

    moments = run_behind_fence(5 * SECONDS, UINT64_MAX);
    EXPECT(moments.deadline <= moments.returned + 5 * SECONDS);
}

/* While the only worker is taken, the clock of the duration runs. */
TEST(contract_deadlines, duration_counts_while_the_run_waits_for_a_thread)
{
    enum { CROWD = 64 };
    static float outputs[CROWD][EXTENT];
    ANeuralNetworksExecution *executions[CROWD];
    ANeuralNetworksEvent *events[CROWD], *last = NULL;
    struct fake_setup fake_setup, crowd;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
    REQUIRE(fake_setup_open(&crowd, chain_model(), ONE_DEVICE));
    crowd.npu.device.table = &fake_parallel_table;
    crowd.npu.run_us = 5000;

    for (int i = 0; i < CROWD; i++) {
        executions[i] = fake_setup_ready(&crowd, input, outputs[i]);
        EXPECT_OK(ANeuralNetworksExecution_startCompute(executions[i], &events[i]));
    }
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
    EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 5 * SECONDS,
                                                                    &last));
    const int64_t returned = now();
    EXPECT_OK(ANeuralNetworksEvent_wait(last));
    EXPECT(fake_setup.npu.last_deadline <= returned + 5 * SECONDS);
    ANeuralNetworksEvent_free(last);
    ANeuralNetworksExecution_free(execution);
    for (int i = 0; i < CROWD; i++) {
        ANeuralNetworksEvent_free(events[i]);
        ANeuralNetworksExecution_free(executions[i]);
    }
    fake_setup_close(&crowd);
    fake_setup_close(&fake_setup);
}

/* ---- The CPU devices ------------------------------------------------------------------------- */

static const char *const cpu_names[] = {"halyard-cpu", "nnapi-reference"};

static const struct hy_runtime_device *device_named(const char *name)
{
    for (uint32_t i = 0; i < hy_devices()->count; i++) {
        if (strcmp(hy_devices()->devices[i].info.name, name) == 0)
            return &hy_devices()->devices[i];
    }
    return NULL;
}

/* Not finished. */
static ANeuralNetworksCompilation *start_on(const char *name)
{
    const struct hy_runtime_device *device = device_named(name);
    struct hy_app_model *model = chain_model();
    struct hy_compilation *compilation = NULL;

    EXPECT_INT(hy_compilation_create(model, &device, 1, true, &compilation, NULL), HY_OK);
    hy_app_model_release(model);
    return hy_compilation_handle(compilation);
}

TEST(contract_deadlines, cpu_does_not_start_when_the_deadline_is_over)
{
    for (size_t i = 0; i < COUNT_OF(cpu_names); i++) {
        struct fake_setup fake_setup = {.compilation = start_on(cpu_names[i])};
        EXPECT_OK(ANeuralNetworksCompilation_finish(fake_setup.compilation));
        for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
            ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
            EXPECT_OK(ANeuralNetworksExecution_setTimeout(execution, 1));
            EXPECT_INT(run(&fake_setup, kind, execution),
                       ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
            EXPECT_CONTAINS(halyard_last_error(), "the deadline passed before the start");
            EXPECT_CONTAINS(halyard_last_error(), cpu_names[i]);
            ANeuralNetworksExecution_free(execution);
        }
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_deadlines, cpu_does_not_start_when_the_duration_is_over)
{
    for (size_t i = 0; i < COUNT_OF(cpu_names); i++) {
        ANeuralNetworksEvent *event = NULL;
        struct fake_setup fake_setup = {.compilation = start_on(cpu_names[i])};
        EXPECT_OK(ANeuralNetworksCompilation_finish(fake_setup.compilation));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        EXPECT_OK(
            ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 1, &event));
        EXPECT_FAIL(MISSED_DEADLINE_PERSISTENT, ANeuralNetworksEvent_wait(event));
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_deadlines, deadline_that_is_far_away_changes_nothing)
{
    static const uint64_t timeouts[] = {0, 60 * SECONDS, UINT64_MAX};

    for (size_t i = 0; i < COUNT_OF(cpu_names) * COUNT_OF(timeouts); i++) {
        struct fake_setup fake_setup = {.compilation = start_on(cpu_names[i % 2])};
        EXPECT_OK(ANeuralNetworksCompilation_setTimeout(fake_setup.compilation, timeouts[i / 2]));
        EXPECT_OK(ANeuralNetworksCompilation_finish(fake_setup.compilation));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        EXPECT_OK(ANeuralNetworksExecution_setTimeout(execution, timeouts[i / 2]));
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        EXPECT(output[3] == chain_result(input[3]));
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_deadlines, cpu_does_not_prepare_when_the_deadline_is_over)
{
    for (size_t i = 0; i < COUNT_OF(cpu_names); i++) {
        ANeuralNetworksExecution *execution = NULL;
        ANeuralNetworksCompilation *compilation = start_on(cpu_names[i]);
        EXPECT_OK(ANeuralNetworksCompilation_setTimeout(compilation, 1));
        EXPECT_FAIL(MISSED_DEADLINE_PERSISTENT, ANeuralNetworksCompilation_finish(compilation));
        EXPECT_CONTAINS(halyard_last_error(), "the deadline passed before the start");
        EXPECT_FAIL(BAD_STATE, ANeuralNetworksCompilation_finish(compilation));
        EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_create(compilation, &execution));
        ANeuralNetworksCompilation_free(compilation);
    }
}
