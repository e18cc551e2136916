/* When an execution completes, and when it can be freed. */
#include "tests/contract/kit/stage.h"

#include <pthread.h>

#define OK    ANEURALNETWORKS_NO_ERROR
#define STATE ANEURALNETWORKS_BAD_STATE

/* BAD_STATE before it has completed, and when it has failed. */
static int get_rank(ANeuralNetworksExecution *execution)
{
    uint32_t rank;
    return ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank);
}

TEST(contract_execution_end, started_execution_completes_when_the_work_ends)
{
    ANeuralNetworksEvent *event = NULL;
    struct stage stage;
    REQUIRE(stage_enter_ready(&stage, PREPARATION, false));

    EXPECT_OK(ANeuralNetworksExecution_startCompute(stage.execution, &event));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT_INT(get_rank(stage.execution), OK);
    ANeuralNetworksEvent_free(event);
    stage_leave(&stage);
}

TEST(contract_execution_end, fenced_execution_completes_in_wait_not_with_its_fence)
{
    ANeuralNetworksEvent *event = NULL;
    int fence = -1;
    struct stage stage;
    REQUIRE(stage_enter_ready(&stage, PREPARATION, true));

    REQUIRE_OK(
        ANeuralNetworksExecution_startComputeWithDependencies(stage.execution, NULL, 0, 0, &event));
    EXPECT_OK(ANeuralNetworksEvent_getSyncFenceFd(event, &fence));
    EXPECT(look(fence, LONG) != 0);
    EXPECT_INT(get_rank(stage.execution), STATE);
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_compute(stage.execution));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT_INT(get_rank(stage.execution), OK);
    EXPECT_OK(ANeuralNetworksExecution_compute(stage.execution));
    close(fence);

    /* An event that completed it does so once only. */
    stage.scene.npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_compute(stage.execution));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT_INT(get_rank(stage.execution), STATE);
    ANeuralNetworksEvent_free(event);
    stage_leave(&stage);
}

TEST(contract_execution_end, fenced_execution_completes_when_its_event_is_freed)
{
    ANeuralNetworksEvent *event = NULL;
    struct stage stage;
    REQUIRE(stage_enter_ready(&stage, PREPARATION, false));

    REQUIRE_OK(
        ANeuralNetworksExecution_startComputeWithDependencies(stage.execution, NULL, 0, 0, &event));
    ANeuralNetworksEvent_free(event);
    EXPECT_INT(get_rank(stage.execution), OK);
    stage_leave(&stage);
}

/* ---- Freeing --------------------------------------------------------------------------------- */

TEST(contract_execution_end, free_while_it_computes_is_ignored)
{
    struct stage stage;
    REQUIRE(stage_enter_ready(&stage, COMPUTATION, false));

    halyard_clear_last_error();
    ANeuralNetworksExecution_free(stage.execution);
    EXPECT_CONTAINS(halyard_last_error(), "Execution_free: the execution is running");
    EXPECT_INT(halyard_last_error_code(), STATE);
    gate_signal(&stage.gate);
    EXPECT_OK(ANeuralNetworksEvent_wait(stage.event));
    EXPECT_INT(get_rank(stage.execution), OK);
    EXPECT(stage_output[3] == chain_result(stage_input[3]));
    stage_leave(&stage); /* frees it once more, now for good */
}

TEST(contract_execution_end, execution_may_be_freed_before_its_event)
{
    struct stage stage;
    REQUIRE(stage_enter_ready(&stage, COMPUTATION, false));

    gate_signal(&stage.gate);
    EXPECT_OK(ANeuralNetworksEvent_wait(stage.event));
    ANeuralNetworksExecution_free(stage.execution);
    stage.execution = NULL;
    stage_leave(&stage);
}

TEST(contract_execution_end, executions_of_one_compilation_compute_at_the_same_time)
{
    float other[EXTENT] = {0};
    pthread_barrier_t inside;
    ANeuralNetworksEvent *event = NULL;
    struct stage stage;
    REQUIRE(stage_enter_ready(&stage, PREPARATION, false));
    ANeuralNetworksExecution *second = scene_ready(&stage.scene, stage_input, other);

    pthread_barrier_init(&inside, NULL, 2);
    stage.scene.npu.device.table = &fake_parallel_table;
    stage.scene.npu.inside = &inside;
    REQUIRE_OK(ANeuralNetworksExecution_startCompute(stage.execution, &event));
    pthread_barrier_wait(&inside);
    stage.scene.npu.inside = NULL; /* only the first stops in there */
    EXPECT_OK(ANeuralNetworksExecution_compute(second));
    EXPECT(other[3] == chain_result(stage_input[3]));
    pthread_barrier_wait(&inside);
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT(stage_output[3] == chain_result(stage_input[3]));
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(second);
    stage_leave(&stage);
    pthread_barrier_destroy(&inside);
}
