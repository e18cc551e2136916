#include "tests/kit/test.h"

#include <stdlib.h>

#include "tests/unit/tools/kit/command_run.h"

/* One ADD of two floats; the rest of a test by printf. */
#define ADD_MODEL \
    "{\"operands\":[" \
    "{\"type\":\"TENSOR_FLOAT32\",\"dims\":[2],\"lifetime\":\"SUBGRAPH_INPUT\"}," \
    "{\"type\":\"TENSOR_FLOAT32\",\"dims\":[2],\"lifetime\":\"CONSTANT_REFERENCE\"," \
    "\"value\":[3,4]}," \
    "{\"type\":\"INT32\",\"dims\":[],\"lifetime\":\"CONSTANT_COPY\",\"value\":[%s]}," \
    "{\"type\":\"TENSOR_FLOAT32\",\"dims\":[2],\"lifetime\":\"SUBGRAPH_OUTPUT\"}]," \
    "\"operations\":[{\"op\":\"ADD\",\"inputs\":[0,1,2],\"outputs\":[3]}]," \
    "\"input_indexes\":[0],\"output_indexes\":[3]}"

/* Writes a file of one test: the ADD with this activation, this value and this promise. */
static void write_vector(const char *path, const char *activation, const char *expected,
                         const char *expect_failure)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"spec\":\"add\",\"version\":\"V1_0\",\"tests\":[{\"name\":\"add_<one>\","
             "\"is_relaxed\":false,\"expect_failure\":%s,\"main\":" ADD_MODEL
             ",\"referenced\":[],\"examples\":[{\"inputs\":[[1,2]],\"outputs\":[%s]}]}]}",
             expect_failure, activation, expected);
    write_whole_file(path, text);
}

static struct command_run run_vector(const char *activation, const char *expected,
                                     const char *expect_failure)
{
    char dir[64], path[128];
    make_dir(dir);
    snprintf(path, sizeof path, "%s/add.json", dir);
    write_vector(path, activation, expected, expect_failure);
    struct command_run run = RUN("conformance", dir, "--json");
    remove_dir(dir);
    return run;
}

static void expect_counts(struct command_run *run, int passed, int failed, const char *detail)
{
    EXPECT_INT(run->status, failed ? 1 : 0);
    json_t *json = command_run_json(run);
    EXPECT_INT(json_integer_value(json_object_get(json, "passed")), passed);
    EXPECT_INT(json_integer_value(json_object_get(json, "failed")), failed);
    EXPECT_INT(json_integer_value(json_object_get(json, "skipped")), 0);
    const json_t *test = json_array_get(json_object_get(json, "tests"), 0);
    EXPECT_STR(json_string_value(json_object_get(test, "name")), "add_<one>");
    EXPECT_STR(json_string_value(json_object_get(test, "result")), failed ? "failed" : "passed");
    EXPECT_CONTAINS(json_string_value(json_object_get(test, "detail")), detail);
    json_decref(json);
    command_run_finish(run);
}

TEST(cli_conformance, right_values_pass_and_wrong_ones_fail_with_numbers)
{
    struct command_run run = run_vector("0", "[4,6]", "false");
    expect_counts(&run, 1, 0, "");
    run = run_vector("0", "[4.00001,6]", "false");
    expect_counts(&run, 1, 0, "");
    run = run_vector("0", "[4,6.1]", "false");
    expect_counts(&run, 0, 1, "output 0: element 1 is 6, expected 6.0999999");
}

TEST(cli_conformance, a_vector_that_must_fail_passes_only_if_it_is_refused)
{
    struct command_run run = run_vector("9", "[4,6]", "true");
    expect_counts(&run, 1, 0, "");
    run = run_vector("0", "[4,6]", "true");
    expect_counts(&run, 0, 1, "expects a refusal");
}

/* An element of the wrong type, an index out of range, a key that is missing. */
TEST(cli_conformance, a_broken_vector_file_is_an_error_that_names_the_place)
{
    struct command_run run = run_vector("0.5", "[4,6]", "false");
    EXPECT_INT(run.status, 1);
    EXPECT_CONTAINS(run.err, "test add_<one>: operand 2: element 0");
    command_run_finish(&run);
    run = run_vector("0", "[4,6]", "\"maybe\"");
    EXPECT_INT(run.status, 1);
    EXPECT_CONTAINS(run.err, "\"expect_failure\" is neither true nor false");
    command_run_finish(&run);
}

