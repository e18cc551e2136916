#include "halyard/halyard.h"
#include "tests/kit/test.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/tools/kit/command_run.h"

static void expect_wrong(const char *const *arguments, const char *expected)
{
    struct command_run run = command_run(arguments);
    EXPECT_INT(run.status, 2);
    EXPECT_STR(run.out, "");
    EXPECT_CONTAINS(run.err, expected);
    command_run_finish(&run);
}

static void expect_failed(const char *const *arguments, const char *expected)
{
    struct command_run run = command_run(arguments);
    EXPECT_INT(run.status, 1);
    EXPECT_STR(run.out, "");
    EXPECT_CONTAINS(run.err, expected);
    command_run_finish(&run);
}

#define EXPECT_WRONG(expected, ...) expect_wrong((const char *const[]){__VA_ARGS__, NULL}, expected)
#define EXPECT_FAILED(expected, ...) \
    expect_failed((const char *const[]){__VA_ARGS__, NULL}, expected)

TEST(cli, help_of_every_command_is_asked_for_and_given)
{
    static const char *const commands[] = {"devices", "run",         "bench",
                                           "explain", "conformance", "cache"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct command_run run = RUN(commands[i], "--help");
        EXPECT_INT(run.status, 0);
        EXPECT_CONTAINS(run.out, commands[i]);
        EXPECT_CONTAINS(run.out, "--json");
        command_run_finish(&run);
    }
}

TEST(cli, version_is_a_command_and_an_option)
{
    struct command_run command = RUN("version"), option = RUN("--version");
    EXPECT_INT(command.status, 0);
    EXPECT_CONTAINS(command.out, halyard_version());
    EXPECT_STR(command.out, option.out);
    command_run_finish(&command);
    command_run_finish(&option);
}

/* What the command has listed, a word a line, is in its help. */
TEST(cli, completions_of_shells_get_every_command_and_option)
{
    struct command_run commands = RUN("--list-commands");
    EXPECT_INT(commands.status, 0);
    char *rest = NULL;
    for (char *line = strtok_r(commands.out, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        line[strcspn(line, "\t")] = '\0';
        struct command_run options = RUN(line, "--list-options"), help = RUN(line, "--help");
        EXPECT_INT(options.status, 0);
        EXPECT_CONTAINS(options.out, "--help\t\t");
        char *next = NULL;
        for (char *option = strtok_r(options.out, "\n", &next); option;
             option = strtok_r(NULL, "\n", &next)) {
            option[strcspn(option, "\t")] = '\0';
            EXPECT_CONTAINS(help.out, option);
        }
        command_run_finish(&options);
        command_run_finish(&help);
    }
    command_run_finish(&commands);
}

TEST(cli, names_of_devices_are_listed_alone)
{
    struct command_run run = RUN("devices", "--names");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "halyard-cpu\nnnapi-reference\n");
    command_run_finish(&run);
}

TEST(cli, wrong_command_lines_exit_with_2_and_name_what_is_wrong)
{
    const char *model = example_path("digits/digits.tflite");
    EXPECT_WRONG("unknown command 'frobnicate'\n", "frobnicate");
    EXPECT_WRONG("unknown command 'bnech'; did you mean 'bench'?\n", "bnech");
    EXPECT_WRONG("unknown option --devices=x; did you mean --device?", "run", "--devices=x", model);
    EXPECT_WRONG("--help=1: the option has no argument", "run", "--help=1", model);
    EXPECT_WRONG("MODEL is missing", "run");
    EXPECT_WRONG("unexpected argument 'two'", "run", "one", "two");
    EXPECT_WRONG("--frobnicate", "run", "--frobnicate", model);
    EXPECT_WRONG("-x", "run", "-x", model);
    EXPECT_WRONG("--input needs an argument", "run", model, "--input");
    EXPECT_WRONG("--json=1: the option has no argument", "run", "--json=1", model);
    EXPECT_WRONG("--runs: '0'", "bench", model, "--runs", "0");
    EXPECT_WRONG("--runs: '12x'", "bench", model, "--runs", "12x");
    EXPECT_WRONG("known: sync, async, burst, fenced", "run", model, "--mode", "reusable");
}

TEST(cli, an_unknown_device_is_refused_with_a_list_of_those_there_are)
{
    const char *model = example_path("digits/digits.tflite");
    EXPECT_WRONG("--device npu9", "run", model, "--device", "npu9");
    EXPECT_WRONG("halyard-cpu, nnapi-reference", "explain", model, "--device", "npu9");
    EXPECT_WRONG("given twice", "bench", model, "--device", "halyard-cpu", "--device",
                 "halyard-cpu");
}

TEST(cli, files_that_cannot_be_read_exit_with_1_and_are_named)
{
    const char *model = example_path("digits/digits.tflite");
    const char *labels = example_path("digits/labels.txt");
    const char *image = example_path("digits/seven.png");
    EXPECT_FAILED("/proc/nonexistent.tflite", "run", "/proc/nonexistent.tflite", "--input", image);
    EXPECT_FAILED("labels.txt", "explain", labels);
    EXPECT_FAILED("/proc/nonexistent.png", "run", model, "--input", "/proc/nonexistent.png");
    EXPECT_FAILED("/proc/nonexistent.txt", "run", model, "--input", image, "--labels",
                  "/proc/nonexistent.txt");
    EXPECT_FAILED("/proc/nonexistent", "conformance", "/proc/nonexistent");
    EXPECT_FAILED("labels.txt: line 1", "conformance", labels);
}

