/* What an app learns of devices beyond the API, with one driver that cannot be used. */
#include "halyard/halyard.h"
#include "tests/kit/test.h"

#include <stdlib.h>
#include <unistd.h>

static char manifest[] = "/tmp/halyard-test-XXXXXX";

/* The list is made at first use: the environment has to be ready before any test. */
TEST_SETUP(give_a_broken_manifest)
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

TEST(device, drivers_cannot_be_disabled_once_the_devices_are_listed)
{
    EXPECT(device_at(0) != NULL);
    EXPECT_INT(halyard_disable_drivers(), ANEURALNETWORKS_BAD_STATE);
    EXPECT_STR(halyard_last_error(), "disable_drivers: the devices are listed already");
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

TEST(device, facts_have_what_the_driver_declares)
{
    struct halyard_device_info info = {.struct_size = sizeof info};
    EXPECT_INT(halyard_device_get_info(device_at(0), &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT(info.model_cache_files + info.data_cache_files > 0);
    EXPECT(info.launch_ns > 0);
    EXPECT_INT(info.has_buffers, 1);
    EXPECT_INT(info.bytes_per_second, 0);

    struct halyard_device_extension extension = {.struct_size = sizeof extension};
    REQUIRE(info.extension_count == 1);
    EXPECT_INT(halyard_device_get_extension(device_at(0), 0, &extension), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(extension.name, "org.halyard.operations");
    EXPECT_INT(extension.is_partial, 0);
    EXPECT_INT(halyard_device_get_extension(device_at(0), 1, &extension), ANEURALNETWORKS_BAD_DATA);
    EXPECT_STR(halyard_last_error(),
               "device_get_extension: extension 1 does not exist, halyard-cpu has 1");
    EXPECT_INT(halyard_device_get_extension(NULL, 0, &extension), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_device_get_extension(device_at(0), 0, NULL),
               ANEURALNETWORKS_UNEXPECTED_NULL);
}

TEST(device, a_place_of_manifests_is_listed_with_the_variable_that_names_it)
{
    struct halyard_driver_dir dir = {.struct_size = sizeof dir};
    EXPECT_INT(halyard_driver_dir_count(), 1);
    EXPECT_INT(halyard_get_driver_dir(0, &dir), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(dir.path, manifest);
    EXPECT_STR(dir.setting, "HALYARD_DRIVER_FILES");
    EXPECT_INT(dir.is_there, 1);
    REQUIRE(dir.manifest_count == 1);
    EXPECT_STR(dir.manifests[0], strrchr(manifest, '/') + 1);
    EXPECT_INT(dir.masked_count, 0);
    EXPECT_INT(halyard_get_driver_dir(1, &dir), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_get_driver_dir(0, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
}

TEST(device, a_manifest_is_checked_as_the_loader_reads_it)
{
    EXPECT_INT(halyard_check_manifest(manifest), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "check_manifest: manifest is not JSON");
    EXPECT_INT(halyard_check_manifest("/proc/nonexistent"), ANEURALNETWORKS_UNMAPPABLE);
    EXPECT_CONTAINS(halyard_last_error(), "No such file");
    EXPECT_INT(halyard_check_manifest(NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
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
