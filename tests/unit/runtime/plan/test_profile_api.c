/* Recording measured times through halyard.h, for a device of this machine. */
#include "runtime/handle/handle.h"
#include "runtime/profile/profile_file.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/model_fixture.h"

#include <halyard/halyard.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { COUNT = 64 };

static char dir[] = "/tmp/halyard-test-XXXXXX";

/* Before the environment is read. */
TEST_SETUP(set_profile_dir)
{
    if (mkdtemp(dir))
        setenv("HALYARD_STATE_DIR", dir, 1);
}

__attribute__((destructor)) static void remove_dir(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", dir, HY_PROFILE_FILE_NAME);
    unlink(path);
    rmdir(dir);
}

static ANeuralNetworksDevice *device_named(const char *name)
{
    uint32_t count = 0;
    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *own = "";
        ANeuralNetworks_getDevice(i, &device);
        ANeuralNetworksDevice_getName(device, &own);
        if (strcmp(own, name) == 0)
            return device;
    }
    return NULL;
}

/* y = FLOOR(RELU(x)) on one device. */
static ANeuralNetworksCompilation *compile_on(const ANeuralNetworksDevice *device, bool split)
{
    struct fixture f = fixture_create();
    const uint32_t x = floats(&f, COUNT), a = floats(&f, COUNT), y = floats(&f, COUNT);
    ANeuralNetworksCompilation *compilation = NULL;
    bool ok = relu(&f, x, a) == HY_OK && op(&f, ANEURALNETWORKS_FLOOR, 1, &a, y) == HY_OK &&
              identify(&f, x, y) == HY_OK && finish(&f) == HY_OK;
    ANeuralNetworksModel *model = hy_model_handle(f.model);

    ok = ok && ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation) == 0 &&
         halyard_compilation_split_operations(compilation, split) == 0 &&
         ANeuralNetworksCompilation_finish(compilation) == 0;
    ANeuralNetworksModel_free(model);
    if (!ok) {
        ANeuralNetworksCompilation_free(compilation);
        compilation = NULL;
    }
    return compilation;
}

TEST(profile_api, measured_operations_are_stored_without_the_launch)
{
    const ANeuralNetworksDevice *cpu = device_named("halyard-cpu");
    ANeuralNetworksCompilation *compilation = compile_on(cpu, true);
    struct halyard_profile *profile = NULL;
    const char *path = NULL;
    REQUIRE(compilation);

    REQUIRE(halyard_profile_create(cpu, &profile) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_profile_set_launch(profile, 100), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_profile_add(profile, compilation, 0, 350), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_profile_add(profile, compilation, 1, 90), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_profile_add(profile, compilation, 2, 90), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_profile_save(profile, &path), ANEURALNETWORKS_NO_ERROR);
    EXPECT(path && strncmp(path, dir, strlen(dir)) == 0);
    halyard_profile_free(profile);
    ANeuralNetworksCompilation_free(compilation);

    struct hy_profile_file file = {0};
    REQUIRE(hy_profile_file_read(dir, &file, NULL) == HY_OK);
    const struct hy_profile_record *record = hy_profile_file_find(&file, "halyard-cpu");
    struct hy_profile_key key = {.operation = ANEURALNETWORKS_RELU,
                                 .type = ANEURALNETWORKS_TENSOR_FLOAT32};
    REQUIRE(record);
    EXPECT(record->profile.launch_ns == 100);
    EXPECT(hy_profile_time(&record->profile, key, COUNT) == 250);
    key.operation = ANEURALNETWORKS_FLOOR;
    EXPECT(hy_profile_time(&record->profile, key, COUNT) == 1); /* never nothing at all */
    hy_profile_file_finish(&file);
}

TEST(profile_api, steps_of_several_operations_and_of_other_devices_are_refused)
{
    const ANeuralNetworksDevice *cpu = device_named("halyard-cpu");
    const ANeuralNetworksDevice *reference = device_named("nnapi-reference");
    ANeuralNetworksCompilation *whole = compile_on(cpu, false);
    struct halyard_profile *profile = NULL, *other = NULL;
    REQUIRE(whole && halyard_profile_create(cpu, &profile) == 0 &&
            halyard_profile_create(reference, &other) == 0);

    EXPECT_INT(halyard_profile_add(profile, whole, 0, 100), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "RELU: the step has 2 operations, needs 1");
    EXPECT_INT(halyard_profile_add(other, whole, 0, 100), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(),
                    "runs on halyard-cpu, the profile is for nnapi-reference");
    halyard_profile_free(other);
    halyard_profile_free(profile);
    ANeuralNetworksCompilation_free(whole);
}

TEST(profile_api, wrong_arguments_are_refused)
{
    struct halyard_profile *profile = NULL;
    const ANeuralNetworksDevice *nobody = (const ANeuralNetworksDevice *)&profile;

    EXPECT_INT(halyard_profile_create(NULL, &profile), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_profile_create(nobody, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_profile_create(nobody, &profile), ANEURALNETWORKS_BAD_DATA);
    EXPECT(!profile);
    EXPECT_INT(halyard_profile_set_launch(NULL, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_profile_add(NULL, NULL, 0, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_profile_save(NULL, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    REQUIRE(halyard_profile_create(device_named("halyard-cpu"), &profile) == 0);
    EXPECT_INT(halyard_profile_set_launch(profile, UINT64_MAX), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_profile_add(profile, NULL, 0, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
    halyard_profile_free(profile);
    halyard_profile_free(NULL);
}
