/* Running compilations on fake devices. */
#include "runtime/compile/compile.h"
#include "runtime/drivers/device_list.h"
#include "runtime/event/event.h"
#include "runtime/plan/plan_counters.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <pthread.h>
#include <sys/wait.h>

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};

static void init_fakes(uint32_t npu_operations)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, npu_operations);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
}

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};

static bool is_chain_result(const float *output)
{
    bool same = true;
    for (uint32_t i = 0; i < EXTENT; i++)
        same &= output[i] == chain_result(input[i]);
    return same;
}

static void expect_chain_runs(uint32_t npu_operations, uint32_t steps)
{
    float output[EXTENT] = {0};

    init_fakes(npu_operations);
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    REQUIRE(compilation);
    EXPECT_INT(compilation->plan->step_count, steps);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    hy_compilation_release(compilation); /* the execution keeps it */
    REQUIRE(execution);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(is_chain_result(output));
    EXPECT_INT(hy_execution_state(execution), HY_EXECUTION_DONE);
    hy_execution_release(execution);
    EXPECT_INT(npu.prepared + cpu.prepared, 0);
}

TEST(execution, every_way_to_split_gives_the_same_result)
{
    static const uint32_t steps[FAKE_ALL + 1] = {
        [0] = 1,
        [FAKE_RELU] = 2,
        [FAKE_MUL] = 3,
        [FAKE_RELU | FAKE_MUL] = 2,
        [FAKE_ADD] = 3,
        [FAKE_ADD | FAKE_RELU] = 4,
        [FAKE_ADD | FAKE_MUL] = 3,
        [FAKE_ADD | FAKE_MUL | FAKE_RELU] = 2,
        [FAKE_FLOOR] = 2,
        [FAKE_FLOOR | FAKE_RELU] = 3,
        [FAKE_FLOOR | FAKE_MUL] = 4,
        [FAKE_FLOOR | FAKE_MUL | FAKE_RELU] = 3,
        [FAKE_FLOOR | FAKE_ADD] = 2,
        [FAKE_FLOOR | FAKE_ADD | FAKE_RELU] = 3,
        [FAKE_FLOOR | FAKE_ADD | FAKE_MUL] = 2,
        [FAKE_ALL] = 1,
    };
    for (uint32_t operations = 0; operations <= FAKE_ALL; operations++)
        expect_chain_runs(operations, steps[operations]);
}

TEST(execution, model_output_that_a_later_step_reads)
{
    float outputs[2][EXTENT] = {{0}};

    init_fakes(FAKE_RELU);
    struct hy_compilation *compilation = compile(shared_output_model(), both, 2, false, NULL);
    REQUIRE(compilation && compilation->plan->step_count == 2);
    struct hy_execution *execution =
        execution_of(compilation, input, (float *[]){outputs[0], outputs[1]});
    REQUIRE(execution);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(outputs[0][2] == 1.5f);
    EXPECT(outputs[1][2] == 1);
    hy_execution_release(execution);

    /* Left out by the app, it goes through memory of ours. */
    const struct hy_argument_source in = {.buffer = (void *)(uintptr_t)input,
                                          .length = sizeof input};
    const struct hy_argument_source none = {0};
    const struct hy_argument_source out = {.buffer = outputs[1], .length = sizeof outputs[1]};
    REQUIRE(hy_execution_create(compilation, &execution, NULL) == HY_OK);
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &in, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, &none, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 1, NULL, &out, NULL), HY_OK);
    outputs[1][3] = 0;
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(outputs[1][3] == 7);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(execution, output_to_be_written_alone_is_read_by_a_later_step)
{
    struct hy_memory *memory = NULL;
    struct hy_execution *execution = NULL;
    float first_result[EXTENT] = {0}, second[EXTENT] = {0};

    init_fakes(FAKE_RELU);
    int fd = shared_file(sizeof input);
    REQUIRE(hy_memory_from_fd(sizeof input, PROT_WRITE, fd, 0, &memory, NULL) == HY_OK);
    struct hy_compilation *compilation = compile(shared_output_model(), both, 2, false, NULL);
    REQUIRE(compilation && hy_execution_create(compilation, &execution, NULL) == HY_OK);
    const struct hy_argument_source in = {.buffer = (void *)(uintptr_t)input,
                                          .length = sizeof input};
    const struct hy_argument_source first = {.memory = memory, .length = sizeof input};
    const struct hy_argument_source out = {.buffer = second, .length = sizeof second};
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &in, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, &first, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 1, NULL, &out, NULL), HY_OK);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT_INT(pread(fd, first_result, sizeof first_result, 0), sizeof first_result);
    EXPECT(first_result[2] == 1.5f);
    EXPECT(second[2] == 1);
    close(fd);
    hy_memory_release(memory);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

