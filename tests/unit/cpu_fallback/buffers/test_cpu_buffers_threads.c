/* Memory of halyard-cpu in the hands of several threads. */
#include "tests/unit/cpu_fallback/kit/buffers_fixture.h"

#include "common/random.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

#include <android/NeuralNetworks.h>
#include <stdatomic.h>

enum { THREADS = 4, RUNS = 2000 };

/* A request of one thread: sums and products of two inputs, each a buffer or in memory. */
struct worker {
    struct workshop *workshop; /* shared */
    struct hy_runner runner;   /* the same device and model, a request of its own */
    struct plain plain;
    struct buffer buffer; /* of its own */
    const struct buffer *shared;
    struct hy_random random;
};

static atomic_uint wrong;

static void expect_status(int32_t status, int32_t expected)
{
    if (status != expected)
        atomic_fetch_add(&wrong, 1);
}

static void workers_init(struct worker *workers, struct workshop *workshop,
                         const struct buffer *shared)
{
    atomic_store(&wrong, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.workshop = workshop,
                                     .runner = workshop->runner,
                                     .buffer = buffer_of_all(workshop),
                                     .shared = shared,
                                     .random = {i + 1}};
        for (uint32_t k = 0; k < EXTENT * 4; k++)
            workers[i].plain.in[0][k] = workers[i].plain.in[1][k] = (float)(i + 1);
    }
}

static void workers_finish(struct worker *workers)
{
    for (uint32_t i = 0; i < THREADS; i++)
        buffer_destroy(&workers[i].buffer);
}

/* ---- Without getting in each other's way ------------------------------------------------------
 */

static void read_shared(void *argument)
{
    struct worker *worker = argument;
    struct workshop mine = {.runner = worker->runner};
    const float sum = worker->plain.in[0][0] + 3;
    const float expected[EXTENT] = {sum, sum, sum, sum};

    workshop_request(&mine, &worker->plain, EXTENT);
    workshop_use(&mine, false, 1, worker->shared->token);
    workshop_use(&mine, true, 0, worker->buffer.token);
    for (uint32_t i = 0; i < RUNS / HY_SLOWNESS; i++) {
        expect_status(hy_runner_execute(&mine.runner), HY_STATUS_OK);
        if (!buffer_holds(&worker->buffer, expected, EXTENT))
            atomic_fetch_add(&wrong, 1);
    }
}

TEST(cpu_buffers_threads, executions_share_an_input)
{
    static const float threes[EXTENT] = {3, 3, 3, 3};
    static struct worker workers[THREADS];
    static struct workshop workshop;

    for (uint32_t form = 0; form < 2; form++) {
        workshop_open(&workshop, form ? EXTENT : 0);
        struct buffer shared = buffer_of_all(&workshop);
        EXPECT_INT(buffer_write(&shared, threes, EXTENT), HY_STATUS_OK);
        workers_init(workers, &workshop, &shared);
        REQUIRE(hy_threads_run(THREADS, read_shared, workers, sizeof *workers));
        EXPECT_INT(atomic_load(&wrong), 0);
        workers_finish(workers);
        buffer_destroy(&shared);
        workshop_close(&workshop);
    }
}

/* Buffers come and go; others try to use the tokens of those that are gone. */
static atomic_uint_least32_t stale_token;

static void make_and_destroy(void *argument)
{
    struct worker *worker = argument;
    struct workshop mine = {.runner = worker->runner};
    float values[EXTENT] = {1, 2, 3, 4};

    for (uint32_t i = 0; i < RUNS / HY_SLOWNESS; i++) {
        struct buffer buffer = buffer_of_all(&mine);
        expect_status(buffer_write(&buffer, values, EXTENT), HY_STATUS_OK);
        const uint32_t stale = atomic_exchange(&stale_token, buffer.token);
        buffer_destroy(&buffer);
        workshop_request(&mine, &worker->plain, EXTENT);
        workshop_use(&mine, false, 0, stale);
        const int32_t status = hy_runner_execute(&mine.runner);
        if (status != HY_STATUS_INVALID_ARGUMENT && status != HY_STATUS_OK)
            expect_status(status, HY_STATUS_OK); /* somebody's that is not gone yet */
    }
}

