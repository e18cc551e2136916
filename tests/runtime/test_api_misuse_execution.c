/* Wrong use of compilations, executions and events, through the API: the documented code, in the
 * documented order, and never a crash. */
#include "plan_fixture.h"
#include "runtime/api/handle.h"
#include "test.h"

#include <stdlib.h>

#define OK             ANEURALNETWORKS_NO_ERROR
#define IS_NULL        ANEURALNETWORKS_UNEXPECTED_NULL
#define BAD_DATA       ANEURALNETWORKS_BAD_DATA
#define BAD_STATE      ANEURALNETWORKS_BAD_STATE
#define BYTES          (EXTENT * sizeof(float))
#define NO_COMPILATION ((ANeuralNetworksCompilation *)NULL)

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};
static float input[EXTENT], output[EXTENT];

static void init_fakes(void)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_ALL);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
}

static ANeuralNetworksCompilation *compiled(bool single_device)
{
    init_fakes();
    return hy_compilation_handle(
        compile(chain_model(), both, single_device ? 1 : 2, single_device, NULL));
}

/* One that is about to be built, so that settings can be tried. */
static ANeuralNetworksCompilation *building(bool single_device)
{
    init_fakes();
    return hy_compilation_handle(
        compile_start(chain_model(), both, single_device ? 1 : 2, single_device));
}

static ANeuralNetworksExecution *created(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksExecution *execution = NULL;
    if (ANeuralNetworksExecution_create(compilation, &execution) != OK)
        execution = NULL;
    ANeuralNetworksCompilation_free(compilation);
    return execution;
}

TEST(api_misuse, null_comes_before_everything)
{
    ANeuralNetworksCompilation *compilation = (ANeuralNetworksCompilation *)&input;
    ANeuralNetworksEvent *event = (ANeuralNetworksEvent *)&input;
    uint32_t number;
    uint64_t duration;

    EXPECT_INT(ANeuralNetworksCompilation_create(NULL, &compilation), IS_NULL);
    EXPECT(!compilation);
    EXPECT_INT(ANeuralNetworksCompilation_create(NULL, NULL), IS_NULL);
    EXPECT_INT(ANeuralNetworksCompilation_createForDevices(NULL, NULL, 0, &compilation), IS_NULL);
    EXPECT_INT(ANeuralNetworksCompilation_finish(NULL), IS_NULL);
    EXPECT_INT(ANeuralNetworksCompilation_setPreference(NULL, 99), IS_NULL);
    EXPECT_INT(ANeuralNetworksCompilation_setPriority(NULL, 99), IS_NULL);
    EXPECT_INT(ANeuralNetworksCompilation_setTimeout(NULL, 1), IS_NULL);
    EXPECT_INT(
        ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(NO_COMPILATION, 0, &number),
        IS_NULL);
    EXPECT_INT(ANeuralNetworksExecution_compute(NULL), IS_NULL);
    EXPECT_INT(ANeuralNetworksExecution_startCompute(NULL, &event), IS_NULL);
    EXPECT(!event);
    EXPECT_INT(ANeuralNetworksExecution_setInput(NULL, 0, NULL, input, BYTES), IS_NULL);
    EXPECT_INT(ANeuralNetworksExecution_setReusable(NULL, true), IS_NULL);
    EXPECT_INT(ANeuralNetworksExecution_getDuration(NULL, 99, &duration), IS_NULL);
    EXPECT_INT(ANeuralNetworksEvent_wait(NULL), IS_NULL);
    EXPECT_CONTAINS(halyard_last_error(), "Event_wait: event is NULL");
    ANeuralNetworksCompilation_free(NULL);
    ANeuralNetworksExecution_free(NULL);
    ANeuralNetworksEvent_free(NULL);
    ANeuralNetworksBurst_free(NULL);
}

