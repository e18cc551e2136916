/* `halyard compile` and `halyard cache check`. */
#include "tests/kit/test.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/tools/kit/cache_dir.h"
#include "tests/unit/tools/kit/command_run.h"

#define JIT_DEVICE "halyard-sample-just-in-time"

enum { NOBODY = 65534, NOT_HERE = 77 };

static const char *digits(void)
{
    return example_path("digits/digits.tflite");
}

/* Exit status, and words of the output and of standard error. */
static void expect_run(struct command_run run, int status, const char *out, const char *err)
{
    EXPECT_INT(run.status, status);
    EXPECT_CONTAINS(run.out, out);
    EXPECT_CONTAINS(run.err, err);
    command_run_finish(&run);
}

TEST(cli_compile, stores_and_then_finds_and_check_says_valid)
{
    char position[64], dir[96];
    make_cache_dir(position);
    snprintf(dir, sizeof dir, "%s/a/b", position); /* not there yet */

    expect_run(RUN("cache", "check", digits(), "--cache", dir), 1, "not valid: step 0 on ", "");
    expect_run(RUN("compile", digits(), "--cache", dir), 0, ": 1 step stored; ", "");
    expect_run(RUN("compile", digits(), "--cache", dir), 0, ": 1 step found; ", "");
    expect_run(RUN("cache", "check", digits(), "--cache", dir), 0, "digits.tflite: valid\n", "");
    expect_run(RUN("cache", "check", digits(), "--cache", dir, "--priority", "low"), 1,
               "not in the cache: cache entry: no entry for this token", "");
    expect_run(RUN("cache", "check", digits(), "--cache", dir, "--relaxed"), 1, "not valid", "");
    remove_cache_dir(position);
}

TEST(cli_compile, a_device_that_cannot_cache_is_no_failure_but_not_valid)
{
    char position[64];
    make_cache_dir(position);

    expect_run(RUN("compile", digits(), "--cache", position, "--device", "nnapi-reference"), 0,
               "cannot be cached", "");
    expect_run(
        RUN("cache", "check", digits(), "--cache", position, "--device", "nnapi-reference"), 1,
        "step 0 on nnapi-reference: not in the cache: the device does not support caching", "");
    remove_cache_dir(position);
}

TEST(cli_compile, what_cannot_be_stored_fails_and_is_named)
{
    setenv("HALYARD_STATE_DIR", "/dev/null/none", 1);
    char dir[64];
    make_dir(dir);
    expect_run(RUN("compile", digits(), "--cache", dir, "--device", "halyard-cpu"), 1, "NOT STORED",
               "step 0 on halyard-cpu: not stored: ");
    expect_run(RUN("compile", digits(), "--cache", "/proc/halyard/none"), 1, "",
               "cache directory /proc/halyard/none: No such file");
    remove_dir(dir);
}

TEST(cli_compile, a_device_that_compiles_just_in_time_stores_with_a_first_run)
{
    char position[64];
    make_cache_dir(position);
    setenv("HALYARD_DRIVER_FILES", SAMPLE_FAMILY_DIR "/just_in_time.json", 1);
    struct command_run run = RUN("compile", digits(), "--device", JIT_DEVICE, "--device",
                                 "halyard-cpu", "--cache", position, "--json");
    EXPECT_INT(run.status, 0);
    json_t *json = command_run_json(&run);
    EXPECT(json_is_true(json_object_get(json, "complete")));
    size_t index, jit_steps = 0;
    json_t *step;
    json_array_foreach(json_object_get(json, "steps"), index, step)
    {
        EXPECT_STR(json_string_value(json_object_get(step, "outcome")), "stored");
        EXPECT(json_integer_value(json_object_get(step, "bytes")) > 0);
        jit_steps += strcmp(json_string_value(json_object_get(step, "device")), JIT_DEVICE) == 0;
    }
    EXPECT(jit_steps > 0);
    json_decref(json);
    command_run_finish(&run);
    expect_run(RUN("cache", "check", digits(), "--device", JIT_DEVICE, "--device", "halyard-cpu",
                   "--cache", position),
               0, ": valid\n", "");
    unsetenv("HALYARD_DRIVER_FILES");
    remove_cache_dir(position);
}

