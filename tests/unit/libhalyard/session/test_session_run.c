/* Runs of sessions: on threads of Halyard, cancelled, late, in children of fork(). */
#include <halyard/halyard.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "networks.h"
#include "tests/kit/sanitizers.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

/* A product that takes much longer than what comes before; a run of it is always cancelled. */
#define LONG_EXTENT 2048

static bool create(struct halyard_network *network, uint64_t deadline_ns,
                   struct halyard_session **session)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;

    options.deadline_ns = deadline_ns;
    if (halyard_session_create(network, &options, session) == ANEURALNETWORKS_NO_ERROR)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s", halyard_last_error());
    return false;
}

static float *buffer(struct halyard_session *session, bool is_input, uint32_t index)
{
    void *bytes = NULL;
    size_t length;
    EXPECT_INT((is_input ? halyard_session_input_buffer
                         : halyard_session_output_buffer)(session, index, &bytes, &length),
               ANEURALNETWORKS_NO_ERROR);
    return bytes;
}

/* ---- Loops ----------------------------------------------------------------------------------- */

/* Nanoseconds of a run of `limit` iterations, or 0. */
static uint64_t time_loop(struct halyard_session *session, int32_t limit, int result)
{
    struct timespec start, end;

    *(int32_t *)(void *)buffer(session, true, 0) = limit;
    clock_gettime(CLOCK_MONOTONIC, &start);
    const int found = halyard_session_run(session);
    clock_gettime(CLOCK_MONOTONIC, &end);
    EXPECT_INT(found, result);
    if (found == ANEURALNETWORKS_NO_ERROR)
        EXPECT_INT(*(int32_t *)(void *)buffer(session, false, 0), limit);
    return (uint64_t)(end.tv_sec - start.tv_sec) * 1000000000u + (uint64_t)end.tv_nsec -
           (uint64_t)start.tv_nsec;
}

TEST(session_run, may_be_a_loop_that_takes_longer_than_nnapi_lets_loops_take_by_default)
{
    const uint64_t wanted = ANeuralNetworks_getDefaultLoopTimeout() + 200000000u;
    struct halyard_session *session = NULL;
    struct test_network loop;
    uint64_t ns = 0;

    REQUIRE(test_network_loop(&loop));
    REQUIRE(create(loop.network, 0, &session));
    for (int32_t limit = 1 << 16; ns < wanted && limit < 1 << 28;) {
        ns = time_loop(session, limit, ANEURALNETWORKS_NO_ERROR);
        const uint64_t next = (uint64_t)limit * (wanted + wanted / 4) / (ns + 1);
        limit = next < 1 << 28 ? (int32_t)next + 1 : 1 << 28;
    }
    EXPECT(ns >= wanted);
    halyard_session_free(session);
    test_network_close(&loop);
}

TEST(session_run, ends_a_loop_at_its_deadline)
{
    struct halyard_session *session = NULL;
    struct test_network loop;

    REQUIRE(test_network_loop(&loop));
    REQUIRE(create(loop.network, 50000000, &session));
    EXPECT(time_loop(session, INT32_MAX, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT) <
           ANeuralNetworks_getDefaultLoopTimeout());
    halyard_session_free(session);
    test_network_close(&loop);
}

/* ---- Asynchronous runs ----------------------------------------------------------------------- */

struct reported {
    atomic_int count;
    int result;
    pthread_t thread;
};

static void on_done(void *context, int result)
{
    struct reported *reported = context;

    reported->result = result;
    reported->thread = pthread_self();
    atomic_fetch_add(&reported->count, 1);
}

