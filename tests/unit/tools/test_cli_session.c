/* The options of commands that make a session: signature, shape, threads, deadline. */
#include <stdlib.h>

#include "tests/kit/test.h"
#include "tests/unit/libhalyard/session/networks.h"
#include "tests/unit/tools/kit/command_run.h"

/* A network of the tests as a file in a folder of its own. */
struct network_file {
    char dir[64];
    char path[96];
};

static bool store(bool (*make)(struct test_network *out), struct network_file *out)
{
    struct test_network network;

    make_dir(out->dir);
    snprintf(out->path, sizeof out->path, "%s/network.tflite", out->dir);
    if (!make(&network))
        return false;
    FILE *file = fopen(out->path, "wb");
    const bool is_written =
        file && fwrite(network.bytes, 1, network.length, file) == network.length;
    if (file)
        fclose(file);
    test_network_close(&network);
    return is_written;
}

static void expect_refused(struct command_run run, const char *expected)
{
    EXPECT_INT(run.status, 1);
    EXPECT_CONTAINS(run.err, expected);
    command_run_finish(&run);
}

static void write_floats(const char *path, size_t count)
{
    const float zeros[16] = {0};
    FILE *file = fopen(path, "wb");
    EXPECT(file && fwrite(zeros, sizeof *zeros, count, file) == count && fclose(file) == 0);
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static void expect_rows(const struct network_file *network, const char *first, const char *second)
{
    char input[128];
    json_int_t rows = 0, columns = 0;

    snprintf(input, sizeof input, "%s/input.bin", network->dir);
    write_floats(input, 6);
    struct command_run run = RUN("run", network->path, "--shape", first, "--shape", second,
                                 "--input", input, "--input", input, "--json");
    EXPECT_INT(run.status, 0);
    json_t *report = command_run_json(&run);
    const json_t *output = json_array_get(json_object_get(report, "outputs"), 0);
    const json_t *shape = json_object_get(output, "shape");
    rows = json_integer_value(json_array_get(shape, 0));
    columns = json_integer_value(json_array_get(shape, 1));
    EXPECT_INT(rows, 3);
    EXPECT_INT(columns, 2);
    json_decref(report);
    command_run_finish(&run);
}

TEST(cli_session, shape_of_an_input_is_set_by_name_or_index)
{
    struct network_file network;

    REQUIRE(store(test_network_sum, &network));
    expect_rows(&network, "a=3x2", "b=3x2");
    expect_rows(&network, "0=3x2", "1=3x2");
    remove_dir(network.dir);
}

TEST(cli_session, shape_that_is_none_is_quoted)
{
    struct network_file network;

    REQUIRE(store(test_network_sum, &network));
    expect_refused(RUN("bench", network.path, "--shape", "c=3x2"),
                   "--shape c=3x2: unknown input; known: a, b");
    expect_refused(RUN("bench", network.path, "--shape", "2=3x2"), "unknown input");
    static const char *const wrong[] = {"a",    "a=3x",   "a=x3",  "a=3x-2",
                                        "a=3 ", "a=3x2y", "a=3,2", "a=99999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_refused(RUN("bench", network.path, "--shape", wrong[i]),
                       "not of the form NAME=1x224x224x3");
    remove_dir(network.dir);
}

/* ---- Noise ----------------------------------------------------------------------------------- */

/* Any bytes would be indices that the table does not have. */
TEST(cli_session, noise_for_integers_is_small)
{
    struct network_file network;

    REQUIRE(store(test_network_lookup, &network));
    struct command_run run = RUN("bench", network.path, "--runs", "3");
    EXPECT_INT(run.status, 0);
    command_run_finish(&run);
    remove_dir(network.dir);
}

/* ---- Signatures ------------------------------------------------------------------------------ */

TEST(cli_session, signature_is_chosen_by_name)
{
    struct network_file network;
    char input[128];

    REQUIRE(store(test_network_signatures, &network));
    snprintf(input, sizeof input, "%s/input.bin", network.dir);
    write_floats(input, 2);
    struct command_run run =
        RUN("run", network.path, "--signature", "double", "--input", input, "--json");
    EXPECT_INT(run.status, 0);
    json_t *report = command_run_json(&run);
    const json_t *output = json_array_get(json_object_get(report, "outputs"), 0);
    EXPECT_STR(json_string_value(json_object_get(output, "name")), "y");
    json_decref(report);
    command_run_finish(&run);
    expect_refused(RUN("explain", network.path, "--signature", "serve"),
                   "no signature has the name \"serve\"; known: \"accumulate\", \"double\"");
    remove_dir(network.dir);
}

/* ---- Threads and deadlines ------------------------------------------------------------------- */

static bool make_long(struct test_network *out)
{
    return test_network_long(2048, out);
}

TEST(cli_session, run_that_misses_its_deadline_fails)
{
    struct network_file network;

    REQUIRE(store(make_long, &network));
    expect_refused(RUN("bench", network.path, "--deadline", "1", "--runs", "1", "--warmup", "0"),
                   "MISSED_DEADLINE");
    remove_dir(network.dir);
}

TEST(cli_session, threads_of_an_inference_are_limited)
{
    struct command_run run =
        RUN("run", example_path("digits/digits.tflite"), "--input",
            example_path("digits/seven.png"), "--threads", "1", "--deadline", "60000");
    EXPECT_INT(run.status, 0);
    command_run_finish(&run);
    run = RUN("run", example_path("digits/digits.tflite"), "--threads", "0");
    EXPECT_INT(run.status, 2);
    command_run_finish(&run);
}
