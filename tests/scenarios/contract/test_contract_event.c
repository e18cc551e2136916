/* Events: waiting, freeing, and the sync fences that they are made of and give. */
#include "tests/scenarios/contract/kit/fake_setup.h"

#include <poll.h>
#include <pthread.h>

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[EXTENT];

/* ---- Waiting --------------------------------------------------------------------------------- */

TEST(contract_event, null_comes_before_everything)
{
    int fd = 99;

    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksEvent_wait(NULL));
    EXPECT_CONTAINS(halyard_last_error(), "event is NULL");
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksEvent_createFromSyncFenceFd(-1, NULL));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksEvent_getSyncFenceFd(NULL, NULL));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksEvent_getSyncFenceFd(NULL, &fd));
    EXPECT_INT(fd, -1);
    EXPECT_FAIL(UNEXPECTED_NULL,
                ANeuralNetworksEvent_getSyncFenceFd(OLD_VALUE(ANeuralNetworksEvent), NULL));
    ANeuralNetworksEvent_free(NULL);
}

static void *wait_for(void *event)
{
    return (void *)(intptr_t)ANeuralNetworksEvent_wait(event);
}

/* All get the same answer, as often as they ask. */
static void expect_waits(ANeuralNetworksEvent *event, int code, void (*meanwhile)(void *),
                         void *context)
{
    pthread_t threads[4];

    for (size_t i = 0; i < COUNT_OF(threads); i++)
        REQUIRE(pthread_create(&threads[i], NULL, wait_for, event) == 0);
    meanwhile(context);
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        void *thread_result = NULL;
        pthread_join(threads[i], &thread_result);
        EXPECT_INT((intptr_t)thread_result, code);
    }
    EXPECT_CODE(code, ANeuralNetworksEvent_wait(event));
    EXPECT_CODE(code, ANeuralNetworksEvent_wait(event));
}

static void signal_fence(void *manual_fence)
{
    manual_fence_signal(manual_fence);
}

TEST(contract_event, many_wait_and_hear_the_same)
{
    static const struct {
        int32_t status;
        int code;
    } cases[] = {{HY_STATUS_OK, ANEURALNETWORKS_NO_ERROR},
                 {HY_STATUS_GENERAL_FAILURE, ANEURALNETWORKS_OP_FAILED}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ANeuralNetworksEvent *event = NULL;
        struct fake_setup fake_setup;
        struct manual_fence manual_fence;
        REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE) &&
                manual_fence_make(&manual_fence));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        fake_setup.npu.execute_status = cases[i].status;
        const ANeuralNetworksEvent *dependency = manual_fence.event;
        REQUIRE_OK(ANeuralNetworksExecution_startComputeWithDependencies(execution, &dependency, 1,
                                                                         0, &event));
        expect_waits(event, cases[i].code, signal_fence, &manual_fence);
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(execution);
        manual_fence_free(&manual_fence);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_event, many_wait_for_a_fence_of_the_apps)
{
    struct manual_fence manual_fence;
    REQUIRE(manual_fence_make(&manual_fence));
    expect_waits(manual_fence.event, ANEURALNETWORKS_NO_ERROR, signal_fence, &manual_fence);
    manual_fence_free(&manual_fence);
}

/* ---- Freeing --------------------------------------------------------------------------------- */

TEST(contract_event, free_waits_for_the_end_and_cancels_nothing)
{
    ANeuralNetworksEvent *event = NULL;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    memset(output, 0, sizeof output);
    fake_setup.npu.run_us = 20000;
    EXPECT_OK(ANeuralNetworksExecution_startCompute(execution, &event));
    ANeuralNetworksEvent_free(event);
    EXPECT(output[3] == chain_result(input[3]));
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_event, fence_that_nobody_signals_may_be_freed)
{
    struct manual_fence manual_fence;
    REQUIRE(manual_fence_make(&manual_fence));
    manual_fence_free(&manual_fence);
}

/* ---- Fences of the app's --------------------------------------------------------------------- */

TEST(contract_event, descriptor_that_is_not_open_is_bad_data)
{
    static const int closed[] = {-1, -2, INT32_MIN, 1000000};

    for (size_t i = 0; i < COUNT_OF(closed); i++) {
        ANeuralNetworksEvent *event = OLD_VALUE(ANeuralNetworksEvent);
        char expected[32];
        snprintf(expected, sizeof expected, "sync fence %d", closed[i]);
        EXPECT_FAIL(BAD_DATA, ANeuralNetworksEvent_createFromSyncFenceFd(closed[i], &event));
        EXPECT_CONTAINS(halyard_last_error(), expected);
        EXPECT(event == NULL);
    }
}

TEST(contract_event, descriptor_is_duplicated)
{
    struct manual_fence manual_fence;
    REQUIRE(manual_fence_make(&manual_fence));
    int copy = dup(manual_fence.fd);

    close(manual_fence.fd);
    manual_fence.fd = copy;
    manual_fence_signal(&manual_fence);
    EXPECT_OK(ANeuralNetworksEvent_wait(manual_fence.event));
    manual_fence_free(&manual_fence);
}

