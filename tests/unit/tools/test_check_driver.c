/* What check-driver says of correct drivers, and how it says it. */
#include <stdlib.h>
#include <string.h>

#include "tests/kit/test.h"
#include "tests/unit/tools/kit/check_driver_run.h"

static void expect_clean(const char *manifest, const char *device)
{
    struct command_run run =
        RUN("check-driver", manifest, "--json", "--vectors", VECTORS_DIR "/add.json");
    EXPECT_INT(run.status, 0);
    struct check_run check = {.json = command_run_json(&run)};
    const json_t *groups = json_object_get(check.json, "groups");
    EXPECT_STR(check_run_broken(&check), "");
    EXPECT_STR(json_string_value(json_object_get(json_array_get(groups, 1), "device")), device);
    EXPECT(json_integer_value(json_object_get(json_array_get(groups, 1), "supported_models")) > 0);
    EXPECT_STR(check_run_result(&check, "B19"), "ok");
    EXPECT_STR(check_run_result(&check, "V1"), "ok");
    check_run_finish(&check);
    command_run_finish(&run);
}

TEST(check_driver_passes, the_sample_driver_and_its_family)
{
    static const struct {
        const char *path, *device;
    } manifests[] = {
        {SAMPLE_MANIFEST_DIR "/sample_driver.json", "halyard-sample"},
        {SAMPLE_FAMILY_DIR "/compiled.json", "halyard-sample-compiled"},
        {SAMPLE_FAMILY_DIR "/descriptors.json", "halyard-sample-descriptors"},
        {SAMPLE_FAMILY_DIR "/extension.json", "halyard-sample-extension"},
        {SAMPLE_FAMILY_DIR "/float_fast.json", "halyard-sample-float-fast"},
        {SAMPLE_FAMILY_DIR "/float_slow.json", "halyard-sample-float-slow"},
        {SAMPLE_FAMILY_DIR "/just_in_time.json", "halyard-sample-just-in-time"},
        {SAMPLE_FAMILY_DIR "/minimal.json", "halyard-sample-minimal"},
        {SAMPLE_FAMILY_DIR "/quantised.json", "halyard-sample-quantised"},
        {SAMPLE_FAMILY_DIR "/recurrent.json", "halyard-sample-recurrent"},
        {SAMPLE_FAMILY_DIR "/self_caching.json", "halyard-sample-self-caching"},
    };
    for (size_t i = 0; i < sizeof manifests / sizeof *manifests; i++)
        expect_clean(manifests[i].path, manifests[i].device);
}

/* A device that caches by itself is looked at like any other, and its blobs are taken from it. */
TEST(check_driver_passes, the_blobs_of_the_sample_driver)
{
    struct command_run run = RUN("check-driver", SAMPLE_FAMILY_DIR "/self_caching.json", "--json",
                                 "--vectors", VECTORS_DIR "/fully_connected.json");
    struct check_run check = {.json = command_run_json(&run)};
    EXPECT_STR(check_run_broken(&check), "");
    EXPECT_STR(check_run_result(&check, "B41"), "ok");
    check_run_finish(&check);
    command_run_finish(&run);
}

/* Caching is looked at where a device caches, in each of the ways there are. */
TEST(check_driver_passes, the_caches_of_the_sample_driver)
{
    static const char *const manifests[] = {SAMPLE_FAMILY_DIR "/compiled.json",
                                            SAMPLE_FAMILY_DIR "/descriptors.json",
                                            SAMPLE_FAMILY_DIR "/just_in_time.json"};
    static const char *const rules[] = {"B24", "B30", "B31", "B32"};
    for (size_t i = 0; i < sizeof manifests / sizeof *manifests; i++) {
        struct command_run run = RUN("check-driver", manifests[i], "--json", "--vectors",
                                     VECTORS_DIR "/fully_connected.json");
        struct check_run check = {.json = command_run_json(&run)};
        EXPECT_STR(check_run_broken(&check), "");
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
            EXPECT_STR(check_run_result(&check, rules[k]), "ok");
        check_run_finish(&check);
        command_run_finish(&run);
    }
}

