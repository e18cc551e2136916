/* Plans of several steps where the model leaves the size of what goes between them open. */
#include "runtime/event/event.h"
#include "runtime/execute/binding.h"
#include "runtime/execute/execution_burst.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <pthread.h>

#define MOST 60u

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};

static void init_fakes(uint32_t npu_operations)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, npu_operations);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
}

/* RELU on the npu, FLOOR on the CPU, of any number of elements. */
static struct hy_compilation *compile_open(void)
{
    init_fakes(FAKE_RELU);
    return compile(dynamic_model(0, 0, 0), both, 2, false, NULL);
}

static float input_of(uint32_t index)
{
    return (float)index * .75f - 5;
}

static float result_of(uint32_t index)
{
    const float x = input_of(index) > 0 ? input_of(index) : 0;
    return (float)(long)x;
}

/* An execution and its memory: `count` elements in, room for `room` in each output. */
struct job {
    struct hy_execution *execution;
    uint32_t count;
    float in[MOST], out[2][MOST];
};

static bool set_output(struct job *job, uint32_t index, uint32_t capacity)
{
    const struct hy_argument_source source = {.buffer = capacity ? job->out[index] : NULL,
                                              .length = capacity * sizeof(float)};
    return hy_execution_set(job->execution, true, index, NULL, &source, NULL) == HY_OK;
}

static bool job_init(struct job *job, struct hy_compilation *compilation, uint32_t count,
                     const uint32_t *capacities)
{
    const struct hy_operand_spec type = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &count, 0, 0};
    const struct hy_argument_source source = {.buffer = job->in, .length = count * sizeof(float)};

    memset(job, 0, sizeof *job);
    job->count = count;
    for (uint32_t i = 0; i < count; i++)
        job->in[i] = input_of(i);
    if (!compilation || hy_execution_create(compilation, &job->execution, NULL) != HY_OK)
        return false;
    bool ok = hy_execution_set(job->execution, false, 0, &type, &source, NULL) == HY_OK;
    for (uint32_t i = 0; i < job->execution->output_count; i++)
        /* Every output has one. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
        ok = ok && set_output(job, i, capacities[i]);
    return ok;
}

static void job_finish(struct job *job)
{
    hy_execution_release(job->execution);
}

static bool has_shape(const struct job *job, uint32_t output, uint32_t extent)
{
    const struct hy_output_state *state = &job->execution->output_states[output];
    return state->sufficient && state->shape.rank == 1 && state->shape.dims[0] == extent;
}

static bool is_right(const struct job *job, uint32_t output)
{
    for (uint32_t i = 0; i < job->count; i++) {
        if (job->out[output][i] != result_of(i))
            return false;
    }
    return has_shape(job, output, job->count);
}

/* One job from its first call to its last. */
static enum hy_code run_once(struct hy_compilation *compilation, uint32_t count,
                             struct hy_error *err)
{
    struct job job;
    enum hy_code code = HY_BAD_STATE;

    if (job_init(&job, compilation, count, (const uint32_t[]){MOST}))
        code = compute(job.execution, err);
    if (code == HY_OK && !is_right(&job, 0))
        code = hy_fail(err, HY_FAILED, "%u elements came out wrong", count);
    job_finish(&job);
    return code;
}

static void set_capacity(struct hy_compilation *compilation, uint32_t tensor, uint32_t elements)
{
    atomic_store(&compilation->plan->counters->capacities[tensor], elements * sizeof(float));
}

TEST(open_tensors, shapes_go_from_step_to_step)
{
    struct hy_compilation *compilation = compile_open();
    REQUIRE(compilation && compilation->plan->step_count == 2);
    for (uint32_t count = 1; count <= MOST; count++)
        EXPECT_INT(run_once(compilation, count, NULL), HY_OK);
    EXPECT_INT(npu.runs, MOST);
    EXPECT_INT(cpu.runs, MOST);
    hy_compilation_release(compilation);
}

TEST(open_tensors, ranks_may_be_unknown_too)
{
    struct fixture f = fixture_create();
    uint32_t x = tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, 0, NULL, 0);
    uint32_t a = tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, 0, NULL, 0);
    uint32_t y = tensor(&f, ANEURALNETWORKS_TENSOR_FLOAT32, 0, NULL, 0);
    REQUIRE(relu(&f, x, a) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &a, y) == HY_OK &&
            identify(&f, x, y) == HY_OK && finish(&f) == HY_OK);
    init_fakes(FAKE_RELU);
    struct hy_compilation *compilation = compile(f.model, both, 2, false, NULL);
    REQUIRE(compilation && compilation->plan->step_count == 2);
    EXPECT_INT(compilation->plan->open_tensor_count, 1);
    EXPECT_INT(run_once(compilation, 7, NULL), HY_OK);
    EXPECT_INT(run_once(compilation, 3, NULL), HY_OK);
    hy_compilation_release(compilation);
}

