/* Caching where there is no home folder, or none that can be written, and no state folder at all.
 */
#include "tests/kit/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/unit/tools/kit/cache_dir.h"
#include "tests/unit/tools/kit/command_run.h"

#define MODEL "digits/digits.tflite"

static char home_before[256]; /* "": there was none */

/* A folder for a cache, and in it the state directory that systemd would give a service. Nothing
 * else says where state is; `home` may be NULL. */
static void begin(char dir[64], const char *home)
{
    char service[96];

    make_dir(dir);
    snprintf(service, sizeof service, "%s/service", dir);
    EXPECT_INT(mkdir(service, 0700), 0);
    unsetenv("HALYARD_STATE_DIR");
    unsetenv("XDG_STATE_HOME");
    setenv("STATE_DIRECTORY", service, 1);
    snprintf(home_before, sizeof home_before, "%s", getenv("HOME") ? getenv("HOME") : "");
    if (home)
        setenv("HOME", home, 1);
    else
        unsetenv("HOME");
}

static void end(const char *dir)
{
    setenv("HOME", home_before, 1);
    unsetenv("STATE_DIRECTORY");
    remove_cache_dir(dir);
}

static bool is_there(const char *dir, const char *name)
{
    char path[128];
    struct stat info;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return lstat(path, &info) == 0;
}

static void expect_cached(const char *dir)
{
    static const char *const outcomes[] = {"stored", "hit"};

    for (int i = 0; i < 2; i++) {
        json_t *report = explain_cached(MODEL, dir);
        EXPECT_STR(outcome_of(report), outcomes[i]);
        json_decref(report);
    }
    EXPECT(is_there(dir, "service/halyard"));
}

TEST(cli_state, a_service_without_a_home_is_cached_for)
{
    char dir[64];
    begin(dir, NULL);
    expect_cached(dir);
    end(dir);
}

TEST(cli_state, a_driver_in_a_process_of_its_own_without_a_home_is_cached_for)
{
    char dir[64];
    begin(dir, NULL);
    setenv("HALYARD_ISOLATE", "halyard-cpu", 1);
    expect_cached(dir);
    EXPECT(is_there(dir, "service/halyard/services"));
    unsetenv("HALYARD_ISOLATE");
    end(dir);
}

TEST(cli_state, a_missing_home_is_not_made_and_is_done_without)
{
    char dir[64], ghost[96];
    make_dir(dir);
    snprintf(ghost, sizeof ghost, "%s/ghost", dir);
    char cache[64];
    begin(cache, ghost);
    expect_cached(cache);
    EXPECT(!is_there(dir, "ghost"));
    end(cache);
    remove_dir(dir);
}

/* Not even by root. */
TEST(cli_state, a_home_that_cannot_be_written_is_done_without)
{
    char dir[64];
    begin(dir, "/proc");
    expect_cached(dir);
    end(dir);
}

/* ---- No state folder at all ------------------------------------------------------------------ */

static unsigned count(const char *text, const char *fragment)
{
    unsigned found = 0;

    for (const char *at = text; at && (at = strstr(at, fragment)); at += strlen(fragment))
        found++;
    return found;
}

static void expect_one_warning(const char *isolate)
{
    char dir[64], expected[128];
    make_dir(dir); /* HALYARD_STATE_DIR names a place where nothing can be */
    snprintf(expected, sizeof expected, "] warning cache: nothing is cached in %s/: ", dir);
    setenv("HALYARD_ISOLATE", isolate, 1);
    setenv("HALYARD_LOG", "warning", 1);
    struct command_run run =
        RUN("explain", example_path(MODEL), "--device", "halyard-cpu", "--cache", dir);
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.err, expected);
    EXPECT_INT(count(run.err, "nothing is cached in"), 1);
    EXPECT_INT(count(run.err, "/dev/null"), 1);
    EXPECT_CONTAINS(run.out, "not stored");
    command_run_finish(&run);

    run = RUN("explain", example_path(MODEL), "--device", "halyard-cpu");
    EXPECT_INT(count(run.err, "/dev/null"), 0); /* nobody asked for a cache */
    command_run_finish(&run);
    unsetenv("HALYARD_LOG");
    unsetenv("HALYARD_ISOLATE");
    remove_dir(dir);
}

TEST(cli_state, a_cache_folder_without_a_state_folder_is_warned_of_once)
{
    expect_one_warning("");
}

TEST(cli_state, with_a_driver_in_a_process_of_its_own_too)
{
    expect_one_warning("halyard-cpu");
}

TEST(cli_state, many_compilations_without_a_state_folder_are_one_warning)
{
    setenv("HALYARD_LOG", "warning", 1);
    struct command_run run =
        RUN("bench", example_path(MODEL), "--device", "halyard-cpu", "--runs", "1");
    EXPECT_INT(run.status, 0);
    EXPECT_INT(count(run.err, "nothing is cached in"), 1);
    command_run_finish(&run);
    unsetenv("HALYARD_LOG");
}

/* A folder that cannot be made, and one that is no folder. bench has folders of its own. */
TEST(cli_state, a_cache_folder_that_cannot_be_used_is_one_warning_in_every_command)
{
    static const char *const dirs[] = {"/proc/nonexistent", "/dev/null"};

    for (size_t i = 0; i < 2; i++) {
        char expected[128];
        snprintf(expected, sizeof expected, "] warning cache: nothing is cached in %s/: ", dirs[i]);
        setenv("HALYARD_CACHE_DIR", dirs[i], 1);
        struct command_run runs[] = {
            RUN("run", example_path(MODEL), "--input", example_path("digits/seven.png")),
            RUN("explain", example_path(MODEL)),
            RUN("conformance", VECTORS_DIR "/add.json"),
        };
        for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
            EXPECT_CONTAINS(runs[k].err, expected);
            EXPECT_INT(count(runs[k].err, "nothing is cached in"), 1);
            command_run_finish(&runs[k]);
        }
        unsetenv("HALYARD_CACHE_DIR");
    }
}