/* Buffers too, with a layout of the device's own for LSTM and the plain one for the others. */
TEST(check_driver_passes, the_buffers_of_the_sample_driver)
{
    static const char *const rules[] = {"B23", "B33", "B34", "B35", "B36", "B37", "B38", "B39"};
    struct command_run run = RUN("check-driver", SAMPLE_FAMILY_DIR "/recurrent.json", "--json",
                                 "--vectors", VECTORS_DIR "/lstm.json");
    struct check_run check = {.json = command_run_json(&run)};
    EXPECT_STR(check_run_broken(&check), "");
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        EXPECT_STR(check_run_result(&check, rules[k]), "ok");
    check_run_finish(&check);
    command_run_finish(&run);
}

#ifdef XNNPACK_MANIFEST
TEST(check_driver_passes, the_xnnpack_driver)
{
    expect_clean(XNNPACK_MANIFEST, "xnnpack-cpu");
}
#endif

/* Bursts, reusable and fenced executions, and waiting, of all drivers that are shipped. */
TEST(check_driver_passes, the_ways_to_run_of_each_driver_that_is_shipped)
{
    static const char *const rules[] = {"B20", "B21", "B22", "B25"};
    static const char *const drivers[] = {
        SAMPLE_MANIFEST_DIR "/sample_driver.json",
        CPU_PLUGIN_PATH,
#ifdef XNNPACK_MANIFEST
        XNNPACK_MANIFEST,
#endif
    };
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        struct command_run run = RUN("check-driver", drivers[i], "--json");
        struct check_run check = {.json = command_run_json(&run)};
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
            EXPECT_STR(check_run_result(&check, rules[k]), "ok");
        check_run_finish(&check);
        command_run_finish(&run);
    }
}

/* All its structs are longer than the host's. */
TEST(check_driver_passes, a_driver_built_with_a_later_header)
{
    struct command_run run =
        RUN("check-driver", GROWN_SAMPLE_PATH, "--json", "--vectors", VECTORS_DIR "/add.json");
    struct check_run check = {.json = command_run_json(&run)};
    EXPECT_INT(run.status, 0);
    EXPECT_STR(check_run_broken(&check), "");
    EXPECT_STR(check_run_result(&check, "V1"), "ok");
    check_run_finish(&check);
    command_run_finish(&run);
}

/* Every rule is looked at where a driver has everything that is optional. */
TEST(check_driver_passes, a_driver_with_all_groups_skips_no_rule)
{
    struct command_run run = RUN("check-driver", FAULTY_DRIVER_PATH, "--json", "--arguments",
                                 "{\"full\":1}", "--vectors", VECTORS_DIR "/add.json");
    struct check_run check = {.json = command_run_json(&run)};
    EXPECT_INT(run.status, 0);
    EXPECT_STR(check_run_broken(&check), "");
    EXPECT_INT(json_integer_value(json_object_get(check.json, "skipped")), 0);
    check_run_finish(&check);
    command_run_finish(&run);
}

TEST(check_driver_passes, what_a_driver_does_not_have_is_skipped_with_a_reason)
{
    struct check_run run = check_run_library(FAULTY_DRIVER_PATH, NULL);
    EXPECT_INT(run.status, 0);
    EXPECT_STR(check_run_result(&run, "B20"), "skipped");
    EXPECT_CONTAINS(check_run_detail(&run, "B20"), "does not offer bursts");
    EXPECT_INT(json_integer_value(json_object_get(run.json, "skipped")), 19);
    check_run_finish(&run);
}

