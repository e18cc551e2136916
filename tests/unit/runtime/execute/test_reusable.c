/* Requests that run again, on drivers that make reusables of them, and the executions that a
 * compilation keeps for those to come. */
#include "common/operations/control_flow.h"
#include "runtime/execute/binding.h"
#include "runtime/execute/execution_burst.h"
#include "runtime/memory/memory_object.h"
#include "runtime/memory/watch.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};

/* The reusables of both devices: their ordinary execution, counted. */
struct reusable {
    const struct hy_device *plain;
    void *prepared;
    struct hy_request request;
    struct hy_run_options options;
};

static struct {
    struct hy_device table;
    int32_t create_status, execute_status;
    unsigned created, alive, executed;
    uint64_t loop_timeout; /* of the last */
    uint32_t hint_count;
    uint32_t measure;
} reusables;

static const struct hy_device *plain;

static int32_t reusable_create(void *prepared, const struct hy_request *request,
                               const struct hy_run_options *options, void **out)
{
    struct reusable *made = malloc(sizeof *made);

    reusables.created++;
    if (reusables.create_status != HY_STATUS_OK || !made) {
        free(made);
        *out = &reusables; /* a driver that leaves something there all the same */
        return reusables.create_status;
    }
    EXPECT(options->message.text == NULL);
    *made = (struct reusable){plain, prepared, *request, *options};
    reusables.alive++;
    reusables.loop_timeout = options->loop_timeout;
    reusables.hint_count = options->hint_count;
    reusables.measure = options->measure;
    *out = made;
    return HY_STATUS_OK;
}

static int32_t reusable_execute(void *self, int64_t deadline, struct hy_result *result)
{
    struct reusable *reusable = self;

    reusables.executed++;
    if (reusables.execute_status != HY_STATUS_OK)
        return reusables.execute_status;
    reusable->options.deadline = deadline;
    return reusable->plain->execute(reusable->prepared, &reusable->request, &reusable->options,
                                    result);
}

static void reusable_destroy(void *self)
{
    reusables.alive--;
    free(self);
}

/* RELU for the npu. */
static void init_devices(void)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_RELU);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    memset(&reusables, 0, sizeof reusables);
    plain = npu.device.table;
    reusables.table = *plain;
    reusables.table.struct_size = sizeof reusables.table;
    reusables.table.reusable_create = reusable_create;
    reusables.table.reusable_execute = reusable_execute;
    reusables.table.reusable_destroy = reusable_destroy;
    npu.device.table = cpu.device.table = &reusables.table;
}

/* RELU on the npu, the rest on the CPU. */
static struct hy_compilation *compile_chain(void)
{
    init_devices();
    return compile(chain_model(), both, 2, false, NULL);
}

static float input[EXTENT];

static bool is_chain_result(const float *output)
{
    bool same = true;
    for (uint32_t i = 0; i < EXTENT; i++)
        same &= output[i] == chain_result(input[i]);
    return same;
}

