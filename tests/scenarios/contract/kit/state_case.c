#include "state_case.h"

const float state_case_input[EXTENT] = {-1, 0.4f, 1.5f, 7};
float state_case_output[EXTENT];

static void start_behind_fence(struct state_case *state_case)
{
    REQUIRE(manual_fence_make(&state_case->manual_fence));
    const ANeuralNetworksEvent *manual_fence = state_case->manual_fence.event;
    EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(
        state_case->execution, &manual_fence, 1, 0, &state_case->event));
}

/* All arguments are set. */
static void go_on(struct state_case *state_case, enum state state)
{
    if (state == COMPUTATION)
        start_behind_fence(state_case);
    if (state == SUCCESS)
        EXPECT_OK(ANeuralNetworksExecution_compute(state_case->execution));
    if (state == INSUFFICIENT) {
        state_case->fake_setup.npu.min_extent = 10;
        EXPECT_FAIL(OUTPUT_INSUFFICIENT_SIZE,
                    ANeuralNetworksExecution_compute(state_case->execution));
    }
    if (state == ERROR) {
        state_case->fake_setup.npu.execute_status = HY_STATUS_GENERAL_FAILURE;
        EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_compute(state_case->execution));
        state_case->fake_setup.npu.execute_status = HY_STATUS_OK;
    }
}

bool state_case_enter(struct state_case *state_case, enum state state, bool reusable, bool measure)
{
    const uint32_t extent = EXTENT;
    const ANeuralNetworksOperandType whole = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &extent, 0, 0};

    memset(state_case, 0, sizeof *state_case);
    if (!fake_setup_open(&state_case->fake_setup, dynamic_model(EXTENT, 0, 0), ONE_DEVICE))
        return false;
    state_case->execution = fake_setup_execution(&state_case->fake_setup);
    EXPECT_OK(ANeuralNetworksExecution_setReusable(state_case->execution, reusable));
    EXPECT_OK(ANeuralNetworksExecution_setMeasureTiming(state_case->execution, measure));
    if (state == PREPARATION)
        return true;

    /* Only what is to wait at the gate needs to know the shape. */
    EXPECT_OK(
        ANeuralNetworksExecution_setInput(state_case->execution, 0, NULL, state_case_input, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(
        state_case->execution, 0, state == COMPUTATION ? &whole : NULL, state_case_output, BYTES));
    go_on(state_case, state);
    return true;
}

bool state_case_enter_ready(struct state_case *state_case, enum state state, bool reusable)
{
    memset(state_case, 0, sizeof *state_case);
    if (!fake_setup_open(&state_case->fake_setup, chain_model(), ONE_DEVICE))
        return false;
    state_case->execution =
        fake_setup_ready(&state_case->fake_setup, state_case_input, state_case_output);
    EXPECT_OK(ANeuralNetworksExecution_setReusable(state_case->execution, reusable));
    go_on(state_case, state);
    return true;
}

void state_case_leave(struct state_case *state_case)
{
    if (state_case->manual_fence.event) {
        manual_fence_signal(&state_case->manual_fence);
        EXPECT_OK(ANeuralNetworksEvent_wait(state_case->event));
        ANeuralNetworksEvent_free(state_case->event);
        manual_fence_free(&state_case->manual_fence);
    }
    ANeuralNetworksExecution_free(state_case->execution);
    fake_setup_close(&state_case->fake_setup);
}

enum hy_execution_state state_case_current(const struct state_case *state_case)
{
    return hy_execution_state(hy_execution_of(state_case->execution));
}

void state_case_after(const char *file, int line, const char *function, enum state state,
                      int expected, int actual)
{
    static const char *const names[STATES] = {"PREPARATION", "COMPUTATION", "SUCCESS",
                                              "INSUFFICIENT", "ERROR"};
    char call[128];

    snprintf(call, sizeof call, "%s(%s)", function, names[state]);
    contract_after(file, line, call, expected, actual);
}
