/* Drivers that end, or keep, whoever opens them; and what the next ones know of it. */
#include "tests/kit/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/unit/tools/kit/command_run.h"

static char dir[64], manifests[96], state_before[256];

static void write_driver(const char *name, const char *library, const char *fault)
{
    char path[192], text[1024];

    snprintf(path, sizeof path, "%s/%s.json", manifests, name);
    snprintf(text, sizeof text,
             "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
             "\"abi\":\"1.0\",\"arguments\":{\"fault\":\"%s\",\"name\":\"%s\"}}}",
             library, fault, name);
    write_whole_file(path, text);
}

/* A state folder and a place for manifests; with a driver that is right. */
static void begin(void)
{
    make_dir(dir);
    snprintf(manifests, sizeof manifests, "%s/drivers", dir);
    EXPECT_INT(mkdir(manifests, 0700), 0);
    const char *before = getenv("HALYARD_STATE_DIR");
    snprintf(state_before, sizeof state_before, "%s", before ? before : "");
    char state[96];
    snprintf(state, sizeof state, "%s/state", dir);
    setenv("HALYARD_STATE_DIR", state, 1);
    setenv("HALYARD_DRIVER_FILES", manifests, 1);
    write_driver("good", FAULTY_DRIVER, "none");
}

static void end(void)
{
    unsetenv("HALYARD_DRIVER_FILES");
    setenv("HALYARD_STATE_DIR", state_before, 1);
    remove_dir(dir);
}

static int count_records(void)
{
    char path[128];
    int count = 0;

    snprintf(path, sizeof path, "%s/state/openings", dir);
    DIR *entries = opendir(path);
    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        count += entry->d_name[0] != '.';
    if (entries)
        closedir(entries);
    return count;
}

static void expect_listed(const char *expected)
{
    struct command_run run = RUN("devices", "--timeout", "1");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "good\n  type");
    EXPECT_CONTAINS(run.out, expected);
    command_run_finish(&run);
}

/* Any other command opens drivers as an app does. */
static int run_app(void)
{
    struct command_run run = RUN("explain", example_path("digits/digits.tflite"));
    const int status = run.status;
    command_run_finish(&run);
    return status;
}

TEST(cli_crashes, driver_that_ends_its_process_is_told_with_call_and_cause)
{
    static const struct {
        const char *library, *fault, *expected;
    } cases[] = {
        {DLOPEN_DRIVER, "none", "dlopen ended a process by SIGSEGV"},
        {FAULTY_DRIVER, "create-crashes", "create ended a process by SIG"},
        {FAULTY_DRIVER, "create-exits", "create ended a process by exit(3)"},
        {FAULTY_DRIVER, "describe-crashes",
         "describe ended a process by SIGSEGV (11); the driver is not opened"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        write_driver("bad", cases[i].library, cases[i].fault);
        expect_listed(cases[i].expected);
        EXPECT_INT(count_records(), 1);
        EXPECT_INT(run_app(), 0); /* which opens it no more */
        end();
    }
}

TEST(cli_crashes, driver_that_hangs_is_told_and_counts_for_nobody_else)
{
    begin();
    write_driver("bad", FAULTY_DRIVER, "create-hangs");
    expect_listed("create did not return within 1 s");
    EXPECT_INT(count_records(), 0);
    end();
}

TEST(cli_crashes, list_of_devices_needs_no_state_folder)
{
    begin();
    setenv("HALYARD_STATE_DIR", "/dev/null/none", 1);
    write_driver("bad", FAULTY_DRIVER, "create-crashes");
    write_driver("worse", FAULTY_DRIVER, "create-exits");
    expect_listed("create ended a process by SIGSEGV");
    end();
}

TEST(cli_crashes, apps_that_die_twice_in_a_driver_leave_it_out_the_third_time)
{
    begin();
    write_driver("bad", FAULTY_DRIVER, "create-crashes");
    EXPECT_INT(run_app(), -1);
    EXPECT_INT(count_records(), 1);
    EXPECT_INT(run_app(), -1);
    EXPECT_INT(run_app(), 0);
    EXPECT_INT(count_records(), 2);
    expect_listed("two processes ended within a day while they opened the driver, the last one");
    end();
}

TEST(cli_crashes, retried_driver_is_opened_again)
{
    begin();
    write_driver("bad", FAULTY_DRIVER, "create-crashes");
    EXPECT_INT(run_app(), -1);
    EXPECT_INT(run_app(), -1);
    write_driver("bad", FAULTY_DRIVER, "none");
    EXPECT_INT(run_app(), 0);
    struct command_run run = RUN("devices", "--retry", "bad");
    EXPECT_INT(run.status, 0);
    EXPECT_CONTAINS(run.out, "bad\n  type");
    command_run_finish(&run);
    EXPECT_INT(count_records(), 0);

    run = RUN("devices", "--retry", "bad");
    EXPECT_INT(run.status, 2);
    EXPECT_CONTAINS(run.err, "--retry bad: no record of a driver with this name");
    command_run_finish(&run);
    end();
}

TEST(cli_crashes, torn_records_count_for_nothing)
{
    char path[160];
    begin();
    EXPECT_INT(run_app(), 0);
    EXPECT_INT(count_records(), 0); /* nothing stays of drivers that behave */
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/state/openings/%d-1.opening", dir, i + 1);
        write_whole_file(path, i == 0 ? "" : "HYCRASH");
    }
    expect_listed("good\n");
    end();
}

TEST(cli_crashes, each_call_is_a_line_of_the_log_before_it_is_made)
{
    static const char *const calls[] = {"dlopen", "hy_driver_query", "create",      "device_count",
                                        "device", "describe",        "capabilities"};
    begin();
    setenv("HALYARD_LOG", "debug:driver", 1);
    struct command_run run = RUN("devices");
    unsetenv("HALYARD_LOG");
    const char *at = run.err;
    for (size_t i = 0; at && i < sizeof calls / sizeof *calls; i++) {
        char line[64];
        snprintf(line, sizeof line, ": good: %s is called\n", calls[i]);
        EXPECT_CONTAINS(at, line);
        at = strstr(at, line);
    }
    command_run_finish(&run);
    end();
}