TEST(cpu_buffers_threads, buffers_come_and_go_while_others_run)
{
    static struct worker workers[THREADS];
    static struct workshop workshop;

    workshop_open(&workshop, EXTENT);
    struct buffer shared = buffer_of_all(&workshop);
    workers_init(workers, &workshop, &shared);
    REQUIRE(hy_threads_run(THREADS, make_and_destroy, workers, sizeof *workers));
    EXPECT_INT(atomic_load(&wrong), 0);
    workers_finish(workers);
    buffer_destroy(&shared);
    workshop_close(&workshop);
}

/* ---- Weights --------------------------------------------------------------------------------- */

#define INPUTS 24u
#define UNITS  40u

static struct {
    float in[INPUTS], filter[UNITS * INPUTS], bias[UNITS], want[UNITS];
    uint32_t token;
} dense;

static void run_dense(void *argument)
{
    struct worker *worker = argument;
    struct workshop mine = {.runner = worker->runner};
    float out[UNITS] = {0};

    hy_runner_clear(&mine.runner);
    hy_runner_input(&mine.runner, dense.in, sizeof dense.in, 0, NULL);
    hy_runner_input(&mine.runner, NULL, 0, 0, NULL);
    hy_runner_output(&mine.runner, out, sizeof out, 0, NULL);
    workshop_use(&mine, false, 1, dense.token);
    for (uint32_t i = 0; i < 10; i++) {
        expect_status(hy_runner_execute(&mine.runner), HY_STATUS_OK);
        if (memcmp(out, dense.want, sizeof out) != 0)
            atomic_fetch_add(&wrong, 1);
    }
}

static void build_dense(struct hy_builder *builder)
{
    const struct hy_builder_type row = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, INPUTS}};
    const struct hy_builder_type output_type = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {1, UNITS}};
    const struct hy_builder_type list = {ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 1, {UNITS}};
    const struct hy_builder_type matrix = {
        ANEURALNETWORKS_TENSOR_FLOAT32, 0, 0, 2, {UNITS, INPUTS}};

    hy_builder_init(builder);
    const uint32_t inputs[] = {hy_builder_input(builder, &row), hy_builder_input(builder, &matrix),
                               hy_builder_constant(builder, &list, dense.bias, sizeof dense.bias),
                               hy_builder_int(builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t output = hy_builder_output(builder, &output_type);
    hy_builder_operation(builder, ANEURALNETWORKS_FULLY_CONNECTED, 4, inputs, 1, &output);
}

/* New weights, and what comes of them. */
static void change_weights(struct workshop *workshop, const struct buffer *buffer, uint32_t seed)
{
    const uint32_t dims[] = {UNITS, INPUTS};
    const struct hy_pool pool = {.kind = HY_POOL_HOST,
                                 .protection = HY_PROTECT_READ,
                                 .fd = -1,
                                 .size = sizeof dense.filter,
                                 .address = dense.filter};

    hy_sample_numbers(seed, INPUTS, dense.in);
    hy_sample_numbers(seed + 100, UNITS * INPUTS, dense.filter);
    EXPECT_INT(buffer->table->buffer_copy_from(buffer->buffer, &pool, dims, 2), HY_STATUS_OK);
    hy_runner_clear(&workshop->runner);
    hy_runner_input(&workshop->runner, dense.in, sizeof dense.in, 0, NULL);
    hy_runner_input(&workshop->runner, dense.filter, sizeof dense.filter, 0, NULL);
    hy_runner_output(&workshop->runner, dense.want, sizeof dense.want, 0, NULL);
    EXPECT_INT(hy_runner_execute(&workshop->runner), HY_STATUS_OK);
}

/* All want to pack at once, one does, the others help themselves. */
TEST(cpu_buffers_threads, executions_pack_the_same_weights)
{
    static const struct hy_buffer_role role = {0, 0, 1, 1};
    static struct worker workers[THREADS];
    static struct workshop workshop;
    struct buffer weights;

    workshop_open(&workshop, EXTENT);
    hy_builder_finish(&workshop.builder);
    build_dense(&workshop.builder);
    REQUIRE(hy_runner_prepare(&workshop.runner, hy_builder_model(&workshop.builder)) ==
            HY_STATUS_OK);
    REQUIRE(buffer_make(&workshop, workshop.runner.prepared, &role, 1, 0, NULL, &weights) ==
            HY_STATUS_OK);
    dense.token = weights.token;
    atomic_store(&wrong, 0);
    for (uint32_t i = 0; i < 200 / HY_SLOWNESS; i++) {
        change_weights(&workshop, &weights, i);
        for (uint32_t k = 0; k < THREADS; k++)
            workers[k].runner = workshop.runner;
        REQUIRE(hy_threads_run(THREADS, run_dense, workers, sizeof *workers));
    }
    EXPECT_INT(atomic_load(&wrong), 0);
    buffer_destroy(&weights);
    workshop_close(&workshop);
}

/* ---- Getting in each other's way --------------------------------------------------------------
 */

#ifndef __SANITIZE_THREAD__ /* what one sees of another's writing is open, and so a race */

static uint32_t chance(struct worker *worker, uint32_t count)
{
    return hy_random_below(&worker->random, count);
}

/* Shapes differ from one moment to the next: the call may be refused, find nothing, or the output
 * in memory may be too small. */
static void expect_any(int32_t status)
{
    if (status != HY_STATUS_OK && status != HY_STATUS_INVALID_ARGUMENT &&
        status != HY_STATUS_GENERAL_FAILURE && status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
        atomic_fetch_add(&wrong, 1);
}

/* Every value that anybody writes is one of few. */
static void check_values(const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] < 1 || values[i] > 1e9f)
            atomic_fetch_add(&wrong, 1);
    }
}

