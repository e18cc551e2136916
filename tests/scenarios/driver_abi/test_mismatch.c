/* Drivers of other versions and of other sizes: taken or refused, and with which words. */
#include "plugins/abi.h"
#include "plugins/plugin.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/plugin_fixture.h"

#include <stdlib.h>

#define DRIVER sizeof(struct hy_driver)
#define DEVICE sizeof(struct hy_device)

/* What the driver says of itself; NULL: it refuses this host. */
static void set_claims(uint32_t driver_abi, size_t driver_size, uint32_t device_abi,
                       size_t device_size)
{
    char claims[128];
    snprintf(claims, sizeof claims, "%u %zu %u %zu", driver_abi, driver_size, device_abi,
             device_size);
    setenv("LYING_DRIVER", claims, 1);
}

static void open_as(struct plugin_fixture *fixture, const char *library, const char *abi)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\",\"abi\":\"%s\"}}",
        library, abi);
    plugin_fixture_write(fixture, "a.json", text);
    fixture->discovery.driver_files = plugin_fixture_path(fixture, "a.json");
    (void)plugin_fixture_open(fixture);
}

/* The one reason why it was refused. */
static void expect_refused(const char *abi, const char *reason)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    open_as(&fixture, LYING_DRIVER, abi);
    EXPECT_INT(hy_plugins_device_count(fixture.plugins), 0);
    EXPECT_STR(plugin_fixture_reason(&fixture), reason);
    EXPECT_CONTAINS(fixture.log, plugin_fixture_path(&fixture, "a.json"));
    EXPECT_CONTAINS(fixture.log, reason);
    plugin_fixture_finish(&fixture);
}

static void expect_chosen(const char *library, const char *abi, const char *name)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    open_as(&fixture, library, abi);
    EXPECT_STR(plugin_fixture_names(&fixture), name);
    if (hy_plugins_device_count(fixture.plugins) == 1) {
        const struct hy_plugin_device *device = hy_plugins_device(fixture.plugins, 0);
        EXPECT_INT(device->table->struct_size, DEVICE);
        EXPECT(device->table->describe && device->table->execute);
    } else {
        hy_test_fail(__FILE__, __LINE__, "%s", plugin_fixture_reason(&fixture));
    }
    plugin_fixture_finish(&fixture);
}

TEST(driver_abi_mismatch, manifests_of_another_major_version_are_refused_before_the_library_loads)
{
    expect_refused("0.1", "abi is 0.1, Halyard has 1.1: the major numbers differ");
    expect_refused("2.0", "abi is 2.0, Halyard has 1.1: the major numbers differ");
}

#define IN_LIBRARY "library_path \"" LYING_DRIVER "\": "

TEST(driver_abi_mismatch, tables_of_another_major_version_are_refused)
{
    set_claims(HY_ABI(0, 1), DRIVER, HY_ABI(0, 1), DEVICE);
    expect_refused("1.0",
                   IN_LIBRARY "hy_driver.abi is 0.1, Halyard has 1.1: the major numbers differ");
    set_claims(HY_ABI(2, 0), 8, HY_ABI(2, 0), 8);
    expect_refused("1.0",
                   IN_LIBRARY "hy_driver.abi is 2.0, Halyard has 1.1: the major numbers differ");
    set_claims(HY_ABI(1, 0), DRIVER, HY_ABI(3, 9), DEVICE);
    expect_refused("1.0", "hy_device.abi is 3.9, Halyard has 1.1: the major numbers differ");
}

TEST(driver_abi_mismatch, a_driver_that_refuses_the_host_is_named_with_the_version)
{
    unsetenv("LYING_DRIVER");
    expect_refused("1.0",
                   IN_LIBRARY "hy_driver_query returned NULL: the driver does not support ABI 1.1");
}

TEST(driver_abi_mismatch, tables_shorter_than_in_1_0_are_refused)
{
    set_claims(HY_ABI(1, 0), DRIVER - 1, HY_ABI(1, 0), DEVICE);
    expect_refused("1.0", IN_LIBRARY "hy_driver.struct_size is 47, needs at least 48");
    set_claims(HY_ABI(1, 0), DRIVER, HY_ABI(1, 0), DEVICE - 8);
    expect_refused("1.0", "hy_device.struct_size is 208, needs at least 216");
}

TEST(driver_abi_mismatch, a_later_minor_version_is_taken_longer_tables_and_all)
{
    set_claims(HY_ABI(1, 7), DRIVER + 16, HY_ABI(1, 7), DEVICE + 16);
    expect_chosen(LYING_DRIVER, "1.7", "liar ");
    set_claims(HY_ABI(1, 65535), DRIVER, HY_ABI(1, 65535), DEVICE);
    expect_chosen(LYING_DRIVER, "1.65535", "liar ");
    expect_chosen(GROWN_SAMPLE, "1.7", "halyard-sample ");
    expect_chosen(FROZEN_DRIVER, "1.0", "frozen-1-0 ");
}

/* What is known is taken; but of a driver of this version nothing is unknown. */
TEST(driver_abi_mismatch, what_only_a_later_version_knows_is_left_out)
{
    struct plugin_fixture fixture;
    setenv("LYING_DRIVER_LEVEL", "later", 1);
    set_claims(HY_ABI(1, 7), DRIVER, HY_ABI(1, 7), DEVICE);
    REQUIRE(plugin_fixture_init(&fixture));
    open_as(&fixture, LYING_DRIVER, "1.7");
    if (hy_plugins_device_count(fixture.plugins) == 1) {
        const struct hy_device_info *info = hy_plugins_device(fixture.plugins, 0)->info;
        EXPECT_INT(info->type, HY_DEVICE_OTHER);
        EXPECT_INT(info->feature_level, 8);
        EXPECT_INT(info->pool_kinds, 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                                         1u << HY_POOL_HARDWARE_BUFFER_BLOB);
    } else {
        hy_test_fail(__FILE__, __LINE__, "%s", plugin_fixture_reason(&fixture));
    }
    plugin_fixture_finish(&fixture);
    set_claims(HY_ABI(1, 0), DRIVER, HY_ABI(1, 0), DEVICE);
    expect_refused("1.0", "describe: type is 9, needs 1 to 4");
    unsetenv("LYING_DRIVER_LEVEL");
}

TEST(driver_abi_mismatch, the_rule_is_the_major_number)
{
    struct hy_error err;
    EXPECT_INT(hy_abi_check("it is", HY_ABI(1, 0), &err), HY_OK);
    EXPECT_INT(hy_abi_check("it is", HY_ABI(1, 65535), &err), HY_OK);
    EXPECT_INT(hy_abi_check("it is", HY_ABI(0, 65535), &err), HY_BAD_DATA);
    EXPECT_INT(hy_abi_check("the driver ABI of its process is", HY_ABI(2, 1), &err), HY_BAD_DATA);
    EXPECT_STR(err.text,
               "the driver ABI of its process is 2.1, Halyard has 1.1: the major numbers differ");
}