TEST(cli_compile, the_folder_of_the_environment_has_entries_of_its_own)
{
    char position[64];
    make_cache_dir(position);
    expect_run(RUN("compile", digits()), 2, "", "--cache is missing, and HALYARD_CACHE_DIR");
    expect_run(RUN("cache", "check", digits()), 2, "", "--cache is missing");
    setenv("HALYARD_CACHE_DIR", position, 1);
    expect_run(RUN("compile", digits()), 0, "the directory of HALYARD_CACHE_DIR: 1 step stored",
               "");
    expect_run(RUN("cache", "check", digits()), 0, ": valid\n", "");
    unsetenv("HALYARD_CACHE_DIR");
    expect_run(RUN("cache", "check", digits(), "--cache", position), 1, "no entry for this token",
               "");
    remove_cache_dir(position);
}

TEST(cli_compile, check_answers_in_json)
{
    char position[64];
    make_cache_dir(position);
    struct command_run run = RUN("cache", "check", digits(), "--cache", position, "--json");
    EXPECT_INT(run.status, 1);
    json_t *json = command_run_json(&run);
    EXPECT(json_is_false(json_object_get(json, "valid")));
    EXPECT_CONTAINS(json_string_value(json_object_get(json, "reason")), "not in the cache");
    json_decref(json);
    command_run_finish(&run);
    remove_cache_dir(position);
}

/* ---- Images ---------------------------------------------------------------------------------- */

/* No state folder: nothing but the cache folder is shipped. */
static bool is_valid(const char *position)
{
    setenv("HALYARD_STATE_DIR", "/dev/null/none", 1);
    struct command_run check = RUN("cache", "check", digits(), "--cache", position);
    struct command_run run = RUN("run", digits(), "--input", example_path("digits/seven.png"),
                                 "--cache", position, "--json");
    const bool is_valid = check.status == 0 && run.status == 0 && !strstr(run.err, "cache");
    command_run_finish(&check);
    command_run_finish(&run);
    return is_valid;
}

static bool is_valid_read_only(const char *position)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(position, position, NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, position, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0)
        _exit(NOT_HERE);
    return is_valid(position);
}

static bool is_valid_for_nobody(const char *position)
{
    if (geteuid() != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
        _exit(NOT_HERE);
    setenv("HOME", "/nonexistent", 1);
    return is_valid(position);
}

static void expect_valid(bool (*look)(const char *position), const char *position, bool want)
{
    int status = -1;

    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(look(position) == want ? 0 : 1);
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_HERE)
        printf("(skipped: this takes root) ");
    else
        EXPECT_INT(WEXITSTATUS(status), 0);
}

TEST(cli_compile, a_cache_that_is_mounted_read_only_serves_without_a_state_folder)
{
    char position[64], command[128];
    make_cache_dir(position);
    expect_run(RUN("compile", digits(), "--cache", position), 0, "1 step stored", "");
    expect_valid(is_valid_read_only, position, true);
    snprintf(command, sizeof command, "chmod -R go=rX %s", position);
    EXPECT_INT(system(command), 0);
    expect_valid(is_valid_read_only, position, true);
    remove_cache_dir(position);
}

TEST(cli_compile, a_cache_of_root_serves_other_users_who_may_read_it)
{
    char position[64], command[128];
    make_cache_dir(position);
    expect_run(RUN("compile", digits(), "--cache", position), 0, "1 step stored", "");
    expect_valid(is_valid_for_nobody, position, false);
    snprintf(command, sizeof command, "chmod -R go=rX %s", position);
    EXPECT_INT(system(command), 0);
    expect_valid(is_valid_for_nobody, position, true);
    remove_cache_dir(position);
}

TEST(cli_compile, a_cache_that_can_be_written_to_serves_with_its_state_folder_alone)
{
    char position[64];
    make_cache_dir(position);
    expect_run(RUN("compile", digits(), "--cache", position), 0, "1 step stored", "");
    expect_run(RUN("cache", "check", digits(), "--cache", position), 0, ": valid\n", "");
    expect_valid(is_valid, position, false);
    expect_run(RUN("cache", "check", digits(), "--cache", position), 0, ": valid\n", "");
    remove_cache_dir(position);
}
