/* The devices as an app sees them, with one driver that cannot be used. */
#include "halyard/halyard.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static char manifest[] = "/tmp/halyard-test-XXXXXX";

/* The list is made at first use: the environment has to be ready before any test. */
__attribute__((constructor)) static void give_a_broken_manifest(void)
{
    int fd = mkstemp(manifest);
    if (fd < 0 || write(fd, "not JSON", 8) != 8)
        abort();
    close(fd);
    setenv("HALYARD_DRIVER_FILES", manifest, 1);
}

__attribute__((destructor)) static void remove_it(void)
{
    unlink(manifest);
}

static ANeuralNetworksDevice *device_at(uint32_t index)
{
    ANeuralNetworksDevice *device = NULL;
    EXPECT_INT(ANeuralNetworks_getDevice(index, &device), ANEURALNETWORKS_NO_ERROR);
    return device;
}

TEST(device, the_cpu_backend_is_listed_last_and_twice)
{
    uint32_t count = 0;
    REQUIRE(ANeuralNetworks_getDeviceCount(&count) == ANEURALNETWORKS_NO_ERROR);
    REQUIRE(count == 2);

    const char *const names[] = {"halyard-cpu", "nnapi-reference"};
    for (uint32_t i = 0; i < 2; i++) {
        const char *name = NULL;
        int32_t type = 0;
        int64_t level = 0;
        EXPECT_INT(ANeuralNetworksDevice_getName(device_at(i), &name), ANEURALNETWORKS_NO_ERROR);
        EXPECT_STR(name, names[i]);
        EXPECT_INT(ANeuralNetworksDevice_getType(device_at(i), &type), ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(type, ANEURALNETWORKS_DEVICE_CPU);
        EXPECT_INT(ANeuralNetworksDevice_getFeatureLevel(device_at(i), &level),
                   ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(level, 1000008);
        EXPECT_INT(ANeuralNetworksDevice_wait(device_at(i)), ANEURALNETWORKS_NO_ERROR);
    }
}

TEST(device, the_same_index_gives_the_same_handle)
{
    EXPECT(device_at(0) == device_at(0));
    EXPECT(device_at(0) != device_at(1));
}

TEST(device, an_index_past_the_end_is_bad_data_with_numbers)
{
    ANeuralNetworksDevice *device = device_at(0);
    EXPECT_INT(ANeuralNetworks_getDevice(2, &device), ANEURALNETWORKS_BAD_DATA);
    EXPECT(device == NULL);
    EXPECT_CONTAINS(halyard_last_error(), "device index 2, there are 2");
    EXPECT_INT(halyard_last_error_code(), ANEURALNETWORKS_BAD_DATA);
}

TEST(device, a_handle_of_something_else_is_bad_data)
{
    int other = 0;
    const char *name = "";
    EXPECT_INT(ANeuralNetworksDevice_getName((ANeuralNetworksDevice *)&other, &name),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT(name == NULL);
    EXPECT_INT(ANeuralNetworksDevice_wait((ANeuralNetworksDevice *)&other),
               ANEURALNETWORKS_BAD_DATA);
}

TEST(device, null_is_unexpected_null_and_named)
{
    const char *text = NULL;
    bool known = true;
    EXPECT_INT(ANeuralNetworks_getDeviceCount(NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(ANeuralNetworks_getDevice(0, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(ANeuralNetworksDevice_getName(NULL, &text), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_STR(halyard_last_error(), "Device_getName: device is NULL");
    EXPECT_INT(ANeuralNetworksDevice_getVersion(device_at(0), NULL),
               ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(ANeuralNetworksDevice_getExtensionSupport(device_at(0), NULL, &known),
               ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(ANeuralNetworksDevice_getExtensionSupport(device_at(0), "com.acme.fft", &known),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(!known);
}

TEST(device, facts_fill_no_more_than_the_caller_has_room_for)
{
    struct halyard_device_info info = {.struct_size = sizeof info};
    EXPECT_INT(halyard_device_get_info(device_at(0), &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(info.name, "halyard-cpu");
    EXPECT_STR(info.manifest, "");
    EXPECT_INT(info.kind, HALYARD_DEVICE_BUILT_IN);

    memset(&info, 0, sizeof info);
    info.struct_size = offsetof(struct halyard_device_info, version);
    EXPECT_INT(halyard_device_get_info(device_at(0), &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(info.name, "halyard-cpu");
    EXPECT(info.version == NULL);

    info.struct_size = 0;
    EXPECT_INT(halyard_device_get_info(device_at(0), &info), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "struct_size is 0");
}

TEST(device, a_refused_driver_is_listed_with_its_manifest_and_the_reason)
{
    struct halyard_refused_driver refused = {.struct_size = sizeof refused};
    EXPECT_INT(halyard_refused_driver_count(), 1);
    EXPECT_INT(halyard_get_refused_driver(0, &refused), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(refused.manifest, manifest);
    EXPECT_CONTAINS(refused.reason, "JSON");
    EXPECT_INT(halyard_get_refused_driver(1, &refused), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_get_refused_driver(0, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
}

TEST(last_error, is_forgotten_on_request_and_kept_by_success)
{
    uint32_t count;
    EXPECT_INT(ANeuralNetworks_getDeviceCount(NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(halyard_last_error(), "getDeviceCount: numDevices is NULL");
    halyard_clear_last_error();
    EXPECT_STR(halyard_last_error(), "");
    EXPECT_INT(halyard_last_error_code(), ANEURALNETWORKS_NO_ERROR);
}
