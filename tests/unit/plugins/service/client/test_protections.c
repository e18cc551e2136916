/* Memory of each protection in each role, on each device that the environment gives. */
#include "isolated.h"
#include "protections.h"
#include "tests/kit/test.h"

static uint32_t device_count(void)
{
    uint32_t count = 0;

    EXPECT_INT(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
    EXPECT(count >= LEAST_DEVICES);
    return count;
}

static const char *device_name(uint32_t index)
{
    ANeuralNetworksDevice *device = NULL;
    const char *name = NULL;

    EXPECT_INT(ANeuralNetworks_getDevice(index, &device), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(ANeuralNetworksDevice_getName(device, &name), ANEURALNETWORKS_NO_ERROR);
    return name;
}

TEST(protections, memory_serves_each_role_that_its_protection_allows)
{
    for (uint32_t i = 0; i < device_count(); i++)
        protections_compute((const char *const[]){device_name(i)}, 1, false);
}

TEST(protections, output_to_be_written_is_read_again_by_another_step)
{
    static const char *const both[] = {"halyard-sample", "halyard-cpu"};

    for (uint32_t i = 0; i < device_count(); i++)
        protections_compute((const char *const[]){device_name(i)}, 1, true);
    protections_compute(both, 2, true);
}

TEST(protections, memory_without_the_protection_of_a_role_is_refused_when_it_is_set)
{
    for (uint32_t i = 0; i < device_count(); i++)
        protections_refused(device_name(i));
}

TEST(protections, copies_need_a_source_to_read_and_a_destination_to_write)
{
    for (uint32_t i = 0; i < device_count(); i++)
        protections_copy(device_name(i));
}