/* The device that is always there, for the one operation that the other leaves. */
TEST(execution, built_in_cpu_runs_what_a_driver_leaves)
{
    const struct hy_runtime_device *devices[] = {&npu.device, hy_devices()->cpu};
    struct hy_compilation *compilation = NULL;
    struct hy_app_model *model = chain_model();
    float output[EXTENT] = {0};

    init_fakes(FAKE_ALL & ~FAKE_ADD);
    REQUIRE(model && hy_compilation_create(model, devices, 2, false, &compilation, NULL) == HY_OK);
    hy_app_model_release(model);
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_OK);
    EXPECT_INT(compilation->plan->step_count, 3);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(is_chain_result(output));
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

/* Input and output lie in one memory, which makes one pool. */
TEST(execution, one_memory_for_all_arguments_is_one_pool)
{
    const size_t size = 2 * EXTENT * sizeof(float);
    struct hy_memory *memory = NULL;
    struct hy_execution *execution = NULL;

    init_fakes(FAKE_ALL);
    int fd = shared_file(size);
    REQUIRE(hy_memory_from_fd(size, PROT_READ | PROT_WRITE, fd, 0, &memory, NULL) == HY_OK);
    close(fd);
    float *floats_of = hy_memory_pool(memory)->address;
    memcpy(floats_of, input, sizeof input);

    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    REQUIRE(compilation && hy_execution_create(compilation, &execution, NULL) == HY_OK);
    const struct hy_argument_source in = {.memory = memory, .length = size / 2};
    const struct hy_argument_source out = {
        .memory = memory, .offset = size / 2, .length = size / 2};
    EXPECT_INT(hy_execution_set(execution, false, 0, NULL, &in, NULL), HY_OK);
    EXPECT_INT(hy_execution_set(execution, true, 0, NULL, &out, NULL), HY_OK);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(is_chain_result(floats_of + EXTENT));
    EXPECT_INT(npu.last_pool_count, 1);

    /* The execution keeps the memory. */
    hy_memory_release(memory);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

TEST(execution, failed_step_runs_again_on_the_cpu_which_is_kept)
{
    float output[EXTENT] = {0};

    init_fakes(FAKE_MUL | FAKE_ADD);
    struct hy_compilation *compilation = compile(chain_model(), both, 2, true, NULL);
    REQUIRE(compilation);
    npu.execute_status = HY_STATUS_INVALID_ARGUMENT;
    for (unsigned i = 0; i < 3; i++) {
        struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
        REQUIRE(execution);
        memset(output, 0, sizeof output);
        EXPECT_INT(compute(execution, NULL), HY_OK);
        EXPECT(is_chain_result(output));
        hy_execution_release(execution);
    }
    EXPECT_INT(cpu.prepare_count, 3); /* two steps and one fallback step */
    EXPECT_INT(npu.runs, 3);
    hy_compilation_release(compilation);
    EXPECT_INT(cpu.prepared, 0);
}

static enum hy_code compute_once(struct hy_compilation *compilation, struct hy_error *err)
{
    float output[EXTENT];
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    if (!execution)
        return HY_OUT_OF_MEMORY;
    enum hy_code code = compute(execution, err);
    hy_execution_release(execution);
    return code;
}

static void expect_work(const struct fake_device *fake, uint64_t executions, uint64_t operations)
{
    const struct hy_work_sum work = hy_work_of_device(&fake->device);
    EXPECT_INT(work.steps, executions);
    EXPECT_INT(work.operations, operations);
}

TEST(execution, devices_are_credited_with_the_steps_that_they_end)
{
    init_fakes(FAKE_MUL | FAKE_ADD);
    struct hy_compilation *compilation = compile(chain_model(), both, 2, true, NULL);
    REQUIRE(compilation);
    EXPECT_INT(compute_once(compilation, NULL), HY_OK);
    expect_work(&npu, 1, 2);
    expect_work(&cpu, 2, 2);

    npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(compute_once(compilation, NULL), HY_OK);
    expect_work(&npu, 1, 2);
    expect_work(&cpu, 5, 6);
    hy_compilation_release(compilation);
}

TEST(execution, failure_without_a_cpu_in_the_list_is_the_apps)
{
    struct hy_error err = {0};

    init_fakes(FAKE_ALL);
    struct hy_compilation *compilation = compile(chain_model(), both, 1, true, NULL);
    REQUIRE(compilation);
    npu.execute_status = HY_STATUS_DEAD_OBJECT;
    EXPECT_INT(compute_once(compilation, &err), HY_DEAD);
    EXPECT_STR(err.text, "acme-npu: execute failed: the core is on fire");
    hy_compilation_release(compilation);
}

TEST(execution, lies_are_not_believed)
{
    for (enum fake_lie lie = FAKE_REPORTS_NOTHING; lie <= FAKE_ODD_STATUS; lie++) {
        struct hy_error err = {0};
        init_fakes(FAKE_ALL);
        struct hy_compilation *compilation = compile(chain_model(), both, 1, true, NULL);
        REQUIRE(compilation);
        npu.lie = lie;
        EXPECT_INT(compute_once(compilation, &err), HY_FAILED);
        EXPECT_CONTAINS(err.text, "acme-npu");
        hy_compilation_release(compilation);

        /* With the CPU at hand, the result is right nevertheless. */
        compilation = compile(chain_model(), both, 2, false, NULL);
        REQUIRE(compilation);
        EXPECT_INT(compute_once(compilation, &err), HY_OK);
        hy_compilation_release(compilation);
    }
}

TEST(execution, reusable_runs_again_with_new_contents)
{
    float changing[EXTENT], output[EXTENT];

    init_fakes(FAKE_MUL);
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    struct hy_execution *execution = execution_of(compilation, changing, (float *[]){output});
    REQUIRE(execution);
    execution->reusable = true;
    for (unsigned i = 0; i < 10; i++) {
        changing[0] = changing[1] = changing[2] = changing[3] = (float)i;
        EXPECT_INT(compute(execution, NULL), HY_OK);
        EXPECT(output[3] == chain_result((float)i));
    }
    EXPECT_INT(hy_work_executions(compilation), 10);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void *run_many(void *context)
{
    struct hy_compilation *compilation = context;
    float output[EXTENT];
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    uintptr_t good = 0;

    if (!execution)
        return NULL;
    execution->reusable = true;
    for (unsigned i = 0; i < 200; i++) {
        memset(output, 0, sizeof output);
        if (compute(execution, NULL) == HY_OK && is_chain_result(output))
            good++;
    }
    hy_execution_release(execution);
    return (void *)good;
}

static void expect_threads_agree(void)
{
    pthread_t threads[4];

    npu.device.table = cpu.device.table = &fake_parallel_table;
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    REQUIRE(compilation);
    atomic_store(&compilation->measure_steps, true);
    for (unsigned i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run_many, compilation) == 0);
    for (unsigned i = 0; i < 4; i++) {
        void *good = NULL;
        pthread_join(threads[i], &good);
        EXPECT_INT((uintptr_t)good, 200);
    }
    EXPECT_INT(hy_work_executions(compilation), 800);
    EXPECT_INT(compilation->plan->counters->steps[0].run_count, 800);
    hy_compilation_release(compilation);
}

TEST(execution, parallel_executions_do_not_disturb_each_other)
{
    init_fakes(FAKE_MUL);
    expect_threads_agree();
}

TEST(execution, parallel_failures_share_one_fallback_step)
{
    init_fakes(FAKE_MUL);
    npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    expect_threads_agree();
    EXPECT_INT(cpu.prepare_count, 3);
}

TEST(execution, everything_freed_before_the_end_is_safe)
{
    static float output[EXTENT];
    struct hy_event *event = NULL;

    init_fakes(FAKE_ALL);
    npu.run_us = 10000;
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution && hy_event_start(execution, &event, NULL) == HY_OK);
    hy_compilation_release(compilation);
    hy_execution_release(execution);
    hy_event_destroy(event); /* waits */
    EXPECT(is_chain_result(output));
}

