/* Starting a run, in each state and in every way, and what a run with an argument missing leaves.
 */
#include "tests/scenarios/contract/kit/state_case.h"

#define OK    ANEURALNETWORKS_NO_ERROR
#define STATE ANEURALNETWORKS_BAD_STATE

static void expect_launch(enum run_kind kind, enum state state, bool reusable)
{
    const bool runs = state == PREPARATION || (reusable && state != COMPUTATION);
    ANeuralNetworksEvent *event = OLD_VALUE(ANeuralNetworksEvent);
    struct state_case state_case;
    REQUIRE(state_case_enter_ready(&state_case, state, reusable));
    const enum hy_execution_state before = state_case_current(&state_case);

    contract_before(runs ? OK : STATE);
    state_case_after(__FILE__, __LINE__, run_names[kind], state, runs ? OK : STATE,
                     launch(&state_case.fake_setup, kind, state_case.execution, &event));
    if (!runs)
        EXPECT_INT(state_case_current(&state_case), before);
    if (kind == START || kind == FENCED) {
        EXPECT((event != NULL) == runs);
        ANeuralNetworksEvent_free(event);
    }
    if (runs) {
        EXPECT_INT(state_case_current(&state_case), HY_EXECUTION_DONE);
        EXPECT(state_case_output[3] == chain_result(state_case_input[3]));
    }
    state_case_leave(&state_case);
}

TEST(contract_execution_runs, one_run_only)
{
    static const enum state states[] = {PREPARATION, COMPUTATION, SUCCESS, ERROR};

    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        for (size_t i = 0; i < COUNT_OF(states); i++)
            expect_launch(kind, states[i], false);
    }
}

TEST(contract_execution_runs, reusable_execution_runs_again_in_any_way_but_not_at_the_same_time)
{
    static const enum state states[] = {PREPARATION, COMPUTATION, SUCCESS, ERROR};

    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        for (size_t i = 0; i < COUNT_OF(states); i++)
            expect_launch(kind, states[i], true);
    }
}

TEST(contract_execution_runs, run_after_too_little_room_is_for_reusable_executions)
{
    struct state_case state_case;
    REQUIRE(state_case_enter(&state_case, INSUFFICIENT, false, false));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_compute(state_case.execution));
    EXPECT_INT(state_case_current(&state_case), HY_EXECUTION_INSUFFICIENT);
    state_case_leave(&state_case);

    REQUIRE(state_case_enter(&state_case, INSUFFICIENT, true, false));
    EXPECT_FAIL(OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(state_case.execution));
    state_case.fake_setup.npu.min_extent = 0;
    EXPECT_OK(ANeuralNetworksExecution_compute(state_case.execution));
    state_case_leave(&state_case);
}

/* ---- An argument that was never set ---------------------------------------------------------- */

static void expect_corrupted(enum run_kind kind, bool has_input)
{
    ANeuralNetworksEvent *event = OLD_VALUE(ANeuralNetworksEvent);
    uint64_t duration = 0;
    uint32_t rank;
    struct state_case state_case;
    REQUIRE(state_case_enter(&state_case, PREPARATION, false, true));

    if (has_input)
        EXPECT_OK(ANeuralNetworksExecution_setInput(state_case.execution, 0, NULL, state_case_input,
                                                    BYTES));
    else
        EXPECT_OK(ANeuralNetworksExecution_setOutput(state_case.execution, 0, NULL,
                                                     state_case_output, BYTES));
    contract_before(ANEURALNETWORKS_BAD_DATA);
    contract_after(__FILE__, __LINE__, run_names[kind], ANEURALNETWORKS_BAD_DATA,
                   launch(&state_case.fake_setup, kind, state_case.execution, &event));
    EXPECT_CONTAINS(halyard_last_error(),
                    has_input ? "output 0 was never set" : "input 0 was never set");
    if (kind == START || kind == FENCED)
        EXPECT(event == NULL);

    /* It has completed with an error, and there is no way back. */
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_setInput(state_case.execution, 0, NULL,
                                                             state_case_input, 1));
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_compute(state_case.execution));
    EXPECT_FAIL(BAD_STATE,
                ANeuralNetworksExecution_getOutputOperandRank(state_case.execution, 0, &rank));
    EXPECT_FAIL(BAD_STATE,
                ANeuralNetworksExecution_getDuration(state_case.execution, 0, &duration));
    EXPECT(duration == UINT64_MAX);
    EXPECT_INT(state_case.fake_setup.npu.runs, 0);
    state_case_leave(&state_case);
}

TEST(contract_execution_runs, argument_that_was_never_set_ends_the_execution)
{
    for (enum run_kind kind = 0; kind < RUN_KINDS; kind++) {
        expect_corrupted(kind, true);
        expect_corrupted(kind, false);
    }
}