TEST(cli, inputs_missing_or_too_many_are_named)
{
    const char *model = example_path("digits/digits.tflite");
    const char *image = example_path("digits/seven.png");
    EXPECT_WRONG("input 0 of 1: image, int8[1,28,28,1]", "run", model);
    EXPECT_WRONG("--input extra: the model has only 1 input", "run", model, "--input", image,
                 "--input", "extra");
}

TEST(cli, devices_are_listed_with_the_builtin_ones_last)
{
    struct command_run run = RUN("devices", "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    json_t *devices = json_object_get(json, "devices");
    const size_t count = json_array_size(devices);
    REQUIRE(count >= 2);
    const json_t *last = json_array_get(devices, count - 1);
    EXPECT_STR(json_string_value(json_object_get(last, "name")), "nnapi-reference");
    EXPECT_STR(json_string_value(json_object_get(last, "kind")), "built-in");
    EXPECT_INT(json_integer_value(json_object_get(last, "feature_level")), 8);
    const json_t *declared = json_object_get(last, "declared");
    const json_t *extension = json_array_get(json_object_get(declared, "extensions"), 0);
    EXPECT_STR(json_string_value(json_object_get(extension, "name")), "org.halyard.operations");
    EXPECT(json_array_size(json_object_get(declared, "memory_kinds")) >= 4);
    json_decref(json);
    command_run_finish(&run);
}

TEST(cli, a_refused_driver_is_listed_with_its_reason)
{
    setenv("HALYARD_DRIVER_FILES", "/proc/nonexistent/driver.json", 1);
    struct command_run run = RUN("devices", "--json");
    unsetenv("HALYARD_DRIVER_FILES");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    const json_t *refused = json_array_get(json_object_get(json, "refused"), 0);
    EXPECT_STR(json_string_value(json_object_get(refused, "manifest")),
               "/proc/nonexistent/driver.json");
    EXPECT_CONTAINS(json_string_value(json_object_get(refused, "reason")), "No such file");
    const json_t *dir = json_array_get(json_object_get(json, "directories"), 0);
    EXPECT_STR(json_string_value(json_object_get(dir, "path")), "/proc/nonexistent/driver.json");
    EXPECT_STR(json_string_value(json_object_get(dir, "setting")), "HALYARD_DRIVER_FILES");
    EXPECT(json_is_false(json_object_get(dir, "exists")));
    json_decref(json);
    command_run_finish(&run);
}

TEST(cli, a_pattern_that_isolates_nothing_is_listed_and_logged)
{
    setenv("HALYARD_DRIVER_FILES", getenv("HALYARD_SAMPLE_MANIFEST"), 1);
    setenv("HALYARD_ISOLATE", "halyard-sample", 1); /* the device; its manifest is sample_driver */
    setenv("HALYARD_LOG", "warning", 1);
    struct command_run json_run = RUN("devices", "--json"), text_run = RUN("devices");
    unsetenv("HALYARD_DRIVER_FILES");
    unsetenv("HALYARD_ISOLATE");
    unsetenv("HALYARD_LOG");
    json_t *json = command_run_json(&json_run);
    const json_t *refused = json_array_get(json_object_get(json, "refused"), 0);
    EXPECT_STR(json_string_value(json_object_get(refused, "manifest")), "HALYARD_ISOLATE");
    EXPECT_STR(json_string_value(json_object_get(refused, "reason")),
               "\"halyard-sample\" matches no manifest and isolates nothing; known: "
               "sample_driver, halyard-cpu");
    EXPECT_CONTAINS(text_run.out, "refused: HALYARD_ISOLATE");
    EXPECT_CONTAINS(text_run.err, "HALYARD_ISOLATE: \"halyard-sample\" matches no manifest");
    json_decref(json);
    command_run_finish(&json_run);
    command_run_finish(&text_run);
}

TEST(cli, names_and_labels_reach_the_terminal_without_control_characters)
{
    char dir[64], path[128];
    char labels[512] = "";
    for (int i = 0; i < 10; i++)
        strcat(labels, "\x1b]0;owned\x07\xc2\x9b"
                       "31mone\x7f\n");
    make_dir(dir);
    snprintf(path, sizeof path, "%s/labels.txt", dir);
    write_whole_file(path, labels);
    struct command_run run = RUN("run", example_path("digits/digits.tflite"), "--input",
                                 example_path("digits/seven.png"), "--labels", path);
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, " ]0;owned   31mone ");
    EXPECT(!strpbrk(run.out, "\x1b\x07\x7f"));
    command_run_finish(&run);
    remove_dir(dir);

    run = RUN("run", "/no\x1b[2Jwhere\n.tflite");
    EXPECT_CONTAINS(run.err, "/no [2Jwhere .tflite");
    command_run_finish(&run);
    run = RUN("run", example_path("digits/digits.tflite"), "--mode", "\x1b[2J\xc2\x9b");
    EXPECT(!strpbrk(run.err, "\x1b\xc2"));
    command_run_finish(&run);
}

