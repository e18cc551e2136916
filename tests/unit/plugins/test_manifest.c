#include "plugins/discovery/manifest.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/plugin_fixture.h"

#include <stdlib.h>

#define HEAD "{\"file_format_version\":\"1.0.0\",\"driver\":{"
#define GOOD "\"library_path\":\"a.so\",\"abi\":\"1.0\""

static enum hy_code parse(const char *text, struct hy_manifest *manifest, struct hy_error *err)
{
    return hy_manifest_parse(text, strlen(text), "/m.json", &plugin_quiet_host, manifest, err);
}

TEST(manifest, tells_all_it_says)
{
    struct hy_manifest manifest = {0};
    struct hy_error err = {0};
    enum hy_code code = parse(HEAD GOOD ",\"priority\":-7,\"kind\":\"in-process\",\"name\":\"N\","
                                        "\"description\":\"D\",\"arguments\":{\"b\":[1, 2.5],"
                                        "\"a\":{\"y\":true,\"x\":null}}}}",
                              &manifest, &err);
    EXPECT_STR(err.text, "");
    REQUIRE(code == HY_OK);
    EXPECT_STR(manifest.library_path, "a.so");
    EXPECT_STR(manifest.name, "N");
    EXPECT_STR(manifest.description, "D");
    EXPECT_STR(manifest.arguments, "{\"a\":{\"x\":null,\"y\":true},\"b\":[1,2.5]}");
    EXPECT_INT(manifest.priority, -7);
    EXPECT_INT(manifest.abi, HY_ABI(1, 0));
    hy_manifest_finish(&manifest);
    EXPECT(!manifest.library_path);
}

TEST(manifest, needs_only_a_library_and_an_abi)
{
    struct hy_manifest manifest = {0};
    REQUIRE(parse(HEAD GOOD "}}", &manifest, NULL) == HY_OK);
    EXPECT_STR(manifest.arguments, "{}");
    EXPECT_STR(manifest.name, "");
    EXPECT_INT(manifest.priority, 0);
    hy_manifest_finish(&manifest);
}

TEST(manifest, isolate_asks_for_a_process_of_its_own)
{
    struct hy_manifest manifest = {0};
    REQUIRE(parse(HEAD GOOD "}}", &manifest, NULL) == HY_OK);
    EXPECT(!manifest.isolate);
    hy_manifest_finish(&manifest);
    REQUIRE(parse(HEAD GOOD ",\"isolate\":true}}", &manifest, NULL) == HY_OK);
    EXPECT(manifest.isolate);
    hy_manifest_finish(&manifest);
    REQUIRE(parse(HEAD GOOD ",\"isolate\":false}}", &manifest, NULL) == HY_OK);
    EXPECT(!manifest.isolate);
    hy_manifest_finish(&manifest);
}

TEST(manifest, kind_says_how_the_library_is_used)
{
    static const struct {
        const char *text;
        enum hy_manifest_kind kind;
        uint32_t abi;
    } cases[] = {
        {HEAD GOOD "}}", HY_MANIFEST_IN_PROCESS, HY_ABI(1, 0)},
        {HEAD GOOD ",\"kind\":\"in-process\"}}", HY_MANIFEST_IN_PROCESS, HY_ABI(1, 0)},
        {HEAD GOOD ",\"kind\":\"nnapi-sl\"}}", HY_MANIFEST_NNAPI_SL, HY_ABI(1, 0)},
        {HEAD "\"library_path\":\"a.so\",\"kind\":\"nnapi-sl\"}}", HY_MANIFEST_NNAPI_SL,
         HY_DRIVER_ABI},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_manifest manifest = {0};
        EXPECT_INT(parse(cases[i].text, &manifest, NULL), HY_OK);
        EXPECT_INT(manifest.kind, cases[i].kind);
        EXPECT_INT(manifest.abi, cases[i].abi);
        hy_manifest_finish(&manifest);
    }
}

