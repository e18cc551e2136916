/* What the other commands tell of caches, and do with them. */
#include "tests/kit/test.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tests/unit/tools/kit/cache_dir.h"
#include "tests/unit/tools/kit/command_run.h"

TEST(cli_cached, explain_tells_a_miss_that_is_stored_and_then_a_hit)
{
    char dir[64];
    make_cache_dir(dir);
    json_t *first = explain_cached("digits/digits.tflite", dir);
    EXPECT_STR(outcome_of(first), "stored");
    json_t *second = explain_cached("digits/digits.tflite", dir);
    EXPECT_STR(outcome_of(second), "hit");
    const json_t *cache = json_object_get(step_of(second), "cache");
    EXPECT(json_integer_value(json_object_get(cache, "bytes")) > 0);
    EXPECT(json_string_length(json_object_get(cache, "reason")) > 0);
    json_decref(first);
    json_decref(second);

    const char *model = example_path("digits/digits.tflite");
    struct command_run run = RUN("explain", model, "--device", "halyard-cpu", "--cache", dir);
    EXPECT_CONTAINS(run.out, "cache hit: ");
    command_run_finish(&run);
    run = RUN("explain", model, "--device", "halyard-cpu", "--cache", dir, "--dot");
    EXPECT_CONTAINS(run.out, "\\ncache: hit\"");
    command_run_finish(&run);
    run = RUN("explain", model, "--device", "nnapi-reference", "--cache", dir);
    EXPECT_CONTAINS(run.out, "cache unused: ");
    command_run_finish(&run);
    remove_cache_dir(dir);
}

TEST(cli_cached, bench_measures_compiling_with_a_cache)
{
    char dir[64];
    make_cache(dir);
    const char *model = example_path("digits/digits.tflite");
    struct command_run run = RUN("bench", model, "--device", "halyard-cpu", "--runs", "1",
                                 "--warmup", "0", "--cache", dir, "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    static const char *const kinds[] = {"compile_ns", "compile_and_store_ns",
                                        "compile_from_cache_ns"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        EXPECT(json_integer_value(json_object_get(json_object_get(json, kinds[i]), "p50")) > 0);
    EXPECT(!json_object_get(json, "not_cached"));
    json_decref(json);
    command_run_finish(&run);
    run = RUN("cache", "ls", "--cache", dir);
    EXPECT_CONTAINS(run.out, "\n2 entries, "); /* its own are gone */
    command_run_finish(&run);

    run = RUN("bench", model, "--device", "nnapi-reference", "--runs", "1", "--warmup", "0");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "not cached   nnapi-reference: ");
    command_run_finish(&run);
    remove_cache_dir(dir);
}

TEST(cli_cached, run_gives_the_same_from_the_cache)
{
    char dir[64];
    make_cache(dir);
    const char *model = example_path("digits/digits.tflite");
    const char *image = example_path("digits/seven.png");
    struct command_run without = RUN("run", model, "--input", image, "--json");
    for (int i = 0; i < 2; i++) {
        struct command_run with = RUN("run", model, "--input", image, "--json", "--cache", dir);
        EXPECT_INT(with.status, 0);
        EXPECT_STR(with.out, without.out);
        command_run_finish(&with);
    }
    command_run_finish(&without);
    remove_cache_dir(dir);
}

/* ---- Builds ---------------------------------------------------------------------------------- */

/* What a start with that set of instructions finds. */
static bool is_hit(const char *features, const char *dir)
{
    setenv("HALYARD_CPU_FEATURES", features, 1);
    json_t *report = explain_cached("digits/digits.tflite", dir);
    const char *outcome = outcome_of(report);
    const bool hit = outcome && strcmp(outcome, "hit") == 0;
    json_decref(report);
    unsetenv("HALYARD_CPU_FEATURES");
    return hit;
}

