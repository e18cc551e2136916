/*
 * A host of version 1.7, whose structs are all longer, and the driver that was built with 1.0: the
 * loader's part and this file are built with the grown header, the driver with the frozen one.
 */
#include "adding_host.h"
#include "plugins/device_info.h"
#include "plugins/device_table.h"
#include "tests/kit/test.h"

#include <stdbool.h>

/* The driver's table as the loader takes it over. */
static bool open_frozen(struct opened *opened, struct hy_device *table)
{
    return adding_host_open(opened, FROZEN_DRIVER) &&
           hy_device_table_copy(opened->reported, table, NULL) == HY_OK;
}

TEST(driver_abi_growth, this_host_is_later_than_the_driver)
{
    struct opened opened;
    struct hy_device table;
    REQUIRE(open_frozen(&opened, &table));
    EXPECT_INT(HY_DRIVER_ABI, HY_ABI(1, 7));
    EXPECT_INT(opened.driver->abi, HY_ABI(1, 0));
    EXPECT(opened.driver->struct_size < sizeof(struct hy_driver));
    EXPECT(opened.reported->struct_size < sizeof(struct hy_device));
    adding_host_close(&opened);
}

TEST(driver_abi_growth, what_the_older_table_lacks_is_absent)
{
    struct opened opened;
    struct hy_device table;
    REQUIRE(open_frozen(&opened, &table));
    EXPECT_INT(table.struct_size, sizeof table);
    EXPECT(table.execute && table.memory_gone);
    EXPECT(table.of_a_later_version[0] == 0 && table.of_a_later_version[1] == 0);
    adding_host_close(&opened);
}

TEST(driver_abi_growth, an_older_description_is_taken_and_the_rest_is_zero)
{
    struct opened opened;
    struct hy_device table;
    struct hy_device_info info;
    struct hy_capabilities capabilities;
    REQUIRE(open_frozen(&opened, &table));
    REQUIRE(hy_device_info_ask(&table, opened.device, &info, NULL) == HY_OK);
    EXPECT_STR(info.name, "frozen-1-0");
    EXPECT_INT(info.burst_depth, 1);
    EXPECT_INT(info.struct_size, sizeof info);
    EXPECT(info.of_a_later_version[0] == 0 && info.of_a_later_version[1] == 0);
    hy_device_info_finish(&info);
    REQUIRE(hy_device_capabilities_ask(&table, opened.device, &capabilities, NULL) == HY_OK);
    EXPECT_INT(capabilities.struct_size, sizeof capabilities);
    EXPECT(capabilities.of_a_later_version[0] == 0);
    hy_device_capabilities_finish(&capabilities);
    adding_host_close(&opened);
}

TEST(driver_abi_growth, the_older_driver_prepares_and_executes)
{
    struct hy_scratch scratch = {.struct_size = sizeof scratch};
    struct opened opened;
    struct hy_device table;
    void *prepared = NULL;

    REQUIRE(open_frozen(&opened, &table));
    REQUIRE(adding_host_prepare(&table, opened.device, &prepared) == HY_STATUS_OK);
    adding_host_execute(&table, prepared);
    adding_host_reuse(&table, prepared);
    EXPECT_INT(table.scratch_needed(prepared, &scratch), HY_STATUS_OK);
    EXPECT(scratch.struct_size < sizeof scratch && scratch.of_a_later_version[0] == 0);
    table.prepared_destroy(prepared);
    adding_host_close(&opened);
}
