/* Executions that nobody wants any more: between steps, against fallback steps, and limits of both.
 */
#include "runtime/event/event.h"
#include "runtime/handle/handle.h"
#include "tests/kit/small_model.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <pthread.h>
#include <semaphore.h>

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};
static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};

/* RELU on the NPU, the rest on the CPU. */
static struct hy_execution *execution_in_two_steps(float *output)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_RELU);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    struct hy_compilation *compilation = compile(chain_model(), both, 2, false, NULL);
    if (!compilation)
        return NULL;
    EXPECT_INT(compilation->plan->step_count, 2);
    struct hy_execution *execution = execution_of(compilation, input, (float *[]){output});
    hy_compilation_release(compilation);
    if (execution)
        execution->reusable = true;
    return execution;
}

struct held_run {
    struct hy_execution *execution;
    pthread_barrier_t inside;
    enum hy_code code;
    struct hy_error err;
};

static void *run_held(void *argument)
{
    struct held_run *run = argument;
    run->code = compute(run->execution, &run->err);
    return NULL;
}

/* Cancels while the NPU is at the first step, which then ends with `status`. */
static void cancel_in_first_step(struct held_run *run, int32_t status)
{
    pthread_t thread;

    pthread_barrier_init(&run->inside, NULL, 2);
    npu.inside = &run->inside;
    npu.execute_status = status;
    REQUIRE(pthread_create(&thread, NULL, run_held, run) == 0);
    pthread_barrier_wait(&run->inside);
    EXPECT_INT(halyard_execution_cancel(hy_execution_handle(run->execution), true),
               ANEURALNETWORKS_NO_ERROR);
    pthread_barrier_wait(&run->inside);
    pthread_join(thread, NULL);
    npu.inside = NULL;
    npu.execute_status = HY_STATUS_OK;
    pthread_barrier_destroy(&run->inside);
}

TEST(cancellation, ends_a_run_between_two_steps)
{
    float output[EXTENT] = {0};
    struct held_run run = {.execution = execution_in_two_steps(output)};

    REQUIRE(run.execution);
    cancel_in_first_step(&run, HY_STATUS_OK);
    EXPECT_INT(run.code, HY_BAD_STATE);
    EXPECT_STR(run.err.text, "cancelled before step 1 of 2");
    EXPECT_INT(npu.runs, 1);
    EXPECT_INT(cpu.runs, 0);
    hy_execution_release(run.execution);
}

/* A driver that has seen the word ends as if it were late, which is no fault of the driver. */
TEST(cancellation, lets_nobody_stand_in_for_a_device_that_has_ended_early)
{
    float output[EXTENT] = {0};
    struct held_run run = {.execution = execution_in_two_steps(output)};

    REQUIRE(run.execution);
    for (int i = 0; i < 5; i++) {
        cancel_in_first_step(&run, HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        EXPECT_INT(run.code, HY_BAD_STATE);
        EXPECT_STR(run.err.text, "cancelled in step 0 of 2");
        EXPECT_INT(cpu.runs, 0);
        hy_execution_set_cancelled(run.execution, false);
    }
    EXPECT_INT(compute(run.execution, NULL), HY_OK); /* and the device is in no quarantine */
    EXPECT_INT(npu.runs, 6);
    hy_execution_release(run.execution);
}

TEST(cancellation, holds_for_later_runs_until_it_is_taken_back)
{
    float output[EXTENT] = {0};
    struct hy_execution *execution = execution_in_two_steps(output);
    struct hy_error err;

    REQUIRE(execution);
    hy_execution_set_cancelled(execution, true);
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(compute(execution, &err), HY_BAD_STATE);
        EXPECT_STR(err.text, "cancelled before step 0 of 2");
    }
    EXPECT_INT(npu.runs + cpu.runs, 0);
    hy_execution_set_cancelled(execution, false);
    EXPECT_INT(compute(execution, NULL), HY_OK);
    EXPECT(output[3] == chain_result(input[3]));
    hy_execution_release(execution);
}

/* One that is gone is made into the next. */
TEST(cancellation, is_not_of_the_next_execution)
{
    float output[EXTENT] = {0};
    struct hy_execution *first = execution_in_two_steps(output);

    REQUIRE(first);
    struct hy_compilation *compilation = hy_compilation_retain(first->compilation);
    hy_execution_set_cancelled(first, true);
    hy_execution_release(first);
    struct hy_execution *second = execution_of(compilation, input, (float *[]){output});
    REQUIRE(second);
    EXPECT_INT(compute(second, NULL), HY_OK);
    hy_execution_release(second);
    hy_compilation_release(compilation);
}

