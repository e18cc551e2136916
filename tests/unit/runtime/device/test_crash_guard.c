/* Openings of drivers, as the guard sees them: in processes of their own, which share a state
 * folder. */
#include "runtime/drivers/crash_guard.h"
#include "tests/kit/child_log.h"
#include "tests/unit/runtime/kit/crash_fixture.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

static struct crash_fixture fixture;
static char state[96], records[112];

static void begin(void)
{
    crash_fixture_init(&fixture);
    snprintf(state, sizeof state, "%s/state", fixture.root);
    snprintf(records, sizeof records, "%s/openings", state);
}

static int count_records(void)
{
    return crash_fixture_count_files(records);
}

/* ---- What a process does --------------------------------------------------------------------- */

/* The environment is read once in each process. */
static void use_state_dir(void)
{
    setenv("HALYARD_STATE_DIR", state, 1);
}

/* Opens the driver as far as the call. */
static enum hy_code open_as_far_as(const char *call, struct hy_error *err)
{
    const struct hy_opening_guard *guard = hy_crash_guard_begin();
    const enum hy_code code = guard->begin(guard->context, "npu", fixture.library, err);

    if (code == HY_OK)
        guard->enter(guard->context, "dlopen");
    if (code == HY_OK && call)
        guard->enter(guard->context, call);
    return code;
}

static enum hy_code open_well(struct hy_error *err)
{
    const struct hy_opening_guard *guard = hy_crash_guard_begin();
    const enum hy_code code = open_as_far_as("create", err);

    if (code == HY_OK)
        guard->end(guard->context);
    hy_crash_guard_end();
    return code;
}

/* The exit status, or 1000 and the signal. */
static int run(int (*act)(void))
{
    int status = 0;

    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        use_state_dir();
        _exit(act());
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int open_and_die(void)
{
    struct hy_error err;
    if (open_as_far_as("create", &err) != HY_OK)
        return 1;
    return kill(getpid(), SIGKILL); /* in a sanitizer's build, too, nobody is told */
}

enum { OPENED, LEFT_OUT, LEFT_SOMETHING, NOT_PERMITTED = 77 };

/* OPENED or LEFT_OUT. */
static int open_it(void)
{
    struct hy_error err;
    return open_well(&err) == HY_OK ? OPENED : LEFT_OUT;
}

/* ---- One after the other --------------------------------------------------------------------- */

/* Stays in the driver until the other end of the pipe is closed. */
static pid_t begin_opening(int *gate)
{
    int notified[2], held[2];
    char byte;

    if (pipe(notified) != 0 || pipe(held) != 0)
        abort();
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct hy_error err;
        close(held[1]);
        use_state_dir();
        const enum hy_code code = open_as_far_as("create", &err);
        (void)!write(notified[1], "", 1);
        (void)!read(held[0], &byte, 1);
        hy_crash_guard_end();
        _exit(code == HY_OK ? OPENED : LEFT_OUT);
    }
    EXPECT_INT(read(notified[0], &byte, 1), 1);
    close(notified[0]);
    close(notified[1]);
    close(held[0]);
    *gate = held[1];
    return child;
}

TEST(crash_guard, record_lies_there_while_a_driver_is_opened_and_no_longer)
{
    int gate, status;
    begin();
    const pid_t opener = begin_opening(&gate);
    EXPECT_INT(count_records(), 1);
    EXPECT_INT(run(open_it), OPENED); /* whatever its own record does, that one stays */
    EXPECT_INT(count_records(), 1);
    close(gate);
    EXPECT_INT(waitpid(opener, &status, 0), opener);
    EXPECT_INT(status, OPENED);
    EXPECT_INT(count_records(), 0);
    crash_fixture_finish(&fixture);
}

TEST(crash_guard, second_death_within_a_day_leaves_the_driver_out)
{
    begin();
    EXPECT_INT(run(open_and_die), 1000 + SIGKILL);
    EXPECT_INT(run(open_it), OPENED);
    EXPECT_INT(run(open_and_die), 1000 + SIGKILL);
    EXPECT_INT(count_records(), 2);
    EXPECT_INT(run(open_it), LEFT_OUT);
    EXPECT_INT(run(open_it), LEFT_OUT);
    EXPECT_INT(count_records(), 2);
    crash_fixture_finish(&fixture);
}

TEST(crash_guard, another_build_is_let_in_and_its_old_records_go)
{
    begin();
    EXPECT_INT(run(open_and_die), 1000 + SIGKILL);
    EXPECT_INT(run(open_and_die), 1000 + SIGKILL);
    EXPECT_INT(run(open_it), LEFT_OUT);
    crash_fixture_write(fixture.library, "another build", 13);
    EXPECT_INT(run(open_it), OPENED);
    EXPECT_INT(count_records(), 0);
    crash_fixture_finish(&fixture);
}

