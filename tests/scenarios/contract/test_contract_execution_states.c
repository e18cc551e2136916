/* Which call is for which state of an execution; at the wrong moment it changes nothing. */
#include "tests/scenarios/contract/kit/state_case.h"

static int set_input(ANeuralNetworksExecution *execution)
{
    return ANeuralNetworksExecution_setInput(execution, 0, NULL, state_case_input, BYTES);
}

static int set_output(ANeuralNetworksExecution *execution)
{
    return ANeuralNetworksExecution_setOutput(execution, 0, NULL, state_case_output, BYTES);
}

static int set_from_memory(ANeuralNetworksExecution *execution, bool is_output)
{
    ANeuralNetworksMemory *memory = NULL;
    int fd = shared_file(BYTES), code;

    ANeuralNetworksMemory_createFromFd(BYTES, PROT_READ | PROT_WRITE, fd, 0, &memory);
    close(fd);
    code = is_output
               ? ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, BYTES)
               : ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, BYTES);
    ANeuralNetworksMemory_free(memory);
    return code;
}

static int set_input_memory(ANeuralNetworksExecution *execution)
{
    return set_from_memory(execution, false);
}

static int set_output_memory(ANeuralNetworksExecution *execution)
{
    return set_from_memory(execution, true);
}

static int set_padding(ANeuralNetworksExecution *execution)
{
    return ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true);
}

static int set_reusable(ANeuralNetworksExecution *execution)
{
    return ANeuralNetworksExecution_setReusable(execution, true);
}

static int set_timing(ANeuralNetworksExecution *execution)
{
    return ANeuralNetworksExecution_setMeasureTiming(execution, true);
}

static int set_timeout(ANeuralNetworksExecution *execution)
{
    return ANeuralNetworksExecution_setTimeout(execution, 1);
}

static int set_loop_timeout(ANeuralNetworksExecution *execution)
{
    return ANeuralNetworksExecution_setLoopTimeout(execution, 1);
}

static int add_attribute(ANeuralNetworksExecution *execution)
{
    return ANeuralNetworksExecution_addExtensionAttribute(execution, "com.acme.state", 1, NULL, 0);
}

static int get_rank(ANeuralNetworksExecution *execution)
{
    uint32_t rank;
    return ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank);
}

static int get_dimensions(ANeuralNetworksExecution *execution)
{
    uint32_t dimensions[HY_MAX_RANK];
    return ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, dimensions);
}

static int get_duration(ANeuralNetworksExecution *execution)
{
    uint64_t duration;
    return ANeuralNetworksExecution_getDuration(execution, 0, &duration);
}

#define OK    ANEURALNETWORKS_NO_ERROR
#define STATE ANEURALNETWORKS_BAD_STATE
#define SMALL ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE

static const struct {
    const char *name;
    int (*call)(ANeuralNetworksExecution *execution);
    int codes[STATES];
} calls[] = {
    {"ANeuralNetworksExecution_setInput", set_input, {OK, STATE, STATE, STATE, STATE}},
    {"ANeuralNetworksExecution_setOutput", set_output, {OK, STATE, STATE, STATE, STATE}},
    {"ANeuralNetworksExecution_setInputFromMemory",
     set_input_memory,
     {OK, STATE, STATE, STATE, STATE}},
    {"ANeuralNetworksExecution_setOutputFromMemory",
     set_output_memory,
     {OK, STATE, STATE, STATE, STATE}},
    {"ANeuralNetworksExecution_enableInputAndOutputPadding",
     set_padding,
     {OK, STATE, STATE, STATE, STATE}},
    {"ANeuralNetworksExecution_setReusable", set_reusable, {OK, STATE, STATE, STATE, STATE}},
    {"ANeuralNetworksExecution_setMeasureTiming", set_timing, {OK, STATE, STATE, STATE, STATE}},
    {"ANeuralNetworksExecution_setTimeout", set_timeout, {OK, STATE, STATE, STATE, STATE}},
    {"ANeuralNetworksExecution_setLoopTimeout", set_loop_timeout, {OK, STATE, STATE, STATE, STATE}},
    {"ANeuralNetworksExecution_addExtensionAttribute",
     add_attribute,
     {OK, STATE, STATE, STATE, STATE}},
    {"ANeuralNetworksExecution_getOutputOperandRank", get_rank, {STATE, STATE, OK, SMALL, STATE}},
    {"ANeuralNetworksExecution_getOutputOperandDimensions",
     get_dimensions,
     {STATE, STATE, OK, SMALL, STATE}},
    {"ANeuralNetworksExecution_getDuration", get_duration, {STATE, STATE, OK, STATE, STATE}},
};

static void expect_codes(bool reusable)
{
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        for (enum state state = 0; state < STATES; state++) {
            struct state_case state_case;
            REQUIRE(state_case_enter(&state_case, state, reusable, true));
            const enum hy_execution_state before = state_case_current(&state_case);
            contract_before(calls[i].codes[state]);
            state_case_after(__FILE__, __LINE__, calls[i].name, state, calls[i].codes[state],
                             calls[i].call(state_case.execution));
            EXPECT_INT(state_case_current(&state_case), before);
            state_case_leave(&state_case);
        }
    }
}

TEST(contract_execution_states, every_call_has_its_states)
{
    expect_codes(false);
}

/* It can run again, but it cannot be changed again. */
TEST(contract_execution_states, reusable_execution_is_set_up_once)
{
    expect_codes(true);
}

TEST(contract_execution_states, null_comes_before_the_state)
{
    ANeuralNetworksEvent *event = OLD_VALUE(ANeuralNetworksEvent);
    ANeuralNetworksExecution *execution = OLD_VALUE(ANeuralNetworksExecution);

    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        contract_before(ANEURALNETWORKS_UNEXPECTED_NULL);
        contract_after(__FILE__, __LINE__, calls[i].name, ANEURALNETWORKS_UNEXPECTED_NULL,
                       calls[i].call(NULL));
    }
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_compute(NULL));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_startCompute(NULL, &event));
    EXPECT(event == NULL);
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_startCompute(execution, NULL));
    EXPECT_FAIL(UNEXPECTED_NULL, ANeuralNetworksExecution_create(NULL, &execution));
    EXPECT(execution == NULL);
    EXPECT_FAIL(UNEXPECTED_NULL,
                ANeuralNetworksExecution_create(OLD_VALUE(ANeuralNetworksCompilation), NULL));
    ANeuralNetworksExecution_free(NULL);
}

/* ---- Creation -------------------------------------------------------------------------------- */

TEST(contract_execution_states, creation_needs_a_compilation_that_finished_well)
{
    struct fake_device npu;
    ANeuralNetworksExecution *execution = OLD_VALUE(ANeuralNetworksExecution);

    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, 1, 0);
    ANeuralNetworksCompilation *compilation = hy_compilation_handle(
        compile_start(chain_model(), (struct fake_device *const[]){&npu}, 1, true));
    REQUIRE(compilation != NULL);
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_create(compilation, &execution));
    EXPECT_CONTAINS(halyard_last_error(), "is not finished");
    EXPECT(execution == NULL);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
    execution = OLD_VALUE(ANeuralNetworksExecution);
    EXPECT_FAIL(BAD_STATE, ANeuralNetworksExecution_create(compilation, &execution));
    EXPECT_CONTAINS(halyard_last_error(), "has failed");
    EXPECT(execution == NULL);
    ANeuralNetworksCompilation_free(compilation);
}
