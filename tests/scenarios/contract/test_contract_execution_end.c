/* When an execution completes, and when it can be freed. */
#include "tests/scenarios/contract/kit/state_case.h"

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
    struct state_case state_case;
    REQUIRE(state_case_enter_ready(&state_case, PREPARATION, false));

    EXPECT_OK(ANeuralNetworksExecution_startCompute(state_case.execution, &event));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT_INT(get_rank(state_case.execution), OK);
    ANeuralNetworksEvent_free(event);
    state_case_leave(&state_case);
}

TEST(contract_execution_end, fenced_execution_completes_in_wait_not_with_its_fence)
{
    ANeuralNetworksEvent *event = NULL;
    int fence = -1;
    struct state_case state_case;
    REQUIRE(state_case_enter_ready(&state_case, PREPARATION, true));

    REQUIRE_OK(ANeuralNetworksExecution_startComputeWithDependencies(state_case.execution, NULL, 0,
                                                                     0, &event));
    EXPECT_OK(ANeuralNetworksEvent_getSyncFenceFd(event, &fence));
    EXPECT(look(fence, LONG) != 0);
    EXPECT_INT(get_rank(state_case.execution), STATE);
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_compute(state_case.execution));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT_INT(get_rank(state_case.execution), OK);
    EXPECT_OK(ANeuralNetworksExecution_compute(state_case.execution));
    close(fence);

    /* An event that completed it does so once only. */
    state_case.fake_setup.npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_compute(state_case.execution));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT_INT(get_rank(state_case.execution), STATE);
    ANeuralNetworksEvent_free(event);
    state_case_leave(&state_case);
}

TEST(contract_execution_end, fenced_execution_completes_when_its_event_is_freed)
{
    ANeuralNetworksEvent *event = NULL;
    struct state_case state_case;
    REQUIRE(state_case_enter_ready(&state_case, PREPARATION, false));

    REQUIRE_OK(ANeuralNetworksExecution_startComputeWithDependencies(state_case.execution, NULL, 0,
                                                                     0, &event));
    ANeuralNetworksEvent_free(event);
    EXPECT_INT(get_rank(state_case.execution), OK);
    state_case_leave(&state_case);
}

/* ---- Freeing --------------------------------------------------------------------------------- */

TEST(contract_execution_end, free_while_it_computes_is_ignored)
{
    struct state_case state_case;
    REQUIRE(state_case_enter_ready(&state_case, COMPUTATION, false));

    halyard_clear_last_error();
    ANeuralNetworksExecution_free(state_case.execution);
    EXPECT_CONTAINS(halyard_last_error(), "Execution_free: the execution is running");
    EXPECT_INT(halyard_last_error_code(), STATE);
    manual_fence_signal(&state_case.manual_fence);
    EXPECT_OK(ANeuralNetworksEvent_wait(state_case.event));
    EXPECT_INT(get_rank(state_case.execution), OK);
    EXPECT(state_case_output[3] == chain_result(state_case_input[3]));
    state_case_leave(&state_case); /* frees it once more, now for good */
}

TEST(contract_execution_end, execution_may_be_freed_before_its_event)
{
    struct state_case state_case;
    REQUIRE(state_case_enter_ready(&state_case, COMPUTATION, false));

    manual_fence_signal(&state_case.manual_fence);
    EXPECT_OK(ANeuralNetworksEvent_wait(state_case.event));
    ANeuralNetworksExecution_free(state_case.execution);
    state_case.execution = NULL;
    state_case_leave(&state_case);
}

TEST(contract_execution_end, executions_of_one_compilation_compute_at_the_same_time)
{
    float other[EXTENT] = {0};
    pthread_barrier_t inside;
    ANeuralNetworksEvent *event = NULL;
    struct state_case state_case;
    REQUIRE(state_case_enter_ready(&state_case, PREPARATION, false));
    ANeuralNetworksExecution *second =
        fake_setup_ready(&state_case.fake_setup, state_case_input, other);

    pthread_barrier_init(&inside, NULL, 2);
    state_case.fake_setup.npu.device.table = &fake_parallel_table;
    state_case.fake_setup.npu.inside = &inside;
    REQUIRE_OK(ANeuralNetworksExecution_startCompute(state_case.execution, &event));
    pthread_barrier_wait(&inside);
    state_case.fake_setup.npu.inside = NULL; /* only the first stops in there */
    EXPECT_OK(ANeuralNetworksExecution_compute(second));
    EXPECT(other[3] == chain_result(state_case_input[3]));
    pthread_barrier_wait(&inside);
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT(state_case_output[3] == chain_result(state_case_input[3]));
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(second);
    state_case_leave(&state_case);
    pthread_barrier_destroy(&inside);
}
