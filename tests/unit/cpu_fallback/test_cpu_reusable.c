#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/driver_runner.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

#include <pthread.h>
#include <stdbool.h>

/* Requests that the driver has checked once and runs many times. That they come out as ordinary
 * executions do is checked for every vector, see test_cpu_vectors.c. */

enum { MOST = 24 }; /* images in a batch */

/* The sample network, and room for the arguments of one request. */
struct network {
    struct hy_builder builder;
    struct hy_runner runner;
    float in[MOST * HY_SAMPLE_PIXELS];
    float out[MOST * HY_SAMPLE_CLASSES];
    float want[MOST * HY_SAMPLE_CLASSES];
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
}

static void close_network(struct network *network)
{
    hy_runner_close(&network->runner);
    hy_builder_finish(&network->builder);
}

static void set_request(struct network *network, uint32_t batch, float *out)
{
    const uint32_t dims[] = {batch, 8, 8, 3};

    memcpy(network->dims, dims, sizeof dims);
    hy_runner_clear(&network->runner);
    hy_runner_input(&network->runner, network->in, batch * HY_SAMPLE_PIXELS * sizeof(float), 4,
                    network->dims);
    hy_runner_output(&network->runner, out, batch * HY_SAMPLE_CLASSES * sizeof(float), 0, NULL);
}

/* Other images, and what an ordinary execution makes of them. */
static void change_images(struct network *network, uint32_t batch, uint32_t seed)
{
    hy_sample_numbers(seed, batch * HY_SAMPLE_PIXELS, network->in);
    set_request(network, batch, network->want);
    EXPECT_INT(hy_runner_execute(&network->runner), HY_STATUS_OK);
}

static bool is_right(const struct network *network, const float *out, uint32_t batch)
{
    return memcmp(out, network->want, batch * HY_SAMPLE_CLASSES * sizeof(float)) == 0;
}

TEST(cpu_reusable, contents_change_between_runs)
{
    static struct network network, other;
    void *reusable = NULL;

    open_network(&network, 2);
    open_network(&other, 2);
    set_request(&network, 2, network.out);
    REQUIRE(hy_runner_reuse(&network.runner, &reusable) == HY_STATUS_OK);
    for (uint32_t seed = 1; seed < 6; seed++) {
        change_images(&other, 2, seed);
        memcpy(network.in, other.in, sizeof network.in);
        EXPECT_INT(hy_runner_execute_reused(&network.runner, reusable), HY_STATUS_OK);
        EXPECT(is_right(&other, network.out, 2));
        EXPECT_INT(network.runner.shapes[0].rank, 2);
        EXPECT_INT(network.runner.shapes[0].dims[0], 2);
        EXPECT_INT(network.runner.shapes[0].sufficient, 1);
    }
    network.runner.table->reusable_destroy(reusable);
    close_network(&other);
    close_network(&network);
}

/* One prepared model, sizes that change, more of them than it keeps plans for. */
TEST(cpu_reusable, requests_of_many_sizes_take_turns)
{
    static struct network networks[MOST];
    static void *reusables[MOST];
    static struct network ordinary;

    open_network(&ordinary, 0);
    for (uint32_t i = 0; i < MOST; i++) { /* each its own request, all over the same model */
        struct network *network = &networks[i];
        network->runner = ordinary.runner;
        hy_sample_numbers(i + 1, (i + 1) * HY_SAMPLE_PIXELS, network->in);
        set_request(network, i + 1, network->out);
        REQUIRE(hy_runner_reuse(&network->runner, &reusables[i]) == HY_STATUS_OK);
    }
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < MOST; i++) {
            struct network *network = &networks[(i * 7 + round) % MOST];
            const uint32_t batch = (uint32_t)(network - networks) + 1;
            change_images(&ordinary, batch, batch);
            memset(network->out, 0, sizeof network->out);
            EXPECT_INT(hy_runner_execute_reused(&network->runner, reusables[network - networks]),
                       HY_STATUS_OK);
            EXPECT(is_right(&ordinary, network->out, batch));
        }
    }
    for (uint32_t i = 0; i < MOST; i++)
        ordinary.runner.table->reusable_destroy(reusables[i]);
    close_network(&ordinary);
}

TEST(cpu_reusable, too_small_an_output_tells_its_true_shape_each_time)
{
    static struct network network;
    void *reusable = NULL;

    open_network(&network, 2);
    set_request(&network, 2, network.out);
    network.runner.arguments[HY_RUNNER_ARGUMENTS].location.length = 8;
    REQUIRE(hy_runner_reuse(&network.runner, &reusable) == HY_STATUS_OK);
    for (int i = 0; i < 2; i++) {
        EXPECT_INT(hy_runner_execute_reused(&network.runner, reusable),
                   HY_STATUS_OUTPUT_INSUFFICIENT_SIZE);
        EXPECT_INT(network.runner.shapes[0].sufficient, 0);
        EXPECT_INT(network.runner.shapes[0].dims[1], HY_SAMPLE_CLASSES);
    }
    network.runner.table->reusable_destroy(reusable);
    close_network(&network);
}