/* Runs it on other contents. */
static bool runs_well(struct hy_execution *execution, const float *output)
{
    struct hy_error err = {0};
    for (uint32_t i = 0; i < EXTENT; i++)
        input[i] += (float)i + 0.25f;
    if (compute(execution, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    return is_chain_result(output);
}

static struct hy_execution *reusable_execution(struct hy_compilation *compilation, float *output)
{
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    if (execution)
        execution->reusable = true;
    return execution;
}

/* ---- Reusable executions --------------------------------------------------------------------- */

TEST(reusable, execution_has_one_per_step_for_all_its_runs)
{
    float output[EXTENT];
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    struct hy_execution *execution = reusable_execution(compilation, output);
    REQUIRE(execution);
    for (int i = 0; i < 5; i++)
        EXPECT(runs_well(execution, output));
    EXPECT_INT(reusables.created, 2);
    EXPECT_INT(reusables.executed, 10);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
    EXPECT_INT(reusables.alive, 0);
}

TEST(reusable, driver_that_makes_none_is_asked_once_and_runs_the_ordinary_way)
{
    float output[EXTENT];
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    reusables.create_status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    struct hy_execution *execution = reusable_execution(compilation, output);
    REQUIRE(execution);
    for (int i = 0; i < 3; i++)
        EXPECT(runs_well(execution, output));
    EXPECT_INT(reusables.created, 2);
    EXPECT_INT(reusables.executed, 0);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
    EXPECT_INT(reusables.alive, 0);
}

TEST(reusable, failure_is_told_by_the_ordinary_way)
{
    float output[EXTENT];
    struct hy_error err = {0};
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    struct hy_execution *execution = reusable_execution(compilation, output);
    REQUIRE(execution);
    reusables.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT(runs_well(execution, output)); /* the ordinary way does not fail */
    EXPECT_INT(npu.runs + cpu.runs, 2);

    cpu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(compute(execution, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "the core is on fire");
    cpu.execute_status = reusables.execute_status = HY_STATUS_OK;
    EXPECT(runs_well(execution, output));
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(reusable, missed_deadline_is_not_tried_again)
{
    float output[EXTENT];
    struct fake_device *const one[] = {&cpu};
    init_devices();
    struct hy_compilation *compilation = compile(chain_model(), one, 1, true, NULL);
    REQUIRE(compilation);
    struct hy_execution *execution = reusable_execution(compilation, output);
    REQUIRE(execution);
    reusables.execute_status = HY_STATUS_MISSED_DEADLINE_PERSISTENT;
    EXPECT_INT(compute(execution, NULL), HY_MISSED_DEADLINE_FOR_GOOD);
    EXPECT_INT(cpu.runs, 0);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

static int32_t burst_open(void *prepared, void **burst)
{
    *burst = prepared;
    return HY_STATUS_OK;
}

static void burst_release(void *burst, uint64_t pool_id)
{
    (void)burst, (void)pool_id;
}

static void burst_close(void *burst)
{
    (void)burst;
}

/* Two runs in a burst, which the drivers have or not. */
static void expect_reusables_in_burst(unsigned executed)
{
    float output[EXTENT];
    struct hy_burst *burst = NULL;
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    REQUIRE(compilation && hy_burst_create(compilation, &burst, NULL) == HY_OK);
    struct hy_execution *execution = reusable_execution(compilation, output);
    REQUIRE(execution);
    for (int i = 0; i < 2; i++)
        EXPECT_INT(hy_burst_compute(burst, execution, NULL), HY_OK);
    EXPECT(is_chain_result(output));
    EXPECT_INT(reusables.executed, executed);
    hy_execution_release(execution);
    hy_burst_destroy(burst);
    hy_compilation_release(compilation);
}

/* The CPU's step of each run is a reusable all the same. */
TEST(reusable, burst_of_a_driver_comes_first_but_on_devices_of_our_own)
{
    init_devices();
    expect_reusables_in_burst(4);
    init_devices();
    reusables.table.burst_open = burst_open;
    reusables.table.burst_execute = plain->execute;
    reusables.table.burst_release = burst_release;
    reusables.table.burst_close = burst_close;
    expect_reusables_in_burst(2);
}

/* ---- Kept executions ------------------------------------------------------------------------- */

/* An execution that runs once, and is gone. */
static bool runs_once(struct hy_compilation *compilation, float *output)
{
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    const bool good = execution && runs_well(execution, output);
    hy_execution_release(execution);
    return good;
}

TEST(reused_execution, request_that_comes_again_is_reused_on_built_in_devices_alone)
{
    static float output[EXTENT];
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    for (int i = 0; i < 4; i++)
        EXPECT(runs_once(compilation, output));
    EXPECT_INT(reusables.created, 1);
    EXPECT_INT(reusables.executed, 3);
    EXPECT_INT(reusables.alive, 1);
    EXPECT_INT(npu.runs, 4);
    hy_compilation_release(compilation);
    EXPECT_INT(reusables.alive, 0);
}

TEST(reused_execution, driver_keeps_nothing_of_a_reusable_execution_that_is_gone)
{
    static float output[EXTENT];
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    struct hy_execution *execution = reusable_execution(compilation, output);
    REQUIRE(execution);
    EXPECT(runs_well(execution, output));
    EXPECT_INT(reusables.alive, 2);
    hy_execution_release(execution);
    EXPECT_INT(reusables.alive, 1);
    hy_compilation_release(compilation);
}

TEST(reused_execution, other_arguments_make_other_requests)
{
    static float outputs[3][EXTENT];
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    for (int i = 0; i < 9; i++) {
        memset(outputs, 0, sizeof outputs);
        EXPECT(runs_once(compilation, outputs[i % 3]));
        EXPECT(outputs[(i + 1) % 3][3] == 0 && outputs[(i + 2) % 3][3] == 0);
    }
    EXPECT_INT(reusables.alive, 0);
    hy_compilation_release(compilation);
}

TEST(reused_execution, nothing_of_the_one_before_counts_as_set)
{
    static float output[EXTENT];
    struct hy_error err = {0};
    struct hy_execution *execution = NULL;
    const struct hy_argument_source in = {.buffer = input, .length = sizeof input};
    const struct hy_argument_source out = {.buffer = output, .length = sizeof output};
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    struct hy_execution *first = reusable_execution(compilation, output);
    REQUIRE(first);
    first->measure = first->padded = true;
    first->timeout = first->loop_timeout = 5;
    EXPECT(runs_well(first, output));
    hy_execution_release(first);

    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    EXPECT(execution == first);
    EXPECT_INT(hy_execution_state(execution), HY_EXECUTION_PREPARING);
    EXPECT(!execution->reusable && !execution->measure && !execution->padded);
    EXPECT_INT(execution->timeout, 0);
    EXPECT_INT(execution->loop_timeout, HY_LOOP_TIMEOUT_DEFAULT);
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &in, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &in, NULL), HY_BAD_STATE);
    EXPECT_INT(compute(execution, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "output 0 was never set");
    hy_execution_release(execution);

    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, &out, NULL), HY_OK);
    EXPECT_INT(compute(execution, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "input 0 was never set");
    hy_execution_release(execution);
    EXPECT(runs_once(compilation, output));
    hy_compilation_release(compilation);
}

TEST(reused_execution, length_is_checked_anew_when_padding_changes)
{
    static float padded[EXTENT + 4], output[EXTENT];
    const struct hy_argument_source in = {.buffer = padded, .length = sizeof padded};
    struct hy_execution *execution = NULL;
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    for (int i = 0; i < 4; i++) {
        const bool has_padding = i % 2 == 0;
        REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
        EXPECT_INT(hy_execution_set_padded(execution, has_padding, NULL), HY_OK);
        EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &in, NULL),
                   has_padding ? HY_OK : HY_BAD_DATA);
        hy_execution_release(execution);
    }
    EXPECT(runs_once(compilation, output));
    hy_compilation_release(compilation);
}

TEST(reused_execution, other_settings_make_another_reusable)
{
    static float output[EXTENT];
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    for (int i = 0; i < 3; i++)
        EXPECT(runs_once(compilation, output));
    EXPECT_INT(reusables.created, 1);
    EXPECT_INT(reusables.measure, 0);

    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    execution->measure = true;
    execution->loop_timeout = 77;
    EXPECT(runs_well(execution, output));
    EXPECT_INT(execution->time_in_driver, 14);
    hy_execution_release(execution);
    EXPECT_INT(reusables.created, 2);
    EXPECT_INT(reusables.measure, 1);
    EXPECT_INT(reusables.loop_timeout, 77);

    EXPECT(runs_once(compilation, output));
    EXPECT_INT(reusables.measure, 0);
    hy_compilation_release(compilation);
    EXPECT_INT(reusables.alive, 0);
}

TEST(reused_execution, hints_are_not_handed_on)
{
    static float output[EXTENT];
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    EXPECT(runs_once(compilation, output));
    EXPECT(runs_once(compilation, output));
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    EXPECT_INT(hy_attributes_add(&execution->attributes, "com.acme.kept", 1, "x", 1, NULL), HY_OK);
    EXPECT(runs_well(execution, output));
    hy_execution_release(execution);
    EXPECT_INT(reusables.alive, 0);
    for (int i = 0; i < 2; i++)
        EXPECT(runs_once(compilation, output));
    EXPECT_INT(reusables.hint_count, 0);
    hy_compilation_release(compilation);
}

/* More at once than are kept; all gone before the last of them comes back. */
TEST(reused_execution, any_number_may_live_at_once)
{
    enum { MANY = HY_EXECUTIONS_CACHED + 5 };
    static float outputs[MANY][EXTENT];
    struct hy_execution *executions[MANY];
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) {
            executions[i] = execution_of(compilation, input, (float *[]){outputs[i]});
            REQUIRE(executions[i]);
        }
        for (int i = 0; i < MANY; i++)
            EXPECT(runs_well(executions[i], outputs[i]));
        for (int i = 0; i < MANY; i++)
            hy_execution_release(executions[i]);
    }
    EXPECT_INT(hy_work_executions(compilation), 3 * MANY);
    EXPECT_INT(hy_work_of_device(&npu.device).steps, 3 * MANY);
    EXPECT_INT(hy_work_of_device(&cpu.device).operations, 3 * 3 * MANY);
    hy_compilation_release(compilation);
    EXPECT_INT(hy_work_of_device(&npu.device).steps, 3 * MANY); /* its devices keep the counts */
    EXPECT_INT(hy_work_of_device(&cpu.device).operations, 3 * 3 * MANY);
}

