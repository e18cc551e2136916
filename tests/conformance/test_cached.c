/* `halyard conformance --mode cached`: every model that may be compiled comes from the cache when
 * it is compiled again, and computes right both times. */
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/run_command.h"
#include "tests/kit/test.h"

static const char own_vectors[] = HY_VECTORS_DIR;

/* ---- A place for what the library remembers -------------------------------------------------- */

static void make_state(char path[64])
{
    strcpy(path, "/tmp/halyard-test-XXXXXX");
    EXPECT(mkdtemp(path) != NULL);
    setenv("HALYARD_STATE_DIR", path, 1);
}

static void remove_state(const char *path)
{
    char *roots[] = {(char *)path, NULL}; /* fts does not write to it */
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (const FTSENT *entry; walk && (entry = fts_read(walk));)
        if (entry->fts_info != FTS_D)
            remove(entry->fts_path);
    if (walk)
        fts_close(walk);
}

static json_t *run_cached(const char *dir, const char *device)
{
    char state[64];
    int status = -1;
    const char *const arguments[] = {
        getenv("HALYARD_COMMAND"),  "conformance", "--json", "--mode", "cached", dir,
        device ? "--device" : NULL, device,        NULL};
    make_state(state);
    json_t *report = hy_run_command(arguments, &status);
    remove_state(state);
    EXPECT_INT(status, 0);
    return report;
}

/* ---- What is expected, by counting in the files ---------------------------------------------- */

struct counts {
    json_int_t tests;
    json_int_t refused; /* that have to be, when they are compiled or later */
};

static void count_file(const char *path, struct counts *counts)
{
    json_t *file = json_load_file(path, 0, NULL);
    size_t i;
    json_t *test;
    EXPECT(file != NULL);
    json_array_foreach(json_object_get(file, "tests"), i, test)
    {
        counts->tests++;
        counts->refused += json_is_true(json_object_get(test, "expect_failure"));
    }
    json_decref(file);
}

static struct counts count_all(const char *dir)
{
    struct counts counts = {0};
    char *roots[] = {(char *)dir, NULL};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    for (const FTSENT *entry; walk && (entry = fts_read(walk)) != NULL;) {
        const char *ending = strrchr(entry->fts_name, '.');
        if (entry->fts_info == FTS_F && ending && strcmp(ending, ".json") == 0)
            count_file(entry->fts_path, &counts);
    }
    if (walk)
        fts_close(walk);
    return counts;
}

/* ---- The answer ------------------------------------------------------------------------------ */

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void report_failures(const json_t *report)
{
    size_t i;
    json_t *test;
    json_array_foreach(json_object_get(report, "tests"), i, test)
    {
        if (strcmp(json_string_value(json_object_get(test, "result")), "failed") == 0)
            hy_test_fail(__FILE__, __LINE__, "%s: %s",
                         json_string_value(json_object_get(test, "name")),
                         json_string_value(json_object_get(test, "detail")));
    }
}

/* Some of those that have to be refused may be compiled: only computing them fails. */
static void check_hits(const char *dir, const char *device)
{
    const struct counts counts = count_all(dir);
    json_t *report = run_cached(dir, device);
    REQUIRE(report != NULL);
    const json_t *cached = json_object_get(report, "cached");
    report_failures(report);
    EXPECT_INT(number(report, "passed"), counts.tests);
    EXPECT_INT(number(report, "failed"), 0);
    EXPECT_INT(number(report, "skipped"), 0);
    EXPECT_INT(number(cached, "hits"), number(cached, "models"));
    EXPECT(number(cached, "hits") >= counts.tests - counts.refused);
    json_decref(report);
}

TEST(conformance_cached, every_own_model_on_halyard_cpu_comes_from_the_cache)
{
    check_hits(own_vectors, "halyard-cpu");
}

TEST(conformance_cached, every_shared_model_on_halyard_cpu_comes_from_the_cache)
{
    const char *shared = hy_test_shared_dir();
    char dir[1024];
    if (!shared)
        return;
    snprintf(dir, sizeof dir, "%s/conformance", shared);
    check_hits(dir, "halyard-cpu");
}

/* Answers are right all the same, and each test that compiles is skipped for one reason. */
TEST(conformance_cached, a_device_without_cache_files_is_skipped)
{
    static const char reason[] = "cached: the device has no cache files";
    const struct counts counts = count_all(own_vectors);
    json_t *report = run_cached(own_vectors, "nnapi-reference");
    REQUIRE(report != NULL);
    EXPECT_INT(number(report, "failed"), 0);
    EXPECT_INT(number(report, "passed") + number(report, "skipped"), counts.tests);
    EXPECT(number(report, "skipped") >= counts.tests - counts.refused);
    EXPECT_INT(number(json_object_get(report, "skipped_by_reason"), reason),
               number(report, "skipped"));
    EXPECT_INT(number(json_object_get(report, "cached"), "hits"), 0);
    json_decref(report);
}