TEST(manifest, wrong_ones_are_refused_with_the_member_that_is_wrong)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "manifest is not JSON: line 1"},
        {"{", "manifest is not JSON"},
        {"\xff\xfe", "manifest is not JSON"},
        {"{\"driver\":1,\"driver\":2}", "duplicate object key"},
        {HEAD GOOD "}} x", "manifest is not JSON: line 1"},
        {"[]", "manifest is an array, needs an object"},
        {"{}", "file_format_version is missing"},
        {"{\"file_format_version\":1}", "file_format_version is an integer, needs a string"},
        {"{\"file_format_version\":\"1.0\"}", "file_format_version is \"1.0\", needs"},
        {"{\"file_format_version\":\"1.0.x\"}", "file_format_version is \"1.0.x\", needs"},
        {"{\"file_format_version\":\"1.0.99999999999999\"}", "file_format_version is"},
        {"{\"file_format_version\":\"2.0.0\"}", "file_format_version is 2.0.0, needs 1.x"},
        {"{\"file_format_version\":\"1.9.0\"}", "driver is missing"},
        {"{\"file_format_version\":\"1.0.0\",\"driver\":[]}", "driver is an array"},
        {HEAD "}}", "library_path is missing"},
        {HEAD "\"library_path\":null}}", "library_path is null, needs a string"},
        {HEAD "\"library_path\":\"\"}}", "library_path is empty"},
        {HEAD "\"library_path\":\"a\\u0000b\"}}", "manifest is not JSON"},
        {HEAD "\"library_path\":\"a.so\"}}", "abi is missing"},
        {HEAD "\"library_path\":\"a.so\",\"abi\":0.1}}", "abi is a real number, needs a string"},
        {HEAD "\"library_path\":\"a.so\",\"abi\":\"0\"}}", "abi is \"0\", needs"},
        {HEAD "\"library_path\":\"a.so\",\"abi\":\"0.1 \"}}", "abi is \"0.1 \", needs"},
        {HEAD "\"library_path\":\"a.so\",\"abi\":\"0.65536\"}}", "abi is \"0.65536\", needs"},
        {HEAD GOOD ",\"priority\":\"1\"}}", "priority is a string, needs an integer"},
        {HEAD GOOD ",\"priority\":1.5}}", "priority is a real number"},
        {HEAD GOOD ",\"priority\":1001}}", "priority is 1001, needs -1000 to 1000"},
        {HEAD GOOD ",\"priority\":99999999999999999999}}", "manifest is not JSON"},
        {HEAD GOOD ",\"kind\":true}}", "kind is a boolean, needs a string"},
        {HEAD GOOD ",\"kind\":\"service\"}}", "kind is \"service\""},
        {HEAD GOOD ",\"kind\":\"kernel\"}}", "kind is \"kernel\", needs \"in-process\""},
        {HEAD "\"library_path\":\"a.so\",\"kind\":\"nnapi-sl\",\"abi\":\"x\"}}",
         "abi is \"x\", needs"},
        {HEAD GOOD ",\"name\":7}}", "name is an integer"},
        {HEAD GOOD ",\"name\":\"a\\nb\"}}", "name has a control character"},
        {HEAD GOOD ",\"description\":{}}}", "description is an object"},
        {HEAD GOOD ",\"arguments\":[]}}", "arguments is an array, needs an object"},
        {HEAD GOOD ",\"isolate\":1}}", "isolate is an integer, needs a boolean"},
        {HEAD GOOD ",\"capabilities\":\"sys_nice\"}}", "capabilities is a string, needs an array"},
        {HEAD GOOD ",\"capabilities\":[3]}}", "capabilities[0] is an integer, needs a string"},
        {HEAD GOOD ",\"capabilities\":[\"sys_nice\",\"sys_admin\"]}}",
         "capabilities[1] is \"sys_admin\", needs \"ipc_lock\" or \"sys_nice\""},
        {HEAD GOOD ",\"device_files\":\"/dev/x\"}}", "device_files is a string, needs an array"},
        {HEAD GOOD ",\"device_files\":[\"/dev/x\",7]}}", "device_files[1] is an integer"},
        {HEAD GOOD ",\"device_files\":[\"dev/x\"]}}", "device_files[0] is \"dev/x\", needs"},
        {HEAD GOOD ",\"device_files\":[\"/dev/\\n\"]}}", "device_files[0] is \"?\", needs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_manifest manifest = {0};
        struct hy_error err = {0};
        EXPECT_INT(parse(cases[i].text, &manifest, &err), HY_BAD_DATA);
        EXPECT_CONTAINS(err.text, cases[i].reason);
        EXPECT(!manifest.library_path && !manifest.arguments);
    }
}

TEST(manifest, device_files_are_those_that_a_process_of_its_own_may_open)
{
    struct hy_manifest manifest = {0};
    REQUIRE(parse(HEAD GOOD ",\"device_files\":[\"/dev/npu0\",\"/dev/dri\"]}}", &manifest, NULL) ==
            HY_OK);
    REQUIRE(manifest.device_file_count == 2);
    EXPECT_STR(manifest.device_files[0], "/dev/npu0");
    EXPECT_STR(manifest.device_files[1], "/dev/dri");
    hy_manifest_finish(&manifest);
    REQUIRE(parse(HEAD GOOD ",\"device_files\":[]}}", &manifest, NULL) == HY_OK);
    EXPECT_INT(manifest.device_file_count, 0);
    EXPECT(!manifest.device_files);
    hy_manifest_finish(&manifest);
}