TEST(cli_cached, sets_of_instructions_that_start_in_turn_hit_from_the_second_start_on)
{
    static const char *const features[] = {"none", "avx2,neon", "none,avx2,avx512,neon"};
    enum { SETS = sizeof features / sizeof *features };
    char dir[64];
    make_cache_dir(dir);
    EXPECT(!is_hit(features[0], dir)); /* others may be the same set, on this machine */
    for (int i = 1; i < SETS; i++)
        (void)is_hit(features[i], dir);
    for (int i = 0; i < 8; i++)
        EXPECT(is_hit(features[i % SETS], dir));

    struct command_run run = RUN("cache", "ls", "--cache", dir); /* whose entries they are */
    EXPECT_CONTAINS(run.out, "  build  ");
    EXPECT_CONTAINS(run.out, " reference  ");
    command_run_finish(&run);
    remove_cache_dir(dir);
}

/* ---- Devices that compile just in time ------------------------------------------------------- */

#define JIT_DEVICE "halyard-sample-just-in-time"

static void begin_jit(char dir[64])
{
    make_cache_dir(dir);
    setenv("HALYARD_DRIVER_FILES", SAMPLE_FAMILY_DIR "/just_in_time.json", 1);
}

static void end_jit(const char *dir)
{
    unsetenv("HALYARD_DRIVER_FILES");
    remove_cache_dir(dir);
}

TEST(cli_cached, bench_measures_what_a_device_stores_with_its_first_execution)
{
    char dir[64];
    begin_jit(dir);
    struct command_run run =
        RUN("bench", example_path("digits/digits.tflite"), "--device", JIT_DEVICE, "--device",
            "halyard-cpu", "--runs", "1", "--warmup", "0", "--cache", dir, "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    EXPECT(json_object_get(json, "compile_from_cache_ns"));
    EXPECT(!json_object_get(json, "not_cached"));
    json_decref(json);
    command_run_finish(&run);
    end_jit(dir);
}

/* The outcome for the device's steps in the last line of a file of reports. */
static void expect_last_outcome(const char *path, const char *outcome)
{
    char *text = read_whole_file(path, &(size_t){0});
    REQUIRE(text);
    *strrchr(text, '\n') = '\0';
    const char *before = strrchr(text, '\n');
    json_t *report = json_loads(before ? before : text, 0, NULL);
    EXPECT_STR(json_string_value(json_object_get(report, "event")), "free");
    size_t index, steps = 0;
    json_t *step;
    json_array_foreach(json_object_get(report, "steps"), index, step)
    {
        const json_t *cache = json_object_get(step, "cache");
        if (strcmp(json_string_value(json_object_get(step, "device")), JIT_DEVICE) != 0)
            continue;
        EXPECT_STR(json_string_value(json_object_get(cache, "outcome")), outcome);
        steps++;
    }
    EXPECT(steps > 0);
    json_decref(report);
    free(text);
}

TEST(cli_cached, run_reports_what_a_device_stores_with_its_first_execution)
{
    char dir[64], report[96];
    begin_jit(dir);
    snprintf(report, sizeof report, "%s/report.json", dir);
    setenv("HALYARD_REPORT", report, 1);
    static const char *const outcomes[] = {"stored", "hit"};
    for (int i = 0; i < 2; i++) {
        struct command_run run = RUN("run", example_path("digits/digits.tflite"), "--input",
                                     example_path("digits/seven.png"), "--device", JIT_DEVICE,
                                     "--device", "halyard-cpu", "--cache", dir);
        EXPECT_INT(run.status, 0);
        expect_last_outcome(report, outcomes[i]);
        command_run_finish(&run);
    }
    unsetenv("HALYARD_REPORT");
    end_jit(dir);
}

TEST(cli_cached, explain_tells_what_a_device_has_stored_with_its_first_execution)
{
    char dir[64];
    begin_jit(dir);
    struct command_run run = RUN("explain", example_path("digits/digits.tflite"), "--device",
                                 JIT_DEVICE, "--device", "halyard-cpu", "--cache", dir);
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "cache miss, stored: the device wrote the entry after");
    EXPECT(!strstr(run.out, "not stored"));
    command_run_finish(&run);
    end_jit(dir);
}