TEST(api_misuse, device_lists)
{
    struct fixture f = fixture_relu();
    ANeuralNetworksModel *model = hy_model_handle(f.model);
    ANeuralNetworksCompilation *compilation = NULL;
    const ANeuralNetworksDevice *known = hy_device_handle(&hy_devices()->devices[0]);
    const ANeuralNetworksDevice *list[3] = {known, known, NULL};
    bool supported[1];

    EXPECT_INT(ANeuralNetworksCompilation_createForDevices(model, list, 0, &compilation), BAD_DATA);
    EXPECT_INT(ANeuralNetworksCompilation_createForDevices(model, list, 2, &compilation), BAD_DATA);
    EXPECT_INT(ANeuralNetworksCompilation_createForDevices(model, list, 3, &compilation), IS_NULL);
    list[0] = (const ANeuralNetworksDevice *)&compilation;
    EXPECT_INT(ANeuralNetworksCompilation_createForDevices(model, list, 1, &compilation), BAD_DATA);
    list[0] = known; /* all well but the model, which is not finished */
    EXPECT_INT(ANeuralNetworksCompilation_createForDevices(model, list, 1, &compilation),
               BAD_STATE);
    EXPECT_INT(ANeuralNetworksCompilation_create(model, &compilation), BAD_STATE);
    EXPECT(!compilation);

    EXPECT_INT(ANeuralNetworksModel_getSupportedOperationsForDevices(model, list, 0, supported),
               BAD_DATA);
    EXPECT_INT(ANeuralNetworksModel_getSupportedOperationsForDevices(model, list, 3, supported),
               BAD_STATE);
    REQUIRE(finish(&f) == HY_OK);
    EXPECT_INT(ANeuralNetworksModel_getSupportedOperationsForDevices(model, list, 3, supported),
               IS_NULL);
    EXPECT_INT(ANeuralNetworksModel_getSupportedOperationsForDevices(model, list, 2, supported),
               BAD_DATA);
    EXPECT_INT(ANeuralNetworksModel_getSupportedOperationsForDevices(model, list, 1, supported),
               OK);
    fixture_free(&f);
}

TEST(api_misuse, compilation_settings)
{
    ANeuralNetworksCompilation *compilation = building(false);
    uint32_t number;
    ANeuralNetworksExecution *execution = (ANeuralNetworksExecution *)&input;
    REQUIRE(compilation);

    EXPECT_INT(ANeuralNetworksCompilation_setPreference(compilation, -1), BAD_DATA);
    EXPECT_INT(ANeuralNetworksCompilation_setPreference(compilation, 3), BAD_DATA);
    EXPECT_INT(ANeuralNetworksCompilation_setPreference(compilation, 2), OK);
    EXPECT_INT(ANeuralNetworksCompilation_setPriority(compilation, 0), BAD_DATA);
    EXPECT_INT(ANeuralNetworksCompilation_setPriority(compilation, ANEURALNETWORKS_PRIORITY_LOW),
               OK);
    EXPECT_INT(ANeuralNetworksCompilation_setTimeout(compilation, 1), BAD_DATA);
    EXPECT_INT(
        ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(compilation, 0, &number),
        BAD_STATE);
    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), BAD_STATE);
    EXPECT(!execution);

    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), OK);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), BAD_STATE);
    EXPECT_INT(ANeuralNetworksCompilation_setPreference(compilation, 99), BAD_STATE);
    EXPECT_INT(ANeuralNetworksCompilation_setPriority(compilation, 99), BAD_STATE);
    EXPECT_INT(ANeuralNetworksCompilation_setTimeout(compilation, 1), BAD_STATE);
    EXPECT_INT(
        ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(compilation, 0, &number), OK);
    EXPECT_INT(number, 64);
    EXPECT_INT(
        ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(compilation, 1, &number),
        BAD_DATA);
    ANeuralNetworksCompilation_free(compilation);
}

TEST(api_misuse, failed_compilation_takes_nothing)
{
    ANeuralNetworksExecution *execution;
    ANeuralNetworksCompilation *compilation = building(true);
    REQUIRE(compilation);
    EXPECT_INT(ANeuralNetworksCompilation_setTimeout(compilation, UINT64_MAX), OK);
    npu.operations = 0;
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "Compilation_finish: operation 0 RELU: no device");
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), BAD_STATE);
    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), BAD_STATE);
    ANeuralNetworksCompilation_free(compilation);
}

TEST(api_misuse, arguments_are_checked_in_order)
{
    ANeuralNetworksExecution *execution = created(compiled(false));
    const uint32_t three[] = {3}, four[] = {EXTENT}, pair[] = {2, 2}, open[] = {0};
    ANeuralNetworksOperandType type = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, four, 0, 0};
    REQUIRE(execution);

    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 9, NULL, NULL, BYTES), IS_NULL);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, -1, NULL, input, BYTES), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 1, NULL, input, BYTES), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, 0), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES - 1), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES + 1), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, SIZE_MAX), BAD_DATA);
    type.dimensions = three;
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, &type, input, BYTES), BAD_DATA);
    type.dimensions = open;
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, &type, input, BYTES), BAD_DATA);
    type.dimensions = NULL;
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, &type, input, BYTES), BAD_DATA);
    type.dimensions = pair, type.dimensionCount = 2;
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, &type, input, BYTES), BAD_DATA);
    type.dimensions = four, type.dimensionCount = UINT32_MAX;
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, &type, input, BYTES), BAD_DATA);
    type.dimensionCount = 1, type.type = ANEURALNETWORKS_TENSOR_INT32;
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, &type, input, BYTES), BAD_DATA);
    type.type = ANEURALNETWORKS_TENSOR_FLOAT32;
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, &type, input, BYTES), OK);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, &type, input, BYTES), BAD_STATE);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, &type, input, 1), BAD_STATE);
    EXPECT_INT(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true), BAD_STATE);
    EXPECT_INT(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, BYTES), OK);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), OK);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 9, NULL, input, BYTES), BAD_STATE);
    EXPECT_INT(ANeuralNetworksExecution_setReusable(execution, true), BAD_STATE);
    EXPECT_INT(ANeuralNetworksExecution_setLoopTimeout(execution, 1), BAD_STATE);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), BAD_STATE);
    ANeuralNetworksExecution_free(execution);
}

