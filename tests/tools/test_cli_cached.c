/* What the other commands tell of caches, and do with them. */
#include "tests/test.h"

#include "tests/tools/cache_place.h"
#include "tests/tools/command_run.h"

TEST(cli_cached, explain_tells_a_miss_that_is_stored_and_then_a_hit)
{
    char folder[64];
    make_place(folder);
    json_t *first = explain_cached("digits/digits.tflite", folder);
    EXPECT_STR(outcome_of(first), "stored");
    json_t *second = explain_cached("digits/digits.tflite", folder);
    EXPECT_STR(outcome_of(second), "hit");
    const json_t *cache = json_object_get(step_of(second), "cache");
    EXPECT(json_integer_value(json_object_get(cache, "bytes")) > 0);
    EXPECT(json_string_length(json_object_get(cache, "reason")) > 0);
    json_decref(first);
    json_decref(second);

    const char *model = example_path("digits/digits.tflite");
    struct command_run run = RUN("explain", model, "--device", "halyard-cpu", "--cache", folder);
    EXPECT_CONTAINS(run.out, "cache hit: ");
    command_run_finish(&run);
    run = RUN("explain", model, "--device", "halyard-cpu", "--cache", folder, "--dot");
    EXPECT_CONTAINS(run.out, "\\ncache: hit\"");
    command_run_finish(&run);
    run = RUN("explain", model, "--device", "nnapi-reference", "--cache", folder);
    EXPECT_CONTAINS(run.out, "cache unused: ");
    command_run_finish(&run);
    remove_place(folder);
}

TEST(cli_cached, bench_measures_compiling_with_a_cache)
{
    char folder[64];
    make_cache(folder);
    const char *model = example_path("digits/digits.tflite");
    struct command_run run = RUN("bench", model, "--device", "halyard-cpu", "--runs", "1",
                                 "--warmup", "0", "--cache", folder, "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    static const char *const kinds[] = {"compile_ns", "compile_and_store_ns",
                                        "compile_from_cache_ns"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        EXPECT(json_integer_value(json_object_get(json_object_get(json, kinds[i]), "p50")) > 0);
    EXPECT(!json_object_get(json, "not_cached"));
    json_decref(json);
    command_run_finish(&run);
    run = RUN("cache", "ls", "--cache", folder);
    EXPECT_CONTAINS(run.out, "\n2 entries, "); /* its own are gone */
    command_run_finish(&run);

    run = RUN("bench", model, "--device", "nnapi-reference", "--runs", "1", "--warmup", "0");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "not cached   nnapi-reference: ");
    command_run_finish(&run);
    remove_place(folder);
}

TEST(cli_cached, run_gives_the_same_from_the_cache)
{
    char folder[64];
    make_cache(folder);
    const char *model = example_path("digits/digits.tflite");
    const char *image = example_path("digits/seven.png");
    struct command_run without = RUN("run", model, "--input", image, "--json");
    for (int i = 0; i < 2; i++) {
        struct command_run with = RUN("run", model, "--input", image, "--json", "--cache", folder);
        EXPECT_INT(with.status, 0);
        EXPECT_STR(with.out, without.out);
        command_run_finish(&with);
    }
    command_run_finish(&without);
    remove_place(folder);
}