TEST(session_run, on_a_thread_of_halyard_tells_its_end_before_the_wait_is_over)
{
    struct halyard_session *session = NULL;
    struct test_network sum;
    struct reported reported = {.result = -1};

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, 0, &session));
    for (int i = 1; i <= 20; i++) {
        buffer(session, true, 0)[1] = (float)i;
        EXPECT_INT(halyard_session_start(session, on_done, &reported), ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(halyard_session_wait(session), ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(reported.count, i);
        EXPECT_INT(reported.result, ANEURALNETWORKS_NO_ERROR);
        EXPECT(!pthread_equal(reported.thread, pthread_self()));
        EXPECT(buffer(session, false, 0)[1] == (float)i);
    }
    halyard_session_free(session);
    test_network_close(&sum);
}

TEST(session_run, that_fails_on_a_thread_of_halyard_gives_its_words_to_who_waits)
{
    struct halyard_session *session = NULL;
    struct test_network lookup;

    REQUIRE(test_network_lookup(&lookup));
    REQUIRE(create(lookup.network, 0, &session));
    void *bytes = buffer(session, true, 0);
    *(int32_t *)bytes = 99;
    EXPECT_INT(halyard_session_start(session, NULL, NULL), ANEURALNETWORKS_NO_ERROR);
    halyard_clear_last_error();
    EXPECT_INT(halyard_session_wait(session), ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "99");
    halyard_session_free(session);
    test_network_close(&lookup);
}

TEST(session_run, keeps_others_away_while_it_is_in_hand)
{
    static const int32_t extents[] = {1, 4};
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct halyard_session *session = NULL;
    struct test_network network;
    void *bytes;
    size_t length;

    REQUIRE(test_network_long(LONG_EXTENT, &network));
    REQUIRE(create(network.network, 0, &session));
    EXPECT_INT(halyard_session_start(session, NULL, NULL), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_start(session, NULL, NULL), ANEURALNETWORKS_BAD_STATE);
    EXPECT_STR(halyard_last_error(), "a run of the session is in progress");
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_session_prepare(session), ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_session_resize(session, 0, 2, extents), ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_session_input_buffer(session, 0, &bytes, &length),
               ANEURALNETWORKS_BAD_STATE);
    EXPECT(bytes == NULL && length == 0);
    EXPECT_INT(halyard_session_bind_input(session, 0, NULL, 0), ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_session_bind_output(session, 0, NULL, 0), ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(halyard_session_cancel(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_wait(session), ANEURALNETWORKS_BAD_STATE);
    halyard_session_free(session);
    test_network_close(&network);
}

TEST(session_run, that_nobody_started_cannot_be_waited_for)
{
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, 0, &session));
    EXPECT_INT(halyard_session_wait(session), ANEURALNETWORKS_BAD_STATE);
    EXPECT_STR(halyard_last_error(), "no run of the session was started");
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_wait(session), ANEURALNETWORKS_BAD_STATE);
    halyard_session_free(session);
    test_network_close(&sum);
}

