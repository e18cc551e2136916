/*
 * The driver of 1.0 as an app sees it: every way to run, memory of the device, the cache. Run
 * twice, with the driver in this process and in one of its own.
 */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <ftw.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define EXTENT 64u
#define BYTES  (EXTENT * sizeof(float))

#define EXPECT_OK(call) EXPECT_INT(call, ANEURALNETWORKS_NO_ERROR)

/* out = RELU(a + b) + 0.5 */
enum { A, B, SUM, HALF, OUT, RELU, NONE };

static ANeuralNetworksModel *make_model(void)
{
    static float half[EXTENT];
    const uint32_t dims[] = {EXTENT};
    const ANeuralNetworksOperandType floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    const ANeuralNetworksOperandType integer = {.type = ANEURALNETWORKS_INT32};
    const int32_t relu = ANEURALNETWORKS_FUSED_RELU, none = ANEURALNETWORKS_FUSED_NONE;
    const uint32_t first[] = {A, B, RELU}, second[] = {SUM, HALF, NONE}, sum = SUM,
                   inputs[] = {A, B}, output = OUT;
    ANeuralNetworksModel *model = NULL;

    for (uint32_t i = 0; i < EXTENT; i++)
        half[i] = 0.5f;
    EXPECT_OK(ANeuralNetworksModel_create(&model));
    for (int i = A; i <= NONE; i++)
        EXPECT_OK(ANeuralNetworksModel_addOperand(model, i <= OUT ? &floats : &integer));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, HALF, half, sizeof half));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, RELU, &relu, sizeof relu));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, NONE, &none, sizeof none));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, first, 1, &sum));
    EXPECT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, second, 1, &output));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 1, &output));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    return model;
}

static ANeuralNetworksDevice *frozen_device(void)
{
    uint32_t count = 0;

    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = "";
        ANeuralNetworks_getDevice(i, &device);
        ANeuralNetworksDevice_getName(device, &name);
        if (strcmp(name, "frozen-1-0") == 0)
            return device;
    }
    return NULL;
}

/* A model that the device alone has compiled. */
struct compiled {
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
};

static bool compile(struct compiled *compiled, const char *cache)
{
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = "frozen";
    const ANeuralNetworksDevice *device = frozen_device();

    *compiled = (struct compiled){.model = make_model()};
    if (!device) {
        hy_test_fail(__FILE__, __LINE__, "there is no device frozen-1-0");
        return false;
    }
    EXPECT_OK(ANeuralNetworksCompilation_createForDevices(compiled->model, &device, 1,
                                                          &compiled->compilation));
    if (cache)
        EXPECT_OK(ANeuralNetworksCompilation_setCaching(compiled->compilation, cache, token));
    const int code = ANeuralNetworksCompilation_finish(compiled->compilation);
    EXPECT_INT(code, ANEURALNETWORKS_NO_ERROR);
    return code == ANEURALNETWORKS_NO_ERROR;
}

static void drop(struct compiled *compiled)
{
    ANeuralNetworksCompilation_free(compiled->compilation);
    ANeuralNetworksModel_free(compiled->model);
}

struct values {
    float a[EXTENT], b[EXTENT], out[EXTENT];
};

static void fill(struct values *values, unsigned seed)
{
    for (unsigned i = 0; i < EXTENT; i++) {
        values->a[i] = (float)((seed * 7 + i) % 100) - 50;
        values->b[i] = (float)(i % 9) - 4;
        values->out[i] = -1; /* never a result */
    }
}

static bool are_right(const struct values *values)
{
    bool right = true;
    for (unsigned i = 0; i < EXTENT; i++) {
        const float sum = values->a[i] + values->b[i];
        right &= values->out[i] == (sum > 0 ? sum : 0) + 0.5f;
    }
    return right;
}

static ANeuralNetworksExecution *start(const struct compiled *compiled, struct values *values,
                                       bool reusable)
{
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_OK(ANeuralNetworksExecution_create(compiled->compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setReusable(execution, reusable));
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, values->a, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, values->b, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, values->out, BYTES));
    return execution;
}

TEST(driver_abi_frozen, runs_in_every_way)
{
    struct compiled compiled;
    struct values values;
    REQUIRE(compile(&compiled, NULL));

    ANeuralNetworksExecution *execution = start(&compiled, &values, true);
    for (unsigned seed = 0; seed < 10; seed++) {
        fill(&values, seed);
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        EXPECT(are_right(&values));
    }
    ANeuralNetworksExecution_free(execution);

    ANeuralNetworksEvent *event = NULL;
    fill(&values, 11);
    execution = start(&compiled, &values, false);
    EXPECT_OK(ANeuralNetworksExecution_startCompute(execution, &event));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT(are_right(&values));
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(execution);

    fill(&values, 12);
    execution = start(&compiled, &values, false);
    EXPECT_OK(ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event));
    EXPECT_OK(ANeuralNetworksEvent_wait(event));
    EXPECT(are_right(&values));
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(execution);
    drop(&compiled);
}