static void execute_some(struct worker *worker)
{
    struct workshop mine = {.runner = worker->runner};
    const uint32_t extent = 1 + chance(worker, EXTENT * 4), index = chance(worker, 4);
    const struct buffer *in = &worker->shared[index];
    const struct buffer *out = &worker->shared[(index + 1 + chance(worker, 3)) % 4];

    workshop_request(&mine, &worker->plain, extent);
    if (chance(worker, 2))
        workshop_use(&mine, false, 0, in->token);
    workshop_use(&mine, true, 0, out->token);
    const int32_t status = hy_runner_execute(&mine.runner);
    if (status == HY_STATUS_OK && mine.runner.shapes[0].dims[0] > EXTENT * 4)
        atomic_fetch_add(&wrong, 1);
    expect_any(status);
}

static void copy_some(struct worker *worker)
{
    const struct buffer *buffer = &worker->shared[chance(worker, 4)];
    const uint32_t extent = 1 + chance(worker, EXTENT * 4);
    float values[EXTENT * 4];

    switch (chance(worker, 3)) {
    case 0:
        expect_status(buffer_write(buffer, worker->plain.in[0], extent), HY_STATUS_OK);
        break;
    case 1: {
        const int32_t status = buffer_read(buffer, values, extent);
        expect_any(status);
        if (status == HY_STATUS_OK)
            check_values(values, extent);
        break;
    }
    default:
        expect_any(buffer_copy(&worker->shared[chance(worker, 4)], buffer, 0));
    }
}

static void do_anything(void *argument)
{
    struct worker *worker = argument;

    for (uint32_t i = 0; i < RUNS; i++) {
        if (chance(worker, 2))
            execute_some(worker);
        else
            copy_some(worker);
    }
}

TEST(cpu_buffers_threads, writers_of_all_shapes_get_in_each_others_way)
{
    static struct worker workers[THREADS];
    static struct workshop workshop;
    struct buffer shared[4];

    workshop_open(&workshop, 0);
    for (uint32_t i = 0; i < 4; i++)
        shared[i] = buffer_of_all(&workshop);
    workers_init(workers, &workshop, shared);
    REQUIRE(hy_threads_run(THREADS, do_anything, workers, sizeof *workers));
    EXPECT_INT(atomic_load(&wrong), 0);
    workers_finish(workers);
    for (uint32_t i = 0; i < 4; i++)
        buffer_destroy(&shared[i]);
    workshop_close(&workshop);
}

#endif
