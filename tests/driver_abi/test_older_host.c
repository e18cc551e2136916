/*
 * A host of version 1.0 and the drivers of today: the host is built with the frozen header, the
 * drivers with that of today. They find no member of a later version, and work without.
 */
#include "adding_host.h"
#include "test.h"

const struct hy_driver *hy_cpu_driver(void);

static void expect_work(const struct opened *opened)
{
    void *prepared = NULL;

    EXPECT_INT(HY_DRIVER_ABI, HY_ABI(1, 0));
    EXPECT(opened->driver->abi > HY_ABI(1, 0));
    REQUIRE(adding_host_prepare(opened->told, opened->device, &prepared) == HY_STATUS_OK);
    adding_host_execute(opened->told, prepared);
    adding_host_reuse(opened->told, prepared);
    opened->told->prepared_destroy(prepared);
}

static void expect_library_works(const char *path)
{
    struct opened opened;

    if (adding_host_open(&opened, path))
        expect_work(&opened);
    else
        hy_test_fail(__FILE__, __LINE__, "%s cannot be opened", path);
    adding_host_close(&opened);
}

TEST(driver_abi_older_host, the_sample_driver_of_today_works)
{
    expect_library_works(SAMPLE_DRIVER);
}

#ifdef XNNPACK_DRIVER
TEST(driver_abi_older_host, the_xnnpack_driver_of_today_works)
{
    expect_library_works(XNNPACK_DRIVER);
}
#endif

TEST(driver_abi_older_host, the_cpu_driver_of_today_works)
{
    struct opened opened = {0};

    REQUIRE(adding_host_create(&opened, hy_cpu_driver()));
    expect_work(&opened);
    adding_host_close(&opened);
}