/* The times of an execution that has been measured. */
struct times {
    uint64_t on_device, in_driver;
};

static struct times measured(const ANeuralNetworksExecution *execution)
{
    struct times times = {0};

    EXPECT_OK(ANeuralNetworksExecution_getDuration(execution, ANEURALNETWORKS_DURATION_ON_HARDWARE,
                                                   &times.on_device));
    EXPECT_OK(ANeuralNetworksExecution_getDuration(execution, ANEURALNETWORKS_DURATION_IN_DRIVER,
                                                   &times.in_driver));
    return times;
}

/* In a process of its own the driver serves the queues itself: then the time on the device is the
 * number of the request in its burst (serve.c); on every other way it is that in the driver. */
TEST(driver_abi_frozen, runs_in_bursts_which_it_serves_itself_in_a_process_of_its_own)
{
    const char *isolate = getenv("HALYARD_ISOLATE");
    const bool is_isolated = isolate && *isolate;
    struct compiled compiled;
    struct values values;
    ANeuralNetworksBurst *burst = NULL;
    REQUIRE(compile(&compiled, NULL));
    EXPECT_OK(ANeuralNetworksBurst_create(compiled.compilation, &burst));
    for (unsigned seed = 0; seed < 50; seed++) {
        fill(&values, seed);
        ANeuralNetworksExecution *execution = start(&compiled, &values, false);
        EXPECT_OK(ANeuralNetworksExecution_setMeasureTiming(execution, true));
        EXPECT_OK(ANeuralNetworksExecution_burstCompute(execution, burst));
        EXPECT(are_right(&values));
        const struct times times = measured(execution);
        EXPECT_INT(times.on_device, is_isolated ? seed + 1 : times.in_driver);
        ANeuralNetworksExecution_free(execution);
    }
    ANeuralNetworksBurst_free(burst);
    drop(&compiled);
}

/* What one execution stores the next one reads, in memory of the device. */
TEST(driver_abi_frozen, computes_in_memory_of_its_own)
{
    struct compiled compiled;
    struct values values;
    ANeuralNetworksMemoryDesc *desc = NULL;
    ANeuralNetworksMemory *state = NULL;
    REQUIRE(compile(&compiled, NULL));
    EXPECT_OK(ANeuralNetworksMemoryDesc_create(&desc));
    EXPECT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compiled.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compiled.compilation, 0, 1));
    EXPECT_OK(ANeuralNetworksMemoryDesc_finish(desc));
    EXPECT_OK(ANeuralNetworksMemory_createFromDesc(desc, &state));
    fill(&values, 3);

    ANeuralNetworksExecution *execution = NULL;
    EXPECT_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, values.a, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, values.b, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, state, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    ANeuralNetworksExecution_free(execution);

    EXPECT_OK(ANeuralNetworksExecution_create(compiled.compilation, &execution));
    EXPECT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, state, 0, 0));
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, values.b, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, values.out, BYTES));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    for (unsigned i = 0; i < EXTENT; i++) {
        const float sum = values.a[i] + values.b[i];
        values.a[i] = (sum > 0 ? sum : 0) + 0.5f; /* what the first one has stored */
    }
    EXPECT(are_right(&values));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(state);
    ANeuralNetworksMemoryDesc_free(desc);
    drop(&compiled);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *position)
{
    (void)info, (void)type, (void)position;
    return remove(path);
}

/* The first compilation saves; a task of `later` may have put a new entry in its place meanwhile.
 */
TEST(driver_abi_frozen, is_restored_from_its_cache)
{
    char dir[] = "/tmp/halyard-frozen-XXXXXX";
    struct compiled compiled;
    struct values values;
    REQUIRE(mkdtemp(dir));
    for (unsigned round = 0; round < 4; round++) {
        if (!compile(&compiled, dir))
            break;
        fill(&values, round);
        ANeuralNetworksExecution *execution = start(&compiled, &values, false);
        EXPECT_OK(ANeuralNetworksExecution_compute(execution));
        EXPECT(are_right(&values));
        ANeuralNetworksExecution_free(execution);
        drop(&compiled);
    }
    EXPECT(rmdir(dir) != 0);                                         /* something is in it */
    for (unsigned i = 0; i < 10000 && access(dir, F_OK) == 0; i++) { /* the task may add to it */
        nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
        poll(NULL, 0, access(dir, F_OK) == 0);
    }
    EXPECT(access(dir, F_OK) != 0);
}
