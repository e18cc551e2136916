/* What a burst of halyard-cpu keeps of requests, and how it keeps workers awake. That executions in
 * a burst come out as ordinary ones do is checked for every vector, see test_cpu_vectors.c. */
#include "cpu_fallback/cpu_burst.h"

#include <android/NeuralNetworks.h>
#include <stdlib.h>

#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/allocation_count.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"
#include "tests/unit/cpu_fallback/kit/team.h"

enum { SETS = HY_CPU_BURST_REQUESTS + 1, BATCH = 2 };

/* The sample network with a burst, and several sets of memory. */
struct network {
    struct hy_builder builder;
    struct hy_runner runner;
    void *burst;
    float in[SETS][BATCH * HY_SAMPLE_PIXELS];
    float out[SETS][BATCH * HY_SAMPLE_CLASSES];
    float want[BATCH * HY_SAMPLE_CLASSES];
    uint32_t dims[4];
};

/* `batch` 0: of any size. */
static void open_network(struct network *network, uint32_t batch)
{
    hy_builder_init(&network->builder);
    hy_sample_network(&network->builder, batch);
    EXPECT_INT(hy_runner_open(&network->runner, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&network->runner, hy_builder_model(&network->builder)),
               HY_STATUS_OK);
    EXPECT_INT(network->runner.table->burst_open(network->runner.prepared, &network->burst),
               HY_STATUS_OK);
}

static void close_network(struct network *network)
{
    network->runner.table->burst_close(network->burst);
    hy_runner_close(&network->runner);
    hy_builder_finish(&network->builder);
}

static void set_request(struct network *network, unsigned set, uint32_t batch, float *out,
                        uint64_t capacity)
{
    const uint32_t dims[] = {batch, 8, 8, 3};

    memcpy(network->dims, dims, sizeof dims);
    hy_runner_clear(&network->runner);
    hy_runner_input(&network->runner, network->in[set], batch * HY_SAMPLE_PIXELS * sizeof(float), 4,
                    network->dims);
    hy_runner_output(&network->runner, out, capacity, 0, NULL);
}

/* New images in a set of memory, and what they come to in the burst: what an ordinary execution
 * says, in other memory. */
static void expect_run(struct network *network, unsigned set, uint32_t batch, uint32_t seed)
{
    const uint64_t capacity = batch * HY_SAMPLE_CLASSES * sizeof(float);

    hy_sample_numbers(seed, batch * HY_SAMPLE_PIXELS, network->in[set]);
    set_request(network, set, batch, network->want, capacity);
    EXPECT_INT(hy_runner_execute(&network->runner), HY_STATUS_OK);
    memset(network->out[set], 0x5a, capacity);
    set_request(network, set, batch, network->out[set], capacity);
    EXPECT_INT(hy_runner_execute_in(&network->runner, network->burst), HY_STATUS_OK);
    EXPECT(memcmp(network->out[set], network->want, capacity) == 0);
    EXPECT_INT(network->runner.shapes[0].rank, 2);
    EXPECT_INT(network->runner.shapes[0].dims[0], batch);
    EXPECT_INT(network->runner.shapes[0].sufficient, 1);
}

TEST(cpu_burst, request_like_the_one_before_is_known)
{
    static struct network network;

    open_network(&network, BATCH);
    for (uint32_t i = 0; i < 8; i++) {
        EXPECT_INT(hy_cpu_burst_repeats(network.burst), i > 0 ? i - 1 : 0);
        expect_run(&network, 0, BATCH, i + 1);
    }
    close_network(&network);
}

TEST(cpu_burst, as_many_requests_as_are_kept_take_turns)
{
    static struct network network;

    open_network(&network, BATCH);
    for (uint32_t i = 0; i < 5 * HY_CPU_BURST_REQUESTS; i++)
        expect_run(&network, i % HY_CPU_BURST_REQUESTS, BATCH, i + 1);
    EXPECT_INT(hy_cpu_burst_repeats(network.burst), 4 * HY_CPU_BURST_REQUESTS);
    close_network(&network);
}

TEST(cpu_burst, request_that_comes_first_pushes_out_the_oldest)
{
    static struct network network;

    open_network(&network, BATCH);
    for (unsigned i = 0; i < SETS; i++)
        expect_run(&network, i, BATCH, i + 1);
    for (unsigned i = 1; i < SETS; i++)
        expect_run(&network, i, BATCH, i + 10);
    EXPECT_INT(hy_cpu_burst_repeats(network.burst), SETS - 1);
    expect_run(&network, 0, BATCH, 20);
    EXPECT_INT(hy_cpu_burst_repeats(network.burst), SETS - 1);
    close_network(&network);
}

/* In the same memory, with fewer images. */
TEST(cpu_burst, request_of_another_shape_is_another_request)
{
    static struct network network;

    open_network(&network, 0);
    for (uint32_t i = 0; i < 6; i++)
        expect_run(&network, 0, i % 2 + 1, i + 1);
    EXPECT_INT(hy_cpu_burst_repeats(network.burst), 4);
    close_network(&network);
}

