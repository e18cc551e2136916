/* What a crash record is, what records prove, and when they go. */
#include "runtime/drivers/crash_evidence.h"
#include "tests/unit/runtime/kit/crash_fixture.h"

#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

static struct crash_fixture fixture;

/* ---- Reading one ----------------------------------------------------------------------------- */

static bool parses(const struct hy_crash_record *record)
{
    struct hy_crash_record read;
    return hy_crash_record_parse(record, sizeof *record, &read);
}

TEST(crash_records, whole_record_reads_back_as_it_was)
{
    struct hy_crash_record read;
    crash_fixture_init(&fixture);
    const struct hy_crash_record record = crash_fixture_left(&fixture, 1, 5);
    EXPECT(hy_crash_record_parse(&record, sizeof record, &read));
    EXPECT_INT(memcmp(&read, &record, sizeof record), 0);
    crash_fixture_finish(&fixture);
}

TEST(crash_records, torn_record_is_none)
{
    char bytes[sizeof(struct hy_crash_record) + 1] = {0};
    struct hy_crash_record read;
    crash_fixture_init(&fixture);
    const struct hy_crash_record record = crash_fixture_left(&fixture, 1, 5);
    memcpy(bytes, &record, sizeof record);
    for (size_t size = 0; size < sizeof record; size++)
        EXPECT(!hy_crash_record_parse(bytes, size, &read));
    EXPECT(!hy_crash_record_parse(bytes, sizeof bytes, &read));
    crash_fixture_finish(&fixture);
}

TEST(crash_records, wrong_members_are_refused)
{
    crash_fixture_init(&fixture);
    const struct hy_crash_record right = crash_fixture_left(&fixture, 1, 5);
    struct hy_crash_record wrong[] = {right, right, right, right, right, right,
                                      right, right, right, right, right, right};
    wrong[0].magic[7] = 2;
    wrong[1].size--;
    wrong[2].cause = 99;
    wrong[3].cause = HY_CRASH_HANG; /* no file has it */
    wrong[4].cause = HY_CRASH_SIGNAL, wrong[4].number = SIGKILL;
    wrong[5].time = -1;
    wrong[6].process.process = 0;
    memset(wrong[7].process.position, 'x', sizeof wrong[7].process.position);
    memset(wrong[8].build.driver, 'x', sizeof wrong[8].build.driver);
    memset(wrong[9].build.library, 'x', sizeof wrong[9].build.library);
    strcpy(wrong[10].call, "\033[31m");
    strcpy(wrong[11].last_line, "a\nb");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (parses(&wrong[i]))
            hy_test_fail(__FILE__, __LINE__, "wrong record %zu is read", i);
    }
    EXPECT(parses(&right));
    crash_fixture_finish(&fixture);
}

TEST(crash_records, faults_are_those_five_signals_and_exits)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
    uint64_t found = 0, expected = 0;
    struct hy_crash_record record = {.cause = HY_CRASH_SIGNAL};

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        expected |= UINT64_C(1) << faults[i];
    for (record.number = 1; record.number < 64; record.number++)
        found |= (uint64_t)hy_crash_record_is_fault(&record) << record.number;
    EXPECT_INT(found, expected);
    record.cause = HY_CRASH_EXIT;
    EXPECT(hy_crash_record_is_fault(&record));
    record.cause = HY_CRASH_HANG;
    EXPECT(!hy_crash_record_is_fault(&record));
}

/* ---- Whose process has ended ----------------------------------------------------------------- */

TEST(crash_records, living_process_has_left_nothing_behind)
{
    crash_fixture_init(&fixture);
    struct hy_crash_record record = crash_fixture_left(&fixture, 0, 2 * CRASH_DAY);
    record.process = fixture.own;
    EXPECT(!hy_crash_record_is_orphaned(&record, &fixture.own));
    crash_fixture_finish(&fixture);
}