TEST(cli_conformance, a_filter_is_part_of_a_name_or_a_glob)
{
    char dir[64], path[128];
    make_dir(dir);
    snprintf(path, sizeof path, "%s/add.json", dir);
    write_vector(path, "0", "[4,6]", "false");
    static const struct {
        const char *filter;
        int status;
    } cases[] = {{"one", 0}, {"add_*", 0}, {"two", 2}, {"one*", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct command_run run = RUN("conformance", path, "--filter", cases[i].filter);
        EXPECT_INT(run.status, cases[i].status);
        command_run_finish(&run);
    }
    remove_dir(dir);
}

TEST(cli_conformance, the_junit_report_is_escaped_xml)
{
    char dir[64], path[128], report[128];
    make_dir(dir);
    snprintf(path, sizeof path, "%s/add.json", dir);
    snprintf(report, sizeof report, "%s/report.xml", dir);
    write_vector(path, "0", "[5,6]", "false");
    struct command_run run = RUN("conformance", path, "--junit", report);
    EXPECT_INT(run.status, 1);
    EXPECT_CONTAINS(run.out, "0 passed, 1 failed, 0 skipped");
    command_run_finish(&run);

    size_t length = 0;
    char *xml = read_whole_file(report, &length);
    EXPECT_CONTAINS(xml, "tests=\"1\" failures=\"1\"");
    EXPECT_CONTAINS(xml, "name=\"add_&lt;one>\"");
    EXPECT_CONTAINS(xml, "<failure message=\"output 0: element 0 is 4, expected 5");
    free(xml);
    remove_dir(dir);
}

/* A test of one operation on the operands 0 (the input) and 1 (an activation) as `inputs` says. */
#define UNARY_TEST(name, op, type, quant, inputs, output) \
    "{\"name\":\"" name \
    "\",\"is_relaxed\":false,\"expect_failure\":false,\"main\":{\"operands\":[" \
    "{\"type\":\"" type "\",\"dims\":[2]," quant "\"lifetime\":\"SUBGRAPH_INPUT\"}," \
    "{\"type\":\"INT32\",\"dims\":[],\"lifetime\":\"CONSTANT_COPY\",\"value\":[0]}," \
    "{\"type\":\"" type "\",\"dims\":[2]," quant "\"lifetime\":\"SUBGRAPH_OUTPUT\"}]," \
    "\"operations\":[{\"op\":\"" op "\",\"inputs\":[" inputs "],\"outputs\":[2]}]," \
    "\"input_indexes\":[0],\"output_indexes\":[2]},\"referenced\":[]," \
    "\"examples\":[{\"inputs\":[[1,2]],\"outputs\":[" output "]}]}"

/* ADD of float32, ADD of bytes and RELU, on a device of this driver manifest. */
static json_t *run_mixed(const char *manifest, const char *device, const char *added, int status)
{
    char dir[64], path[128];
    make_dir(dir);
    snprintf(path, sizeof path, "%s/mixed.json", dir);
    char text[4096];
    snprintf(text, sizeof text, "{\"spec\":\"mixed\",\"tests\":[%s,%s,%s]}",
             UNARY_TEST("add_f", "ADD", "TENSOR_FLOAT32", "", "0,0,1", "[2,4]"),
             UNARY_TEST("add_q", "ADD", "TENSOR_QUANT8_ASYMM", "\"scale\":1,", "0,0,1", "[2,4]"),
             UNARY_TEST("relu", "RELU", "TENSOR_FLOAT32", "", "0", "[1,2]"));
    write_whole_file(path, text);

    if (manifest)
        setenv("HALYARD_DRIVER_FILES", manifest, 1);
    setenv("HALYARD_STATE_DIR", dir, 1);
    struct command_run run = RUN("conformance", path, "--device", device, "--json", added);
    setenv("HALYARD_STATE_DIR", "/dev/null/none", 1);
    unsetenv("HALYARD_DRIVER_FILES");
    remove_dir(dir);
    EXPECT_INT(run.status, status);
    json_t *json = command_run_json(&run);
    command_run_finish(&run);
    return json;
}

static json_int_t count_skipped(const json_t *json, const char *reason)
{
    return json_integer_value(json_object_get(json_object_get(json, "skipped_by_reason"), reason));
}

/* The sample driver has ADD for float32 alone, and no RELU. */
TEST(cli_conformance, what_the_device_of_a_driver_refuses_is_skipped_with_its_words)
{
    static const char reason[] = "the device does not support the test";
    json_t *json = run_mixed(getenv("HALYARD_SAMPLE_MANIFEST"), "halyard-sample", NULL, 0);
    EXPECT_INT(json_integer_value(json_object_get(json, "passed")), 1);
    EXPECT_INT(json_integer_value(json_object_get(json, "skipped")), 2);
    EXPECT_INT(count_skipped(json, reason), 2);
    const json_t *add = json_array_get(json_object_get(json, "tests"), 1);
    EXPECT_STR(json_string_value(json_object_get(add, "result")), "skipped");
    EXPECT_STR(json_string_value(json_object_get(add, "reason")), reason);
    EXPECT_CONTAINS(
        json_string_value(json_object_get(add, "detail")),
        "operation 0 ADD: no device supports the operation: halyard-sample: ADD: input 0");
    json_decref(json);
}

/* Dynamic and signed forms of the same three; the rules that leave tests out come first. */
TEST(cli_conformance, further_passes_skip_by_their_own_rules)
{
    json_t *json = run_mixed(NULL, "nnapi-reference", "--mode=signed:sync", 0);
    EXPECT_INT(json_integer_value(json_object_get(json, "passed")), 1);
    EXPECT_INT(count_skipped(json, "signed: no operand is TENSOR_QUANT8_ASYMM"), 2);
    json_decref(json);
    json = run_mixed(NULL, "halyard-cpu", "--mode=signed:cached", 0);
    EXPECT_INT(json_integer_value(json_object_get(json_object_get(json, "cached"), "hits")), 1);
    EXPECT_INT(count_skipped(json, "signed: no operand is TENSOR_QUANT8_ASYMM"), 2);
    json_decref(json);
    json = run_mixed(NULL, "nnapi-reference", "--mode=dynamic", 0);
    EXPECT(json_integer_value(json_object_get(json, "passed")) >= 2);
    EXPECT_INT(json_integer_value(json_object_get(json, "failed")), 0);
    json_decref(json);
}

TEST(cli_conformance, every_way_to_compute_gives_the_same)
{
    static const char *const modes[] = {"--mode=async",
                                        "--mode=burst",
                                        "--mode=fenced",
                                        "--mode=reusable",
                                        "--mode=domain",
                                        "--mode=pool:mmap_fd",
                                        "--mode=pool:hardware_buffer_blob"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        json_t *json = run_mixed(NULL, "nnapi-reference", modes[i], 0);
        EXPECT_INT(json_integer_value(json_object_get(json, "passed")), 3);
        json_decref(json);
    }
}

TEST(cli_conformance, cached_runs_each_test_again_from_the_cache)
{
    json_t *json = run_mixed(NULL, "halyard-cpu", "--mode=cached", 0);
    EXPECT_INT(json_integer_value(json_object_get(json, "passed")), 3);
    const json_t *cached = json_object_get(json, "cached");
    EXPECT_INT(json_integer_value(json_object_get(cached, "models")), 3);
    EXPECT_INT(json_integer_value(json_object_get(cached, "hits")), 3);
    json_decref(json);
    json = run_mixed(NULL, "nnapi-reference", "--mode=cached", 0);
    EXPECT_INT(count_skipped(json, "cached: the device has no cache files"), 3);
    json_decref(json);
}

/* A device that caches, and a folder where nothing can be kept. */
TEST(cli_conformance, cached_fails_where_a_model_does_not_come_from_the_cache)
{
    setenv("HALYARD_CACHE_LIMIT", "0", 1);
    json_t *json = run_mixed(NULL, "halyard-cpu", "--mode=cached", 1);
    unsetenv("HALYARD_CACHE_LIMIT");
    EXPECT_INT(json_integer_value(json_object_get(json, "failed")), 3);
    const json_t *test = json_array_get(json_object_get(json, "tests"), 0);
    EXPECT_CONTAINS(json_string_value(json_object_get(test, "detail")),
                    "1 of 1 steps did not come from the cache: ");
    EXPECT_INT(json_integer_value(json_object_get(json_object_get(json, "cached"), "hits")), 0);
    json_decref(json);
}

TEST(cli_conformance, fenced_and_domain_leave_out_a_test_whose_output_is_empty)
{
    char dir[64], path[128];
    make_dir(dir);
    snprintf(path, sizeof path, "%s/empty.json", dir);
    write_whole_file(path,
                     "{\"spec\":\"empty\",\"tests\":[{\"name\":\"empty\",\"is_relaxed\":false,"
                     "\"expect_failure\":false,\"main\":{\"operands\":["
                     "{\"type\":\"TENSOR_FLOAT32\",\"dims\":[0],\"lifetime\":\"SUBGRAPH_INPUT\"},"
                     "{\"type\":\"TENSOR_FLOAT32\",\"dims\":[0],\"lifetime\":\"SUBGRAPH_OUTPUT\"}],"
                     "\"operations\":[{\"op\":\"RELU\",\"inputs\":[0],\"outputs\":[1]}],"
                     "\"input_indexes\":[0],\"output_indexes\":[1]},\"referenced\":[],"
                     "\"examples\":[{\"inputs\":[[]],\"outputs\":[[]]}]}]}");
    static const struct {
        const char *mode, *reason;
    } cases[] = {{"--mode=fenced", "fenced: an output is empty"},
                 {"--mode=domain", "domain: an output is empty"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct command_run run = RUN("conformance", path, cases[i].mode, "--json");
        EXPECT_INT(run.status, 0);
        json_t *json = command_run_json(&run);
        EXPECT_INT(count_skipped(json, cases[i].reason), 1);
        json_decref(json);
        command_run_finish(&run);
    }
    remove_dir(dir);
}

/* The place behind `fragment` in `text`, or NULL. */
static const char *after(const char *text, const char *fragment)
{
    const char *found = text ? strstr(text, fragment) : NULL;
    return found ? found + strlen(fragment) : NULL;
}

TEST(cli_conformance, modes_follow_each_other_and_one_that_fails_does_not_hide)
{
    char dir[64], path[128];
    make_dir(dir);
    snprintf(path, sizeof path, "%s/add.json", dir);
    write_vector(path, "0", "[4,6]", "false");
    setenv("HALYARD_STATE_DIR", dir, 1);
    struct command_run run =
        RUN("conformance", path, "--mode", "burst", "--mode=cached", "--device", "halyard-cpu");
    EXPECT_INT(run.status, 0);
    const char *first = after(run.out, "burst:\n"), *second = after(first, "cached:\n");
    EXPECT(after(second, "1 passed"));
    EXPECT(!after(second, "cached:\n"));
    command_run_finish(&run);

    setenv("HALYARD_CACHE_LIMIT", "0", 1); /* nothing comes from the cache */
    run = RUN("conformance", path, "--mode=cached", "--mode=sync", "--device", "halyard-cpu");
    unsetenv("HALYARD_CACHE_LIMIT");
    setenv("HALYARD_STATE_DIR", "/dev/null/none", 1);
    EXPECT_INT(run.status, 1);
    EXPECT_CONTAINS(run.out, "1 failed");
    EXPECT(after(after(run.out, "sync:\n"), "1 passed"));
    command_run_finish(&run);

    run = RUN("conformance", path, "--mode=sync", "--mode=burst", "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    const json_t *modes = json_object_get(json, "modes");
    EXPECT_INT(json_object_size(modes), 2);
    EXPECT_INT(json_integer_value(json_object_get(json_object_get(modes, "burst"), "passed")), 1);
    json_decref(json);
    command_run_finish(&run);

    run = RUN("conformance", path, "--mode=sync", "--mode=backwards");
    EXPECT_INT(run.status, 2);
    EXPECT_STR(run.out, "");
    command_run_finish(&run);
    run = RUN("conformance", path, "--mode=sync", "--mode=burst", "--junit", dir);
    EXPECT_INT(run.status, 2);
    EXPECT_CONTAINS(run.err, "--junit is for one --mode");
    command_run_finish(&run);
    remove_dir(dir);
}

TEST(cli_conformance, an_unknown_mode_is_named_with_those_there_are)
{
    struct command_run run = RUN("conformance", "nowhere", "--mode", "backwards");
    EXPECT_INT(run.status, 2);
    EXPECT_CONTAINS(run.err, "--mode backwards: unknown mode; known: sync");
    EXPECT_CONTAINS(run.err, "dynamic");
    command_run_finish(&run);
    run = RUN("conformance", "nowhere", "--mode", "signed:signed:sync");
    EXPECT_INT(run.status, 2);
    EXPECT_CONTAINS(run.err, "--mode signed:signed:sync: unknown mode");
    command_run_finish(&run);
}
