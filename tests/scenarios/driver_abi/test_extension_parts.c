/*
 * A driver of 1.0, which supports an extension whole, and one of today, which supports a part of
 * the same, as an app sees them. Run twice, with the drivers in this process and in their own.
 */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <stdbool.h>

#define EXTENT 4u

#define EXPECT_OK(call) EXPECT_INT(call, ANEURALNETWORKS_NO_ERROR)

static const char extension[] = "com.acme.double";

/* out = QUADRUPLE(DOUBLE(in)) */
static ANeuralNetworksModel *make_model(void)
{
    static const uint32_t numbers[] = {0, 1, 2}, dims[] = {EXTENT};
    const ANeuralNetworksOperandType floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    ANeuralNetworksModel *model = NULL;

    EXPECT_OK(ANeuralNetworksModel_create(&model));
    for (int i = 0; i < 3; i++)
        EXPECT_OK(ANeuralNetworksModel_addOperand(model, &floats));
    for (uint16_t i = 0; i < 2; i++) {
        ANeuralNetworksOperationType type = 0;
        EXPECT_OK(ANeuralNetworksModel_getExtensionOperationType(model, extension, i, &type));
        EXPECT_OK(
            ANeuralNetworksModel_addOperation(model, type, 1, &numbers[i], 1, &numbers[i + 1]));
    }
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &numbers[0], 1, &numbers[2]));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    return model;
}

static const ANeuralNetworksDevice *find_device(const char *wanted)
{
    uint32_t count = 0;

    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = "";
        ANeuralNetworks_getDevice(i, &device);
        ANeuralNetworksDevice_getName(device, &name);
        if (strcmp(name, wanted) == 0)
            return device;
    }
    hy_test_fail(__FILE__, __LINE__, "there is no device %s", wanted);
    return NULL;
}

TEST(driver_abi_extensions, whole_extension_is_supported_and_a_part_is_not)
{
    bool supported = false;

    EXPECT_OK(ANeuralNetworksDevice_getExtensionSupport(find_device("doubler-1-0"), extension,
                                                        &supported));
    EXPECT(supported);
    EXPECT_OK(ANeuralNetworksDevice_getExtensionSupport(find_device("doubler-1-1"), extension,
                                                        &supported));
    EXPECT(!supported);
}

TEST(driver_abi_extensions, each_device_is_asked_about_each_operation)
{
    const ANeuralNetworksDevice *older = find_device("doubler-1-0"),
                                *today = find_device("doubler-1-1");
    ANeuralNetworksModel *model = make_model();
    bool supported[2] = {false, false};

    EXPECT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &older, 1, supported));
    EXPECT(supported[0] && supported[1]);
    EXPECT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &today, 1, supported));
    EXPECT(supported[0] && !supported[1]);
    ANeuralNetworksModel_free(model);
}

static void expect_run(const ANeuralNetworksCompilation *compilation)
{
    const float in[EXTENT] = {1, -2, 0.5f, 0};
    float out[EXTENT] = {9, 9, 9, 9};
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_OK(ANeuralNetworksExecution_create((ANeuralNetworksCompilation *)(uintptr_t)compilation,
                                              &execution));
    EXPECT_OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, in, sizeof in));
    EXPECT_OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out));
    EXPECT_OK(ANeuralNetworksExecution_compute(execution));
    for (uint32_t i = 0; i < EXTENT; i++)
        EXPECT(out[i] == 8 * in[i]);
    ANeuralNetworksExecution_free(execution);
}

/* Operation 1 can go to one device alone, and its name is that of the extension. */
TEST(driver_abi_extensions, model_runs_where_its_operations_are_supported)
{
    const ANeuralNetworksDevice *devices[] = {find_device("doubler-1-1"),
                                              find_device("doubler-1-0")};
    struct halyard_plan_operation second = {.struct_size = sizeof second};
    ANeuralNetworksModel *model = make_model();
    ANeuralNetworksCompilation *compilation = NULL;

    EXPECT_OK(ANeuralNetworksCompilation_createForDevices(model, devices, 2, &compilation));
    REQUIRE(ANeuralNetworksCompilation_finish(compilation) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_OK(halyard_compilation_get_operation(compilation, 1, &second));
    EXPECT_STR(second.name, "com.acme.double#1");
    EXPECT(second.device == devices[1]);
    expect_run(compilation);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

TEST(driver_abi_extensions, model_beyond_the_part_fails_with_the_name_of_the_operation)
{
    const ANeuralNetworksDevice *devices[] = {find_device("doubler-1-1"),
                                              find_device("halyard-cpu")};
    ANeuralNetworksModel *model = make_model();
    ANeuralNetworksCompilation *compilation = NULL;

    EXPECT_OK(ANeuralNetworksCompilation_createForDevices(model, devices, 2, &compilation));
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "operation 1 com.acme.double#1");
    EXPECT_CONTAINS(halyard_last_error(),
                    "halyard-cpu: the device does not know com.acme.double#1");
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}