TEST(open_tensors, tensor_that_is_too_small_grows_and_is_remembered)
{
    struct hy_compilation *compilation = compile_open();
    REQUIRE(compilation != NULL);
    set_capacity(compilation, 0, 16);
    EXPECT_INT(run_once(compilation, 16, NULL), HY_OK);
    EXPECT_INT(npu.runs, 1);
    EXPECT_INT(run_once(compilation, 40, NULL), HY_OK);
    EXPECT_INT(npu.runs, 3);
    EXPECT_INT(cpu.runs, 2);
    EXPECT_INT(run_once(compilation, 40, NULL), HY_OK);
    EXPECT_INT(run_once(compilation, 2, NULL), HY_OK);
    EXPECT_INT(npu.runs, 5);
    EXPECT(atomic_load(&compilation->plan->counters->capacities[0]) >= 40 * sizeof(float));
    hy_compilation_release(compilation);
}

/* Two executions, each with a block of its own: what one learns, the other knows. */
TEST(open_tensors, executions_learn_from_each_other)
{
    struct job first, second;
    struct hy_compilation *compilation = compile_open();
    REQUIRE(compilation != NULL);
    set_capacity(compilation, 0, 16);
    REQUIRE(job_init(&first, compilation, 50, (const uint32_t[]){MOST}));
    REQUIRE(job_init(&second, compilation, 50, (const uint32_t[]){MOST}));
    first.execution->reusable = second.execution->reusable = true;
    npu.min_extent = 0;
    EXPECT_INT(compute(first.execution, NULL), HY_OK);
    EXPECT_INT(npu.runs, 2);
    EXPECT_INT(compute(second.execution, NULL), HY_OK);
    EXPECT_INT(compute(first.execution, NULL), HY_OK);
    EXPECT_INT(npu.runs, 4);
    EXPECT(is_right(&first, 0) && is_right(&second, 0));
    job_finish(&first);
    job_finish(&second);
    hy_compilation_release(compilation);
}

/* The driver gives more or less from run to run; the request stays. */
TEST(open_tensors, reusable_executions_follow_what_changes)
{
    struct job job;
    struct hy_compilation *compilation = compile_open();
    REQUIRE(compilation != NULL);
    set_capacity(compilation, 0, 16);
    REQUIRE(job_init(&job, compilation, 5, (const uint32_t[]){MOST}));
    job.execution->reusable = true;
    for (uint32_t i = 0; i < 3 * MOST; i++) {
        const uint32_t extent = i * 7 % MOST;
        npu.min_extent = extent;
        EXPECT_INT(compute(job.execution, NULL), HY_OK);
        EXPECT(has_shape(&job, 0, extent > 5 ? extent : 5));
    }
    EXPECT(npu.runs < 3 * MOST + 8); /* it grew a few times */
    EXPECT_INT(cpu.runs, 3 * MOST);
    job_finish(&job);
    hy_compilation_release(compilation);
}

TEST(open_tensors, tensors_without_elements_pass)
{
    struct job job;
    struct hy_compilation *compilation = compile_open();
    REQUIRE(compilation != NULL);
    npu.gives_nothing = true;
    REQUIRE(job_init(&job, compilation, 5, (const uint32_t[]){MOST}));
    EXPECT_INT(compute(job.execution, NULL), HY_OK);
    EXPECT(has_shape(&job, 0, 0));
    job_finish(&job);
    npu.gives_nothing = false;
    EXPECT_INT(run_once(compilation, 5, NULL), HY_OK);
    hy_compilation_release(compilation);
}