/* ---- Memory objects -------------------------------------------------------------------------- */

static struct hy_memory *shared_floats(float **floats)
{
    struct hy_memory *memory = NULL;
    const int fd = memfd_create("kept", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 4096) != 0 ||
        hy_memory_from_fd(4096, PROT_READ | PROT_WRITE, fd, 0, &memory, NULL) != HY_OK)
        memory = NULL;
    close(fd);
    *floats = memory ? hy_memory_pool(memory)->address : NULL;
    return memory;
}

static bool runs_in_memory(struct hy_compilation *compilation, struct hy_memory *memory,
                           float *floats)
{
    const struct hy_argument_source in = {.memory = memory, .length = sizeof input};
    const struct hy_argument_source out = {.memory = memory, .offset = 64, .length = sizeof input};
    struct hy_execution *execution = NULL;
    if (hy_execution_create(compilation, &execution, NULL) != HY_OK)
        return false;
    bool good = hy_execution_set(execution, false, 0, NULL, &in, NULL) == HY_OK &&
                hy_execution_set(execution, true, 0, NULL, &out, NULL) == HY_OK;
    memcpy(floats, input, sizeof input);
    good = good && compute(execution, NULL) == HY_OK && is_chain_result(floats + 16);
    hy_execution_release(execution);
    return good;
}

