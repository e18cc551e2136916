/* Runs that are like the one before, on a device of our own: they go a shorter way, and nothing
 * that may have changed since is missed on it. */
#include "runtime/execute/binding.h"
#include "runtime/execute/work.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

static struct fake_device cpu;
static struct hy_device table;
static const struct hy_device *plain;
static struct hy_request request;
static struct hy_run_options options;
static int32_t reusable_status;
static float input[EXTENT], output[EXTENT];

static int32_t reusable_create(void *prepared, const struct hy_request *given,
                               const struct hy_run_options *with, void **out)
{
    request = *given;
    options = *with;
    *out = prepared;
    return HY_STATUS_OK;
}

static int32_t reusable_execute(void *prepared, int64_t deadline, struct hy_result *result)
{
    options.deadline = deadline;
    return reusable_status == HY_STATUS_OK ? plain->execute(prepared, &request, &options, result)
                                           : reusable_status;
}

static void reusable_destroy(void *prepared)
{
    (void)prepared;
}

/* A reusable execution that has run twice: the next run may go the short way. */
static struct hy_execution *make_repeatable(struct hy_compilation **compilation)
{
    struct fake_device *const one[] = {&cpu};
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    plain = cpu.device.table;
    table = *plain;
    table.struct_size = sizeof table;
    table.reusable_create = reusable_create;
    table.reusable_execute = reusable_execute;
    table.reusable_destroy = reusable_destroy;
    cpu.device.table = &table;
    reusable_status = HY_STATUS_OK;
    *compilation = compile(chain_model(), one, 1, true, NULL);
    struct hy_execution *execution =
        *compilation ? execution_of(*compilation, input, (float *[]){output}) : NULL;
    if (!execution)
        return NULL;
    execution->reusable = true;
    for (int i = 0; i < 2; i++)
        EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(execution->binding->is_repeatable);
    return execution;
}

static void give_back(struct hy_execution *execution, struct hy_compilation *compilation)
{
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(repeat, inputs_are_read_anew_and_all_runs_are_counted)
{
    struct hy_compilation *compilation;
    struct hy_execution *execution = make_repeatable(&compilation);
    REQUIRE(execution);
    for (int run = 0; run < 3; run++) {
        for (uint32_t i = 0; i < EXTENT; i++)
            input[i] = (float)run + 0.75f * (float)i;
        EXPECT_INT(compute(execution, NULL), HY_OK);
        for (uint32_t i = 0; i < EXTENT; i++)
            EXPECT(output[i] == chain_result(input[i]));
        EXPECT_INT(hy_execution_state(execution), HY_EXECUTION_DONE);
    }
    EXPECT_INT(hy_work_executions(compilation), 5);
    EXPECT_INT(execution->output_states[0].shape.dims[0], EXTENT);
    give_back(execution, compilation);
}

TEST(repeat, a_failure_has_its_words_and_the_run_after_it_is_right)
{
    struct hy_error err = {0};
    struct hy_compilation *compilation;
    struct hy_execution *execution = make_repeatable(&compilation);
    REQUIRE(execution);
    reusable_status = HY_STATUS_GENERAL_FAILURE;
    cpu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(compute(execution, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "the core is on fire");
    EXPECT_INT(hy_execution_state(execution), HY_EXECUTION_FAILED);
    EXPECT(!execution->binding->is_repeatable);
    reusable_status = HY_STATUS_OK;
    cpu.execute_status = HY_STATUS_OK;
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(execution->binding->is_repeatable);
    give_back(execution, compilation);
}

TEST(repeat, steps_are_measured_from_when_that_is_asked_for)
{
    struct hy_compilation *compilation;
    struct hy_execution *execution = make_repeatable(&compilation);
    REQUIRE(execution);
    atomic_store(&compilation->measure_steps, true);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT_INT(atomic_load(&compilation->plan->counters->steps[0].run_count), 1);
    give_back(execution, compilation);
}

TEST(repeat, a_deadline_reaches_the_device)
{
    struct hy_compilation *compilation;
    struct hy_execution *execution = make_repeatable(&compilation);
    REQUIRE(execution);
    EXPECT_INT(hy_execution_begin(execution, HY_RUN_SYNC, NULL), HY_OK);
    EXPECT_INT(hy_execution_run(execution, NULL, INT64_MAX, NULL), HY_OK);
    EXPECT(options.deadline == INT64_MAX);
    give_back(execution, compilation);
}
