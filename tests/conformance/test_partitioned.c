/* `halyard conformance --mode partitioned` on devices that share out the operations by chance: the
 * models run in pieces, and every test comes out right. */
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/conformance/run_command.h"
#include "tests/kit/test.h"

static const char own_vectors[] = HY_VECTORS_DIR;

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The answer is the caller's. */
static json_t *run_in(const char *mode, const char *vectors, const char *seed, const char *device,
                      int expected_status)
{
    const char *arguments[] = {getenv("HALYARD_COMMAND"),
                               "conformance",
                               "--json",
                               vectors,
                               "--mode",
                               mode,
                               "--seed",
                               seed,
                               device ? "--device" : NULL,
                               device,
                               NULL};
    int status = -1;
    json_t *report = hy_run_command(arguments, &status);
    EXPECT_INT(status, expected_status);
    return report;
}

static json_t *run(const char *vectors, const char *seed, int expected_status)
{
    return run_in("partitioned", vectors, seed, NULL, expected_status);
}

static void report_failures(const json_t *report, const char *seed)
{
    size_t i;
    json_t *test;
    json_array_foreach(json_object_get(report, "tests"), i, test)
    {
        if (strcmp(text(test, "result"), "passed") != 0)
            hy_test_fail(__FILE__, __LINE__, "seed %s: %s: %s: %s", seed, text(test, "name"),
                         text(test, "result"), text(test, "detail"));
    }
}

/* Nothing fails, nothing is left out, and next to no model stays in one piece. */
static void check(const char *vectors)
{
    const char *seed = getenv("HALYARD_TEST_SEED");
    json_t *report = run(vectors, seed ? seed : "0", 0);
    const json_t *merged = json_object_get(report, "merged");
    REQUIRE(merged != NULL);
    EXPECT(number(report, "passed") > 0);
    EXPECT_INT(number(report, "passed"), json_array_size(json_object_get(report, "tests")));
    report_failures(report, seed);
    EXPECT(number(merged, "models") > 0);
    EXPECT(number(merged, "split") * 100 >= number(merged, "models") * 95);
    EXPECT(number(merged, "steps") >= 3 * number(merged, "models"));
    json_decref(report);
}

TEST(partitioned, own_vectors_pass)
{
    check(own_vectors);
}

TEST(partitioned, shared_vectors_pass)
{
    const char *shared = hy_test_shared_dir();
    char dir[1024];
    if (!shared)
        return;
    snprintf(dir, sizeof dir, "%s/conformance", shared);
    check(dir);
}

TEST(partitioned, the_same_seed_gives_the_same_models_and_another_one_others)
{
    json_t *first = run(own_vectors, "7", 0), *again = run(own_vectors, "7", 0);
    json_t *other = run(own_vectors, "8", 0);
    EXPECT(json_equal(first, again));
    EXPECT(!json_equal(json_object_get(first, "merged"), json_object_get(other, "merged")));
    json_decref(first);
    json_decref(again);
    json_decref(other);
}

TEST(partitioned, signed_bytes_go_as_well)
{
    json_t *report = run_in("signed:partitioned", own_vectors, "0", NULL, 0);
    EXPECT(number(report, "passed") > 100);
    EXPECT_INT(number(report, "failed"), 0);
    json_decref(report);
}

/* Of a device that takes a third of all operations some tests run, and copies among them only if it
 * takes those, too. */
TEST(partitioned, copies_fail_no_test_on_a_device_that_refuses_them)
{
    json_t *report = run_in("partitioned", own_vectors, "0", "deal-a", 0);
    EXPECT(number(report, "passed") > 100);
    EXPECT(number(report, "skipped") > 100);
    EXPECT_INT(number(report, "failed"), 0);
    json_decref(report);
}

/* ---- One wrong value ------------------------------------------------------------------------- */

/* The vectors of an operation, the first expected value of its first test changed. */
static bool write_wrong(const char *path, char name[128])
{
    char source[1024];
    snprintf(source, sizeof source, "%s/relu6.json", own_vectors);
    json_t *file = json_load_file(source, 0, NULL);
    json_t *test = json_array_get(json_object_get(file, "tests"), 0);
    json_t *example = json_array_get(json_object_get(test, "examples"), 0);
    json_t *values = json_array_get(json_object_get(example, "outputs"), 0);
    snprintf(name, 128, "%s", test ? text(test, "name") : "");
    const bool done =
        json_array_set_new(values, 0, json_real(5.5)) == 0 && json_dump_file(file, path, 0) == 0;
    json_decref(file);
    return done;
}

TEST(partitioned, a_wrong_value_fails_its_test_alone)
{
    char path[] = "/tmp/halyard-wrong-XXXXXX.json", name[128];
    const int fd = mkstemps(path, 5);
    REQUIRE(fd >= 0);
    REQUIRE(write_wrong(path, name));
    json_t *report = run(path, "0", 1);
    EXPECT_INT(number(report, "failed"), 1);
    EXPECT(number(report, "passed") > 1);
    size_t i;
    json_t *test;
    json_array_foreach(json_object_get(report, "tests"), i, test)
    {
        const bool is_wrong = strcmp(text(test, "name"), name) == 0;
        EXPECT_STR(text(test, "result"), is_wrong ? "failed" : "passed");
        if (is_wrong)
            EXPECT_CONTAINS(text(test, "detail"), "expected 5.5");
    }
    json_decref(report);
    unlink(path);
}