/* ---- The public calls ------------------------------------------------------------------------ */

TEST(limits, are_for_compilations_that_are_not_finished)
{
    const int null = ANEURALNETWORKS_UNEXPECTED_NULL;
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = NULL;
    struct small_run run;

    REQUIRE(model);
    EXPECT_INT(ANeuralNetworksCompilation_create(model, &compilation), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksCompilation_setTimeout(compilation, 1), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_compilation_set_timeout(compilation, UINT64_C(60000000000)),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_compilation_set_threads(compilation, 1), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_compilation_set_memory_limit(compilation, 1), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_compilation_set_memory_limit(compilation, 0), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_compilation_set_timeout(compilation, 1), ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_compilation_set_threads(compilation, 1), ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_compilation_set_memory_limit(compilation, 1), ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_compilation_set_memory_limit(NULL, 1), null);
    EXPECT_INT(halyard_compilation_set_timeout(NULL, 1), null);
    EXPECT_INT(halyard_compilation_set_threads(NULL, 1), null);
    EXPECT_INT(halyard_execution_set_timeout(NULL, 1), null);
    EXPECT_INT(halyard_execution_cancel(NULL, true), null);
    REQUIRE(small_run_init(&run, compilation, true));
    EXPECT_INT(ANeuralNetworksExecution_setTimeout(run.execution, 1), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_execution_set_timeout(run.execution, UINT64_C(60000000000)),
               ANEURALNETWORKS_NO_ERROR);
    small_run_fill(&run, 1);
    EXPECT(small_run_compute(&run) && small_run_is_right(&run));
    EXPECT_INT(halyard_execution_set_timeout(run.execution, 1), ANEURALNETWORKS_BAD_STATE);
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

TEST(limits, of_time_end_a_compilation_for_any_devices)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation = NULL;

    REQUIRE(model);
    EXPECT_INT(ANeuralNetworksCompilation_create(model, &compilation), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_compilation_set_timeout(compilation, 1), ANEURALNETWORKS_NO_ERROR);
    const int result = ANeuralNetworksCompilation_finish(compilation);
    EXPECT(result == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT ||
           result == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

TEST(last_error, is_what_a_library_on_top_says)
{
    char text[1000];

    halyard_set_last_error(ANEURALNETWORKS_BAD_DATA, "two\nlines");
    EXPECT_INT(halyard_last_error_code(), ANEURALNETWORKS_BAD_DATA);
    EXPECT_STR(halyard_last_error(), "two lines");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    halyard_set_last_error(ANEURALNETWORKS_OP_FAILED, text);
    EXPECT_INT(strlen(halyard_last_error()), 447);
    halyard_set_last_error(ANEURALNETWORKS_OP_FAILED, NULL);
    EXPECT_STR(halyard_last_error(), "");
    halyard_clear_last_error();
    EXPECT_INT(halyard_last_error_code(), ANEURALNETWORKS_NO_ERROR);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

struct noted_task {
    struct halyard_task task;
    pthread_t thread;
    sem_t is_over;
};

static void note(struct halyard_task *task)
{
    struct noted_task *noted = (struct noted_task *)task;

    noted->thread = pthread_self();
    sem_post(&noted->is_over);
}

TEST(task, runs_on_another_thread_and_may_be_started_again)
{
    struct noted_task noted = {.task = {.struct_size = sizeof noted.task, .run = note}};

    sem_init(&noted.is_over, 0, 0);
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(halyard_task_start(&noted.task), ANEURALNETWORKS_NO_ERROR);
        sem_wait(&noted.is_over);
        EXPECT(!pthread_equal(noted.thread, pthread_self()));
    }
    sem_destroy(&noted.is_over);
}

TEST(task, that_is_wrong_is_refused)
{
    struct halyard_task task = {.struct_size = sizeof task, .run = note, .priority = 7};

    EXPECT_INT(halyard_task_start(NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_task_start(&task), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "priority is 7");
    task = (struct halyard_task){.struct_size = sizeof task.struct_size, .run = note};
    EXPECT_INT(halyard_task_start(&task), ANEURALNETWORKS_BAD_DATA);
    task = (struct halyard_task){.struct_size = sizeof task};
    EXPECT_INT(halyard_task_start(&task), ANEURALNETWORKS_UNEXPECTED_NULL);
}