TEST(open_tensors, every_way_to_run_goes)
{
    struct hy_event *event = NULL, *after = NULL;
    struct hy_burst *burst = NULL;
    struct job jobs[3];

    init_fakes(FAKE_RELU); /* the shape of the output is known, as fenced executions need it */
    struct hy_compilation *compilation = compile(dynamic_model(0, 0, 40), both, 2, false, NULL);
    REQUIRE(compilation && hy_burst_create(compilation, &burst, NULL) == HY_OK);
    set_capacity(compilation, 0, 16);
    for (uint32_t i = 0; i < 3; i++)
        REQUIRE(job_init(&jobs[i], compilation, 40, (const uint32_t[]){40}));
    EXPECT_INT(hy_event_start(jobs[0].execution, &event, NULL), HY_OK);
    EXPECT_INT(hy_event_start_fenced(jobs[1].execution, &event, 1, 0, &after, NULL), HY_OK);
    EXPECT_INT(hy_event_wait(after, NULL), HY_OK);
    EXPECT_INT(hy_event_wait(event, NULL), HY_OK);
    hy_event_destroy(after);
    hy_event_destroy(event);
    EXPECT_INT(hy_burst_compute(burst, jobs[2].execution, NULL), HY_OK);
    EXPECT_INT(npu.runs, 4); /* the first learned the size */
    for (uint32_t i = 0; i < 3; i++)
        EXPECT(is_right(&jobs[i], 0));
    job_finish(&jobs[2]); /* the others are gone with their events */
    job_finish(&jobs[1]);
    job_finish(&jobs[0]);
    hy_burst_destroy(burst);
    hy_compilation_release(compilation);
}

TEST(open_tensors, no_tensor_grows_past_the_limit)
{
    struct hy_error err = {0};
    struct hy_compilation *compilation = compile_open();
    REQUIRE(compilation != NULL);
    set_capacity(compilation, 0, 16);
    compilation->plan->counters->capacity_limit = 32 * sizeof(float);
    EXPECT_INT(run_once(compilation, 32, NULL), HY_OK);
    EXPECT_INT(run_once(compilation, 33, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "boundary tensor (operand 1) needs 132 bytes, at most 128");
    EXPECT_INT(run_once(compilation, 31, NULL), HY_OK);
    hy_compilation_release(compilation);
}

TEST(open_tensors, driver_that_never_has_enough_is_not_believed_for_ever)
{
    struct hy_compilation *compilation = compile_open();
    REQUIRE(compilation != NULL);
    npu.lie = FAKE_SMALL_FOR_NOTHING;
    EXPECT_INT(run_once(compilation, 20, NULL), HY_OK); /* the CPU takes over */
    EXPECT(npu.runs > 1 && npu.runs < 32);
    EXPECT_INT(cpu.runs, 2);
    EXPECT_INT(atomic_load(&compilation->plan->counters->capacities[0]), HY_UNKNOWN_BYTES);
    npu.lie = FAKE_HONEST;
    EXPECT_INT(run_once(compilation, 20, NULL), HY_OK);
    EXPECT_INT(cpu.runs, 3);
    hy_compilation_release(compilation);
}

TEST(open_tensors, fallback_step_of_a_step_tells_its_shape_too)
{
    struct hy_compilation *compilation = compile_open();
    REQUIRE(compilation != NULL);
    set_capacity(compilation, 0, 16);
    npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(run_once(compilation, 33, NULL), HY_OK);
    EXPECT_INT(cpu.runs, 3); /* once with too little room */
    npu.execute_status = HY_STATUS_OK;
    EXPECT_INT(run_once(compilation, 12, NULL), HY_OK);
    hy_compilation_release(compilation);
}

/* ---- Outputs of the model ----------------------------------------------------------------------
 */

TEST(open_tensors, output_that_is_too_small_is_the_apps_to_enlarge)
{
    struct job job;
    struct hy_compilation *compilation = compile_open();
    REQUIRE(compilation != NULL);
    set_capacity(compilation, 0, 16);
    REQUIRE(job_init(&job, compilation, 20, (const uint32_t[]){19}));
    EXPECT_INT(compute(job.execution, NULL), HY_INSUFFICIENT_SIZE);
    EXPECT(!job.execution->output_states[0].sufficient);
    EXPECT_INT(job.execution->output_states[0].shape.dims[0], 20);
    job_finish(&job);
    hy_compilation_release(compilation);
}

/* y0 = RELU(x), y1 = FLOOR(y0). */
static struct hy_compilation *compile_shared_output(void)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, 0), y0 = floats(&f, 0), y1 = floats(&f, 0);
    const uint32_t outputs[] = {y0, y1};
    bool ok = relu(&f, x, y0) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &y0, y1) == HY_OK &&
              hy_app_model_identify(f.model, 1, &x, 2, outputs, &f.err) == HY_OK &&
              finish(&f) == HY_OK;
    init_fakes(FAKE_RELU);
    return ok ? compile(f.model, both, 2, false, NULL) : NULL;
}

