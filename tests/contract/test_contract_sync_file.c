/* Sync files of the kernel as fences. A sync_file that ended in error polls readable, as one that
 * is signalled does: its status tells them apart. */
#include "support/played_sync_file.h"
#include "tests/contract/kit/scene.h"

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
        struct gate gate;
        REQUIRE(gate_make(&gate));
        gate_signal(&gate);
        play_sync_files(cases[i].status);
        EXPECT_CODE(cases[i].code, ANeuralNetworksEvent_wait(gate.event));
        expect_error_is_named(cases[i].code);
        EXPECT_CODE(cases[i].code, ANeuralNetworksEvent_wait(gate.event));
        play_no_sync_files();
        gate_free(&gate);
    }
}

TEST(contract_sync_file, execution_that_waits_for_a_sync_file_fails_with_it)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ANeuralNetworksEvent *event = NULL;
        struct scene scene;
        struct gate gate;
        int fence = -1;
        REQUIRE(scene_open(&scene, chain_model(), ONE_DEVICE) && gate_make(&gate));
        ANeuralNetworksExecution *execution = scene_ready(&scene, input, output);
        const ANeuralNetworksEvent *dependency = gate.event;

        play_sync_files(cases[i].status);
        EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(execution, &dependency, 1,
                                                                        0, &event));
        EXPECT_OK(ANeuralNetworksEvent_getSyncFenceFd(event, &fence));
        EXPECT_INT(look(fence, 0), 0);
        gate_signal(&gate);
        EXPECT_CODE(cases[i].code, ANeuralNetworksEvent_wait(event));
        expect_error_is_named(cases[i].code);
        EXPECT_INT(scene.npu.runs, cases[i].code == ANEURALNETWORKS_NO_ERROR ? 1 : 0);
        EXPECT(!(look(fence, LONG) & POLLERR) == (cases[i].code == ANEURALNETWORKS_NO_ERROR));
        play_no_sync_files();
        close(fence);
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(execution);
        gate_free(&gate);
        scene_close(&scene);
    }
}

TEST(contract_sync_file, execution_after_a_sync_file_in_error_is_not_started)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ANeuralNetworksEvent *event = NULL;
        struct scene scene;
        struct gate gate;
        REQUIRE(scene_open(&scene, chain_model(), ONE_DEVICE) && gate_make(&gate));
        ANeuralNetworksExecution *execution = scene_ready(&scene, input, output);
        const ANeuralNetworksEvent *dependency = gate.event;

        gate_signal(&gate);
        play_sync_files(cases[i].status);
        EXPECT_CODE(cases[i].code, ANeuralNetworksExecution_startComputeWithDependencies(
                                       execution, &dependency, 1, 0, &event));
        expect_error_is_named(cases[i].code);
        EXPECT((event == NULL) == (cases[i].code != ANEURALNETWORKS_NO_ERROR));
        play_no_sync_files();
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(execution);
        gate_free(&gate);
        scene_close(&scene);
    }
}
