/* A machine on which no driver host can be started. */
#include "isolated.h"
#include "tests/kit/test.h"

TEST(service_absent, halyard_cpu_stays_in_the_app_and_the_list_tells_why)
{
    struct halyard_refused_driver refused = {.struct_size = sizeof refused};

    EXPECT_INT(halyard_get_refused_driver(1, &refused), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(refused.manifest, "halyard-cpu");
    EXPECT_CONTAINS(refused.reason, "/nowhere/halyard-driverd");
    EXPECT_INT(isolated_info("halyard-cpu").kind, HALYARD_DEVICE_BUILT_IN);
    EXPECT(small_life(1));
}

TEST(service_absent, isolated_driver_is_refused_with_the_reason)
{
    struct halyard_refused_driver refused = {.struct_size = sizeof refused};

    EXPECT(!isolated_device("halyard-sample"));
    REQUIRE(halyard_refused_driver_count() == 2);
    EXPECT_INT(halyard_get_refused_driver(0, &refused), ANEURALNETWORKS_NO_ERROR);
    EXPECT_CONTAINS(refused.manifest, "sample_driver.json");
    EXPECT_CONTAINS(refused.reason, "/nowhere/halyard-driverd");
}