TEST(api_misuse, memory_arguments)
{
    ANeuralNetworksExecution *execution = created(compiled(false));
    ANeuralNetworksMemory *memory = hy_memory_handle(shared_memory(2 * BYTES));
    REQUIRE(execution && memory);

    EXPECT_INT(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, NULL, 0, BYTES),
               IS_NULL);
    EXPECT_INT(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0),
               BAD_DATA);
    EXPECT_INT(
        ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, BYTES + 1, BYTES),
        BAD_DATA);
    EXPECT_INT(
        ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, SIZE_MAX, BYTES),
        BAD_DATA);
    EXPECT_INT(
        ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, BYTES + 4),
        BAD_DATA);
    EXPECT_INT(
        ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, BYTES, BYTES), OK);
    /* It can only be read. */
    EXPECT_INT(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, BYTES),
               BAD_DATA);
    ANeuralNetworksMemory_free(memory);
    ANeuralNetworksExecution_free(execution);
}

TEST(api_misuse, padding_is_room_beyond_the_data)
{
    static float wide[2 * EXTENT];
    ANeuralNetworksExecution *execution = created(compiled(false));
    REQUIRE(execution);
    EXPECT_INT(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true), OK);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, wide, BYTES - 1), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, wide, 2 * BYTES), OK);
    EXPECT_INT(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, BYTES), OK);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), OK);
    ANeuralNetworksExecution_free(execution);
}

TEST(api_misuse, results_need_a_run)
{
    ANeuralNetworksExecution *execution = created(compiled(true));
    uint32_t rank = 0, dims[1] = {0};
    uint64_t duration = 1;
    REQUIRE(execution);

    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandRank(execution, 9, &rank), BAD_STATE);
    EXPECT_INT(ANeuralNetworksExecution_getDuration(execution, 4, &duration), BAD_DATA);
    EXPECT_INT(duration, 1);
    EXPECT_INT(ANeuralNetworksExecution_getDuration(execution, 0, &duration), BAD_STATE);
    EXPECT(duration == UINT64_MAX);
    EXPECT_INT(ANeuralNetworksExecution_setMeasureTiming(execution, true), OK);
    EXPECT_INT(ANeuralNetworksExecution_setTimeout(execution, 1000000000), OK);
    EXPECT_INT(ANeuralNetworksExecution_setLoopTimeout(execution, UINT64_MAX), OK);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES), OK);
    EXPECT_INT(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, BYTES), OK);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), OK);
    EXPECT(npu.last_deadline > 0);
    EXPECT(npu.last_loop_timeout == ANeuralNetworks_getMaximumLoopTimeout());
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandRank(execution, 9, &rank), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank), OK);
    EXPECT_INT(rank, 1);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, dims), OK);
    EXPECT_INT(dims[0], EXTENT);
    EXPECT_INT(ANeuralNetworksExecution_getDuration(execution, 0, &duration), OK);
    EXPECT_INT(duration, 5);
    EXPECT_INT(ANeuralNetworksExecution_getDuration(execution, 3, &duration), OK);
    EXPECT_INT(duration, 7);
    ANeuralNetworksExecution_free(execution);
}

TEST(api_misuse, settings_for_a_single_device_look_at_it_first)
{
    ANeuralNetworksExecution *execution = created(compiled(false));
    REQUIRE(execution);
    EXPECT_INT(ANeuralNetworksExecution_setMeasureTiming(execution, true), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_setTimeout(execution, 1), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_setTimeout(execution, 1), BAD_DATA); /* not the state */
    ANeuralNetworksExecution_free(execution);

    execution = created(compiled(true));
    REQUIRE(execution);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), BAD_DATA);
    EXPECT_INT(ANeuralNetworksExecution_setTimeout(execution, 1), BAD_STATE);
    ANeuralNetworksExecution_free(execution);
}