TEST(cpu_burst, too_small_an_output_tells_its_true_shape_each_time)
{
    static struct network network;

    open_network(&network, BATCH);
    expect_run(&network, 0, BATCH, 1);
    for (int i = 0; i < 3; i++) {
        set_request(&network, 0, BATCH, network.out[0], 4);
        EXPECT_INT(hy_runner_execute_in(&network.runner, network.burst),
                   HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
        EXPECT_INT(network.runner.shapes[0].sufficient, 0);
        EXPECT_INT(network.runner.shapes[0].dims[0], BATCH);
        EXPECT_INT(network.runner.shapes[0].dims[1], HY_SAMPLE_CLASSES);
    }
    EXPECT_INT(hy_cpu_burst_repeats(network.burst), 0);
    expect_run(&network, 0, BATCH, 2);
    EXPECT_INT(hy_cpu_burst_repeats(network.burst), 1);
    close_network(&network);
}

TEST(cpu_burst, known_request_keeps_deadlines_and_can_be_cancelled)
{
    static struct network network;
    const uint32_t set = 1;

    open_network(&network, BATCH);
    expect_run(&network, 0, BATCH, 1);
    set_request(&network, 0, BATCH, network.out[0], sizeof network.want);
    network.runner.deadline = 1;
    EXPECT_INT(hy_runner_execute_in(&network.runner, network.burst),
               HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    network.runner.deadline = HY_NO_DEADLINE;
    network.runner.cancelled = &set;
    EXPECT_INT(hy_runner_execute_in(&network.runner, network.burst),
               HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    network.runner.cancelled = NULL;
    EXPECT_INT(hy_cpu_burst_repeats(network.burst), 2);
    expect_run(&network, 0, BATCH, 2);
    close_network(&network);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* With requests that are known, and with more of them than are kept. */
TEST(cpu_burst, execution_allocates_nothing_after_the_first)
{
    static struct network network;

    open_network(&network, BATCH);
    expect_run(&network, 0, BATCH, 1);
    for (unsigned i = 0; i < 4 * SETS; i++) {
        set_request(&network, i % (i < 2 * SETS ? SETS : 2), BATCH, network.out[0],
                    sizeof network.want);
        const unsigned long before = hy_allocation_count();
        const int32_t status = hy_runner_execute_in(&network.runner, network.burst);
        EXPECT_INT(hy_allocation_count() - before, 0);
        EXPECT_INT(status, HY_STATUS_OK);
    }
    close_network(&network);
}

TEST(cpu_burst, without_memory_a_burst_is_not_opened_and_nothing_is_left)
{
    static struct network network;
    unsigned failures = 0;

    open_network(&network, BATCH);
    for (int32_t status = ~HY_STATUS_OK; status != HY_STATUS_OK && failures < 100; failures++) {
        void *other = NULL;
        hy_allocation_fail_at(hy_allocation_count() + failures + 1);
        status = network.runner.table->burst_open(network.runner.prepared, &other);
        hy_allocation_fail_at(0);
        EXPECT_INT(status == HY_STATUS_OK, other != NULL);
        if (status == HY_STATUS_OK)
            network.runner.table->burst_close(other);
        else
            EXPECT_INT(status, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    }
    EXPECT(failures > 3 && failures < 100);
    expect_run(&network, 0, BATCH, 1);
    close_network(&network);
}

/* ---- Workers --------------------------------------------------------------------------------- */

/* A host that counts how often its workers are asked to stay awake. */
struct awake_host {
    struct team team;
    unsigned calls;
    uint64_t duration;
};

static void keep_awake(void *context, uint64_t duration)
{
    struct awake_host *host = context;
    host->calls++;
    host->duration = duration;
}

/* FULLY_CONNECTED of so many inputs to so many outputs, on a team of two. */
struct layer {
    struct awake_host awake;
    struct hy_host host;
    struct hy_builder builder;
    struct hy_runner runner;
    uint32_t inputs, outputs;
    float *weights, *in, *out;
};

static void open_layer(struct layer *layer, uint32_t inputs, uint32_t outputs)
{
    const struct hy_builder_type in = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 2, .dims = {1, inputs}};
    const struct hy_builder_type out = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 2, .dims = {1, outputs}};
    const struct hy_builder_type weights = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 2, .dims = {outputs, inputs}};
    const struct hy_builder_type bias = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 1, .dims = {outputs}};
    const uint64_t bytes = (uint64_t)inputs * outputs * sizeof(float);

    *layer = (struct layer){.awake = {.team = {.threads = 2}}};
    layer->weights = calloc(1, bytes);
    layer->in = calloc(inputs, sizeof(float));
    layer->out = calloc(outputs, sizeof(float));
    REQUIRE(layer->weights && layer->in && layer->out);
    layer->host = team_host(&layer->awake.team);
    layer->host.keep_awake = keep_awake;
    hy_builder_init(&layer->builder);
    const uint32_t operands[] = {
        hy_builder_input(&layer->builder, &in),
        hy_builder_constant(&layer->builder, &weights, layer->weights, bytes),
        hy_builder_constant(&layer->builder, &bias, layer->out, outputs * sizeof(float)),
        hy_builder_int(&layer->builder, ANEURALNETWORKS_FUSED_NONE)};
    const uint32_t y = hy_builder_output(&layer->builder, &out);
    hy_builder_operation(&layer->builder, ANEURALNETWORKS_FULLY_CONNECTED, 4, operands, 1, &y);
    EXPECT_INT(hy_runner_open_on(&layer->runner, &layer->host, hy_cpu_driver(), 0), HY_STATUS_OK);
    EXPECT_INT(hy_runner_prepare(&layer->runner, hy_builder_model(&layer->builder)), HY_STATUS_OK);
    hy_runner_input(&layer->runner, layer->in, inputs * sizeof(float), 0, NULL);
    hy_runner_output(&layer->runner, layer->out, outputs * sizeof(float), 0, NULL);
}

static void close_layer(struct layer *layer)
{
    hy_runner_close(&layer->runner);
    hy_builder_finish(&layer->builder);
    free(layer->weights);
    free(layer->in);
    free(layer->out);
}

/* Few enough runs that none is for a trial of how to run. */
enum { RUNS = 10 };

TEST(cpu_burst, workers_are_kept_awake_after_work_that_was_shared)
{
    struct layer layer;
    void *burst = NULL;

    open_layer(&layer, 1025, 3531);
    EXPECT_INT(hy_runner_execute(&layer.runner), HY_STATUS_OK);
    EXPECT_INT(layer.awake.calls, 0);
    EXPECT_INT(layer.runner.table->burst_open(layer.runner.prepared, &burst), HY_STATUS_OK);
    EXPECT_INT(layer.awake.calls, 0);
    for (unsigned i = 0; i < RUNS; i++)
        EXPECT_INT(hy_runner_execute_in(&layer.runner, burst), HY_STATUS_OK);
    EXPECT_INT(layer.awake.team.calls, RUNS + 1);
    EXPECT_INT(layer.awake.calls, RUNS);
    EXPECT_INT(layer.awake.duration, HY_MAX_AWAKE_NS);
    layer.runner.table->burst_close(burst);
    EXPECT_INT(hy_runner_execute(&layer.runner), HY_STATUS_OK);
    EXPECT_INT(layer.awake.calls, RUNS);
    close_layer(&layer);
}

/* As the runtime runs what stays the same. */
TEST(cpu_burst, reusable_of_a_model_with_an_open_burst_keeps_workers_awake)
{
    struct layer layer;
    void *burst = NULL, *reusable = NULL;

    open_layer(&layer, 1025, 3531);
    EXPECT_INT(hy_runner_reuse(&layer.runner, &reusable), HY_STATUS_OK);
    EXPECT_INT(hy_runner_execute_reused(&layer.runner, reusable), HY_STATUS_OK);
    EXPECT_INT(layer.awake.calls, 0);
    EXPECT_INT(layer.runner.table->burst_open(layer.runner.prepared, &burst), HY_STATUS_OK);
    EXPECT_INT(hy_runner_execute_reused(&layer.runner, reusable), HY_STATUS_OK);
    EXPECT_INT(layer.awake.calls, 1);
    layer.runner.table->burst_close(burst);
    layer.runner.table->reusable_destroy(reusable);
    close_layer(&layer);
}

TEST(cpu_burst, work_of_one_thread_keeps_nobody_awake)
{
    struct layer layer;
    void *burst = NULL;

    open_layer(&layer, 16, 16);
    REQUIRE(layer.runner.table != NULL);
    EXPECT_INT(layer.runner.table->burst_open(layer.runner.prepared, &burst), HY_STATUS_OK);
    for (unsigned i = 0; i < RUNS; i++)
        EXPECT_INT(hy_runner_execute_in(&layer.runner, burst), HY_STATUS_OK);
    EXPECT_INT(layer.awake.team.calls, 0);
    EXPECT_INT(layer.awake.calls, 0);
    layer.runner.table->burst_close(burst);
    close_layer(&layer);
}

TEST(cpu_burst, host_without_keep_awake_is_not_asked)
{
    struct layer layer;
    void *burst = NULL;

    open_layer(&layer, 1025, 3531);
    layer.host.struct_size = offsetof(struct hy_host, keep_awake);
    REQUIRE(layer.runner.table != NULL);
    EXPECT_INT(layer.runner.table->burst_open(layer.runner.prepared, &burst), HY_STATUS_OK);
    EXPECT_INT(hy_runner_execute_in(&layer.runner, burst), HY_STATUS_OK);
    EXPECT_INT(layer.awake.team.calls, 1);
    EXPECT_INT(layer.awake.calls, 0);
    layer.runner.table->burst_close(burst);
    close_layer(&layer);
}
