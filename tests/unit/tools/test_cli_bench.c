/* What `halyard bench` measures beside one session and its steps, how it tells, and what ends it.
 */
#include "tests/kit/test.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/tools/kit/command_run.h"

#define DIGITS example_path("digits/digits.tflite")
#define FLOATS example_path("digits/digits_float.tflite")

static json_int_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

TEST(cli_bench, json_says_what_was_measured_and_on_what)
{
    struct command_run run =
        RUN("bench", DIGITS, "--device", "halyard-cpu", "--runs", "5", "--threads", "1", "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    const json_t *model = json_object_get(json, "model");
    const json_t *device = json_array_get(json_object_get(json, "devices"), 0);
    EXPECT_INT(json_string_length(json_object_get(model, "xxh3_128")), 32);
    EXPECT(integer_of(model, "bytes") > 0);
    EXPECT_STR(json_string_value(json_object_get(device, "name")), "halyard-cpu");
    EXPECT(json_string_length(json_object_get(device, "instruction_set")) > 0);
    EXPECT_INT(integer_of(json, "threads"), 1);
    EXPECT_INT(json_string_length(json_object_get(json, "date")), 20);
    EXPECT(json_string_length(json_object_get(json, "halyard")) > 0);
    EXPECT(integer_of(json, "peak_bytes") > 1 << 20);
    EXPECT_INT(integer_of(json, "fallback_runs"), 0);
    const json_t *step = json_array_get(json_object_get(json, "steps"), 0);
    EXPECT(integer_of(step, "median_ns") > 0);
    json_decref(json);
    command_run_finish(&run);
}

TEST(cli_bench, several_models_are_an_array_and_lines_of_csv)
{
    struct command_run run = RUN("bench", DIGITS, FLOATS, "--runs", "2", "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    EXPECT_INT(json_array_size(json), 2);
    json_decref(json);
    command_run_finish(&run);

    run = RUN("bench", DIGITS, FLOATS, "--runs", "2", "--csv");
    EXPECT_INT(run.status, 0);
    unsigned lines = 0, commas = 0;
    for (const char *at = run.out; *at; at++) {
        lines += *at == '\n';
        commas += *at == ',';
    }
    EXPECT_INT(lines, 3);
    EXPECT_INT(commas % 3, 0); /* as many columns in each line */
    EXPECT_CONTAINS(run.out, "model,xxh3_128,");
    command_run_finish(&run);

    run = RUN("bench", DIGITS, "--csv", "--json");
    EXPECT_INT(run.status, 2);
    command_run_finish(&run);
    run = RUN("bench", DIGITS, FLOATS, "--isolate");
    EXPECT_INT(run.status, 2);
    EXPECT_CONTAINS(run.err, "--isolate allows one");
    command_run_finish(&run);
}

TEST(cli_bench, duration_measures_for_so_long)
{
    struct command_run run = RUN("bench", DIGITS, "--duration", "1", "--runs", "1", "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    const json_int_t mean = integer_of(json_object_get(json, "inference_ns"), "mean");
    const double sum = (double)integer_of(json, "runs") * (double)mean;
    EXPECT(sum > .3e9 && sum < 2e9);
    json_decref(json);
    command_run_finish(&run);
}

TEST(cli_bench, streams_run_at_once)
{
    struct command_run run = RUN("bench", DIGITS, "--runs", "50", "--streams", "3", "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    const json_t *streams = json_object_get(json, "streams");
    const json_t *times = json_object_get(streams, "inference_ns");
    EXPECT_INT(integer_of(streams, "count"), 3);
    EXPECT_INT(integer_of(streams, "runs"), 150);
    EXPECT(json_real_value(json_object_get(streams, "inferences_per_second")) > 0);
    EXPECT(0 < integer_of(times, "p50") && integer_of(times, "p50") <= integer_of(times, "p99"));
    json_decref(json);
    command_run_finish(&run);
}

TEST(cli_bench, a_warning_comes_once_for_all_compilations)
{
    setenv("HALYARD_DRIVER_FILES", SAMPLE_FAMILY_DIR "/just_in_time.json", 1);
    struct command_run run = RUN("bench", DIGITS, "--runs", "2");
    unsetenv("HALYARD_DRIVER_FILES");
    EXPECT_INT(run.status, 0);
    const char *first = strstr(run.err, "fall back to halyard-cpu");
    EXPECT(first && !strstr(first + 1, "fall back to halyard-cpu"));
    command_run_finish(&run);
}

static unsigned count_names(const char *dir)
{
    unsigned count = 0;
    DIR *names = opendir(dir);
    for (const struct dirent *name; names && (name = readdir(names));)
        count += name->d_name[0] != '.';
    if (names)
        closedir(names);
    return count;
}

static pid_t start(const char *const *arguments, const char *out)
{
    const pid_t child = fork();
    if (child != 0)
        return child;
    if (!freopen(out, "w", stdout))
        _exit(1);
    execv(getenv("HALYARD_COMMAND"), (char *const *)(uintptr_t)arguments);
    _exit(1);
}

TEST(cli_bench, a_signal_ends_it_with_what_was_measured_and_leaves_nothing)
{
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < 2; i++) {
        char dir[64], out[96];
        make_dir(dir);
        snprintf(out, sizeof out, "%s/out", dir);
        const char *const arguments[] = {"halyard", "bench",      DIGITS, "--cache",
                                         dir,       "--duration", "60",   NULL};
        const pid_t child = start(arguments, out);
        for (int j = 0; j < 500 && count_names(dir) < 2; j++)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
        EXPECT_INT(kill(child, signals[i]), 0);
        int status = 0;
        EXPECT_INT(waitpid(child, &status, 0), child);
        EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        char *text = read_whole_file(out, &(size_t){0});
        EXPECT_CONTAINS(text, "inference ");
        EXPECT_CONTAINS(text, "\ninterrupted ");
        free(text);
        EXPECT_INT(count_names(dir), 1); /* the output alone */
        remove_dir(dir);
    }
}

TEST(cli_bench, preferences_and_priorities_are_words)
{
    struct command_run run = RUN("bench", DIGITS, "--runs", "1", "--preference", "low-power",
                                 "--priority", "high", "--relaxed");
    EXPECT_INT(run.status, 0);
    command_run_finish(&run);
    run = RUN("bench", DIGITS, "--priority", "urgent");
    EXPECT_INT(run.status, 2);
    EXPECT_CONTAINS(run.err, "'urgent' is not one of medium|low|high");
    command_run_finish(&run);
}

/* ---- Others ---------------------------------------------------------------------------------- */

TEST(cli_bench, run_ranks_shares_without_names_by_their_index)
{
    struct command_run run = RUN("run", DIGITS, "--input", example_path("digits/seven.png"));
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "output 0");
    EXPECT_CONTAINS(run.out, "\n  #7  ");
    command_run_finish(&run);
    run = RUN("run", DIGITS, "--input", example_path("digits/seven.png"), "--json");
    json_t *json = command_run_json(&run);
    const json_t *best = json_array_get(json_object_get(json, "top"), 0);
    EXPECT_INT(integer_of(best, "index"), 7);
    EXPECT(!json_object_get(best, "label"));
    json_decref(json);
    command_run_finish(&run);
}

TEST(cli_bench, run_fills_inputs_with_noise_that_follows_from_the_seed)
{
    struct command_run first = RUN("run", DIGITS, "--random", "3", "--json"),
                       again = RUN("run", DIGITS, "--random", "3", "--json"),
                       other = RUN("run", DIGITS, "--random", "4", "--json");
    EXPECT_INT(first.status, 0);
    EXPECT_STR(first.out, again.out);
    EXPECT(strcmp(first.out, other.out) != 0);
    command_run_finish(&first);
    command_run_finish(&again);
    command_run_finish(&other);
}