TEST(session_run, ends_with_its_session)
{
    struct halyard_session *session = NULL;
    struct test_network network;
    struct reported reported = {.result = -1};

    REQUIRE(test_network_long(LONG_EXTENT, &network));
    REQUIRE(create(network.network, 0, &session));
    EXPECT_INT(halyard_session_start(session, on_done, &reported), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    EXPECT_INT(reported.count, 1);
    EXPECT_INT(reported.result, ANEURALNETWORKS_BAD_STATE);
    test_network_close(&network);
}

/* ---- Cancellation ---------------------------------------------------------------------------- */

TEST(session_run, without_one_a_cancellation_does_nothing)
{
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, 0, &session));
    EXPECT_INT(halyard_session_cancel(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_cancel(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    test_network_close(&sum);
}

struct canceller {
    struct halyard_session *session;
    volatile float *first; /* becomes 1 inside of the run */
};

static void *cancel_inside(void *argument)
{
    const struct canceller *canceller = argument;

    while (*canceller->first != 1)
        sched_yield();
    EXPECT_INT(halyard_session_cancel(canceller->session), ANEURALNETWORKS_NO_ERROR);
    return NULL;
}

/* The first operation has written its output, the second one takes long. */
TEST(session_run, is_cancelled_inside_of_an_operation_from_another_thread)
{
    struct halyard_session *session = NULL;
    struct test_network network;
    pthread_t thread;

    REQUIRE(test_network_long(LONG_EXTENT, &network));
    REQUIRE(create(network.network, 0, &session));
    for (int i = 0; i < 3; i++) {
        struct canceller canceller = {session, buffer(session, false, 0)};
        buffer(session, true, 0)[0] = 1;
        buffer(session, false, 0)[0] = 0;
        REQUIRE(pthread_create(&thread, NULL, cancel_inside, &canceller) == 0);
        EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_BAD_STATE);
        EXPECT_CONTAINS(halyard_last_error(), "cancelled");
        pthread_join(thread, NULL);
    }
    halyard_session_free(session);
    test_network_close(&network);
}

TEST(session_run, that_was_cancelled_is_followed_by_good_ones)
{
    struct halyard_session *session = NULL;
    struct test_network network;

    REQUIRE(test_network_long(256, &network));
    REQUIRE(create(network.network, 0, &session));
    for (int i = 0; i < 20; i++) {
        EXPECT_INT(halyard_session_start(session, NULL, NULL), ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(halyard_session_cancel(session), ANEURALNETWORKS_NO_ERROR);
        const int result = halyard_session_wait(session); /* it may have been too late */
        EXPECT(result == ANEURALNETWORKS_BAD_STATE || result == ANEURALNETWORKS_NO_ERROR);
        buffer(session, true, 0)[2] = (float)i;
        EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
        EXPECT(buffer(session, false, 0)[2] == (float)i);
    }
    halyard_session_free(session);
    test_network_close(&network);
}

/* ---- Deadlines ------------------------------------------------------------------------------- */

TEST(session_run, that_is_late_ends_at_its_deadline)
{
    struct halyard_session *session = NULL;
    struct test_network network;

    REQUIRE(test_network_long(LONG_EXTENT, &network));
    REQUIRE(create(network.network, 1000000, &session));
    const int result = halyard_session_run(session);
    EXPECT(result == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT ||
           result == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
    EXPECT_CONTAINS(halyard_last_error(), "DEADLINE");
    halyard_session_free(session);
    test_network_close(&network);
}

TEST(session_run, of_a_compilation_that_is_late_does_not_come)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_session *session = NULL;
    struct halyard_network *network = NULL;

    REQUIRE(open_digits(&network));
    options.compile_deadline_ns = 1;
    const int result = halyard_session_create(network, &options, &session);
    EXPECT(result == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT ||
           result == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
    EXPECT(session == NULL);
    halyard_network_close(network);
}

/* ---- Children -------------------------------------------------------------------------------- */

static bool run_in_child(struct halyard_session *session)
{
    buffer(session, true, 0)[0] = 3;
    return halyard_session_run(session) == ANEURALNETWORKS_NO_ERROR &&
           buffer(session, false, 0)[0] == 3 &&
           halyard_session_start(session, NULL, NULL) == ANEURALNETWORKS_NO_ERROR &&
           halyard_session_wait(session) == ANEURALNETWORKS_NO_ERROR;
}

static int status_of(pid_t child)
{
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

TEST(session_run, goes_on_in_a_child_of_fork)
{
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    REQUIRE(create(sum.network, 0, &session));
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    if (HY_SLOWNESS > 1)
        hy_threads_wait_for_rest();
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(run_in_child(session) ? 0 : 2);
    }
    EXPECT_INT(status_of(child), 0);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    test_network_close(&sum);
}

#if HY_SLOWNESS == 1 /* the allocator of a sanitizer may be locked in the child */

static bool wait_in_child(struct halyard_session *session)
{
    return halyard_session_wait(session) == ANEURALNETWORKS_OP_FAILED &&
           strcmp(halyard_last_error(), "the run belongs to the parent process") == 0 &&
           halyard_session_wait(session) == ANEURALNETWORKS_BAD_STATE;
}

TEST(session_run, of_the_parent_has_failed_in_a_child_of_fork)
{
    struct halyard_session *session = NULL;
    struct test_network network;

    REQUIRE(test_network_long(LONG_EXTENT, &network));
    REQUIRE(create(network.network, 0, &session));
    EXPECT_INT(halyard_session_start(session, NULL, NULL), ANEURALNETWORKS_NO_ERROR);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        const bool is_good = wait_in_child(session);
        halyard_session_free(session);
        _exit(is_good ? 0 : 2);
    }
    EXPECT_INT(status_of(child), 0);
    EXPECT_INT(halyard_session_cancel(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_wait(session), ANEURALNETWORKS_BAD_STATE);
    halyard_session_free(session);
    test_network_close(&network);
}

#endif
