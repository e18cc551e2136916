#include "tests/kit/test.h"

#include <pthread.h>
#include <sched.h>

#include "common/clock.h"
#include "queue_fixture.h"

static int64_t in_ms(int64_t ms)
{
    return hy_clock_boot() + ms * 1000000;
}

/* An execution that ends when it is let go. */
struct gate {
    atomic_int begun;
    atomic_int let_go;
    atomic_int ended;
};

static int32_t wait_at_barrier(void *context, const struct hy_request *request,
                               const struct hy_run_options *options, struct hy_result *result)
{
    struct gate *gate = context;
    const int number = atomic_fetch_add(&gate->begun, 1);

    while (atomic_load(&gate->let_go) <= number)
        sched_yield();
    (void)queue_execute_idle(NULL, request, options, result);
    result->outputs[0].dims[0] = (uint32_t)number;
    atomic_fetch_add(&gate->ended, 1);
    return HY_STATUS_OK;
}

/* An execution on another thread. */
struct run {
    struct queue_fixture *fixture;
    struct queue_request request;
    int32_t status;
    pthread_t thread;
};

static void *run_there(void *argument)
{
    struct run *run = argument;

    run->status = queue_request_execute(run->fixture, &run->request);
    return NULL;
}

static bool start_run(struct run *run, struct queue_fixture *fixture)
{
    run->fixture = fixture;
    queue_request_init(&run->request);
    return pthread_create(&run->thread, NULL, run_there, run) == 0;
}

static void until(atomic_int *value, int at_least)
{
    while (atomic_load(value) < at_least)
        sched_yield();
}

static const struct hy_queue_burst_rules usual = {
    .spin_ns = HY_QUEUE_USUAL_SPIN_NS, .hang_timeout_ns = QUEUE_FIXTURE_TIMEOUT_NS, .depth = 1};

TEST(queue_time, a_late_result_is_never_taken_for_the_next_one)
{
    struct queue_fixture fixture;
    struct queue_request request;
    struct hy_queue_burst_counts counts;
    struct gate gate = {0};
    int32_t status;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, wait_at_barrier, &gate));
    for (int round = 0; round < 20; round += 2) {
        request.options.deadline = in_ms(5);
        EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
        EXPECT_CONTAINS(request.message, "deadline");
        until(&gate.begun, round + 1);
        request.options.deadline = HY_NO_DEADLINE;
        EXPECT_INT(queue_request_execute(&fixture, &request), HY_QUEUE_ORDINARY);

        atomic_store(&gate.let_go, round + 2);
        while ((status = queue_request_execute(&fixture, &request)) == HY_QUEUE_ORDINARY)
            sched_yield();
        EXPECT_INT(status, HY_STATUS_OK);
        EXPECT_INT(request.shapes[0].dims[0], round + 1);
    }
    hy_queue_burst_get_counts(fixture.burst, &counts);
    EXPECT_INT(counts.fast, 20);
    queue_fixture_close(&fixture);
}

TEST(queue_time, at_the_end_of_the_patience_the_burst_is_dead)
{
    struct queue_fixture fixture;
    struct queue_request request;
    struct gate gate = {0};
    const struct hy_queue_burst_rules rules = {
        .spin_ns = HY_QUEUE_USUAL_SPIN_NS, .hang_timeout_ns = 10000000, .depth = 1};

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &rules));
    REQUIRE(queue_fixture_listen(&fixture, wait_at_barrier, &gate));
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_DEAD_OBJECT);
        EXPECT_CONTAINS(request.message, i == 0 ? "does not reply" : "has ended");
    }
    EXPECT_INT(atomic_load(&fixture.stuck), 1);
    atomic_store(&gate.let_go, 1);
    queue_fixture_close(&fixture);
}

TEST(queue_time, death_ends_an_execution_that_waits)
{
    static const uint64_t spins[] = {0, HY_QUEUE_USUAL_SPIN_NS, UINT64_C(1000000000000)};

    for (int i = 0; i < 30; i++) {
        const struct hy_queue_burst_rules rules = {
            .spin_ns = spins[i % 3], .hang_timeout_ns = QUEUE_FIXTURE_TIMEOUT_NS, .depth = 1};
        struct queue_fixture fixture;
        struct gate gate = {0};
        struct run run;
        REQUIRE(queue_fixture_open(&fixture, &rules));
        REQUIRE(queue_fixture_listen(&fixture, wait_at_barrier, &gate));
        REQUIRE(start_run(&run, &fixture));
        until(&gate.begun, 1);
        hy_queue_burst_set_dead(fixture.burst);
        pthread_join(run.thread, NULL);
        EXPECT_INT(run.status, HY_STATUS_DEAD_OBJECT);
        EXPECT_CONTAINS(run.request.message, "has ended");
        EXPECT_INT(atomic_load(&fixture.stuck), 0);
        EXPECT_INT(queue_request_execute(&fixture, &run.request), HY_STATUS_DEAD_OBJECT);
        atomic_store(&gate.let_go, 1);
        queue_fixture_close(&fixture);
    }
}

TEST(queue_time, a_second_execution_at_once_goes_the_ordinary_way)
{
    struct queue_fixture fixture;
    struct queue_request request;
    struct hy_queue_burst_counts counts;
    struct gate gate = {0};
    struct run run;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, wait_at_barrier, &gate));
    REQUIRE(start_run(&run, &fixture));
    until(&gate.begun, 1);
    for (int i = 0; i < 3; i++)
        EXPECT_INT(queue_request_execute(&fixture, &request), HY_QUEUE_ORDINARY);
    hy_queue_burst_get_counts(fixture.burst, &counts);
    EXPECT_INT(counts.full, 3);
    atomic_store(&gate.let_go, 2);
    pthread_join(run.thread, NULL);
    EXPECT_INT(run.status, HY_STATUS_OK);
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    queue_fixture_close(&fixture);
}

/* From all sides: each execution is run or goes the ordinary way, and nothing else happens. */
TEST(queue_time, many_executions_at_once_are_safe)
{
    struct queue_fixture fixture;
    struct run runs[4];

    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, queue_execute_idle, NULL));
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 4; i++)
            REQUIRE(start_run(&runs[i], &fixture));
        for (int i = 0; i < 4; i++) {
            pthread_join(runs[i].thread, NULL);
            EXPECT(runs[i].status == HY_STATUS_OK || runs[i].status == HY_QUEUE_ORDINARY);
        }
    }
    queue_fixture_close(&fixture);
}

TEST(queue_time, stopping_waits_for_the_execution_that_runs)
{
    struct queue_fixture fixture;
    struct gate gate = {0};
    struct run run;

    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_listen(&fixture, wait_at_barrier, &gate));
    REQUIRE(start_run(&run, &fixture));
    until(&gate.begun, 1);
    atomic_store(&gate.let_go, 1);
    hy_queue_listener_stop(fixture.listener);
    fixture.listener = NULL;
    EXPECT_INT(atomic_load(&gate.ended), 1);
    pthread_join(run.thread, NULL);
    EXPECT_INT(run.status, HY_STATUS_OK);
    queue_fixture_close(&fixture);
}