TEST(api_misuse, argument_never_set_ends_the_execution)
{
    ANeuralNetworksExecution *execution = created(compiled(false));
    ANeuralNetworksEvent *event = (ANeuralNetworksEvent *)&input;
    uint32_t rank;
    REQUIRE(execution);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES), OK);
    EXPECT_INT(ANeuralNetworksExecution_startCompute(execution, &event), BAD_DATA);
    EXPECT(!event);
    EXPECT_CONTAINS(halyard_last_error(), "output 0 was never set");
    EXPECT_INT(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, BYTES), BAD_STATE);
    EXPECT_INT(ANeuralNetworksExecution_getOutputOperandRank(execution, 0, &rank), BAD_STATE);
    ANeuralNetworksExecution_free(execution);
}

TEST(api_misuse, words_of_an_asynchronous_failure_reach_the_waiter)
{
    ANeuralNetworksExecution *execution = created(compiled(true));
    ANeuralNetworksEvent *event = NULL;
    REQUIRE(execution);
    npu.execute_status = HY_STATUS_GENERAL_FAILURE;
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, input, BYTES), OK);
    EXPECT_INT(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, BYTES), OK);
    EXPECT_INT(ANeuralNetworksExecution_startCompute(execution, &event), OK);
    ANeuralNetworksExecution_free(execution);
    EXPECT_INT(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_OP_FAILED);
    EXPECT_CONTAINS(halyard_last_error(), "Event_wait: acme-npu: execute failed");
    int fd = 0;
    EXPECT_INT(ANeuralNetworksEvent_getSyncFenceFd(event, &fd), BAD_DATA);
    EXPECT_INT(fd, -1);
    ANeuralNetworksEvent_free(event);
}

/* ---- Any order of calls ---------------------------------------------------------------------- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void random_call(ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event,
                        uint32_t *seed)
{
    static const uint32_t extents[][2] = {{EXTENT, 0}, {0, 0}, {2, 2}, {UINT32_MAX, UINT32_MAX}};
    const uint32_t kind = next_random(seed) % 12, rank = next_random(seed) % 4;
    const int32_t index = (int32_t)(next_random(seed) % 4) - 1;
    const size_t length = next_random(seed) % 3 ? BYTES : next_random(seed) % 20;
    const ANeuralNetworksOperandType type = {(int32_t)(next_random(seed) % 5), rank % 3,
                                             rank ? extents[next_random(seed) % 4] : NULL, 0, 0};
    const ANeuralNetworksOperandType *maybe = next_random(seed) % 2 ? &type : NULL;
    uint32_t number, dims[HY_MAX_RANK];
    uint64_t duration;

    switch (kind) {
    case 0:
    case 1:
        ANeuralNetworksExecution_setInput(execution, index, maybe, length ? input : NULL, length);
        break;
    case 2:
    case 3:
        ANeuralNetworksExecution_setOutput(execution, index, maybe, length ? output : NULL, length);
        break;
    case 4:
        ANeuralNetworksExecution_enableInputAndOutputPadding(execution, index & 1);
        break;
    case 5:
        ANeuralNetworksExecution_setReusable(execution, rank);
        break;
    case 6:
        ANeuralNetworksExecution_setMeasureTiming(execution, rank);
        break;
    case 7:
        ANeuralNetworksExecution_compute(execution);
        break;
    case 8:
        if (!*event)
            ANeuralNetworksExecution_startCompute(execution, event);
        break;
    case 9:
        ANeuralNetworksEvent_free(*event);
        *event = NULL;
        break;
    case 10:
        ANeuralNetworksExecution_getOutputOperandRank(execution, index, &number);
        ANeuralNetworksExecution_getOutputOperandDimensions(execution, index, dims);
        break;
    default:
        ANeuralNetworksExecution_getDuration(execution, index, &duration);
    }
}

TEST(api_misuse, random_calls_never_crash)
{
    enum { ROUNDS = 400, CALLS = 40 };

    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t seed = round;
        ANeuralNetworksEvent *event = NULL;
        ANeuralNetworksCompilation *compilation = compiled(next_random(&seed) % 2);
        REQUIRE(compilation);
        npu.device.table = cpu.device.table = &fake_parallel_table;
        npu.execute_status = next_random(&seed) % 3 ? 0 : HY_STATUS_GENERAL_FAILURE;
        ANeuralNetworksExecution *execution = created(compilation);
        REQUIRE(execution);
        for (uint32_t call = 0; call < CALLS; call++)
            random_call(execution, &event, &seed);
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(execution);
        EXPECT_INT(npu.prepared + cpu.prepared, 0);
    }
}
