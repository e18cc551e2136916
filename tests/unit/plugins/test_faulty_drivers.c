#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/plugin_fixture.h"

/* Opens the faulty driver with these arguments, as the only one. */
static bool open_with(struct plugin_fixture *fixture, const char *arguments)
{
    static const char *const reserved[] = {"halyard-cpu", "nnapi-reference", NULL};
    plugin_fixture_manifest(fixture, "a.json", FAULTY_DRIVER_PATH, arguments, 0);
    fixture->discovery.driver_files = plugin_fixture_path(fixture, "a.json");
    fixture->discovery.reserved_names = reserved;
    return plugin_fixture_open(fixture);
}

TEST(faulty_drivers, every_broken_rule_refuses_the_device_and_says_why)
{
    static const struct {
        const char *fault, *reason;
    } cases[] = {
        {"create-fails", "create failed with DEVICE_UNAVAILABLE (1): !!!"},
        {"create-gives-nothing", "create returned OK without an instance"},
        {"device-fails", "device failed with INVALID_ARGUMENT (4)"},
        {"table-null", "device returned OK without a table"},
        {"table-size", "hy_device.struct_size is 48, needs at least 216"},
        {"table-abi", "hy_device.abi is 2.0, Halyard has 1.1"},
        {"no-describe", "hy_device.describe is NULL"},
        {"no-execute", "hy_device.execute is NULL"},
        {"half-a-burst", "hy_device.burst_open is set, but burst_execute is NULL"},
        {"describe-fails", "describe failed with DEVICE_UNAVAILABLE (1)"},
        {"info-size", "describe: struct_size is 8, needs 64 to 72"},
        {"name-null", "describe: name is NULL"},
        {"name-empty", "describe: name is empty"},
        {"name-long", "describe: name is longer than 255 bytes"},
        {"name-newline", "describe: name is not one line of UTF-8"},
        {"name-reserved", "device name nnapi-reference is reserved for a built-in device"},
        {"version-empty", "describe: version is empty"},
        {"build-id-null", "describe: build_id is NULL"},
        {"type-0", "describe: type is 0, needs 1 to 4"},
        {"type-5", "describe: type is 5, needs 1 to 4"},
        {"level-0", "describe: feature_level is 0, needs 1 to 8"},
        {"level-9", "describe: feature_level is 9, needs 1 to 8"},
        {"cache-files", "describe: 0 model and 33 data cache files"},
        {"kinds-few",
         "describe: pool_kinds is 0x2, needs also 0x1c, which every driver must decode"},
        {"kinds-unknown", "describe: pool_kinds is 0x5c, with the unknown kinds 0x40"},
        {"extension-twice", "extension com.acme.fft is listed twice"},
        {"extension-upper-case", "extension \"com.Acme\": a name needs lower-case"},
        {"extension-no-dot", "extension \"nodot\": a name needs lower-case"},
        {"extension-code-twice", "extension com.acme.twice: operand type 7 is listed twice"},
        {"extension-byte-size", "extension com.acme.empty: operand type 1 has byte_size 0"},
        {"extension-null-types", "extension com.acme.nothing: 5 operand types at"},
        {"extension-no-part", "extension com.acme.fft: partial_extensions has 2, needs 0 or 1"},
        {"extension-null", "describe: 3 extensions at"},
        {"extension-many", "describe: 4294967295 extensions at"},
        {"capabilities-fail", "capabilities failed with unknown status (77)"},
        {"capabilities-size", "capabilities: struct_size is 0, needs 64 to 64"},
        {"figures-descend", "operand type 3 follows type 5, the types must ascend"},
        {"figures-equal", "operand type 3 follows type 3, the types must ascend"},
        {"figures-zero", "operand type 3 has exec_time 0, power_usage 1"},
        {"figures-nan", "operand type 5 has exec_time 1, power_usage nan"},
        {"figures-model", "operand type 15 cannot have performance figures"},
        {"figures-null", "capabilities: 2 operand types at"},
        {"figures-many", "capabilities: 4294967295 operand types at"},
        {"while-infinite", "while_overhead has exec_time inf"},
    };
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "{\"fault\":\"%s\"}", cases[i].fault);
        if (!open_with(&fixture, arguments))
            continue;
        EXPECT_INT(hy_plugins_device_count(fixture.plugins), 0);
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), cases[i].reason);
    }
    plugin_fixture_finish(&fixture);
}

TEST(faulty_drivers, device_count_has_limits)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    if (open_with(&fixture, "{\"devices\":0}"))
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "device_count is 0, needs 1 to 64");
    if (open_with(&fixture, "{\"devices\":4000000000}"))
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "device_count is 4000000000");
    plugin_fixture_finish(&fixture);
}

TEST(faulty_drivers, one_bad_device_does_not_harm_its_neighbours)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    if (open_with(&fixture, "{\"devices\":3,\"faulty\":1,\"fault\":\"type-0\"}")) {
        EXPECT_STR(plugin_fixture_names(&fixture), "faulty-0 faulty-2 ");
        EXPECT_STR(plugin_fixture_reason(&fixture), "device 1: describe: type is 0, needs 1 to 4");
    }
    plugin_fixture_finish(&fixture);
}

TEST(faulty_drivers, what_is_allowed_is_accepted)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    if (open_with(&fixture, "{\"fault\":\"extension-good\"}")) {
        REQUIRE(hy_plugins_device_count(fixture.plugins) == 1);
        const struct hy_device_info *info = hy_plugins_device(fixture.plugins, 0)->info;
        REQUIRE(info->extension_count == 1);
        EXPECT_STR(info->extensions[0].name, "com.acme.fft");
        EXPECT_INT(info->extensions[0].operand_type_count, 2);
        EXPECT_INT(info->extensions[0].operand_types[1].byte_size, 8);
        EXPECT_INT(info->partial_extensions[0], 0);
    }
    if (open_with(&fixture, "{\"fault\":\"extension-part\"}")) {
        REQUIRE(hy_plugins_device_count(fixture.plugins) == 1);
        EXPECT_INT(hy_plugins_device(fixture.plugins, 0)->info->partial_extensions[0], 1);
    }
    plugin_fixture_finish(&fixture);
}