TEST(execution, more_asynchronous_runs_than_threads)
{
    enum { COUNT = 64 };
    static float outputs[COUNT][EXTENT];
    struct hy_event *events[COUNT];

    init_fakes(FAKE_MUL);
    npu.device.table = cpu.device.table = &fake_parallel_table;
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    REQUIRE(compilation);
    for (unsigned i = 0; i < COUNT; i++) {
        struct hy_execution *execution = execution_of(compilation, input, (float *[]){outputs[i]});
        REQUIRE(execution && hy_event_start(execution, &events[i], NULL) == HY_OK);
        hy_execution_release(execution);
    }
    for (unsigned i = COUNT; i-- > 0;) {
        EXPECT_INT(hy_event_wait(events[i], NULL), HY_OK);
        EXPECT(is_chain_result(outputs[i]));
        hy_event_destroy(events[i]);
    }
    hy_compilation_release(compilation);
}

/* A sanitizer for threads does not follow a fork that has them. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1 /* as gcc says it */
#endif
#endif
#ifndef __SANITIZE_THREAD__
TEST(execution, forked_child_makes_its_own_threads)
{
    float output[EXTENT] = {0};
    struct hy_event *event = NULL;
    int status = 1;

    init_fakes(FAKE_ALL);
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution && hy_event_start(execution, &event, NULL) == HY_OK);
    EXPECT_INT(hy_event_wait(event, NULL), HY_OK);
    hy_event_destroy(event);
    hy_execution_release(execution);

    execution = execution_of(compilation, input, (float *[]){output});
    REQUIRE(execution);
    memset(output, 0, sizeof output);
    if (HY_SLOWNESS > 1) /* the allocator of a sanitizer stays locked in a child */
        hy_threads_wait_for_rest();
    pid_t child = fork();
    if (child == 0) {
        alarm(120); /* a child that hangs is a failure, too */
        bool ok = hy_event_start(execution, &event, NULL) == HY_OK &&
                  hy_event_wait(event, NULL) == HY_OK && is_chain_result(output);
        _exit(ok ? 0 : 2);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
    hy_execution_release(execution);
    hy_compilation_release(compilation);
}
#endif
