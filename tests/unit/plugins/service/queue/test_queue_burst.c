#include "tests/kit/test.h"

#include <pthread.h>
#include <signal.h>

#include "plugins/service/queue/rings.h"
#include "queue_fixture.h"

static const struct hy_queue_burst_rules usual = {
    .spin_ns = HY_QUEUE_USUAL_SPIN_NS, .hang_timeout_ns = QUEUE_FIXTURE_TIMEOUT_NS, .depth = 1};

/* ---- What arrives, and what comes back ------------------------------------------------------- */

static bool is_expected(const struct hy_request *request, const struct hy_run_options *options)
{
    return request->input_count == 2 && request->output_count == 1 && request->pool_count == 2 &&
           request->pools[0].id == 1 && request->pools[1].id == 2 && request->inputs[0].rank == 2 &&
           request->inputs[0].dims[0] == 2 && request->inputs[0].dims[1] == 3 &&
           request->inputs[1].rank == 0 && request->inputs[1].location.offset == 64 &&
           request->outputs[0].location.pool == 1 && request->outputs[0].location.length == 24 &&
           options->measure == 1 && options->deadline == INT64_MAX - 1 &&
           options->loop_timeout == 1000 && options->hint_count == 0 && options->scratch_bytes == 0;
}

/* The request that the service has got is looked at there. */
static int32_t expect_request(void *context, const struct hy_request *request,
                              const struct hy_run_options *options, struct hy_result *result)
{
    (void)context;
    if (!is_expected(request, options))
        return HY_STATUS_GENERAL_FAILURE;
    result->time_on_device = 5;
    result->time_in_driver = 6;
    return queue_execute_idle(NULL, request, options, result);
}

TEST(queue_burst, runs_a_request_in_the_service)
{
    struct queue_fixture fixture;
    struct queue_request request;

    queue_request_init(&request);
    request.request.pool_count = 2;
    request.dims[0][0] = 2;
    request.dims[0][1] = 3;
    request.inputs[0].rank = 2;
    request.inputs[0].dims = request.dims[0];
    request.outputs[0].location.pool = 1;
    request.options.measure = 1;
    request.options.deadline = INT64_MAX - 1;
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, expect_request, NULL));
    for (int i = 0; i < 3; i++) {
        memset(request.shapes, 0, sizeof request.shapes);
        EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
        EXPECT_INT(request.shapes[0].rank, 2);
        EXPECT_INT(request.shapes[0].dims[1], 3);
        EXPECT_INT(request.shapes[0].sufficient, 1);
        EXPECT_INT(request.result.time_on_device, 5);
        EXPECT_INT(request.result.time_in_driver, 6);
    }
    EXPECT_INT(atomic_load(&fixture.announced), 2);
    EXPECT_INT(atomic_load(&fixture.executions), 3);
    queue_fixture_close(&fixture);
}

/* Answers with the status that the context points to, and words. */
static int32_t reply_with_status(void *context, const struct hy_request *request,
                                 const struct hy_run_options *options, struct hy_result *result)
{
    snprintf(options->message.text, options->message.size, "ADD: input 0 is odd");
    (void)queue_execute_idle(NULL, request, options, result);
    result->outputs[0].sufficient = 0;
    return atomic_load((_Atomic int32_t *)context);
}

TEST(queue_burst, a_failure_comes_back_with_its_words)
{
    struct queue_fixture fixture;
    struct queue_request request;
    _Atomic int32_t status = HY_STATUS_OK;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, reply_with_status, &status));
    for (status = HY_STATUS_DEVICE_UNAVAILABLE; status <= HY_STATUS_DEAD_OBJECT; status++) {
        if (status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
            continue;
        EXPECT_INT(queue_request_execute(&fixture, &request), status);
        EXPECT_STR(request.message, "ADD: input 0 is odd");
        EXPECT_INT(request.shapes[0].rank, 0);
    }
    static const int32_t no_status[] = {-1, 10, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        status = no_status[i];
        EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_GENERAL_FAILURE);
    }
    queue_fixture_close(&fixture);
}

TEST(queue_burst, an_output_that_is_too_small_tells_its_shape)
{
    struct queue_fixture fixture;
    struct queue_request request;
    _Atomic int32_t status = HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, reply_with_status, &status));
    EXPECT_INT(queue_request_execute(&fixture, &request), status);
    EXPECT_INT(request.shapes[0].rank, 2);
    EXPECT_INT(request.shapes[0].sufficient, 0);
    queue_fixture_close(&fixture);
}

static int32_t change_result(void *context, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    (void)queue_execute_idle(context, request, options, result);
    result->output_count = 1000000;
    result->outputs = NULL;
    return HY_STATUS_OK;
}

TEST(queue_burst, a_driver_that_changes_where_results_go_changes_nothing)
{
    struct queue_fixture fixture;
    struct queue_request request;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, change_result, NULL));
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    EXPECT_INT(request.shapes[0].dims[1], 3);
    queue_fixture_close(&fixture);
}

TEST(queue_burst, an_argument_outside_of_its_memory_is_refused)
{
    struct queue_fixture fixture;
    struct queue_request request;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, queue_execute_idle, NULL));
    request.inputs[1].location.offset = 4096 - 24;
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    request.inputs[1].location.padding = 1;
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_CONTAINS(request.message, "do not lie inside pool 0 of 4096 bytes");
    request.inputs[1].location.padding = 0;
    request.inputs[1].location.offset = UINT64_MAX - 20;
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(atomic_load(&fixture.executions), 1);
    queue_fixture_close(&fixture);
}

/* ---- The ordinary way ------------------------------------------------------------------------ */

