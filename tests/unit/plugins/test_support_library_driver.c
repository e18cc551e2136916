/* Opening a support library: its table, its devices, and what they say of themselves. */
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/support_library_fixture.h"

#include <android/NeuralNetworks.h>
#include <dlfcn.h>

TEST(support_library_driver, device_says_what_the_library_says)
{
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    fixture.fake->device_type = ANEURALNETWORKS_DEVICE_ACCELERATOR;
    fixture.fake->device_level = ANEURALNETWORKS_FEATURE_LEVEL_4;
    fixture.fake->figure_count = 3;
    fixture.fake->extension_types = 2;
    REQUIRE(sl_fixture_open(&fixture, "{}") && fixture.table);

    const struct hy_plugin_device *device = hy_plugins_device(fixture.plugins.plugins, 0);
    EXPECT_STR(device->info->name, "fake-npu");
    EXPECT_STR(device->info->version, "9.1");
    EXPECT_INT(device->info->type, HY_DEVICE_ACCELERATOR);
    EXPECT_INT(device->info->feature_level, 4);
    EXPECT_INT(device->info->model_cache_files, 2);
    EXPECT_INT(device->info->data_cache_files, 1);
    EXPECT_STR(device->library, FAKE_SUPPORT_LIBRARY_PATH);
    REQUIRE(device->info->extension_count == 1);
    const struct hy_extension *extension = device->info->extensions;
    EXPECT_STR(extension->name, "com.acme.fft");
    EXPECT_INT(device->info->partial_extensions[0], 0); /* these know no parts */
    REQUIRE(extension->operand_type_count == 2);
    EXPECT_INT(extension->operand_types[1].byte_size, 8);
    EXPECT_INT(extension->operand_types[1].is_tensor, 0);

    const struct hy_capabilities *capabilities = device->capabilities;
    REQUIRE(capabilities->operand_count == 3); /* in ascending order, whatever the library's */
    EXPECT_INT(capabilities->operands[0].type, 0);
    EXPECT(capabilities->operands[0].performance.exec_time == 1);
    EXPECT(capabilities->operands[2].performance.power_usage == 6);
    EXPECT(capabilities->relaxed_scalar.exec_time == .25f);
    EXPECT(capabilities->relaxed_tensor.exec_time == 1.25f);
    EXPECT(capabilities->if_overhead.power_usage == 2.5f);
    EXPECT(capabilities->while_overhead.power_usage == 3.5f);
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, levels_and_types_are_translated)
{
    static const struct {
        int64_t level;
        uint32_t number;
    } cases[] = {
        {27, 1}, {31, 5}, {1000006, 6}, {1000008, 8}, {1000009, 8}, {INT32_MAX, 8},
    };
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture.fake->device_level = cases[i].level;
        REQUIRE(sl_fixture_open(&fixture, "{}") && fixture.table);
        const struct hy_device_info *info = hy_plugins_device(fixture.plugins.plugins, 0)->info;
        EXPECT_INT(info->feature_level, cases[i].number);
        EXPECT_INT(info->type, HY_DEVICE_OTHER); /* unknown there */
    }
    fixture.fake->device_level = 32;
    sl_fixture_expect_refusal(&fixture, "describe: feature_level is 0, needs 1 to 8");
    fixture.fake->device_level = 0;
    fixture.fake->device_type = 5;
    sl_fixture_expect_refusal(&fixture, "describe: type is 5, needs 1 to 4");
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, every_device_of_the_library_is_one)
{
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    fixture.fake->device_count = 3;
    REQUIRE(sl_fixture_open(&fixture, "{}"));
    EXPECT_STR(plugin_fixture_names(&fixture.plugins), "fake-npu fake-npu-1 fake-npu-2 ");
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, names_get_the_prefix_of_the_manifest)
{
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    fixture.fake->device_count = 2;
    REQUIRE(sl_fixture_open(&fixture, "{\"device_prefix\":\"acme-\"}"));
    EXPECT_STR(plugin_fixture_names(&fixture.plugins), "acme-fake-npu acme-fake-npu-1 ");
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, wrong_arguments_are_refused)
{
    static const struct {
        const char *arguments, *reason;
    } cases[] = {
        {"{\"device_prefix\":7}", "arguments: device_prefix is not a string"},
        {"{\"devise_prefix\":\"a\"}", "arguments: \"devise_prefix\" is unknown"},
        {"{\"device_prefix\":\"0123456789012345678901234567890123456789012345678901234567890123"
         "4\"}",
         "arguments: device_prefix has 65 bytes, at most 64 are allowed"},
    };
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        REQUIRE(sl_fixture_open(&fixture, cases[i].arguments));
        EXPECT(!fixture.table);
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture.plugins), cases[i].reason);
    }
    sl_fixture_finish(&fixture);
}