static uint64_t died;

static void note_death(void *context, uint64_t id)
{
    (void)context;
    died = id;
}

TEST(reused_execution, memory_does_not_live_on_in_it)
{
    struct hy_memory_watch watch;
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation);
    hy_memory_watch_start(&watch, note_death, NULL);
    for (int i = 0; i < 20; i++) { /* often the next comes to lie where the last was */
        float *floats;
        struct hy_memory *memory = shared_floats(&floats);
        REQUIRE(memory);
        const uint64_t id = hy_memory_pool(memory)->id;
        EXPECT(runs_in_memory(compilation, memory, floats));
        memset(floats + 16, 0, sizeof input);
        EXPECT(runs_in_memory(compilation, memory, floats));
        hy_memory_release(memory);
        EXPECT_INT(died, id);
    }
    hy_memory_watch_stop(&watch);
    hy_compilation_release(compilation);
}

TEST(reused_execution, file_that_shrinks_between_two_executions_is_noticed)
{
    float *floats;
    struct hy_error err = {0};
    struct hy_execution *execution = NULL;
    struct hy_compilation *compilation = compile_chain();
    struct hy_memory *memory = shared_floats(&floats);
    REQUIRE(compilation && memory);
    EXPECT(runs_in_memory(compilation, memory, floats));
    EXPECT(runs_in_memory(compilation, memory, floats));
    REQUIRE(ftruncate(hy_memory_pool(memory)->fd, 0) == 0);
    const struct hy_argument_source in = {.memory = memory, .length = sizeof input};
    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &in, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "the file has 0 bytes");
    EXPECT_INT(compute(execution, &err), HY_BAD_DATA);
    hy_execution_release(execution);
    hy_memory_release(memory);
    hy_compilation_release(compilation);
}