TEST(cli, bench_gives_ordered_percentiles_and_the_time_of_each_step)
{
    struct command_run run = RUN("bench", example_path("digits/digits.tflite"), "--runs", "30",
                                 "--warmup", "0", "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    const json_t *times = json_object_get(json, "inference_ns");
    const json_int_t min = json_integer_value(json_object_get(times, "min"));
    const json_int_t p50 = json_integer_value(json_object_get(times, "p50"));
    const json_int_t p99 = json_integer_value(json_object_get(times, "p99"));
    EXPECT(0 < min && min <= p50 && p50 <= p99);
    EXPECT_INT(json_integer_value(json_object_get(json, "runs")), 30);
    EXPECT(json_is_integer(json_object_get(json, "copied_bytes")));
    EXPECT_INT(json_integer_value(json_object_get(json, "copied_bytes")), 0);
    const json_t *step = json_array_get(json_object_get(json, "steps"), 0);
    EXPECT(json_integer_value(json_object_get(step, "mean_ns")) > 0);
    json_decref(json);
    command_run_finish(&run);
}

/* halyard-cpu both in a process of its own and in the command. */
TEST(cli, bench_compares_isolated_devices_with_the_app)
{
    const char *model = example_path("digits/digits.tflite");
    struct command_run run = RUN("bench", model, "--isolate", "--device", "halyard-cpu", "--runs",
                                 "45", "--warmup", "1", "--mode", "burst", "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    const json_t *isolated = json_object_get(json, "inference_ns");
    const json_t *in_app = json_object_get(json, "in_app_inference_ns");
    const double p50 = (double)json_integer_value(json_object_get(isolated, "p50"));
    const double app_p50 = (double)json_integer_value(json_object_get(in_app, "p50"));
    EXPECT(p50 > 0 && app_p50 > 0);
    const double reported = json_real_value(json_object_get(json, "isolation"));
    const double off = reported - (p50 / app_p50 - 1);
    EXPECT(-1e-6 < off && off < 1e-6);
    json_decref(json);
    command_run_finish(&run);

    run = RUN("bench", model, "--isolate", "--device", "halyard-cpu", "--runs", "3");
    EXPECT_CONTAINS(run.out, "in the app");
    command_run_finish(&run);
    run = RUN("bench", model, "--device", "halyard-cpu", "--runs", "3");
    EXPECT(strstr(run.out, "in the app") == NULL);
    command_run_finish(&run);
    run = RUN("bench", "/nowhere.tflite", "--isolate", "--device", "halyard-cpu");
    EXPECT_INT(run.status, 1);
    EXPECT_STR(run.err, "halyard bench: /nowhere.tflite: No such file or directory\n");
    command_run_finish(&run);
}

TEST(cli, explain_draws_a_graph)
{
    const char *model = example_path("digits/digits.tflite");
    struct command_run run = RUN("explain", model, "--device", "halyard-cpu", "--dot");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "digraph plan {");
    EXPECT_CONTAINS(run.out, "label=\"0: halyard-cpu");
    command_run_finish(&run);
    EXPECT_WRONG("--json and --dot exclude each other", "explain", model, "--json", "--dot");
}

TEST(cli, explain_names_a_device_and_a_reason_for_every_operation)
{
    struct command_run run =
        RUN("explain", example_path("digits/digits.tflite"), "--device", "halyard-cpu", "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    const json_t *operations = json_object_get(json, "operations");
    EXPECT_INT(json_array_size(operations), 12);
    for (size_t i = 0; i < json_array_size(operations); i++) {
        const json_t *operation = json_array_get(operations, i);
        EXPECT_STR(json_string_value(json_object_get(operation, "device")), "halyard-cpu");
        EXPECT(json_string_length(json_object_get(operation, "reason")) > 0);
    }
    const json_t *step = json_array_get(json_object_get(json, "steps"), 0);
    EXPECT_INT(json_string_length(json_object_get(step, "token")), 64);
    json_decref(json);
    command_run_finish(&run);
}

TEST(cli, bench_and_explain_tell_what_the_runtime_copied)
{
    const char *model = example_path("digits/digits.tflite");
    for (unsigned with_driver = 0; with_driver < 2; with_driver++) {
        if (with_driver)
            setenv("HALYARD_DRIVER_FILES", getenv("HALYARD_SAMPLE_MANIFEST"), 1);
        struct command_run bench = RUN("bench", model, "--runs", "3");
        struct command_run explain = RUN("explain", model);
        unsetenv("HALYARD_DRIVER_FILES");
        EXPECT_CONTAINS(bench.out, "copied         0 bytes an inference");
        EXPECT_CONTAINS(explain.out, "; 0 bytes copied by the runtime in ");
        EXPECT_INT(strstr(explain.out, "halyard-sample") != NULL, with_driver);
        command_run_finish(&bench);
        command_run_finish(&explain);
    }
}