static int die_between_drivers(void)
{
    const struct hy_opening_guard *guard = hy_crash_guard_begin();
    struct hy_error err;
    if (open_as_far_as("create", &err) != HY_OK)
        return 1;
    guard->end(guard->context);
    return kill(getpid(), SIGKILL);
}

TEST(crash_guard, death_between_two_drivers_is_nobodys)
{
    begin();
    EXPECT_INT(run(die_between_drivers), 1000 + SIGKILL);
    EXPECT_INT(run(die_between_drivers), 1000 + SIGKILL);
    EXPECT_INT(run(open_it), OPENED);
    EXPECT_INT(count_records(), 0);
    crash_fixture_finish(&fixture);
}

static int exit_in_driver(void)
{
    struct hy_error err;
    if (open_as_far_as("create", &err) != HY_OK)
        return 1;
    exit(0);
}

static void *exit_elsewhere(void *unused)
{
    (void)unused;
    exit(0);
}

static int exit_on_another_thread(void)
{
    pthread_t thread;
    struct hy_error err;
    if (open_as_far_as("create", &err) != HY_OK ||
        pthread_create(&thread, NULL, exit_elsewhere, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    return 1;
}

TEST(crash_guard, exit_of_the_driver_leaves_a_record_and_one_of_the_app_does_not)
{
    begin();
    EXPECT_INT(run(exit_on_another_thread), 0);
    EXPECT_INT(count_records(), 0);
    EXPECT_INT(run(exit_in_driver), 0);
    EXPECT_INT(count_records(), 1);
    crash_fixture_finish(&fixture);
}

/* ---- What this process has seen of others ---------------------------------------------------- */

static int condemn(uint32_t cause, int32_t number)
{
    struct hy_crash_record record = crash_fixture_left(&fixture, 1, 0);
    struct hy_error err;

    record.cause = cause;
    record.number = number;
    if (hy_crash_guard_condemn(&record, &err) != HY_OK)
        return LEFT_SOMETHING;
    return open_it();
}

static int condemn_fault(void)
{
    return condemn(HY_CRASH_SIGNAL, SIGSEGV);
}

static int condemn_hang(void)
{
    return condemn(HY_CRASH_HANG, 1000);
}

static int clear_condemned(void)
{
    struct hy_error err;
    if (condemn_fault() != LEFT_OUT || hy_crash_guard_clear("npu", &err) != HY_OK)
        return LEFT_SOMETHING;
    if (hy_crash_guard_clear("npu", &err) != HY_BAD_DATA)
        return LEFT_SOMETHING;
    return open_it();
}

TEST(crash_guard, fault_that_was_seen_is_kept_for_other_processes)
{
    begin();
    EXPECT_INT(run(condemn_fault), LEFT_OUT);
    EXPECT_INT(run(open_it), LEFT_OUT);
    EXPECT_INT(count_records(), 1);
    crash_fixture_finish(&fixture);
}

TEST(crash_guard, hang_that_was_seen_counts_in_this_process_alone)
{
    begin();
    EXPECT_INT(run(condemn_hang), LEFT_OUT);
    EXPECT_INT(run(open_it), OPENED);
    EXPECT_INT(count_records(), 0);
    crash_fixture_finish(&fixture);
}

TEST(crash_guard, forgotten_driver_is_let_in)
{
    begin();
    EXPECT_INT(run(clear_condemned), OPENED);
    EXPECT_INT(count_records(), 0);
    crash_fixture_finish(&fixture);
}

/* ---- At once --------------------------------------------------------------------------------- */

enum { PROCESSES = 24 };

/* All of them wait for the pipe's end, then act; the sum of their results. */
static int run_at_once(int (*act)(void), int expected)
{
    int gate[2], status, as_expected = 0;
    char byte;

    if (pipe(gate) != 0)
        return -1;
    fflush(stdout);
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() != 0)
            continue;
        close(gate[1]);
        use_state_dir();
        (void)!read(gate[0], &byte, 1);
        _exit(act());
    }
    close(gate[0]);
    close(gate[1]);
    while (wait(&status) > 0)
        as_expected +=
            (WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status)) == expected;
    return as_expected;
}

static int open_often(void)
{
    int outcome = OPENED;
    for (int i = 0; i < 20 && outcome == OPENED; i++)
        outcome = open_it();
    return outcome;
}

TEST(crash_guard, processes_that_open_a_driver_at_once_do_not_mind_each_other)
{
    begin();
    EXPECT_INT(run_at_once(open_often, OPENED), PROCESSES);
    EXPECT_INT(count_records(), 0);
    crash_fixture_finish(&fixture);
}

static int open_nothing_and_die(void)
{
    struct hy_error err;
    const enum hy_code code = open_as_far_as("create", &err);
    return code == HY_OK || code == HY_FAILED ? kill(getpid(), SIGKILL) : 1;
}

