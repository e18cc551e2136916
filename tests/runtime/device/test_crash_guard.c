/* Records of openings in the state folder: which count against a driver, and which do not. */
#include "runtime/drivers/crash_folder.h"
#include "runtime/drivers/crash_guard.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DAY = 24 * 60 * 60 };

static char state[] = "/tmp/halyard-crash-guard-XXXXXX";
static char library[64];

/* The environment is read once in a process: all tests have one state folder. */
static bool begin(void)
{
    static bool is_ready;

    if (!is_ready) {
        is_ready = mkdtemp(state) && setenv("HALYARD_STATE_DIR", state, 1) == 0 &&
                   setenv("HALYARD_LOG", "none", 1) == 0;
        snprintf(library, sizeof library, "%s/libacme.so", state);
    }
    const int file = open(library, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    return is_ready && write(file, "code", 4) == 4 && close(file) == 0;
}

static unsigned file_count(void)
{
    char path[64];
    unsigned count = 0;

    snprintf(path, sizeof path, "%s/openings", state);
    DIR *folder = opendir(path);
    if (!folder)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void finish(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s/openings %s", state, library);
    EXPECT_INT(system(command), 0);
}

/* The last test of the program. */
static void remove_state(void)
{
    (void)rmdir(state);
}

/* A number that no process has any more. */
static pid_t dead_process(void)
{
    const pid_t child = fork();

    if (child == 0)
        _exit(0);
    (void)waitpid(child, NULL, 0);
    return child;
}

static struct hy_crash_record record_of(pid_t process, int64_t age)
{
    struct hy_crash_record record;
    struct hy_driver_build build;
    struct hy_process_identity identity;

    EXPECT(hy_process_identity_read(&identity));
    EXPECT(hy_driver_build_read("acme", library, &build));
    identity.process = process;
    hy_crash_record_init(&record, &identity, &build);
    record.time = (int64_t)time(NULL) - age;
    strcpy(record.call, "create");
    return record;
}

static void leave(const struct hy_crash_record *record)
{
    struct hy_error err;
    int folder = -1;

    EXPECT_INT(hy_crash_folder_open(true, &folder, &err), HY_OK);
    const int file = hy_crash_folder_add(folder, record);
    EXPECT(file >= 0);
    close(file);
    close(folder);
}

/* One opening of the driver. */
static enum hy_code open_driver(struct hy_error *err)
{
    const struct hy_opening_guard *guard = hy_crash_guard_begin();

    *err = (struct hy_error){0};
    const enum hy_code code = guard->begin(guard->context, "acme", library, err);
    if (code == HY_OK) {
        guard->enter(guard->context, "dlopen");
        guard->enter(guard->context, "create");
        guard->end(guard->context);
    }
    hy_crash_guard_end();
    return code;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

TEST(crash_record, part_of_a_record_is_none)
{
    struct hy_crash_record parsed;
    REQUIRE(begin());
    const struct hy_crash_record record = record_of(getpid(), 0);

    EXPECT(hy_crash_record_parse(&record, sizeof record, &parsed));
    for (size_t size = 0; size < sizeof record; size++)
        EXPECT(!hy_crash_record_parse(&record, size, &parsed));
    finish();
}

TEST(crash_record, texts_without_an_end_or_with_marks_for_terminals_are_refused)
{
    struct hy_crash_record parsed;
    REQUIRE(begin());
    const struct hy_crash_record record = record_of(getpid(), 0);
    struct hy_crash_record wrong = record;

    memset(wrong.call, 'x', sizeof wrong.call);
    EXPECT(!hy_crash_record_parse(&wrong, sizeof wrong, &parsed));
    wrong = record;
    memset(wrong.build.library, 'x', sizeof wrong.build.library);
    EXPECT(!hy_crash_record_parse(&wrong, sizeof wrong, &parsed));
    wrong = record;
    strcpy(wrong.build.driver, "\x1b[2J");
    EXPECT(!hy_crash_record_parse(&wrong, sizeof wrong, &parsed));
    wrong = record;
    wrong.process.process = -1;
    EXPECT(!hy_crash_record_parse(&wrong, sizeof wrong, &parsed));
    wrong = record;
    wrong.cause = HY_CRASH_CAUSE_COUNT;
    EXPECT(!hy_crash_record_parse(&wrong, sizeof wrong, &parsed));
    finish();
}

TEST(crash_record, changed_bytes_are_refused_or_are_another_whole_record)
{
    uint32_t seed = 33;
    REQUIRE(begin());
    const struct hy_crash_record record = record_of(getpid(), 0);

    for (int i = 0; i < 20000; i++) {
        struct hy_crash_record changed = record, parsed;
        for (int k = 0; k < 4; k++) {
            seed = seed * 1664525u + 1013904223u;
            ((uint8_t *)&changed)[seed % sizeof changed] ^= (uint8_t)(seed >> 24);
        }
        if (hy_crash_record_parse(&changed, sizeof changed, &parsed))
            EXPECT(memchr(parsed.call, '\0', sizeof parsed.call) != NULL);
    }
    finish();
}

/* ---- What counts ----------------------------------------------------------------------------- */

TEST(crash_guard, opening_that_ends_well_leaves_nothing)
{
    struct hy_error err;
    REQUIRE(begin());

    EXPECT_INT(open_driver(&err), HY_OK);
    EXPECT_INT(file_count(), 0);
    finish();
}

TEST(crash_guard, record_that_stayed_behind_once_does_not_count)
{
    struct hy_error err;
    REQUIRE(begin());
    const struct hy_crash_record record = record_of(dead_process(), 60);

    leave(&record);
    EXPECT_INT(open_driver(&err), HY_OK);
    EXPECT_INT(file_count(), 1);
    finish();
}

TEST(crash_guard, two_records_of_a_day_leave_the_driver_out)
{
    struct hy_error err;
    REQUIRE(begin());
    const struct hy_crash_record one = record_of(dead_process(), 60),
                                 two = record_of(dead_process(), 120);

    leave(&one);
    leave(&two);
    EXPECT_INT(open_driver(&err), HY_FAILED);
    EXPECT_CONTAINS(err.text,
                    "have ended within a day while it was opened, the last in its create");
    EXPECT_CONTAINS(err.text, "'halyard devices --retry acme'");
    EXPECT_INT(hy_crash_guard_forget("acme", &err), HY_OK);
    EXPECT_INT(open_driver(&err), HY_OK);
    finish();
}

TEST(crash_guard, two_records_that_are_days_apart_do_not_count)
{
    struct hy_error err;
    REQUIRE(begin());
    const struct hy_crash_record one = record_of(dead_process(), 60),
                                 two = record_of(dead_process(), 2 * DAY);

    leave(&one);
    leave(&two);
    EXPECT_INT(open_driver(&err), HY_OK);
    EXPECT_INT(file_count(), 1); /* the old one has gone */
    finish();
}

TEST(crash_guard, processes_that_live_do_not_count)
{
    struct hy_error err;
    REQUIRE(begin());
    struct hy_crash_record one = record_of(getpid(), 60);
    const struct hy_crash_record two = record_of(dead_process(), 120);

    leave(&one);
    leave(&two);
    EXPECT_INT(open_driver(&err), HY_OK);
    finish();
}

TEST(crash_guard, exit_that_was_seen_counts_alone_until_the_library_is_another)
{
    struct hy_error err;
    REQUIRE(begin());
    struct hy_crash_record record = record_of(dead_process(), 60);

    record.cause = HY_CRASH_EXIT;
    record.number = 3;
    leave(&record);
    EXPECT_INT(open_driver(&err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "its create has ended a process");
    EXPECT_CONTAINS(err.text, "by exit, with status 3");

    const int file = open(library, O_WRONLY | O_APPEND | O_CLOEXEC);
    EXPECT_INT(write(file, "more", 4), 4);
    close(file);
    EXPECT_INT(open_driver(&err), HY_OK);
    EXPECT_INT(file_count(), 0); /* it is of a build that has been replaced */
    finish();
}

TEST(crash_guard, driver_that_nothing_counts_against_cannot_be_forgiven)
{
    struct hy_error err;
    REQUIRE(begin());

    EXPECT_INT(hy_crash_guard_forget("acme", &err), HY_BAD_DATA);
    EXPECT_STR(err.text, "nothing is recorded against a driver acme");
    finish();
}

/* ---- Trouble --------------------------------------------------------------------------------- */

TEST(crash_guard, folder_that_cannot_be_made_costs_nobody_a_driver)
{
    struct hy_error err;
    char path[64];
    REQUIRE(begin());

    snprintf(path, sizeof path, "%s/openings", state);
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(file >= 0);
    close(file);
    EXPECT_INT(open_driver(&err), HY_OK);
    finish();
}

/* A file that may not grow to a record is what a full disk is. */
TEST(crash_guard, full_disk_costs_nobody_a_driver_and_leaves_no_file)
{
    const struct rlimit little = {100, RLIM_INFINITY};
    struct rlimit before;
    struct hy_error err;
    REQUIRE(begin());

    signal(SIGXFSZ, SIG_IGN);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0 && setrlimit(RLIMIT_FSIZE, &little) == 0);
    const enum hy_code code = open_driver(&err);
    (void)setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    EXPECT_INT(code, HY_OK);
    EXPECT_INT(file_count(), 0);
    finish();
}

TEST(crash_guard, processes_that_open_one_driver_at_once_do_not_disturb_each_other)
{
    enum { PROCESSES = 8, OPENINGS = 25 };
    struct hy_error err;
    REQUIRE(begin());

    for (int i = 0; i < PROCESSES; i++) {
        const pid_t child = fork();
        if (child > 0)
            continue;
        for (int k = 0; k < OPENINGS; k++) {
            if (open_driver(&err) != HY_OK)
                _exit(1);
        }
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        EXPECT(waitpid(-1, &status, 0) > 0);
        EXPECT_INT(status, 0);
    }
    EXPECT_INT(file_count(), 0);
    finish();
    remove_state();
}
