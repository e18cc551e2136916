/* HALYARD_CPU_FEATURES decides which kernels halyard-cpu has, here and in a process of its own. */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu_fallback/kernels/kernels.h"

/* The set that halyard-cpu's build id names is `expected`. */
static bool uses(const char *expected)
{
    ANeuralNetworksDevice *device = NULL;
    struct halyard_device_info info = {.struct_size = sizeof info};
    uint32_t count = 0;
    const char *set;

    if (ANeuralNetworks_getDeviceCount(&count) != ANEURALNETWORKS_NO_ERROR || count < 2 ||
        ANeuralNetworks_getDevice(count - 2, &device) != ANEURALNETWORKS_NO_ERROR ||
        halyard_device_get_info(device, &info) != ANEURALNETWORKS_NO_ERROR)
        return false;
    set = strrchr(info.build_id, ' ');
    if (strcmp(info.name, "halyard-cpu") == 0 && set && strcmp(set + 1, expected) == 0)
        return true;
    fprintf(stderr, "%s has the build \"%s\", expected kernels for %s\n", info.name, info.build_id,
            expected);
    return false;
}

/* In a process of its own, since the environment is read once. */
static void expect_set(const char *features, const char *isolate, const char *expected)
{
    int status = 1;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("HALYARD_CPU_FEATURES", features, 1);
        setenv("HALYARD_ISOLATE", isolate, 1);
        exit(uses(expected) ? 0 : 2);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
}

static void expect_every_set(const char *isolate)
{
    expect_set("", isolate, hy_kernels_name(hy_kernels_fast()));
    expect_set("none", isolate, "reference");
    expect_set("nothing_known", isolate, "reference");
    for (int level = 0; level < HY_KERNEL_ISA_LEVEL_COUNT; level++) {
        const char *name = hy_kernel_isa_level_name((enum hy_kernel_isa_level)level);
        if (hy_kernels_at((enum hy_kernel_isa_level)level))
            expect_set(name, isolate, name);
    }
}

TEST(features, the_variable_limits_the_kernels)
{
    expect_every_set("");
}

TEST(features, the_variable_limits_the_kernels_in_a_process_of_their_own)
{
    expect_every_set("halyard-cpu");
}