TEST(crash_records, process_that_cannot_be_looked_at_lives)
{
    struct rlimit before;
    crash_fixture_init(&fixture);
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    const struct rlimit none = {0, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    const enum hy_process_state state = hy_process_identity_state(&fixture.own, &fixture.own);
    EXPECT_INT(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_INT(state, HY_PROCESS_LIVES);
    crash_fixture_finish(&fixture);
}

TEST(crash_records, number_of_a_process_that_another_one_has_now_is_no_life)
{
    crash_fixture_init(&fixture);
    const struct hy_crash_record record = crash_fixture_left(&fixture, 0, 0);
    EXPECT_INT(record.process.process, getpid());
    EXPECT(hy_crash_record_is_orphaned(&record, &fixture.own));
    crash_fixture_finish(&fixture);
}

TEST(crash_records, process_that_nobody_has_waited_for_has_ended)
{
    struct hy_process_identity child_identity = {0};
    int notified[2], status;
    crash_fixture_init(&fixture);
    REQUIRE(pipe(notified) == 0);
    const pid_t child = fork();
    if (child == 0) {
        struct hy_process_identity own;
        _exit(!hy_process_identity_read(&own) ||
              write(notified[1], &own, sizeof own) != (ssize_t)sizeof own);
    }
    EXPECT_INT(read(notified[0], &child_identity, sizeof child_identity), sizeof child_identity);
    siginfo_t ended;
    EXPECT_INT(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
    EXPECT_INT(hy_process_identity_state(&child_identity, &fixture.own), HY_PROCESS_HAS_ENDED);
    waitpid(child, &status, 0);
    EXPECT_INT(status, 0);
    EXPECT_INT(hy_process_identity_state(&child_identity, &fixture.own), HY_PROCESS_HAS_ENDED);
    close(notified[0]);
    close(notified[1]);
    crash_fixture_finish(&fixture);
}

TEST(crash_records, process_of_another_container_or_boot_may_open_for_an_hour)
{
    crash_fixture_init(&fixture);
    struct hy_crash_record record = crash_fixture_left(&fixture, 0, 3500);
    strcpy(record.process.position, "another boot 1");
    EXPECT(!hy_crash_record_is_orphaned(&record, &fixture.own));
    record.time -= 200;
    EXPECT(hy_crash_record_is_orphaned(&record, &fixture.own));
    record.time += 2 * 3600; /* the clock was set back */
    EXPECT(hy_crash_record_is_orphaned(&record, &fixture.own));
    crash_fixture_finish(&fixture);
}

/* ---- What counts ----------------------------------------------------------------------------- */

static void add(struct hy_crash_file_list *list, struct hy_crash_record record)
{
    struct hy_error err;
    EXPECT_INT(hy_crash_file_list_add(list, "1-1.opening", &record, &err), HY_OK);
}

/* The reason, or "". */
static const char *refusal(const struct hy_crash_file_list *list)
{
    static struct hy_error err;
    return hy_crash_evidence_check(list, &fixture.build, &err) == HY_OK ? "" : err.text;
}

TEST(crash_records, two_within_a_day_count_and_one_does_not)
{
    struct hy_crash_file_list list = {0};
    crash_fixture_init(&fixture);
    EXPECT_STR(refusal(&list), "");
    add(&list, crash_fixture_left(&fixture, 1, 10));
    EXPECT_STR(refusal(&list), "");
    add(&list, crash_fixture_left(&fixture, 2, 10 + CRASH_DAY + 1));
    EXPECT_STR(refusal(&list), "");
    add(&list, crash_fixture_left(&fixture, 3, CRASH_DAY));
    EXPECT_CONTAINS(refusal(&list),
                    "two processes ended within a day while they opened the driver");
    EXPECT_CONTAINS(refusal(&list), "in create; the driver is not opened until its library changes "
                                    "or 'halyard devices --retry npu' is run");
    hy_crash_file_list_finish(&list);
    crash_fixture_finish(&fixture);
}

TEST(crash_records, end_between_two_calls_does_not_count)
{
    struct hy_crash_file_list list = {0};
    crash_fixture_init(&fixture);
    struct hy_crash_record record = crash_fixture_left(&fixture, 1, 10);
    record.call[0] = '\0';
    add(&list, record);
    add(&list, crash_fixture_left(&fixture, 2, 10));
    EXPECT_STR(refusal(&list), "");
    hy_crash_file_list_finish(&list);
    crash_fixture_finish(&fixture);
}

TEST(crash_records, one_that_was_seen_counts_at_once)
{
    static const struct {
        uint32_t cause;
        int32_t number;
        const char *expected;
    } cases[] = {
        {HY_CRASH_SIGNAL, SIGBUS,
         "create ended a process by SIGBUS (7); the driver is not opened until"},
        {HY_CRASH_EXIT, 3, "create ended a process by exit(3); the driver is not opened until"},
        {HY_CRASH_SIGNAL, SIGKILL, "create ended a process by SIGKILL (9); last output: oh"},
        {HY_CRASH_SIGNAL, 35, "create ended a process by a signal (35); last output: oh"},
        {HY_CRASH_HANG, 1500, "create did not return within 1.5 s; last output: oh"},
    };
    crash_fixture_init(&fixture);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_crash_file_list list = {0};
        struct hy_crash_record record = crash_fixture_left(&fixture, 1, 40 * CRASH_DAY);
        record.cause = cases[i].cause;
        record.number = cases[i].number;
        strcpy(record.last_line, "oh");
        add(&list, record);
        EXPECT_CONTAINS(refusal(&list), cases[i].expected);
        EXPECT_CONTAINS(refusal(&list), "; last output: oh");
        hy_crash_file_list_finish(&list);
    }
    crash_fixture_finish(&fixture);
}

TEST(crash_records, records_of_another_build_count_for_nothing)
{
    struct hy_crash_file_list list = {0};
    crash_fixture_init(&fixture);
    struct hy_crash_record record = crash_fixture_left(&fixture, 1, 10);
    add(&list, record);
    record.build.modified_nanoseconds++;
    add(&list, record);
    record.cause = HY_CRASH_EXIT;
    add(&list, record);
    EXPECT_STR(refusal(&list), "");

    record.build = fixture.build;
    strcpy(record.build.driver, "other"); /* a manifest with the same library */
    add(&list, record);
    EXPECT_STR(refusal(&list), "");
    hy_crash_file_list_finish(&list);
    crash_fixture_finish(&fixture);
}

/* ---- What goes ------------------------------------------------------------------------------- */

static bool is_over(struct hy_crash_record record)
{
    struct hy_crash_file_list list = {0};
    add(&list, record);
    const bool is_over = hy_crash_evidence_is_over(&list, 0);
    hy_crash_file_list_finish(&list);
    return is_over;
}

TEST(crash_records, one_that_stayed_alone_goes_after_a_day)
{
    struct hy_crash_file_list list = {0};
    crash_fixture_init(&fixture);
    EXPECT(!is_over(crash_fixture_left(&fixture, 1, CRASH_DAY - 10)));
    EXPECT(is_over(crash_fixture_left(&fixture, 1, CRASH_DAY + 10)));
    EXPECT(is_over(crash_fixture_left(&fixture, 1, -100))); /* of the future */
    add(&list, crash_fixture_left(&fixture, 1, 9 * CRASH_DAY));
    add(&list, crash_fixture_left(&fixture, 2, 9 * CRASH_DAY + 10));
    EXPECT(!hy_crash_evidence_is_over(&list, 0)); /* the two count */
    EXPECT(!hy_crash_evidence_is_over(&list, 1));
    hy_crash_file_list_finish(&list);
    crash_fixture_finish(&fixture);
}

TEST(crash_records, one_of_no_call_goes)
{
    crash_fixture_init(&fixture);
    struct hy_crash_record record = crash_fixture_left(&fixture, 1, 0);
    record.call[0] = '\0';
    EXPECT(is_over(record));
    crash_fixture_finish(&fixture);
}

TEST(crash_records, one_that_was_seen_stays_until_its_library_changes)
{
    crash_fixture_init(&fixture);
    struct hy_crash_record record = crash_fixture_left(&fixture, 1, 40 * CRASH_DAY);
    record.cause = HY_CRASH_EXIT;
    EXPECT(!is_over(record));
    crash_fixture_write(fixture.library, "another build", 13);
    EXPECT(is_over(record));
    EXPECT(is_over(crash_fixture_left(&fixture, 1, 0)));
    unlink(fixture.library);
    EXPECT(is_over(record)); /* it has been missing for long */
    record.time += 40 * CRASH_DAY;
    EXPECT(!is_over(record));
    crash_fixture_finish(&fixture);
}

TEST(crash_records, two_are_left_of_many_that_ended_side_by_side)
{
    struct hy_crash_file_list list = {0};
    crash_fixture_init(&fixture);
    for (unsigned i = 0; i < 20; i++)
        add(&list, crash_fixture_left(&fixture, i, i % 3));
    for (uint32_t i = 0; i < list.count;) {
        if (hy_crash_evidence_is_over(&list, i))
            hy_crash_file_list_remove(&list, i);
        else
            i++;
    }
    EXPECT_INT(list.count, 2);
    EXPECT_CONTAINS(refusal(&list), "two processes");
    hy_crash_file_list_finish(&list);
    crash_fixture_finish(&fixture);
}

/* ---- The folder ------------------------------------------------------------------------------ */

static int open_root(void)
{
    return open(fixture.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static uint32_t count_read(int dir)
{
    struct hy_crash_file_list list = {0};
    struct hy_error err;
    EXPECT_INT(hy_crash_dir_read(dir, &fixture.own, &list, &err), HY_OK);
    const uint32_t count = list.count;
    hy_crash_file_list_finish(&list);
    return count;
}

static void put(int dir, const struct hy_crash_record *record)
{
    struct hy_error err;
    int file = -1;
    EXPECT_INT(hy_crash_dir_add(dir, record, &file, &err), HY_OK);
    close(file);
}

TEST(crash_records, folder_gives_those_of_ended_processes)
{
    struct hy_crash_file_list list = {0};
    struct hy_error err;
    crash_fixture_init(&fixture);
    const int dir = open_root();
    struct hy_crash_record record = crash_fixture_left(&fixture, 1, 10);
    put(dir, &record);
    EXPECT_INT(hy_crash_dir_read(dir, &fixture.own, &list, &err), HY_OK);
    REQUIRE(list.count == 1);
    EXPECT_INT(memcmp(&list.items[0].record, &record, sizeof record), 0);
    EXPECT(hy_crash_dir_remove(dir, list.items[0].name));
    EXPECT(hy_crash_dir_remove(dir, list.items[0].name)); /* another process was first */
    EXPECT_INT(count_read(dir), 0);
    hy_crash_file_list_finish(&list);

    record.process = fixture.own;
    put(dir, &record);
    EXPECT_INT(count_read(dir), 0);
    close(dir);
    crash_fixture_finish(&fixture);
}

/* Where everything but the name of a record's file is wrong. */
TEST(crash_records, hostile_files_are_passed_over)
{
    char path[192];
    const char large[4096] = "HYCRASH\1";
    crash_fixture_init(&fixture);
    const int dir = open_root();
    const struct hy_crash_record record = crash_fixture_left(&fixture, 1, 10);
    snprintf(path, sizeof path, "%s/aside", fixture.root);
    crash_fixture_write(path, &record, sizeof record);
    EXPECT_INT(symlinkat("aside", dir, "1-1.opening"), 0);
    EXPECT_INT(mkdirat(dir, "1-2.opening", 0700), 0);
    EXPECT_INT(mkfifoat(dir, "1-3.opening", 0600), 0); /* nobody ever writes */
    snprintf(path, sizeof path, "%s/1-4.opening", fixture.root);
    crash_fixture_write(path, large, sizeof large);
    snprintf(path, sizeof path, "%s/1-5.opening", fixture.root);
    crash_fixture_write(path, "", 0);
    snprintf(path, sizeof path, "%s/%060d.opening", fixture.root, 6);
    crash_fixture_write(path, &record, sizeof record);
    EXPECT_INT(count_read(dir), 0);
    close(dir);
    crash_fixture_finish(&fixture);
}

TEST(crash_records, unreadable_file_goes_after_a_day)
{
    const struct timeval old[2] = {{.tv_sec = time(NULL) - CRASH_DAY - 60},
                                   {.tv_sec = time(NULL) - CRASH_DAY - 60}};
    char path[128];
    crash_fixture_init(&fixture);
    const int dir = open_root();
    snprintf(path, sizeof path, "%s/1-1.opening", fixture.root);
    crash_fixture_write(path, "HYCRASH", 7);
    EXPECT_INT(count_read(dir), 0);
    EXPECT_INT(access(path, F_OK), 0); /* somebody may be about to write it */
    EXPECT_INT(utimes(path, old), 0);
    EXPECT_INT(count_read(dir), 0);
    EXPECT(access(path, F_OK) != 0);
    close(dir);
    crash_fixture_finish(&fixture);
}

TEST(crash_records, folder_gives_no_more_than_it_may)
{
    crash_fixture_init(&fixture);
    const int dir = open_root();
    for (unsigned i = 0; i < HY_CRASH_FILES_MOST + 8; i++) {
        const struct hy_crash_record record = crash_fixture_left(&fixture, i, 0);
        put(dir, &record);
    }
    EXPECT_INT(count_read(dir), HY_CRASH_FILES_MOST);
    close(dir);
    crash_fixture_finish(&fixture);
}