TEST(manifest, capabilities_are_those_that_a_process_of_its_own_keeps)
{
    struct hy_manifest manifest;
    REQUIRE(parse(HEAD GOOD "}}", &manifest, NULL) == HY_OK);
    EXPECT_INT(manifest.capabilities, 0);
    hy_manifest_finish(&manifest);
    REQUIRE(parse(HEAD GOOD ",\"capabilities\":[\"sys_nice\"]}}", &manifest, NULL) == HY_OK);
    EXPECT_INT(manifest.capabilities, HY_MANIFEST_SYS_NICE);
    hy_manifest_finish(&manifest);
    REQUIRE(parse(HEAD GOOD ",\"capabilities\":[\"ipc_lock\",\"sys_nice\",\"ipc_lock\"]}}",
                  &manifest, NULL) == HY_OK);
    EXPECT_INT(manifest.capabilities, HY_MANIFEST_CAPABILITIES);
    hy_manifest_finish(&manifest);
}

TEST(manifest, more_device_files_than_there_may_be_are_refused)
{
    char text[2048] = HEAD GOOD ",\"device_files\":[\"/dev/0\"";
    struct hy_manifest manifest = {0};
    struct hy_error err = {0};

    for (int i = 1; i <= 64; i++)
        strcat(text, ",\"/dev/1\"");
    strcat(text, "]}}");
    EXPECT_INT(parse(text, &manifest, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "device_files has 65 entries, at most 64");
}

TEST(manifest, unknown_members_are_ignored_with_a_warning_that_names_what_was_meant)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    struct hy_manifest manifest = {0};
    const char *text = "{\"comment\":1,\"file_format_version\":\"1.7.0\",\"driver\":{" GOOD
                       ",\"colour\":\"\\u001bblue\",\"prioritiy\":3}}";
    EXPECT_INT(hy_manifest_parse(text, strlen(text), "/m.json", &fixture.host, &manifest, NULL),
               HY_OK);
    EXPECT_CONTAINS(fixture.log, "/m.json: unknown member \"comment\" ignored");
    EXPECT_CONTAINS(fixture.log, "/m.json: unknown member driver.\"colour\" ignored\n");
    EXPECT_CONTAINS(fixture.log, "driver.\"prioritiy\" ignored; did you mean \"priority\"?");
    hy_manifest_finish(&manifest);
    plugin_fixture_finish(&fixture);
}

TEST(manifest, nesting_has_a_limit)
{
    for (unsigned depth = 10; depth <= 3000; depth = depth < 20 ? depth + 1 : depth * 2) {
        char text[8192] = HEAD GOOD ",\"arguments\":{\"a\":";
        memset(text + strlen(text), '[', depth);
        memset(text + strlen(text), ']', depth);
        strcat(text, "}}}");
        struct hy_manifest manifest = {0};
        /* The root, the driver and the arguments are three levels by themselves. */
        EXPECT_INT(parse(text, &manifest, NULL),
                   depth + 3 <= HY_MANIFEST_MAX_DEPTH ? HY_OK : HY_BAD_DATA);
        hy_manifest_finish(&manifest);
    }
}

TEST(manifest, texts_have_limits)
{
    char text[8192], name[5001];
    for (size_t length = 254; length < 258; length++) {
        memset(name, 'n', length);
        name[length] = '\0';
        snprintf(text, sizeof text, HEAD GOOD ",\"name\":\"%s\"}}", name);
        struct hy_manifest manifest = {0};
        EXPECT_INT(parse(text, &manifest, NULL), length <= 255 ? HY_OK : HY_BAD_DATA);
        hy_manifest_finish(&manifest);
    }
    memset(name, 'n', 5000);
    name[5000] = '\0';
    snprintf(text, sizeof text, HEAD "\"library_path\":\"%s\",\"abi\":\"1.0\"}}", name);
    struct hy_manifest manifest = {0};
    struct hy_error err = {0};
    EXPECT_INT(parse(text, &manifest, &err), HY_BAD_DATA);
    EXPECT_STR(err.text, "library_path has 5000 bytes, at most 4095 are allowed");
}

TEST(manifest, files_have_a_limit)
{
    struct plugin_fixture fixture;
    REQUIRE(plugin_fixture_init(&fixture));
    char *text = malloc(HY_MANIFEST_MAX_BYTES + 2);
    REQUIRE(text);
    for (size_t size = HY_MANIFEST_MAX_BYTES; size <= HY_MANIFEST_MAX_BYTES + 1; size++) {
        strcpy(text, HEAD GOOD "}}");
        memset(text + strlen(text), ' ', size - strlen(text));
        text[size] = '\0';
        plugin_fixture_write(&fixture, "a.json", text);
        struct hy_manifest manifest = {0};
        struct hy_error err = {0};
        enum hy_code code = hy_manifest_read(plugin_fixture_path(&fixture, "a.json"), &fixture.host,
                                             &manifest, &err);
        EXPECT_INT(code, size <= HY_MANIFEST_MAX_BYTES ? HY_OK : HY_BAD_DATA);
        if (code != HY_OK)
            EXPECT_STR(err.text, "manifest has 65537 bytes, at most 65536 are allowed");
        hy_manifest_finish(&manifest);
    }
    free(text);
    plugin_fixture_finish(&fixture);
}