TEST(cpu_reusable, input_between_two_elements_is_read_anew_each_time)
{
    static struct network network;
    static uint8_t bytes[2 * HY_SAMPLE_PIXELS * sizeof(float) + 1];
    void *reusable = NULL;

    open_network(&network, 2);
    set_request(&network, 2, network.out);
    network.runner.pools[0].address = bytes + 1;
    REQUIRE(hy_runner_reuse(&network.runner, &reusable) == HY_STATUS_OK);
    network.runner.table->reusable_destroy(reusable);
    for (uint32_t seed = 1; seed < 4; seed++) {
        change_images(&network, 2, seed);
        set_request(&network, 2, network.out);
        network.runner.pools[0].address = bytes + 1;
        REQUIRE(hy_runner_reuse(&network.runner, &reusable) == HY_STATUS_OK);
        EXPECT_INT(hy_runner_execute_reused(&network.runner, reusable), HY_STATUS_OK);
        memcpy(bytes + 1, network.in, sizeof bytes - 1);
        EXPECT_INT(hy_runner_execute_reused(&network.runner, reusable), HY_STATUS_OK);
        EXPECT(is_right(&network, network.out, 2));
        network.runner.table->reusable_destroy(reusable);
    }
    close_network(&network);
}

TEST(cpu_reusable, wrong_request_is_refused_with_the_numbers)
{
    static struct network network;
    void *reusable = NULL;

    open_network(&network, 2);
    set_request(&network, 2, network.out);
    network.runner.arguments[0].location.offset = 4;
    EXPECT_INT(hy_runner_reuse(&network.runner, &reusable), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(network.runner.message, "input 0: offset 4");
    EXPECT(!reusable);
    close_network(&network);
}

TEST(cpu_reusable, past_deadline_is_missed_for_good)
{
    static struct network network;
    void *reusable = NULL;

    open_network(&network, 2);
    set_request(&network, 2, network.out);
    REQUIRE(hy_runner_reuse(&network.runner, &reusable) == HY_STATUS_OK);
    network.runner.deadline = 1;
    EXPECT_INT(hy_runner_execute_reused(&network.runner, reusable),
               HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    network.runner.deadline = HY_NO_DEADLINE;
    EXPECT_INT(hy_runner_execute_reused(&network.runner, reusable), HY_STATUS_OK);
    EXPECT(network.runner.time_in_driver == HY_NO_TIME);
    network.runner.table->reusable_destroy(reusable);

    network.runner.measure = 1;
    REQUIRE(hy_runner_reuse(&network.runner, &reusable) == HY_STATUS_OK);
    EXPECT_INT(hy_runner_execute_reused(&network.runner, reusable), HY_STATUS_OK);
    EXPECT(network.runner.time_in_driver > 0 && network.runner.time_in_driver != HY_NO_TIME);
    network.runner.table->reusable_destroy(reusable);
    close_network(&network);
}

/* ---- Threads --------------------------------------------------------------------------------- */

enum { THREADS = 4, RUNS = 100 };

static struct network shared;

static void *run_own_request(void *argument)
{
    const uint32_t batch = (uint32_t)(uintptr_t)argument;
    static _Thread_local struct network own;
    void *reusable = NULL;
    uintptr_t right = 0;

    own.runner = shared.runner; /* the prepared model is one, the request is not */
    hy_sample_numbers(batch, batch * HY_SAMPLE_PIXELS, own.in);
    set_request(&own, batch, own.want);
    if (hy_runner_execute(&own.runner) != HY_STATUS_OK)
        return NULL;
    set_request(&own, batch, own.out);
    if (hy_runner_reuse(&own.runner, &reusable) != HY_STATUS_OK)
        return NULL;
    for (int i = 0; i < RUNS; i++) {
        memset(own.out, 0, sizeof own.out);
        right += hy_runner_execute_reused(&own.runner, reusable) == HY_STATUS_OK &&
                 is_right(&own, own.out, batch);
    }
    own.runner.table->reusable_destroy(reusable);
    return (void *)right;
}

TEST(cpu_reusable, threads_run_their_requests_at_once)
{
    pthread_t threads[THREADS];

    open_network(&shared, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run_own_request, (void *)(uintptr_t)(MOST - i)) ==
                0);
    for (uint32_t i = 0; i < THREADS; i++) {
        void *right = NULL;
        pthread_join(threads[i], &right);
        EXPECT_INT((uintptr_t)right, RUNS);
    }
    close_network(&shared);
}