/* ---- The table ------------------------------------------------------------------------------- */

TEST(support_library_driver, every_missing_function_is_named)
{
    static const char *const members[] = {
#define LEVEL_5(member, function) #member,
#define LEVEL_8(member, function) #member,
#include "tests/unit/plugins/kit/fake_support_library_members.def"
    };
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char reason[128];
        snprintf(reason, sizeof reason, "the table of the library has NULL for %s", members[i]);
        fixture.fake->missing = members[i];
        sl_fixture_expect_refusal(&fixture, reason);
    }
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, tables_of_lower_levels_lack_the_functions_of_level_8)
{
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    fixture.fake->missing = "ANeuralNetworksCompilation_addExtensionAttribute";
    for (int64_t level = 1000005; level < 1000008; level++) {
        fixture.fake->level = level == 1000005 ? ANEURALNETWORKS_FEATURE_LEVEL_5 : level;
        EXPECT(sl_fixture_open(&fixture, "{}") && fixture.table);
    }
    fixture.fake->level = 1000009; /* read as one of level 8 */
    sl_fixture_expect_refusal(&fixture, "NULL for ANeuralNetworksCompilation_addExtension");
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, tables_of_no_level_are_refused)
{
    static const int64_t feature_levels[] = {-1, 5, 27, 30, 32, 1000005, INT64_MIN};
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    for (size_t i = 0; i < sizeof feature_levels / sizeof *feature_levels; i++) {
        char reason[128];
        snprintf(reason, sizeof reason, "implFeatureLevel of the library is %lld, needs 31, or",
                 (long long)feature_levels[i]);
        fixture.fake->level = feature_levels[i];
        sl_fixture_expect_refusal(&fixture, reason);
    }
    fixture.fake->without_table = true;
    sl_fixture_expect_refusal(&fixture, "ANeuralNetworks_getSLDriverImpl returned NULL");
    sl_fixture_finish(&fixture);
}

static void function_of_this_program(void)
{
}

TEST(support_library_driver, tables_that_lead_back_to_the_runtime_are_refused)
{
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    fixture.fake->foreign = "ANeuralNetworksModel_free";
    fixture.fake->foreign_function = function_of_this_program;
    sl_fixture_expect_refusal(
        &fixture,
        "ANeuralNetworksModel_free in the table of the library is this runtime's function");
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, library_without_the_entry_point_is_refused)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    plugin_fixture_write(&fixture, "a.json",
                         "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":"
                         "\"" FAULTY_DRIVER_PATH "\",\"kind\":\"nnapi-sl\"}}");
    fixture.discovery.driver_files = plugin_fixture_path(&fixture, "a.json");
    if (plugin_fixture_open(&fixture))
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "ANeuralNetworks_getSLDriverImpl");
    plugin_fixture_finish(&fixture);
}

TEST(support_library_driver, library_may_be_a_driver_of_another_kind_as_well)
{
    static const char *const kinds[] = {"in-process", "nnapi-sl"};
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    for (size_t i = 0; i < 2; i++) {
        char text[1024], name[16];
        snprintf(name, sizeof name, "d/%zu.json", i);
        snprintf(text, sizeof text,
                 "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
                 "\"kind\":\"%s\",\"abi\":\"1.0\"}}",
                 FAKE_SUPPORT_LIBRARY_PATH, kinds[i]);
        plugin_fixture_write(&fixture.plugins, name, text);
    }
    fixture.plugins.discovery.driver_files = plugin_fixture_path(&fixture.plugins, "d");
    REQUIRE(plugin_fixture_open(&fixture.plugins));
    EXPECT_STR(plugin_fixture_names(&fixture.plugins), "fake-npu ");
    EXPECT_CONTAINS(plugin_fixture_reason(&fixture.plugins), "hy_driver_query");
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, second_halyard_is_told_to_open_no_drivers)
{
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    REQUIRE(sl_fixture_open(&fixture, "{}"));
    EXPECT_INT(fixture.fake->drivers_disabled, 1);
    sl_fixture_finish(&fixture);
}

/* ---- Answers about devices ------------------------------------------------------------------- */

