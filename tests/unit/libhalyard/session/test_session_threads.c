/* Several sessions of one network at once. The thread sanitizer watches, where it is built in. */
#include <halyard/halyard.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "networks.h"
#include "tests/kit/held.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

enum { SESSIONS = 8, RUNS = 10, POOL = 3 };

/* Before the first call of the library, which reads it. */
TEST_SETUP(set_pool)
{
    setenv("HALYARD_CPU_THREADS", "3", 1);
}

struct part {
    struct halyard_network *network;
    uint32_t threads;
    float number;
    bool is_good;
};

static bool run_sum(struct halyard_session *session, float number)
{
    void *bytes = NULL;
    size_t length;

    if (halyard_session_input_buffer(session, 0, &bytes, &length) != ANEURALNETWORKS_NO_ERROR)
        return false;
    ((float *)bytes)[1] = number;
    if (halyard_session_run(session) != ANEURALNETWORKS_NO_ERROR ||
        halyard_session_start(session, NULL, NULL) != ANEURALNETWORKS_NO_ERROR ||
        halyard_session_wait(session) != ANEURALNETWORKS_NO_ERROR ||
        halyard_session_output_buffer(session, 0, &bytes, &length) != ANEURALNETWORKS_NO_ERROR)
        return false;
    return ((float *)bytes)[1] == number;
}

static void live(void *argument)
{
    struct part *part = argument;
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_session *session = NULL;

    options.threads = part->threads;
    part->is_good =
        halyard_session_create(part->network, &options, &session) == ANEURALNETWORKS_NO_ERROR;
    for (int i = 0; part->is_good && i < RUNS; i++)
        part->is_good = run_sum(session, part->number);
    halyard_session_free(session);
}

TEST(session_threads, share_a_network)
{
    struct part parts[SESSIONS];
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    for (int i = 0; i < SESSIONS; i++)
        parts[i] = (struct part){sum.network, (uint32_t)i % 3, (float)(i + 1), false};
    EXPECT(hy_threads_run(SESSIONS, live, parts, sizeof *parts));
    for (int i = 0; i < SESSIONS; i++)
        EXPECT(parts[i].is_good);
    test_network_close(&sum);
}

static unsigned count_threads(void)
{
    struct hy_held held;
    return hy_held_look(&held) ? (unsigned)held.threads : 0;
}

/* Each asks for far more threads than there are; the pool has as many as the environment says. */
TEST(session_threads, together_have_no_more_threads_than_the_process_may_use)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_session *sessions[SESSIONS] = {NULL};
    struct test_network network;
    unsigned most = 0;

    REQUIRE(test_network_long(HY_SLOWNESS > 4 ? 128 : 512, &network));
    const unsigned before = count_threads();
    options.threads = 64;
    for (int i = 0; i < SESSIONS; i++)
        REQUIRE(halyard_session_create(network.network, &options, &sessions[i]) ==
                ANEURALNETWORKS_NO_ERROR);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < SESSIONS; i++)
            EXPECT_INT(halyard_session_start(sessions[i], NULL, NULL), ANEURALNETWORKS_NO_ERROR);
        most = count_threads() > most ? count_threads() : most;
        for (int i = 0; i < SESSIONS; i++)
            EXPECT_INT(halyard_session_wait(sessions[i]), ANEURALNETWORKS_NO_ERROR);
    }
    /* Workers that an earlier test has made are counted before, too. */
    EXPECT(most > 1 && most <= before + POOL);
    for (int i = 0; i < SESSIONS; i++)
        halyard_session_free(sessions[i]);
    test_network_close(&network);
}

static void *cancel_all_the_time(void *argument)
{
    struct halyard_session *const *session = argument;

    for (int i = 0; i < 200; i++)
        EXPECT_INT(halyard_session_cancel(*session), ANEURALNETWORKS_NO_ERROR);
    return NULL;
}

TEST(session_threads, may_cancel_at_any_moment)
{
    struct halyard_session *session = NULL;
    struct test_network network;
    pthread_t thread;

    REQUIRE(test_network_long(128, &network));
    REQUIRE(halyard_session_create(network.network, NULL, &session) == ANEURALNETWORKS_NO_ERROR);
    REQUIRE(pthread_create(&thread, NULL, cancel_all_the_time, &session) == 0);
    for (int i = 0; i < 20; i++) {
        const int result = halyard_session_run(session);
        EXPECT(result == ANEURALNETWORKS_NO_ERROR || result == ANEURALNETWORKS_BAD_STATE);
    }
    pthread_join(thread, NULL);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    test_network_close(&network);
}
