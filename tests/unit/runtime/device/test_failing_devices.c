/* Devices that fail: who stands in for them, and when they are left alone. */
#include "common/clock.h"
#include "halyard/halyard.h"
#include "runtime/device/health.h"
#include "runtime/execute/execution_burst.h"
#include "runtime/handle/handle.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

static struct fake_device npu, other, cpu, reference;
static struct hy_health health;
static const float in[EXTENT] = {-1, 2, -3, 4.4f};

/* All take all; the npu is what the planner likes best. */
static void init_devices(void)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .1f, FAKE_ALL);
    fake_device_init(&other, "acme-other", HALYARD_DEVICE_IN_PROCESS, .2f, FAKE_ALL);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    fake_device_init(&reference, "nnapi-reference", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    memset(&health, 0, sizeof health);
    npu.device.health = &health;
}

static bool is_right(const float *out)
{
    for (uint32_t i = 0; i < EXTENT; i++) {
        if (out[i] != chain_result(in[i]))
            return false;
    }
    return true;
}

/* One run of the chain, from set-up to end. */
static enum hy_code run_chain(struct hy_compilation *compilation, struct hy_error *err)
{
    float out[EXTENT] = {0}, *outputs[] = {out};
    struct hy_execution *execution = execution_of(compilation, in, outputs);
    const enum hy_code code = execution ? compute(execution, err) : HY_OUT_OF_MEMORY;

    if (code == HY_OK)
        EXPECT(is_right(out));
    hy_execution_release(execution);
    return code;
}

/* The failures so far as if they had been at that moment. */
static void move_failures(uint64_t moment)
{
    const uint32_t failures = hy_health_failures(&health);

    memset(&health, 0, sizeof health);
    for (uint32_t i = 0; i < failures; i++)
        (void)hy_health_note_failure(&health, moment);
}

/* A quarantine that has just begun does not end during the test, however slow the machine is. */
static void hold_quarantine(void)
{
    move_failures(hy_clock_now() + 1000 * HY_HEALTH_FIRST_NS);
}

static struct hy_compilation *compile_chain(struct fake_device *const *fakes, uint32_t count)
{
    struct hy_error err = {0};
    struct hy_compilation *compilation = compile(chain_model(), fakes, count, true, &err);

    EXPECT_STR(err.text, "");
    return compilation;
}

static void expect_runs(unsigned of_npu, unsigned of_other, unsigned of_cpu, unsigned of_reference)
{
    EXPECT_INT(npu.runs, of_npu);
    EXPECT_INT(other.runs, of_other);
    EXPECT_INT(cpu.runs, of_cpu);
    EXPECT_INT(reference.runs, of_reference);
    npu.runs = other.runs = cpu.runs = reference.runs = 0;
}

/* ---- Who stands in --------------------------------------------------------------------------- */

TEST(failing_devices, cpu_comes_first_then_the_others_then_the_reference)
{
    struct fake_device *const all[] = {&npu, &other, &cpu, &reference};

    init_devices();
    npu.device.health = NULL;
    struct hy_compilation *compilation = compile_chain(all, 4);
    REQUIRE(compilation);
    EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(1, 0, 0, 0);
    npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(1, 0, 1, 0);
    cpu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(1, 1, 1, 0);
    other.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(1, 1, 1, 1);
    hy_compilation_release(compilation);
    EXPECT_INT(npu.prepared + other.prepared + cpu.prepared + reference.prepared, 0);
}