/* Built-in models do not stand in for vectors. */
TEST(check_driver_passes, without_vectors_that_it_takes_their_rule_is_skipped)
{
    struct check_run none = check_run_library(FAULTY_DRIVER_PATH, NULL);
    EXPECT_STR(check_run_result(&none, "V1"), "skipped");
    EXPECT_STR(check_run_detail(&none, "V1"), "no vectors were given");
    check_run_finish(&none);

    struct command_run run =
        RUN("check-driver", FAULTY_DRIVER_PATH, "--json", "--vectors", VECTORS_DIR "/softmax.json");
    struct check_run others = {.json = command_run_json(&run)};
    EXPECT_STR(check_run_result(&others, "V1"), "skipped");
    EXPECT_STR(check_run_detail(&others, "V1"), "the device supports none of the given vectors");
    check_run_finish(&others);
    command_run_finish(&run);
}

TEST(check_driver_passes, without_a_constant_their_rule_is_skipped)
{
    struct command_run run =
        RUN("check-driver", FAULTY_DRIVER_PATH, "--json", "--filter", "tiny_add_f32");
    struct check_run check = {.json = command_run_json(&run)};
    EXPECT_STR(check_run_result(&check, "B13"), "ok");
    EXPECT_STR(check_run_result(&check, "B26"), "skipped");
    EXPECT_CONTAINS(check_run_detail(&check, "B26"), "has a constant tensor");
    check_run_finish(&check);
    command_run_finish(&run);
}

TEST(check_driver_passes, vectors_of_a_folder_are_models_too)
{
    struct command_run run =
        RUN("check-driver", SAMPLE_MANIFEST_DIR "/sample_driver.json", "--vectors",
            VECTORS_DIR "/softmax.json", "--json", "--filter", "softmax*");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    const json_t *device = json_array_get(json_object_get(json, "groups"), 1);
    EXPECT(json_integer_value(json_object_get(device, "supported_models")) > 5);
    json_decref(json);
    command_run_finish(&run);
}

/* One of several devices is faulty, and only that one fails. */
TEST(check_driver_devices, each_is_checked_by_itself)
{
    static const char arguments[] = "{\"devices\":3,\"faulty\":1,\"fault\":\"wrong-values\"}";
    struct check_run all = check_run_library(FAULTY_DRIVER_PATH, arguments);
    EXPECT_INT(json_array_size(json_object_get(all.json, "groups")), 4);
    EXPECT_STR(check_run_broken(&all), "B8 ");
    check_run_finish(&all);

    struct command_run run =
        RUN("check-driver", FAULTY_DRIVER_PATH, "--arguments", arguments, "--device", "faulty-2");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "device faulty-2: supports 2 of");
    EXPECT(!strstr(run.out, "faulty-1"));
    command_run_finish(&run);
    run = RUN("check-driver", FAULTY_DRIVER_PATH, "--device", "nobody");
    EXPECT_INT(run.status, 2);
    EXPECT_CONTAINS(run.err, "no device nobody");
    command_run_finish(&run);
}

TEST(check_driver_reports, text_has_a_line_per_rule_and_counts)
{
    struct command_run run =
        RUN("check-driver", FAULTY_DRIVER_PATH, "--arguments", "{\"fault\":\"no-reason\"}");
    EXPECT_INT(run.status, 1);
    EXPECT_CONTAINS(run.out, "  ok      M1  the library loads");
    EXPECT_CONTAINS(
        run.out,
        "  FAILED  B2  supported_operations has a reason for every 0\n              tiny_");
    EXPECT_CONTAINS(run.out,
                    "  skipped B20 bursts compute the same: the device does not offer bursts");
    EXPECT_CONTAINS(run.out, "ok, 1 failed, ");
    command_run_finish(&run);
}

