#include "stage.h"

const float stage_input[EXTENT] = {-1, 0.4f, 1.5f, 7};
float stage_output[EXTENT];

static void start_at_gate(struct stage *stage)
{
    REQUIRE(gate_make(&stage->gate));
    const ANeuralNetworksEvent *gate = stage->gate.event;
    EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(stage->execution, &gate, 1, 0,
                                                                    &stage->event));
}

/* All arguments are set. */
static void go_on(struct stage *stage, enum state state)
{
    if (state == COMPUTATION)
        start_at_gate(stage);
    if (state == SUCCESS)
        EXPECT_OK(ANeuralNetworksExecution_compute(stage->execution));
    if (state == INSUFFICIENT) {
        stage->scene.npu.min_extent = 10;
        EXPECT_FAIL(OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(stage->execution));
    }
    if (state == ERROR) {
        stage->scene.npu.execute_status = HY_STATUS_GENERAL_FAILURE;
        EXPECT_FAIL(OP_FAILED, ANeuralNetworksExecution_compute(stage->execution));
        stage->scene.npu.execute_status = HY_STATUS_OK;
    }
}

bool stage_enter(struct stage *stage, enum state state, bool reusable, bool measure)
{
    const uint32_t extent = EXTENT;
    const ANeuralNetworksOperandType whole = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &extent, 0, 0};

    memset(stage, 0, sizeof *stage);
    if (!scene_open(&stage->scene, dynamic_model(EXTENT, 0, 0), ONE_DEVICE))
        return false;
    stage->execution = scene_execution(&stage->scene);
    EXPECT_OK(ANeuralNetworksExecution_setReusable(stage->execution, reusable));
    EXPECT_OK(ANeuralNetworksExecution_setMeasureTiming(stage->execution, measure));
    if (state == PREPARATION)
        return true;

    /* Only what is to wait at the gate needs to know the shape. */
    EXPECT_OK(ANeuralNetworksExecution_setInput(stage->execution, 0, NULL, stage_input, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(
        stage->execution, 0, state == COMPUTATION ? &whole : NULL, stage_output, BYTES));
    go_on(stage, state);
    return true;
}

bool stage_enter_ready(struct stage *stage, enum state state, bool reusable)
{
    memset(stage, 0, sizeof *stage);
    if (!scene_open(&stage->scene, chain_model(), ONE_DEVICE))
        return false;
    stage->execution = scene_ready(&stage->scene, stage_input, stage_output);
    EXPECT_OK(ANeuralNetworksExecution_setReusable(stage->execution, reusable));
    go_on(stage, state);
    return true;
}

void stage_leave(struct stage *stage)
{
    if (stage->gate.event) {
        gate_signal(&stage->gate);
        EXPECT_OK(ANeuralNetworksEvent_wait(stage->event));
        ANeuralNetworksEvent_free(stage->event);
        gate_free(&stage->gate);
    }
    ANeuralNetworksExecution_free(stage->execution);
    scene_close(&stage->scene);
}

enum hy_execution_state stage_state(const struct stage *stage)
{
    return hy_execution_state(hy_execution_of(stage->execution));
}

void stage_after(const char *file, int line, const char *function, enum state state, int expected,
                 int actual)
{
    static const char *const names[STATES] = {"PREPARATION", "COMPUTATION", "SUCCESS",
                                              "INSUFFICIENT", "ERROR"};
    char call[128];

    snprintf(call, sizeof call, "%s(%s)", function, names[state]);
    contract_after(file, line, call, expected, actual);
}
