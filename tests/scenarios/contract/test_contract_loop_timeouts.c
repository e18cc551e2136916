/* Loops that never end: the loop timeout, the timeout of the execution and the duration of a fenced
 * one each bring them to an end, on both CPU devices and in every kind of run. */
#include "runtime/compile/compile.h"

#include "runtime/drivers/device_list.h"
#include "tests/scenarios/contract/kit/fake_setup.h"

#include <math.h>
#include <time.h>

#define MS UINT64_C(1000000)

/* As many ms as a run is given here, and as no busy machine adds to it; how close the end is to the
 * timeout is for bench/loop_timeout to tell. */
enum { FEW = 5, MANY = 20000 };

static const char *const cpu_names[] = {"halyard-cpu", "nnapi-reference"};

/* ---- Loops ----------------------------------------------------------------------------------- */

/* counter < limit, of a counter. */
static struct fixture condition_of(float limit)
{
    const uint32_t one = 1;
    struct fixture f = fixture_create();
    uint32_t counter = floats(&f, 1), bound = floats(&f, 1);
    uint32_t condition_output = tensor(&f, ANEURALNETWORKS_TENSOR_BOOL8, 1, &one, 0);
    const uint32_t less[] = {counter, bound};

    EXPECT_INT(set(&f, bound, &limit, sizeof limit), HY_OK);
    EXPECT_INT(op(&f, ANEURALNETWORKS_LESS, 2, less, condition_output), HY_OK);
    EXPECT_INT(identify(&f, counter, condition_output), HY_OK);
    EXPECT_INT(finish(&f), HY_OK);
    return f;
}

/* counter + step. */
static struct fixture body_of(float step)
{
    struct fixture f = fixture_create();
    uint32_t counter = floats(&f, 1), more = floats(&f, 1), next = floats(&f, 1);

    EXPECT_INT(set(&f, more, &step, sizeof step), HY_OK);
    EXPECT_INT(add_op(&f, counter, more, constant(&f, 0), next), HY_OK);
    EXPECT_INT(identify(&f, counter, next), HY_OK);
    EXPECT_INT(finish(&f), HY_OK);
    return f;
}

/* Counts from its input to `limit`. */
static struct hy_app_model *loop_model(float limit, float step)
{
    struct fixture condition = condition_of(limit), body = body_of(step), f = fixture_create();
    uint32_t models[] = {scalar(&f, ANEURALNETWORKS_MODEL), scalar(&f, ANEURALNETWORKS_MODEL)};
    uint32_t from = floats(&f, 1), to = floats(&f, 1);
    const uint32_t inputs[] = {models[0], models[1], from};

    EXPECT_INT(hy_app_model_set_value_from_model(f.model, models[0], condition.model, NULL), HY_OK);
    EXPECT_INT(hy_app_model_set_value_from_model(f.model, models[1], body.model, NULL), HY_OK);
    EXPECT_INT(op(&f, ANEURALNETWORKS_WHILE, 3, inputs, to), HY_OK);
    EXPECT_INT(identify(&f, from, to), HY_OK);
    EXPECT_INT(finish(&f), HY_OK);
    fixture_free(&condition);
    fixture_free(&body);
    return f.model;
}

static struct fake_setup loop_on(const char *name, float step)
{
    const struct hy_runtime_device *device = NULL;
    struct hy_app_model *model = loop_model(3, step);
    struct hy_compilation *compilation = NULL;

    for (uint32_t i = 0; i < hy_devices()->count; i++) {
        if (strcmp(hy_devices()->devices[i].info.name, name) == 0)
            device = &hy_devices()->devices[i];
    }
    EXPECT_INT(hy_compilation_create(model, &device, 1, true, &compilation, NULL), HY_OK);
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_OK);
    hy_app_model_release(model);
    return (struct fake_setup){.compilation = hy_compilation_handle(compilation)};
}

static ANeuralNetworksExecution *ready(const struct fake_setup *fake_setup, const float *from,
                                       float *to)
{
    ANeuralNetworksExecution *execution = fake_setup_execution(fake_setup);

    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, from, sizeof *from));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, to, sizeof *to));
    return execution;
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 * MS + (uint64_t)time.tv_nsec;
}

/* ---- Endless ones ---------------------------------------------------------------------------- */

