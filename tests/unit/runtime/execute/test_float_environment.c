/* What an inference leaves of the floating-point environment of the app's thread, and what that
 * changes about the inference: nothing, whichever way it is run. */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <fenv.h>
#include <float.h>

enum { COUNT = 4, WAYS = 5 };

/* Products that are subnormal, inexact, and whole. */
static const float a[COUNT] = {1e-20f, -1e-30f, 1.1f, 3}, b[COUNT] = {1e-20f, 1e-9f, 1.1f, 5};
static const float products[COUNT] = {0, -0.0f, 0x1.35c29p+0f, 15};

static ANeuralNetworksModel *product_model(void)
{
    const uint32_t extent = COUNT, inputs[] = {0, 1, 2}, output = 3;
    const ANeuralNetworksOperandType vector = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, &extent, 0, 0};
    const ANeuralNetworksOperandType number = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
    const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = NULL;

    EXPECT_INT(ANeuralNetworksModel_create(&model), 0);
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &vector), 0);
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &vector), 0);
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &number), 0);
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &vector), 0);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none), 0);
    EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MUL, 3, inputs, 1, &output),
               0);
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 1, &output), 0);
    EXPECT_INT(ANeuralNetworksModel_finish(model), 0);
    return model;
}

static ANeuralNetworksCompilation *compile_for(ANeuralNetworksModel *model, const char *name)
{
    ANeuralNetworksCompilation *compilation = NULL;
    uint32_t count = 0;

    EXPECT_INT(ANeuralNetworks_getDeviceCount(&count), 0);
    for (uint32_t i = 0; i < count && !compilation; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *found = "";
        EXPECT_INT(ANeuralNetworks_getDevice(i, &device), 0);
        EXPECT_INT(ANeuralNetworksDevice_getName(device, &found), 0);
        if (strcmp(found, name) != 0)
            continue;
        const ANeuralNetworksDevice *const devices[] = {device};
        EXPECT_INT(ANeuralNetworksCompilation_createForDevices(model, devices, 1, &compilation), 0);
        EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), 0);
    }
    return compilation;
}

static int run_synchronously(ANeuralNetworksCompilation *compilation,
                             ANeuralNetworksExecution *execution)
{
    (void)compilation;
    return ANeuralNetworksExecution_compute(execution);
}

static int run_twice(ANeuralNetworksCompilation *compilation, ANeuralNetworksExecution *execution)
{
    (void)compilation;
    EXPECT_INT(ANeuralNetworksExecution_setReusable(execution, true), 0);
    EXPECT_INT(ANeuralNetworksExecution_compute(execution), 0);
    return ANeuralNetworksExecution_compute(execution);
}

static int run_in_a_burst(ANeuralNetworksCompilation *compilation,
                          ANeuralNetworksExecution *execution)
{
    ANeuralNetworksBurst *burst = NULL;

    EXPECT_INT(ANeuralNetworksBurst_create(compilation, &burst), 0);
    const int status = ANeuralNetworksExecution_burstCompute(execution, burst);
    ANeuralNetworksBurst_free(burst);
    return status;
}

static int run_asynchronously(ANeuralNetworksCompilation *compilation,
                              ANeuralNetworksExecution *execution)
{
    ANeuralNetworksEvent *event = NULL;

    (void)compilation;
    EXPECT_INT(ANeuralNetworksExecution_startCompute(execution, &event), 0);
    const int status = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return status;
}

static int run_fenced(ANeuralNetworksCompilation *compilation, ANeuralNetworksExecution *execution)
{
    ANeuralNetworksEvent *event = NULL;

    (void)compilation;
    EXPECT_INT(ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event),
               0);
    const int status = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return status;
}

static int (*const ways[WAYS])(ANeuralNetworksCompilation *, ANeuralNetworksExecution *) = {
    run_asynchronously, run_fenced, run_synchronously, run_twice, run_in_a_burst};

/* The threads of ours that the first way makes begin with the environment of this one. */
static void check_way(ANeuralNetworksCompilation *compilation, int way)
{
    ANeuralNetworksExecution *execution = NULL;
    float out[COUNT] = {9, 9, 9, 9};

    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), 0);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a), 0);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b), 0);
    EXPECT_INT(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out), 0);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
    fesetround(FE_UPWARD);
    const int status = ways[way](compilation, execution);
    const int rounding = fegetround(), flags = fetestexcept(FE_ALL_EXCEPT);
    fesetenv(FE_DFL_ENV);
    EXPECT_INT(status, 0);
    EXPECT_INT(rounding, FE_UPWARD);
    EXPECT_INT(flags, FE_DIVBYZERO);
    if (memcmp(out, products, sizeof out) != 0)
        hy_test_fail(__FILE__, __LINE__, "way %d gives %a %a %a %a", way, (double)out[0],
                     (double)out[1], (double)out[2], (double)out[3]);
    ANeuralNetworksExecution_free(execution);
}

static void check_device(const char *name)
{
    ANeuralNetworksModel *model = product_model();
    ANeuralNetworksCompilation *compilation = compile_for(model, name);

    for (int way = 0; way < WAYS && compilation; way++)
        check_way(compilation, way);
    EXPECT(compilation);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

TEST(float_environment, halyard_cpu_leaves_it_and_does_not_depend_on_it)
{
    check_device("halyard-cpu");
}

TEST(float_environment, nnapi_reference_leaves_it_and_does_not_depend_on_it)
{
    check_device("nnapi-reference");
}