TEST(check_driver_reports, operations_have_counts_and_reasons)
{
    struct command_run run = RUN("check-driver", FAULTY_DRIVER_PATH);
    EXPECT_CONTAINS(run.out, "  ADD: supports 2 of 3; refused: ADD: only float32 tensors");
    EXPECT_CONTAINS(run.out, "  10 other operations: supports none of 10\n");
    command_run_finish(&run);

    struct check_run check = check_run_library(FAULTY_DRIVER_PATH, NULL);
    const json_t *device = json_array_get(json_object_get(check.json, "groups"), 1);
    const json_t *add = json_array_get(json_object_get(device, "operations"), 0);
    EXPECT_STR(json_string_value(json_object_get(add, "operation")), "ADD");
    EXPECT_INT(json_integer_value(json_object_get(add, "queried")), 3);
    EXPECT_INT(json_integer_value(json_object_get(add, "supported")), 2);
    EXPECT_INT(json_array_size(json_object_get(add, "reasons")), 1);
    check_run_finish(&check);
}

TEST(check_driver_reports, the_junit_report_has_a_case_per_rule)
{
    char dir[64], path[96];
    make_dir(dir);
    snprintf(path, sizeof path, "%s/report.xml", dir);
    struct command_run run = RUN("check-driver", FAULTY_DRIVER_PATH, "--junit", path, "--arguments",
                                 "{\"fault\":\"type-0\",\"name\":\"<a>\"}");
    size_t length = 0;
    char *xml = read_whole_file(path, &length);
    EXPECT_CONTAINS(xml, "failures=\"1\"");
    EXPECT_CONTAINS(xml, "<testcase classname=\"&lt;a>\" name=\"D6 ");
    EXPECT_CONTAINS(xml, "<failure message=\"type is 0");
    free(xml);
    command_run_finish(&run);
    remove_dir(dir);
}

TEST(check_driver_targets, what_is_no_driver_is_named)
{
    static const struct {
        const char *path, *arguments, *expected;
        int status;
    } cases[] = {
        {"/proc/nonexistent.so", "{}", "cannot read /proc/nonexistent.so", 1},
        {FAULTY_DRIVER_PATH, "[1]", "not a JSON object", 2},
        {FAULTY_DRIVER_PATH, "{", "not a JSON object", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct command_run run =
            RUN("check-driver", cases[i].path, "--arguments", cases[i].arguments);
        EXPECT_INT(run.status, cases[i].status);
        EXPECT_CONTAINS(run.err, cases[i].expected);
        command_run_finish(&run);
    }
    struct command_run run = RUN("check-driver");
    EXPECT_INT(run.status, 2);
    command_run_finish(&run);
    run = RUN("check-driver", FAULTY_DRIVER_PATH, "--device", "nobody");
    EXPECT_INT(run.status, 2);
    EXPECT_CONTAINS(run.err, "the driver has no device nobody");
    command_run_finish(&run);
}

#define MANIFEST(driver) "{\"file_format_version\":\"1.0.0\",\"driver\":{" driver "}}"

TEST(check_driver_targets, wrong_manifests_break_a_rule_of_their_own)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {MANIFEST("\"library_path\":\"./none.so\",\"abi\":\"1.0\""),
         "library_path is \"./none.so\", which does not exist"},
        {MANIFEST("\"abi\":\"1.0\""), "library_path is missing"},
        {MANIFEST("\"library_path\":\"/x.so\",\"kind\":\"nnapi-sl\""), "kind \"nnapi-sl\""},
        {"{", "manifest is not JSON: line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char dir[64], path[96];
        make_dir(dir);
        snprintf(path, sizeof path, "%s/driver.json", dir);
        write_whole_file(path, cases[i].text);
        struct command_run run = RUN("check-driver", path, "--json");
        struct check_run check = {.status = run.status, .json = command_run_json(&run)};
        EXPECT_INT(check.status, 1);
        EXPECT_STR(check_run_broken(&check), "M8 ");
        EXPECT_CONTAINS(check_run_detail(&check, "M8"), cases[i].expected);
        EXPECT_STR(check_run_detail(&check, "M1"), "rule M8 failed");
        check_run_finish(&check);
        command_run_finish(&run);
        remove_dir(dir);
    }
}