TEST(failing_devices, runs_that_another_device_has_done_are_counted)
{
    struct fake_device *const all[] = {&npu, &other, &cpu};
    struct halyard_plan_step step = {.struct_size = sizeof step};

    init_devices();
    npu.device.health = NULL;
    struct hy_compilation *compilation = compile_chain(all, 3);
    REQUIRE(compilation);
    EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    for (int i = 0; i < 3; i++)
        EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    EXPECT_INT(halyard_compilation_get_step(hy_compilation_handle(compilation), 0, &step),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(step.fallback_run_count, 3);
    hy_compilation_release(compilation);
}

TEST(failing_devices, fallback_steps_are_prepared_once)
{
    struct fake_device *const all[] = {&npu, &other, &cpu};

    init_devices();
    npu.device.health = NULL;
    struct hy_compilation *compilation = compile_chain(all, 3);
    REQUIRE(compilation);
    EXPECT_INT(cpu.prepare_count + other.prepare_count, 0);
    npu.execute_status = cpu.execute_status = HY_STATUS_GENERAL_FAILURE;
    for (int i = 0; i < 5; i++)
        EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    EXPECT_INT(cpu.prepare_count, 1);
    EXPECT_INT(other.prepare_count, 1);
    hy_compilation_release(compilation);
}

TEST(failing_devices, several_devices_may_stand_in_for_one)
{
    struct fake_device *const all[] = {&npu, &other, &reference};

    init_devices();
    other.operations = FAKE_RELU | FAKE_MUL;
    reference.operations = FAKE_ADD | FAKE_FLOOR;
    struct hy_compilation *compilation = compile_chain(all, 3);
    REQUIRE(compilation);
    npu.execute_status = HY_STATUS_DEVICE_UNAVAILABLE;
    EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(1, 1, 0, 1);
    hy_compilation_release(compilation);
    EXPECT_INT(npu.prepared + other.prepared + reference.prepared, 0);
}

TEST(failing_devices, error_of_an_exhausted_list_has_the_last_code_and_names_all)
{
    struct fake_device *const all[] = {&npu, &other, &cpu};
    struct hy_error err;

    init_devices();
    struct hy_compilation *compilation = compile_chain(all, 3);
    REQUIRE(compilation);
    npu.execute_status = HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
    other.execute_status = HY_STATUS_DEAD_OBJECT;
    cpu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(run_chain(compilation, &err), HY_DEAD);
    EXPECT_STR(err.text, "acme-npu: execute failed: the core is on fire; "
                         "halyard-cpu: execute failed: the core is on fire; "
                         "acme-other: execute failed: the core is on fire");
    expect_runs(1, 1, 1, 0);
    hy_compilation_release(compilation);
}

TEST(failing_devices, list_of_one_has_no_fallback_step)
{
    struct fake_device *const all[] = {&npu};
    struct hy_error err;

    init_devices();
    struct hy_compilation *compilation = compile_chain(all, 1);
    REQUIRE(compilation);
    npu.execute_status = HY_STATUS_INVALID_ARGUMENT;
    for (int i = 0; i < 5; i++)
        EXPECT_INT(run_chain(compilation, &err), HY_BAD_DATA);
    EXPECT_STR(err.text, "acme-npu: execute failed: the core is on fire");
    expect_runs(5, 0, 0, 0);
    hy_compilation_release(compilation);
}

TEST(failing_devices, device_that_refuses_to_prepare_leaves_the_plan)
{
    static const int32_t statuses[] = {HY_STATUS_INVALID_ARGUMENT, HY_STATUS_GENERAL_FAILURE,
                                       HY_STATUS_DEVICE_UNAVAILABLE, HY_STATUS_DEAD_OBJECT};
    struct fake_device *const all[] = {&npu, &other};

    for (unsigned i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        init_devices();
        npu.prepare_status = statuses[i];
        struct hy_compilation *compilation = compile_chain(all, 2);
        REQUIRE(compilation);
        EXPECT_INT(run_chain(compilation, NULL), HY_OK);
        expect_runs(0, 1, 0, 0);
        hy_compilation_release(compilation);
    }
}

TEST(failing_devices, lies_are_not_believed)
{
    struct fake_device *const all[] = {&npu, &cpu};

    for (enum fake_lie lie = FAKE_REPORTS_NOTHING; lie <= FAKE_ODD_STATUS; lie++) {
        init_devices();
        struct hy_compilation *compilation = compile_chain(all, 2);
        REQUIRE(compilation);
        npu.lie = lie;
        EXPECT_INT(run_chain(compilation, NULL), HY_OK);
        expect_runs(1, 0, 1, 0);
        EXPECT_INT(hy_health_failures(&health), 1);
        hy_compilation_release(compilation);
    }
}

TEST(failing_devices, reusable_and_burst_executions_go_on)
{
    float out[EXTENT] = {0}, *outputs[] = {out};
    struct fake_device *const all[] = {&npu, &cpu};
    struct hy_burst *burst = NULL;

    init_devices();
    struct hy_compilation *compilation = compile_chain(all, 2);
    REQUIRE(compilation);
    struct hy_execution *execution = execution_of(compilation, in, outputs);
    REQUIRE(execution);
    execution->reusable = true;
    EXPECT_INT(hy_burst_create(compilation, &burst, NULL), HY_OK);
    for (int i = 0; i < 6; i++) {
        npu.execute_status = i < 4 ? HY_STATUS_GENERAL_FAILURE : HY_STATUS_OK;
        if (i == 3)
            hold_quarantine();
        if (i == 4)
            memset(&health, 0, sizeof health);
        memset(out, 0, sizeof out);
        EXPECT_INT(i % 2 ? hy_burst_compute(burst, execution, NULL) : compute(execution, NULL),
                   HY_OK);
        EXPECT(is_right(out));
    }
    expect_runs(5, 0, 4, 0); /* the fourth time it was left out */
    hy_burst_destroy(burst);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

/* ---- Quarantine ------------------------------------------------------------------------------ */

static struct hy_compilation *compile_failing(void)
{
    struct fake_device *const all[] = {&npu, &cpu};

    init_devices();
    struct hy_compilation *compilation = compile_chain(all, 2);
    npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    return compilation;
}

TEST(failing_devices, three_failures_put_a_device_into_quarantine)
{
    struct hy_compilation *compilation = compile_failing();

    REQUIRE(compilation);
    for (int i = 0; i < 3; i++)
        EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(3, 0, 3, 0);
    hold_quarantine();
    for (int i = 0; i < 7; i++)
        EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(0, 0, 7, 0);
    hy_compilation_release(compilation);
}

TEST(failing_devices, device_is_tried_again_and_recovers)
{
    struct hy_compilation *compilation = compile_failing();

    REQUIRE(compilation);
    for (int i = 0; i < 3; i++)
        EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    hold_quarantine();
    EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(3, 0, 4, 0);
    move_failures(hy_clock_now() - 2 * HY_HEALTH_FIRST_NS);
    const uint64_t start = hy_clock_now();
    EXPECT_INT(run_chain(compilation, NULL), HY_OK); /* fails once more: twice as long */
    EXPECT(hy_health_left(&health, start) >= 2 * HY_HEALTH_FIRST_NS);
    hold_quarantine();
    EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(1, 0, 2, 0);
    npu.execute_status = HY_STATUS_OK;
    memset(&health, 0, sizeof health);
    (void)hy_health_note_failure(&health, hy_clock_now());
    EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(1, 0, 0, 0);
    EXPECT(hy_health_is_clear(&health));
    hy_compilation_release(compilation);
}

TEST(failing_devices, device_in_quarantine_is_better_than_none)
{
    struct hy_compilation *compilation = compile_failing();

    REQUIRE(compilation);
    for (int i = 0; i < 3; i++)
        EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(3, 0, 3, 0);
    hold_quarantine();
    npu.execute_status = HY_STATUS_OK;
    cpu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    expect_runs(1, 0, 1, 0);
    EXPECT(hy_health_is_clear(&health));
    hy_compilation_release(compilation);
}

TEST(failing_devices, request_that_fails_everywhere_is_not_held_against_the_device)
{
    struct hy_compilation *compilation = compile_failing();

    REQUIRE(compilation);
    cpu.execute_status = HY_STATUS_GENERAL_FAILURE;
    for (int i = 0; i < 5; i++)
        EXPECT_INT(run_chain(compilation, NULL), HY_FAILED);
    EXPECT(hy_health_is_clear(&health));
    npu.execute_status = HY_STATUS_DEAD_OBJECT;          /* this is */
    EXPECT_INT(run_chain(compilation, NULL), HY_FAILED); /* the last to fail */
    EXPECT_INT(hy_health_failures(&health), 1);
    hy_compilation_release(compilation);
}

TEST(failing_devices, new_plans_leave_a_device_in_quarantine_out)
{
    struct fake_device *const all[] = {&npu, &cpu};
    struct hy_compilation *compilation = compile_failing();

    REQUIRE(compilation);
    for (int i = 0; i < 3; i++)
        EXPECT_INT(run_chain(compilation, NULL), HY_OK);
    hy_compilation_release(compilation);
    hold_quarantine();
    compilation = compile_chain(all, 2);
    REQUIRE(compilation);
    EXPECT_STR(compilation->plan->steps[0].device->info.name, "halyard-cpu");
    const char *reason = hy_support_matrix_refusal(&compilation->plan->support_matrix, 0, 0);
    EXPECT(strstr(reason, "the device has failed 3 times in a row and is in quarantine for ") ==
           reason);
    hy_compilation_release(compilation);
}

TEST(failing_devices, device_in_quarantine_keeps_what_nobody_else_takes)
{
    struct fake_device *const some[] = {&npu, &cpu}, *const last[] = {&npu, &reference};

    init_devices();
    cpu.operations = FAKE_RELU;
    for (int i = 0; i < 3; i++)
        (void)hy_health_note_failure(&health, hy_clock_now());
    hold_quarantine();
    struct hy_compilation *compilation = compile_chain(some, 2);
    REQUIRE(compilation);
    EXPECT_INT(compilation->plan->step_count, 2);
    EXPECT_STR(compilation->plan->steps[0].device->info.name, "halyard-cpu");
    EXPECT_STR(compilation->plan->steps[1].device->info.name, "acme-npu");
    hy_compilation_release(compilation);
    compilation = compile_chain(last, 2);
    REQUIRE(compilation);
    EXPECT_STR(compilation->plan->steps[0].device->info.name, "acme-npu");
    hy_compilation_release(compilation);
}

TEST(failing_devices, device_that_is_gone_when_compiling_counts_too)
{
    struct fake_device *const all[] = {&npu, &cpu};

    init_devices();
    npu.prepare_status = HY_STATUS_DEAD_OBJECT;
    const uint64_t start = hy_clock_now();
    for (int i = 0; i < 3; i++)
        hy_compilation_release(compile_chain(all, 2));
    EXPECT(hy_health_left(&health, start) > 0);
    hold_quarantine();
    for (int i = 0; i < 2; i++)
        hy_compilation_release(compile_chain(all, 2));
    EXPECT_INT(npu.prepare_count, 3);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct part {
    struct hy_compilation *compilation;
    unsigned wrong;
};

static void run_part(void *argument)
{
    struct part *part = argument;

    for (int i = 0; i < 50; i++) {
        float out[EXTENT] = {0}, *outputs[] = {out};
        struct hy_execution *execution = execution_of(part->compilation, in, outputs);
        part->wrong += !execution || compute(execution, NULL) != HY_OK || !is_right(out);
        hy_execution_release(execution);
    }
}

TEST(failing_devices, threads_that_fail_at_once_share_the_fallback_steps)
{
    struct fake_device *const all[] = {&npu, &other, &cpu, &reference};
    struct part parts[4] = {{0}};

    init_devices();
    for (unsigned i = 0; i < 4; i++)
        all[i]->device.table = &fake_parallel_table;
    struct hy_compilation *compilation = compile_chain(all, 4);
    REQUIRE(compilation);
    npu.execute_status = cpu.execute_status = other.execute_status = HY_STATUS_GENERAL_FAILURE;
    for (unsigned i = 0; i < 4; i++)
        parts[i].compilation = compilation;
    const uint64_t start = hy_clock_now();
    EXPECT(hy_threads_run(4, run_part, parts, sizeof *parts));
    /* Each second of a slow machine may end a quarantine, after which all may try once. */
    const uint64_t attempts = 1 + (hy_clock_now() - start) / HY_HEALTH_FIRST_NS;
    for (unsigned i = 0; i < 4; i++)
        EXPECT_INT(parts[i].wrong, 0);
    EXPECT_INT(cpu.prepare_count, 1);
    EXPECT_INT(other.prepare_count, 1);
    EXPECT_INT(reference.prepare_count, 1);
    EXPECT_INT(reference.runs, 200);
    EXPECT(npu.runs >= 3 && npu.runs < 3 + 4 * attempts);
    hy_compilation_release(compilation);
}
