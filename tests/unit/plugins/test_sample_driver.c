#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/sample_fixture.h"

TEST(sample_driver, is_found_through_its_manifest_and_describes_itself)
{
    struct sample_fixture fixture;
    if (sample_fixture_init(&fixture)) {
        const struct hy_plugin_device *device = hy_plugins_device(fixture.plugins.plugins, 0);
        EXPECT_STR(device->info->name, "halyard-sample");
        EXPECT_INT(device->info->type, HY_DEVICE_ACCELERATOR);
        EXPECT_INT(device->info->feature_level, 8);
        EXPECT_INT(hy_plugins_refusal_count(fixture.plugins.plugins), 0);
        REQUIRE(device->capabilities->operand_count == 2);
        EXPECT_INT(device->capabilities->operands[0].type, ANEURALNETWORKS_TENSOR_FLOAT32);
        EXPECT_INT(device->capabilities->operands[1].type,
                   ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED);
        EXPECT(device->capabilities->operands[1].performance.exec_time == 0.5f);
    }
    sample_fixture_finish(&fixture);
}

/* Opens the sample driver with arguments of the test's own. */
static bool open_with(struct plugin_fixture *fixture, const char *arguments)
{
    plugin_fixture_manifest(fixture, "a.json", SAMPLE_DRIVER_PATH, arguments, 0);
    fixture->discovery.driver_files = plugin_fixture_path(fixture, "a.json");
    return plugin_fixture_open(fixture);
}

TEST(sample_driver, arguments_choose_name_operations_and_speed)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    if (open_with(&fixture, "{\"speed\": 2, \"name\":\"mine\", \"operations\":[]}")) {
        EXPECT_STR(plugin_fixture_names(&fixture), "mine ");
        EXPECT(
            hy_plugins_device(fixture.plugins, 0)->capabilities->operands->performance.exec_time ==
            2.0f);
    }
    if (open_with(&fixture, "{\"speed\":0.125}"))
        EXPECT(
            hy_plugins_device(fixture.plugins, 0)->capabilities->operands->performance.exec_time ==
            0.125f);
    if (open_with(&fixture, "{}"))
        EXPECT_STR(plugin_fixture_names(&fixture), "halyard-sample ");
    plugin_fixture_finish(&fixture);
}

TEST(sample_driver, appears_once_per_manifest)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    plugin_fixture_manifest(&fixture, "d/a.json", SAMPLE_DRIVER_PATH,
                            "{\"name\":\"one\",\"operations\":[\"ADD\"]}", 0);
    plugin_fixture_manifest(&fixture, "d/b.json", SAMPLE_DRIVER_PATH,
                            "{\"name\":\"two\",\"operations\":[\"SOFTMAX\",\"ADD\"]}", 0);
    fixture.discovery.driver_files = plugin_fixture_path(&fixture, "d");
    if (plugin_fixture_open(&fixture))
        EXPECT_STR(plugin_fixture_names(&fixture), "one two ");
    plugin_fixture_finish(&fixture);
}

TEST(sample_driver, arguments_it_does_not_know_are_refused)
{
    static const struct {
        const char *arguments, *reason;
    } cases[] = {
        {"{\"colour\":\"red\"}", "arguments.colour is unknown"},
        {"{\"name\":\"\"}", "arguments.name needs a plain string"},
        {"{\"name\":7}", "arguments.name needs a plain string"},
        {"{\"name\":\"a\\\"b\"}", "arguments.name needs a plain string"},
        {"{\"name\":\"0123456789012345678901234567890123456789012345678901234567890123\"}",
         "1 to 63 bytes"},
        {"{\"operations\":\"ADD\"}", "arguments.operations needs an array"},
        {"{\"operations\":[\"ADD\",\"CONV_2D\"]}", "\"CONV_2D\" is not known to this driver"},
        {"{\"operations\":[1]}", "\"\" is not known to this driver"},
        {"{\"types\":[\"TENSOR_INT32\"]}",
         "arguments.types: \"TENSOR_INT32\" is not known to this driver"},
        {"{\"types\":\"TENSOR_FLOAT32\"}", "arguments.types needs an array"},
        {"{\"power\":0}", "arguments.power needs a number above 0"},
        {"{\"launch_ns\":-1}", "arguments.launch_ns needs a number from 0"},
        {"{\"bytes_per_second\":2000000000000000}", "arguments.bytes_per_second needs"},
        {"{\"compile\":\"soon\"}", "arguments.compile: \"soon\" is not known to this driver"},
        {"{\"compile\":1}", "arguments.compile: \"\" is not known to this driver"},
        {"{\"late\":\"never\"}", "arguments.late: \"never\" is not known to this driver"},
        {"{\"cache_files\":33}", "arguments.cache_files needs a number from 0 to 32"},
        {"{\"cache_files\":-1}", "arguments.cache_files needs"},
        {"{\"speed\":0}", "arguments.speed needs a number above 0"},
        {"{\"speed\":-1}", "arguments.speed needs"},
        {"{\"speed\":1001}", "arguments.speed needs"},
        {"{\"speed\":1e-9}", "arguments.speed needs"},
        {"{\"speed\":\"fast\"}", "arguments.speed needs"},
        {"{\"a name that is longer than the forty-eight bytes of a setting\":0}",
         "unknown or empty name"},
    };
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!open_with(&fixture, cases[i].arguments))
            continue;
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), "create failed with INVALID_ARGUMENT");
        EXPECT_CONTAINS(plugin_fixture_reason(&fixture), cases[i].reason);
    }
    plugin_fixture_finish(&fixture);
}

TEST(sample_driver, announces_the_cache_files_that_its_arguments_ask_for)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    if (open_with(&fixture, "{}")) {
        EXPECT_INT(hy_plugins_device(fixture.plugins, 0)->info->model_cache_files, 0);
        EXPECT_INT(hy_plugins_device(fixture.plugins, 0)->info->data_cache_files, 0);
    }
    if (open_with(&fixture, "{\"cache_files\":32,\"compile\":\"at_prepare\"}")) {
        EXPECT_INT(hy_plugins_device(fixture.plugins, 0)->info->model_cache_files, 1);
        EXPECT_INT(hy_plugins_device(fixture.plugins, 0)->info->data_cache_files, 32);
    }
    plugin_fixture_finish(&fixture);
}
