/* Manifests of drivers that get processes of their own, good ones and others. */
#include "plugins/service/client/service.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/plugin_fixture.h"

#include <stdlib.h>

static struct hy_service_settings settings = {.hang_timeout_seconds = 20};

static bool init(struct plugin_fixture *fixture)
{
    settings.program = getenv("HALYARD_DRIVERD");
    if (!plugin_fixture_init(fixture))
        return false;
    fixture->discovery.driver_files = fixture->root;
    fixture->discovery.services = &settings;
    return true;
}

/* The reason why a driver with this fault is refused. */
static void expect_refusal(const char *fault, const char *reason)
{
    struct plugin_fixture fixture;
    char arguments[64];
    REQUIRE(init(&fixture));

    snprintf(arguments, sizeof arguments, "{\"fault\":\"%s\"}", fault);
    plugin_fixture_manifest(&fixture, "a.json", FAULTY_DRIVER, arguments, 0);
    fixture.discovery.isolate = "all";
    if (plugin_fixture_open(&fixture))
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), reason);
    plugin_fixture_finish(&fixture);
}

TEST(service_plugins, driver_that_ends_its_process_costs_only_itself)
{
    expect_refusal("create-crashes", "was ended by SIGSEGV (11) during create");
    expect_refusal("create-exits", "exited with status 3 during create");
}

TEST(service_plugins, words_of_a_driver_that_cannot_be_made_come_through)
{
    expect_refusal("create-fails", "create failed with");
    expect_refusal("create-gives-nothing", "returned OK without an instance");
}

TEST(service_plugins, device_with_a_wrong_table_is_refused)
{
    expect_refusal("no-execute", "hy_device.execute is NULL");
}

TEST(service_plugins, filter_names_the_drivers_that_are_isolated)
{
    struct plugin_fixture fixture;
    REQUIRE(init(&fixture));

    plugin_fixture_manifest(&fixture, "in.json", FAULTY_DRIVER, "{\"name\":\"in\"}", 0);
    plugin_fixture_manifest(&fixture, "out.json", FAULTY_DRIVER, "{\"name\":\"out\"}", 1);
    fixture.discovery.isolate = "o*";
    REQUIRE(plugin_fixture_open(&fixture));
    EXPECT_STR(plugin_fixture_names(&fixture), "in out ");
    EXPECT(!hy_plugins_device(fixture.plugins, 0)->service);
    EXPECT(hy_plugins_device(fixture.plugins, 1)->service != NULL);
    plugin_fixture_finish(&fixture);
}

TEST(service_plugins, manifest_may_ask_for_a_process)
{
    struct plugin_fixture fixture;
    REQUIRE(init(&fixture));

    plugin_fixture_write(&fixture, "a.json",
                         "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":"
                         "\"" FAULTY_DRIVER "\",\"abi\":\"1.0\",\"isolate\":true}}");
    REQUIRE(plugin_fixture_open(&fixture));
    REQUIRE(hy_plugins_device_count(fixture.plugins) == 1);
    EXPECT(hy_plugins_device(fixture.plugins, 0)->service != NULL);
    plugin_fixture_finish(&fixture);
}

TEST(service_plugins, where_there_are_no_processes_such_a_driver_is_refused)
{
    struct plugin_fixture fixture;
    REQUIRE(init(&fixture));

    plugin_fixture_manifest(&fixture, "a.json", FAULTY_DRIVER, "{}", 0);
    fixture.discovery.isolate = "a";
    fixture.discovery.services = NULL;
    REQUIRE(plugin_fixture_open(&fixture));
    EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "the driver needs isolation");
    plugin_fixture_finish(&fixture);
}

TEST(service_plugins, devices_of_one_driver_share_a_process)
{
    struct plugin_fixture fixture;
    struct hy_service_info info;
    REQUIRE(init(&fixture));

    plugin_fixture_manifest(&fixture, "a.json", FAULTY_DRIVER, "{\"name\":\"a\",\"devices\":2}", 0);
    fixture.discovery.isolate = "all";
    REQUIRE(plugin_fixture_open(&fixture));
    EXPECT_STR(plugin_fixture_names(&fixture), "a-0 a-1 ");
    struct hy_service *service = hy_plugins_device(fixture.plugins, 0)->service;
    EXPECT(service && service == hy_plugins_device(fixture.plugins, 1)->service);
    hy_service_get_info(service, &info);
    EXPECT(info.pid > 0);
    EXPECT_INT(info.restarts, 0);
    plugin_fixture_finish(&fixture);
}