TEST(open_tensors, output_that_a_later_step_reads_is_read_as_it_came_out)
{
    struct job job;
    struct hy_compilation *compilation = compile_shared_output();
    REQUIRE(compilation && compilation->plan->step_count == 2);
    REQUIRE(job_init(&job, compilation, 20, (const uint32_t[]){MOST, MOST}));
    EXPECT_INT(compute(job.execution, NULL), HY_OK);
    EXPECT(has_shape(&job, 0, 20) && is_right(&job, 1));
    EXPECT(job.out[0][19] == input_of(19));
    job_finish(&job);

    REQUIRE(job_init(&job, compilation, 20, (const uint32_t[]){19, MOST}));
    EXPECT_INT(compute(job.execution, NULL), HY_INSUFFICIENT_SIZE);
    EXPECT_INT(job.execution->output_states[0].shape.dims[0], 20);
    EXPECT_INT(npu.runs, 2); /* memory of the app's does not grow */
    job_finish(&job);
    hy_compilation_release(compilation);
}

TEST(open_tensors, output_that_a_later_step_reads_may_be_left_out)
{
    struct job job;
    struct hy_compilation *compilation = compile_shared_output();
    REQUIRE(compilation != NULL);
    set_capacity(compilation, 0, 16);
    REQUIRE(job_init(&job, compilation, 20, (const uint32_t[]){0, MOST}));
    EXPECT_INT(compute(job.execution, NULL), HY_OK);
    EXPECT_INT(npu.runs, 2);
    EXPECT(is_right(&job, 1));
    job_finish(&job);
    hy_compilation_release(compilation);
}

/* ---- Longer plans ------------------------------------------------------------------------------
 */

/* RELU and FLOOR by turns, so that each is a step. */
static struct hy_compilation *compile_long(uint32_t length)
{
    struct fixture f = fixture_create();
    uint32_t before = floats(&f, 0);
    const uint32_t first = before;
    bool ok = true;

    for (uint32_t i = 0; ok && i < length; i++) {
        const uint32_t after = floats(&f, 0);
        ok = op(&f, i % 2 ? ANEURALNETWORKS_FLOOR : ANEURALNETWORKS_RELU, 1, &before, after) ==
             HY_OK;
        before = after;
    }
    ok = ok && identify(&f, first, before) == HY_OK && finish(&f) == HY_OK;
    init_fakes(FAKE_RELU);
    npu.device.table = cpu.device.table = &fake_parallel_table;
    return ok ? compile(f.model, both, 2, false, NULL) : NULL;
}

TEST(open_tensors, tensors_that_do_not_live_together_share_memory)
{
    enum { LENGTH = 10 };
    struct job job;
    struct hy_compilation *compilation = compile_long(LENGTH);
    REQUIRE(compilation && compilation->plan->tensor_count == LENGTH - 1);
    for (uint32_t i = 0; i < LENGTH - 1; i++)
        set_capacity(compilation, i, 16);
    REQUIRE(job_init(&job, compilation, MOST, (const uint32_t[]){MOST}));
    job.execution->reusable = true;
    EXPECT_INT(compute(job.execution, NULL), HY_OK); /* each boundary tensor moves out */
    EXPECT_INT(compute(job.execution, NULL), HY_OK); /* and in again */
    EXPECT(is_right(&job, 0));
    EXPECT_INT(npu.runs, 2 * LENGTH / 2 + LENGTH / 2);
    EXPECT_INT(job.execution->binding->memory.bytes[0], 2 * 384); /* 240 and half of it, twice */
    job_finish(&job);
    hy_compilation_release(compilation);
}

static void *run_often(void *argument)
{
    struct hy_compilation *compilation = argument;
    bool ok = true;

    for (uint32_t i = 0; i < 200; i++)
        ok = ok && run_once(compilation, 1 + i * 13 % MOST, NULL) == HY_OK;
    return ok ? argument : NULL;
}

TEST(open_tensors, threads_may_grow_them_at_once)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct hy_compilation *compilation = compile_long(6);
    REQUIRE(compilation != NULL);
    for (uint32_t i = 0; i < 5; i++)
        set_capacity(compilation, i, 1);
    for (uint32_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run_often, compilation) == 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        EXPECT(result != NULL);
    }
    hy_compilation_release(compilation);
}