/* An event of one end of a pipe; `other` is the other end. */
static ANeuralNetworksEvent *pipe_event(int *other)
{
    ANeuralNetworksEvent *event = NULL;
    int ends[2] = {-1, -1};

    EXPECT_INT(pipe(ends), 0);
    EXPECT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &event));
    close(ends[0]);
    *other = ends[1];
    return event;
}

TEST(contract_event, pipe_is_a_fence_which_fails_when_it_can_never_signal)
{
    int writer = -1;
    ANeuralNetworksEvent *event = pipe_event(&writer);
    EXPECT_INT(write(writer, "x", 1), 1);
    close(writer);
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    ANeuralNetworksEvent_free(event);

    event = pipe_event(&writer);
    close(writer);
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksEvent_wait(event));
    EXPECT_CONTAINS(halyard_last_error(), "is in error");
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksEvent_wait(event));
    ANeuralNetworksEvent_free(event);
}

/* It polls readable, as signalled fences do, but a kernel does not watch it. */
TEST(contract_event, file_is_a_fence_that_is_signalled)
{
    ANeuralNetworksEvent *manual_fence = NULL, *event = NULL;
    struct fake_setup fake_setup;
    int fd = shared_file(1);
    REQUIRE(fd >= 0 && fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    EXPECT_OK(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &manual_fence));
    close(fd);
    EXPECT_OK(ANeuralNetworksEvent_wait(manual_fence));
    const ANeuralNetworksEvent *dependency = manual_fence;
    EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(execution, &dependency, 1, 0,
                                                                    &event));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksEvent_free(manual_fence);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

/* ---- Fences of ours -------------------------------------------------------------------------- */

TEST(contract_event, event_of_a_plain_start_has_no_fence)
{
    ANeuralNetworksEvent *event = NULL;
    int fd = 99;
    struct fake_setup fake_setup;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ALL_DEVICES));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    EXPECT_OK(ANeuralNetworksExecution_startCompute(execution, &event));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksEvent_getSyncFenceFd(event, &fd));
    EXPECT_CONTAINS(halyard_last_error(), "the event has no sync fence");
    EXPECT_INT(fd, -1);
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    fd = 99;
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksEvent_getSyncFenceFd(event, &fd));
    EXPECT_INT(fd, -1);
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(execution);
    fake_setup_close(&fake_setup);
}

TEST(contract_event, fence_of_the_apps_comes_back_as_a_duplicate)
{
    struct manual_fence manual_fence;
    int first = -1, second = -1;
    REQUIRE(manual_fence_make(&manual_fence));

    EXPECT_OK(ANeuralNetworksEvent_getSyncFenceFd(manual_fence.event, &first));
    EXPECT_OK(ANeuralNetworksEvent_getSyncFenceFd(manual_fence.event, &second));
    EXPECT(first >= 0 && second >= 0 && first != second && first != manual_fence.fd);
    EXPECT_INT(look(first, 0), 0);
    close(second);
    manual_fence_signal(&manual_fence);
    manual_fence_free(&manual_fence);
    EXPECT(look(first, 0) & POLLIN); /* it lives on */
    close(first);
}

/* One in error may be readable as well. */
static bool has_ended(short events, bool success)
{
    return success ? (events & (POLLIN | POLLERR)) == POLLIN : (events & POLLERR) != 0;
}

static void expect_fence(bool success)
{
    ANeuralNetworksEvent *event = NULL;
    int early = -1, ended_fd = -1;
    struct fake_setup fake_setup;
    struct manual_fence manual_fence;
    REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE) &&
            manual_fence_make(&manual_fence));
    ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);

    fake_setup.npu.execute_status = success ? HY_STATUS_OK : HY_STATUS_GENERAL_FAILURE;
    const ANeuralNetworksEvent *dependency = manual_fence.event;
    EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(execution, &dependency, 1, 0,
                                                                    &event));
    EXPECT_OK(ANeuralNetworksEvent_getSyncFenceFd(event, &early));
    EXPECT_INT(look(early, 20), 0);
    manual_fence_signal(&manual_fence);
    EXPECT(has_ended(look(early, LONG), success));
    EXPECT_OK(ANeuralNetworksEvent_getSyncFenceFd(event, &ended_fd));
    EXPECT(has_ended(look(ended_fd, 0), success));
    ANeuralNetworksEvent_free(event);
    EXPECT(has_ended(look(early, 0), success));
    close(early);
    close(ended_fd);
    ANeuralNetworksExecution_free(execution);
    manual_fence_free(&manual_fence);
    fake_setup_close(&fake_setup);
}

TEST(contract_event, fence_of_a_run_polls_readable_when_it_ends_and_in_error_when_it_failed)
{
    expect_fence(true);
    expect_fence(false);
}