TEST(queue_burst, what_it_cannot_say_goes_the_ordinary_way)
{
    struct queue_fixture fixture;
    struct queue_request request;
    struct hy_queue_burst_counts counts;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, queue_execute_idle, NULL));
    request.pools[0].id = 0;
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_QUEUE_ORDINARY);
    request.pools[0].id = 1;
    request.options.hint_count = 1;
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_QUEUE_ORDINARY);
    request.options.hint_count = 0;
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    hy_queue_burst_get_counts(fixture.burst, &counts);
    EXPECT_INT(counts.inexpressible, 2);
    EXPECT_INT(counts.fast, 1);
    EXPECT_INT(counts.too_large + counts.closed, 0);
    queue_fixture_close(&fixture);
}

/* The largest that fits has as many elements as the ring. */
TEST(queue_burst, what_is_too_large_goes_the_ordinary_way)
{
    struct queue_fixture fixture;
    struct queue_request request;
    struct hy_queue_burst_counts counts;
    enum { MOST = 1024 };
    static struct hy_argument inputs[MOST];

    queue_request_init(&request);
    for (int i = 0; i < MOST; i++)
        inputs[i] = request.inputs[0];
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, queue_execute_idle, NULL));
    request.request.inputs = inputs;
    request.request.input_count = MOST - 5;
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_QUEUE_ORDINARY);
    request.request.input_count = MOST - 6; /* packet, output, pool, measure, limits, notices */
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    hy_queue_burst_get_counts(fixture.burst, &counts);
    EXPECT_INT(counts.too_large, 1);
    EXPECT_INT(counts.fast, 2);
    queue_fixture_close(&fixture);
}

/* Outputs with so many dimensions that the result does not fit into its ring. */
static int32_t reply_large(void *context, const struct hy_request *request,
                           const struct hy_run_options *options, struct hy_result *result)
{
    (void)context, (void)options;
    for (uint32_t i = 0; i < request->output_count; i++)
        result->outputs[i] = (struct hy_output_shape){.rank = HY_MAX_RANK, .sufficient = 1};
    return HY_STATUS_OK;
}

TEST(queue_burst, a_result_that_is_too_large_is_a_failure)
{
    struct queue_fixture fixture;
    struct queue_request request;
    enum { OUTPUTS = 100 };
    static struct hy_argument outputs[OUTPUTS];
    static struct hy_output_shape shapes[OUTPUTS];

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, reply_large, NULL));
    request.request.outputs = outputs;
    request.result.outputs = shapes;
    request.request.output_count = request.result.output_count = OUTPUTS;
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(request.message, "larger than its queue");
    request.request.output_count = request.result.output_count = 60; /* 2 + 60 * 17 elements */
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    EXPECT_INT(shapes[59].rank, HY_MAX_RANK);
    queue_fixture_close(&fixture);
}

/* ---- The listener's thread ------------------------------------------------------------------- */

/* Whether the thread that runs executions takes signals as it should. */
static int32_t look_at_signals(void *context, const struct hy_request *request,
                               const struct hy_run_options *options, struct hy_result *result)
{
    sigset_t mask;

    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    if (!sigismember(&mask, SIGTERM) || !sigismember(&mask, SIGUSR1) ||
        sigismember(&mask, SIGBUS) || sigismember(&mask, SIGSYS) || sigismember(&mask, SIGSEGV))
        return HY_STATUS_GENERAL_FAILURE;
    return queue_execute_idle(context, request, options, result);
}

TEST(queue_burst, the_listener_takes_faults_and_no_other_signals)
{
    struct queue_fixture fixture;
    struct queue_request request;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, look_at_signals, NULL));
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    queue_fixture_close(&fixture);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Waits until the service has closed its side. */
static bool is_closed_by_service(struct hy_rings *rings)
{
    atomic_bool dead = false;
    struct hy_waiter waiter;
    const struct hy_wait_point point = hy_ring_fill_point(&rings->results);
    const struct hy_wait_limit limit = {HY_NO_DEADLINE, QUEUE_FIXTURE_TIMEOUT_NS};
    union hy_element element;
    uint32_t fill = 0;

    hy_waiter_init(&waiter, &dead, 0);
    if (hy_wait(&waiter, &point, &limit) != HY_WAIT_CHANGED ||
        hy_ring_fill(&rings->results, &fill) != HY_RING_DONE)
        return false;
    hy_ring_pop(&rings->results, &element, 1);
    return fill == 1 && element.result.tag == HY_RESULT_PACKET &&
           element.result.packet.elements == 0;
}

TEST(queue_burst, closing_it_ends_the_listener)
{
    struct queue_fixture fixture;
    struct hy_rings rings = {0};
    struct hy_error err = {0};

    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, queue_execute_idle, NULL));
    REQUIRE(hy_rings_open(fixture.memory, &rings, &err) == HY_OK);
    hy_queue_burst_destroy(fixture.burst);
    fixture.burst = NULL;
    EXPECT(is_closed_by_service(&rings));
    hy_rings_close(&rings);
    queue_fixture_close(&fixture);
}

TEST(queue_burst, after_the_service_has_ended_it_all_go_the_ordinary_way)
{
    struct queue_fixture fixture;
    struct queue_request request;
    struct hy_queue_burst_counts counts;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, queue_execute_idle, NULL));
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    hy_queue_listener_stop(fixture.listener);
    fixture.listener = NULL;
    for (int i = 0; i < 3; i++)
        EXPECT_INT(queue_request_execute(&fixture, &request), HY_QUEUE_ORDINARY);
    hy_queue_burst_get_counts(fixture.burst, &counts);
    EXPECT_INT(counts.closed, 3);
    EXPECT_INT(counts.fast, 1);
    queue_fixture_close(&fixture);
}

TEST(queue_burst, takes_null)
{
    hy_queue_burst_destroy(NULL);
    hy_queue_listener_stop(NULL);
}
