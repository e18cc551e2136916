/* Devices and what they say of themselves; the figures of the runtime itself. */
#include "tests/scenarios/contract/kit/fixture.h"

static const struct {
    const char *name, *version;
    int32_t type;
    int64_t level;
} devices[] = {
    /* Those of drivers first, in their order, then the CPU backend. */
    {"acme-npu", "7.1-b3", ANEURALNETWORKS_DEVICE_ACCELERATOR, ANEURALNETWORKS_FEATURE_LEVEL_8},
    {"acme-old", "1.0", ANEURALNETWORKS_DEVICE_GPU, ANEURALNETWORKS_FEATURE_LEVEL_4},
    {"acme-full", "7.1-b3", ANEURALNETWORKS_DEVICE_ACCELERATOR, ANEURALNETWORKS_FEATURE_LEVEL_8},
    {"acme-down", "UNKNOWN", ANEURALNETWORKS_DEVICE_OTHER, ANEURALNETWORKS_FEATURE_LEVEL_2},
    {"halyard-cpu", NULL, ANEURALNETWORKS_DEVICE_CPU, ANEURALNETWORKS_FEATURE_LEVEL_8},
    {"nnapi-reference", NULL, ANEURALNETWORKS_DEVICE_CPU, ANEURALNETWORKS_FEATURE_LEVEL_8},
};

static ANeuralNetworksDevice *device_at(uint32_t index)
{
    ANeuralNetworksDevice *device = NULL;
    EXPECT_OK(ANeuralNetworks_getDevice(index, &device));
    return device;
}

/* ---- The list -------------------------------------------------------------------------------- */

TEST(contract_device, drivers_come_first_and_the_reference_last)
{
    REQUIRE(device_count() == COUNT_OF(devices));
    for (uint32_t i = 0; i < COUNT_OF(devices); i++) {
        const char *name = NULL;
        EXPECT_OK(ANeuralNetworksDevice_getName(device_at(i), &name));
        EXPECT_STR(name, devices[i].name);
    }
}

TEST(contract_device, index_gives_the_same_device_every_time)
{
    for (uint32_t i = 0; i < COUNT_OF(devices); i++) {
        EXPECT(device_at(i) != NULL);
        EXPECT(device_at(i) == device_at(i));
        EXPECT(i == 0 || device_at(i) != device_at(i - 1));
    }
}

TEST(contract_device, index_past_the_end_is_bad_data)
{
    ANeuralNetworksDevice *device = OLD_VALUE(ANeuralNetworksDevice);

    EXPECT_FAIL(BAD_DATA, ANeuralNetworks_getDevice(COUNT_OF(devices), &device));
    EXPECT(device == NULL);
    EXPECT_CONTAINS(halyard_last_error(), "device index 6 does not exist, there are 6 devices");
    device = OLD_VALUE(ANeuralNetworksDevice);
    EXPECT_FAIL(BAD_DATA, ANeuralNetworks_getDevice(UINT32_MAX, &device));
    EXPECT(device == NULL);
}

/* ---- What they say of themselves ------------------------------------------------------------- */

TEST(contract_device, type_and_feature_level_are_those_of_the_driver)
{
    for (uint32_t i = 0; i < COUNT_OF(devices); i++) {
        int32_t type = -1;
        int64_t level = -1;
        EXPECT_OK(ANeuralNetworksDevice_getType(device_at(i), &type));
        EXPECT_INT(type, devices[i].type);
        EXPECT_OK(ANeuralNetworksDevice_getFeatureLevel(device_at(i), &level));
        EXPECT_INT(level, devices[i].level);
        EXPECT(level <= ANeuralNetworks_getRuntimeFeatureLevel());
    }
}

TEST(contract_device, name_and_version_are_strings_that_stay)
{
    for (uint32_t i = 0; i < COUNT_OF(devices); i++) {
        const char *name = NULL, *same_name = NULL, *version = NULL, *same_version = NULL;
        EXPECT_OK(ANeuralNetworksDevice_getName(device_at(i), &name));
        EXPECT_OK(ANeuralNetworksDevice_getName(device_at(i), &same_name));
        EXPECT(name == same_name);
        EXPECT_OK(ANeuralNetworksDevice_getVersion(device_at(i), &version));
        EXPECT_OK(ANeuralNetworksDevice_getVersion(device_at(i), &same_version));
        EXPECT(version && *version && version == same_version);
        if (devices[i].version)
            EXPECT_STR(version, devices[i].version);
    }
}

TEST(contract_device, wait_returns_at_once_for_a_device_that_is_there)
{
    EXPECT_OK(ANeuralNetworksDevice_wait(device_named("acme-npu")));
    EXPECT_OK(ANeuralNetworksDevice_wait(device_named("acme-old")));
    EXPECT_OK(ANeuralNetworksDevice_wait(device_named("halyard-cpu")));
    EXPECT_OK(ANeuralNetworksDevice_wait(device_named("nnapi-reference")));
}

TEST(contract_device, wait_passes_the_error_of_the_driver_on)
{
    EXPECT_FAIL(UNAVAILABLE_DEVICE, ANeuralNetworksDevice_wait(device_named("acme-down")));
    EXPECT_CONTAINS(halyard_last_error(), "acme-down");
}

TEST(contract_device, extension_is_supported_by_the_device_that_lists_the_whole)
{
    static const struct {
        const char *device, *extension;
        bool supported;
    } cases[] = {
        {"acme-npu", "com.acme.fft", true},
        {"acme-npu", "com.acme.part", false},
        {"acme-npu", "com.acme.ff", false},
        {"acme-npu", "com.acme.fft2", false},
        {"acme-npu", "", false},
        {"acme-old", "com.acme.fft", false},
        {"acme-down", "com.acme.fft", false},
        {"halyard-cpu", "com.acme.fft", false},
        {"nnapi-reference", "com.acme.fft", false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool supported = !cases[i].supported;
        EXPECT_OK(ANeuralNetworksDevice_getExtensionSupport(device_named(cases[i].device),
                                                            cases[i].extension, &supported));
        EXPECT_INT(supported, cases[i].supported);
    }
}

/* Not of the contract, which knows no such handle: but nothing is looked for behind it. */
TEST(contract_device, handle_of_something_else_is_bad_data)
{
    const ANeuralNetworksDevice *stranger = OLD_VALUE(const ANeuralNetworksDevice);
    const char *text = "";
    int32_t type;
    int64_t level;
    bool supported = true;

    EXPECT_FAIL(BAD_DATA, ANeuralNetworksDevice_getName(stranger, &text));
    EXPECT(text == NULL);
    text = "";
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksDevice_getVersion(stranger, &text));
    EXPECT(text == NULL);
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksDevice_getType(stranger, &type));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksDevice_getFeatureLevel(stranger, &level));
    EXPECT_FAIL(BAD_DATA, ANeuralNetworksDevice_wait(stranger));
    EXPECT_FAIL(BAD_DATA,
                ANeuralNetworksDevice_getExtensionSupport(stranger, "com.acme.fft", &supported));
    EXPECT(!supported);
}

/* ---- The runtime ----------------------------------------------------------------------------- */

TEST(contract_device, runtime_is_of_feature_level_8)
{
    EXPECT_INT(ANeuralNetworks_getRuntimeFeatureLevel(), 1000008);
}

TEST(contract_device, loops_run_2_seconds_by_default_and_15_at_most)
{
    EXPECT_INT(ANeuralNetworks_getDefaultLoopTimeout(), 2000000000);
    EXPECT_INT(ANeuralNetworks_getMaximumLoopTimeout(), 15000000000);
}
