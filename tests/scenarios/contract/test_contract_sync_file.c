/* Sync files of the kernel as fences. A sync_file that ended in error polls readable, as one that
 * is signalled does: its status tells them apart. */
#include "tests/kit/played_sync_file.h"
#include "tests/scenarios/contract/kit/fake_setup.h"

#include <poll.h>

static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[EXTENT];

/* What sync_files say, and what comes of them. An active one does not poll readable, so that poll's
 * word counts. */
static const struct {
    int status, code;
} cases[] = {
    {1, ANEURALNETWORKS_NO_ERROR}, {0, ANEURALNETWORKS_NO_ERROR}, {-5, ANEURALNETWORKS_OP_FAILED}};

static void expect_error_is_named(int code)
{
    if (code != ANEURALNETWORKS_NO_ERROR)
        EXPECT_CONTAINS(halyard_last_error(), "is in error: Input/output error");
}

TEST(contract_sync_file, event_of_a_sync_file_tells_how_it_ended)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct manual_fence manual_fence;
        REQUIRE(manual_fence_make(&manual_fence));
        manual_fence_signal(&manual_fence);
        play_sync_files(cases[i].status);
        EXPECT_CODE(cases[i].code, ANeuralNetworksEvent_wait(manual_fence.event));
        expect_error_is_named(cases[i].code);
        EXPECT_CODE(cases[i].code, ANeuralNetworksEvent_wait(manual_fence.event));
        play_no_sync_files();
        manual_fence_free(&manual_fence);
    }
}

TEST(contract_sync_file, execution_that_waits_for_a_sync_file_fails_with_it)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ANeuralNetworksEvent *event = NULL;
        struct fake_setup fake_setup;
        struct manual_fence manual_fence;
        int fence = -1;
        REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE) &&
                manual_fence_make(&manual_fence));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        const ANeuralNetworksEvent *dependency = manual_fence.event;

        play_sync_files(cases[i].status);
        EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(execution, &dependency, 1,
                                                                        0, &event));
        EXPECT_OK(ANeuralNetworksEvent_getSyncFenceFd(event, &fence));
        EXPECT_INT(look(fence, 0), 0);
        manual_fence_signal(&manual_fence);
        EXPECT_CODE(cases[i].code, ANeuralNetworksEvent_wait(event));
        expect_error_is_named(cases[i].code);
        EXPECT_INT(fake_setup.npu.runs, cases[i].code == ANEURALNETWORKS_NO_ERROR ? 1 : 0);
        EXPECT(!(look(fence, LONG) & POLLERR) == (cases[i].code == ANEURALNETWORKS_NO_ERROR));
        play_no_sync_files();
        close(fence);
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(execution);
        manual_fence_free(&manual_fence);
        fake_setup_close(&fake_setup);
    }
}

TEST(contract_sync_file, execution_after_a_sync_file_in_error_is_not_started)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ANeuralNetworksEvent *event = NULL;
        struct fake_setup fake_setup;
        struct manual_fence manual_fence;
        REQUIRE(fake_setup_open(&fake_setup, chain_model(), ONE_DEVICE) &&
                manual_fence_make(&manual_fence));
        ANeuralNetworksExecution *execution = fake_setup_ready(&fake_setup, input, output);
        const ANeuralNetworksEvent *dependency = manual_fence.event;

        manual_fence_signal(&manual_fence);
        play_sync_files(cases[i].status);
        EXPECT_CODE(cases[i].code, ANeuralNetworksExecution_startComputeWithDependencies(
                                       execution, &dependency, 1, 0, &event));
        expect_error_is_named(cases[i].code);
        EXPECT((event == NULL) == (cases[i].code != ANEURALNETWORKS_NO_ERROR));
        play_no_sync_files();
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(execution);
        manual_fence_free(&manual_fence);
        fake_setup_close(&fake_setup);
    }
}