TEST(crash_guard, processes_that_die_at_once_leave_two_records_in_the_end)
{
    begin();
    EXPECT_INT(run_at_once(open_nothing_and_die, 1000 + SIGKILL), PROCESSES);
    EXPECT_INT(run_at_once(open_it, LEFT_OUT), PROCESSES);
    EXPECT_INT(count_records(), 2);
    EXPECT_INT(run(open_it), LEFT_OUT);
    crash_fixture_finish(&fixture);
}

/* ---- Without a folder ------------------------------------------------------------------------ */

static int mount_small(const char *options)
{
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return NOT_PERMITTED;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || mkdir(state, 0700) != 0 ||
        mount("none", state, "tmpfs", 0, options) != 0)
        return NOT_PERMITTED;
    return 0;
}

/* Takes what is left of the disk; but for the names of files. */
static void fill_disk(void)
{
    const char bytes[4096] = {0};
    char path[128];

    snprintf(path, sizeof path, "%s/large", state);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    while (fd >= 0 && write(fd, bytes, sizeof bytes) > 0)
        ;
    close(fd);
}

/* Twice: a round that failed is over. */
static int open_twice(void)
{
    for (int i = 0; i < 2; i++) {
        if (open_it() != OPENED)
            return LEFT_OUT;
    }
    return count_records() <= 0 ? OPENED : LEFT_SOMETHING;
}

static int open_on_full_disk(void)
{
    if (mount_small("size=64k,mode=0700") != 0)
        return NOT_PERMITTED;
    fill_disk();
    return open_twice();
}

static int open_on_read_only_disk(void)
{
    if (mount_small("size=64k,mode=0700") != 0 ||
        mount("none", state, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) != 0)
        return NOT_PERMITTED;
    return open_twice();
}

/* What lies on a read-only disk counts. */
static int open_condemned_on_read_only_disk(void)
{
    if (mount_small("size=64k,mode=0700") != 0)
        return NOT_PERMITTED;
    if (run(condemn_fault) != LEFT_OUT)
        return LEFT_SOMETHING;
    if (mount("none", state, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL) != 0)
        return NOT_PERMITTED;
    return open_it();
}

static void expect_or_skip(int actual, int expected)
{
    if (actual == NOT_PERMITTED)
        printf("(skipped: mounting is not permitted) ");
    else
        EXPECT_INT(actual, expected);
}

TEST(crash_guard, full_disk_hinders_no_opening)
{
    begin();
    expect_or_skip(run(open_on_full_disk), OPENED);
    crash_fixture_finish(&fixture);
}

TEST(crash_guard, read_only_disk_hinders_no_opening)
{
    begin();
    expect_or_skip(run(open_on_read_only_disk), OPENED);
    crash_fixture_finish(&fixture);
}

TEST(crash_guard, records_on_a_read_only_disk_count)
{
    begin();
    expect_or_skip(run(open_condemned_on_read_only_disk), LEFT_OUT);
    crash_fixture_finish(&fixture);
}

/* The kernel's signal for a file that is too large would end the app. */
static int open_with_limit_of_file_sizes(void)
{
    const struct rlimit limit = {100, 100};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return NOT_PERMITTED;
    return open_twice();
}

TEST(crash_guard, limit_of_file_sizes_hinders_no_opening)
{
    begin();
    EXPECT_INT(run(open_with_limit_of_file_sizes), OPENED);
    crash_fixture_finish(&fixture);
}

static int open_where_others_may_write(void)
{
    if (mkdir(state, 0700) != 0 || mkdir(records, 0700) != 0 || chmod(records, 0777) != 0)
        return NOT_PERMITTED;
    return run(condemn_fault) == LEFT_OUT ? open_twice() : LEFT_SOMETHING;
}

TEST(crash_guard, folder_that_others_may_write_to_is_none)
{
    begin();
    EXPECT_INT(run(open_where_others_may_write), OPENED);
    EXPECT_INT(count_records(), 0);
    crash_fixture_finish(&fixture);
}

static void open_without_dir(void)
{
    setenv("HALYARD_STATE_DIR", "/dev/null/none", 1);
    (void)open_it();
}

TEST(crash_guard, what_it_does_without_is_one_line_for_those_who_debug)
{
    char text[4096];
    begin();
    hy_child_log("debug", "text", open_without_dir, text, sizeof text);
    const char *line = strstr(text, "drivers are opened without a record in the state directory");
    EXPECT_CONTAINS(text, "/dev/null");
    EXPECT(line && !strstr(line + 1, "drivers are opened"));
    hy_child_log("info", "text", open_without_dir, text, sizeof text);
    EXPECT_STR(text, "");
    crash_fixture_finish(&fixture);
}