TEST(support_library_driver, failing_lists_of_devices_are_refused)
{
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    fixture.fake->faulty_call = "getDeviceCount";
    fixture.fake->result = ANEURALNETWORKS_OUT_OF_MEMORY; /* theirs, not ours */
    sl_fixture_expect_refusal(&fixture, "getDeviceCount returned OUT_OF_MEMORY (1)");
    fixture.fake->result = 99;
    sl_fixture_expect_refusal(&fixture, "getDeviceCount returned the unknown result code 99");
    fixture.fake->makes_nothing = true;
    sl_fixture_expect_refusal(&fixture, "getDeviceCount returned 0, needs 1 to 64");
    fixture.fake->faulty_call = "getDevice";
    sl_fixture_expect_refusal(&fixture, "device 0: getDevice returned NO_ERROR without an object");
    fixture.fake->faulty_call = NULL;
    fixture.fake->device_count = 65;
    sl_fixture_expect_refusal(&fixture, "getDeviceCount returned 65, needs 1 to 64");
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, failing_question_costs_its_device_alone)
{
    static const char *const calls[] = {
        "Device_getName",
        "Device_getVersion",
        "Device_getType",
        "Device_getFeatureLevel",
        "Device_getNumberOfCacheFilesNeeded",
        "Device_getVendorExtensionCount",
        "Device_getVendorExtensionName",
        "Device_forEachVendorExtensionOperandTypeInformation",
        "Device_forEachOperandPerformanceInfo",
        "Device_getPerformanceInfo",
    };
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    fixture.fake->device_count = 2;
    fixture.fake->bad_device = 1;
    fixture.fake->extension_types = 1;
    fixture.fake->result = ANEURALNETWORKS_OP_FAILED;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char line[128];
        snprintf(line, sizeof line, "%s returned OP_FAILED (5)", calls[i]);
        fixture.fake->faulty_call = calls[i];
        REQUIRE(sl_fixture_open(&fixture, "{}"));
        EXPECT_STR(plugin_fixture_names(&fixture.plugins), "fake-npu ");
        EXPECT_STR(plugin_fixture_reason(&fixture.plugins),
                   "device 1: describe failed with GENERAL_FAILURE (2)");
        EXPECT_CONTAINS(fixture.plugins.log, line);
    }
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, answers_that_make_nothing_are_refused)
{
    static const struct {
        const char *call, *reason;
    } cases[] = {
        {"Device_getName", "describe failed with GENERAL_FAILURE (2)"},
        {"Device_getVendorExtensionName", "describe failed with GENERAL_FAILURE (2)"},
        {"Device_getVersion", "describe: version is NULL"},
        {"Device_getPerformanceInfo", "relaxed_scalar has exec_time 0, power_usage 0"},
    };
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    fixture.fake->makes_nothing = true;
    fixture.fake->extension_types = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture.fake->faulty_call = cases[i].call;
        sl_fixture_expect_refusal(&fixture, cases[i].reason);
    }
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, lists_without_an_end_are_refused)
{
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    fixture.fake->figure_count = 257;
    sl_fixture_expect_refusal(&fixture, "describe failed");
    EXPECT_CONTAINS(fixture.plugins.log, "figures for 257 operand types, at most 256 are allowed");
    fixture.fake->figure_count = 0;
    fixture.fake->extension_types = 65537;
    sl_fixture_expect_refusal(&fixture, "describe failed");
    EXPECT_CONTAINS(fixture.plugins.log, "extension 0 has 65537 operand types, at most 65536");
    sl_fixture_finish(&fixture);
}

TEST(support_library_driver, wait_is_the_librarys)
{
    struct sl_fixture fixture;
    REQUIRE(sl_fixture_init(&fixture));
    REQUIRE(sl_fixture_open(&fixture, "{}") && fixture.table);
    EXPECT_INT(fixture.table->wait(fixture.device, HY_NO_DEADLINE), HY_STATUS_OK);
    EXPECT_CONTAINS(fixture.fake->log, "Device_wait");
    EXPECT_INT(fixture.table->wait(fixture.device, 1), HY_STATUS_MISSED_DEADLINE_PERSISTENT);
    fixture.fake->faulty_call = "Device_wait";
    fixture.fake->result = ANEURALNETWORKS_DEAD_OBJECT;
    EXPECT_INT(fixture.table->wait(fixture.device, HY_NO_DEADLINE), HY_STATUS_DEAD_OBJECT);
    sl_fixture_finish(&fixture);
}