/* Where the machine is busy, a deadline may be over before the run has begun. */
static void expect_missed_deadline(int code)
{
    if (code == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT)
        EXPECT_CONTAINS(halyard_last_error(), "the deadline passed before the start");
    else
        EXPECT_INT(code, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_CONTAINS(halyard_last_error(), "the deadline");
}

static void expect_in_time(uint64_t start)
{
    const uint64_t elapsed = now() - start;

    EXPECT(elapsed >= FEW * MS);
    EXPECT(elapsed < MANY * MS);
}

TEST(contract_loop_timeouts, loop_timeout_ends_an_endless_loop)
{
    for (size_t i = 0; i < COUNT_OF(cpu_names); i++) {
        struct fake_setup fake_setup = loop_on(cpu_names[i], 0);
        for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
            float from = 0, to = 0;
            ANeuralNetworksExecution *execution = ready(&fake_setup, &from, &to);
            EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, FEW * MS));
            const uint64_t start = now();
            EXPECT_INT(run(&fake_setup, kind, execution),
                       ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
            EXPECT_CONTAINS(halyard_last_error(), "the loop timeout of 5000000 ns has passed");
            expect_in_time(start);
            ANeuralNetworksExecution_free(execution);
        }
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_loop_timeouts, timeout_of_the_execution_ends_an_endless_loop)
{
    for (size_t i = 0; i < COUNT_OF(cpu_names); i++) {
        struct fake_setup fake_setup = loop_on(cpu_names[i], 0);
        for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
            float from = 0, to = 0;
            ANeuralNetworksExecution *execution = ready(&fake_setup, &from, &to);
            EXPECT_OK(ANeuralNetworksExecution_setTimeout(execution, FEW * MS));
            EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, MANY * MS));
            const uint64_t start = now();
            expect_missed_deadline(run(&fake_setup, kind, execution));
            expect_in_time(start);
            ANeuralNetworksExecution_free(execution);
        }
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_loop_timeouts, duration_of_a_fenced_run_ends_an_endless_loop)
{
    for (size_t i = 0; i < COUNT_OF(cpu_names); i++) {
        ANeuralNetworksEvent *event = NULL;
        float from = 0, to = 0;
        struct fake_setup fake_setup = loop_on(cpu_names[i], 0);
        ANeuralNetworksExecution *execution = ready(&fake_setup, &from, &to);
        EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, MANY * MS));
        const uint64_t start = now();
        EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0,
                                                                        FEW * MS, &event));
        expect_missed_deadline(ANeuralNetworksEvent_wait(event));
        expect_in_time(start);
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

/* Nobody runs it again, which would take as long once more. */
TEST(contract_loop_timeouts, loop_that_was_ended_is_not_tried_elsewhere)
{
    struct hy_app_model *model = loop_model(3, 0);
    struct hy_compilation *compilation = NULL;
    const struct hy_runtime_device *devices[16];
    const uint32_t count = hy_devices()->count;
    float from = 0, to = 0;
    REQUIRE(count <= COUNT_OF(devices));
    for (uint32_t i = 0; i < count; i++)
        devices[i] = &hy_devices()->devices[i];
    REQUIRE(hy_compilation_create(model, devices, count, false, &compilation, NULL) == HY_OK);
    REQUIRE(hy_compilation_finish(compilation, NULL) == HY_OK);
    hy_app_model_release(model);
    struct fake_setup fake_setup = {.compilation = hy_compilation_handle(compilation)};
    ANeuralNetworksExecution *execution = ready(&fake_setup, &from, &to);

    EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, FEW * MS));
    EXPECT_FAIL(MISSED_DEADLINE_TRANSIENT, ANeuralNetworksExecution_compute(execution));
    EXPECT_CONTAINS(halyard_last_error(), "halyard-cpu: execute failed");
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* ---- Loops that end -------------------------------------------------------------------------- */

TEST(contract_loop_timeouts, no_time_at_all_ends_a_loop_before_its_first_round)
{
    for (size_t i = 0; i < COUNT_OF(cpu_names); i++) {
        struct fake_setup fake_setup = loop_on(cpu_names[i], 1);
        float from = 2, to = 0;
        ANeuralNetworksExecution *execution = ready(&fake_setup, &from, &to);
        EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, 0));
        EXPECT_FAIL(MISSED_DEADLINE_TRANSIENT, ANeuralNetworksExecution_compute(execution));
        ANeuralNetworksExecution_free(execution);

        /* A loop without rounds needs no time. */
        from = 3;
        execution = ready(&fake_setup, &from, &to);
        EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, 0));
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        EXPECT(to == 3);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_loop_timeouts, loop_in_time_ends_well)
{
    for (size_t i = 0; i < COUNT_OF(cpu_names); i++) {
        struct fake_setup fake_setup = loop_on(cpu_names[i], 1);
        float from = -5, to = 0;
        ANeuralNetworksExecution *execution = ready(&fake_setup, &from, &to);
        EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, MANY * MS));
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        EXPECT(to == 3);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_loop_timeouts, reusable_execution_gets_over_a_loop_that_was_ended)
{
    for (size_t i = 0; i < COUNT_OF(cpu_names); i++) {
        struct fake_setup fake_setup = loop_on(cpu_names[i], 1);
        float from = -INFINITY, to = 0;
        ANeuralNetworksExecution *execution = ready(&fake_setup, &from, &to);
        EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, true));
        EXPECT_OK(ANeuralNetworksExecution_setLoopTimeout(execution, FEW * MS));
        EXPECT_FAIL(MISSED_DEADLINE_TRANSIENT, ANeuralNetworksExecution_compute(execution));
        from = 3; /* no round, so there is no time to miss */
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        EXPECT(to == 3);
        ANeuralNetworksExecution_free(execution);
        fake_setup_close(&fake_setup);
    }
}
