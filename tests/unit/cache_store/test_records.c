#include "records_fixture.h"
#include "tests/kit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct hy_records_fixture fixture;

static bool has_file(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

TEST(records, digest_is_found_again_after_reopening)
{
    hy_records_fixture_begin(&fixture);
    for (uint32_t i = 0; i < 10; i++)
        EXPECT_INT(hy_store_number(fixture.records, i), HY_OK);
    EXPECT_INT(hy_find_number(fixture.records, 3), HY_FOUND_RIGHT);
    hy_records_fixture_reopen(&fixture);
    for (uint32_t i = 0; i < 10; i++)
        EXPECT_INT(hy_find_number(fixture.records, i), HY_FOUND_RIGHT);
    hy_records_fixture_end(&fixture);
}

TEST(records, later_digest_takes_the_place_of_an_earlier_one)
{
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE];
    hy_records_fixture_begin(&fixture);
    hy_token_number(1, token);
    hy_digest_number(2, digest);
    EXPECT_INT(hy_digest_store(fixture.records, &hy_some_owner, token, digest, NULL), HY_OK);
    EXPECT_INT(hy_find_number(fixture.records, 1), HY_FOUND_WRONG);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    EXPECT_INT(hy_find_number(fixture.records, 1), HY_FOUND_RIGHT);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM digests"), 1);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT digests FROM owners"), 1);
    hy_records_fixture_end(&fixture);
}

TEST(records, token_without_digest_is_bad_state_in_words)
{
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE];
    struct hy_error err = {.text = ""};
    hy_records_fixture_begin(&fixture);
    hy_token_number(1, token);
    EXPECT_INT(hy_digest_find(fixture.records, &hy_some_owner, token, digest, &err), HY_BAD_STATE);
    EXPECT_CONTAINS(err.text, "no digest is recorded");
    hy_records_fixture_end(&fixture);
}

TEST(records, users_and_drivers_do_not_see_each_other)
{
    const struct hy_records_owner others[] = {{1001, "npu", "1.0 abc"}, {1000, "npu2", "1.0 abc"}};
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE];
    hy_records_fixture_begin(&fixture);
    hy_token_number(1, token);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    EXPECT_INT(hy_store_blob_number(fixture.records, 1, 100), HY_OK);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t length = 1;
        uint32_t key = 1;
        EXPECT_INT(hy_digest_find(fixture.records, &others[i], token, digest, NULL), HY_BAD_STATE);
        EXPECT_INT(
            hy_blob_load(fixture.records, &others[i], &key, sizeof key, NULL, 0, &length, NULL),
            HY_OK);
        EXPECT_INT(length, 0);
        hy_digest_number(9, digest);
        EXPECT_INT(hy_digest_store(fixture.records, &others[i], token, digest, NULL), HY_OK);
    }
    EXPECT_INT(hy_find_number(fixture.records, 1), HY_FOUND_RIGHT);
    hy_records_fixture_end(&fixture);
}

TEST(records, oldest_digests_go_first)
{
    uint32_t count = 100000;
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    EXPECT_INT(hy_store_number(fixture.records, 2), HY_OK);
    hy_records_fixture_sql(&fixture,
                           "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                           " WHERE i < 99998) INSERT INTO digests"
                           " (owner, build, token, digest, mark)"
                           " SELECT 1, 1, randomblob(32), randomblob(32), randomblob(16) FROM n;"
                           "UPDATE owners SET digests = 100000");
    EXPECT_INT(hy_store_number(fixture.records, 3), HY_OK);
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM digests"), count);
    EXPECT_INT(hy_find_number(fixture.records, 1), HY_FOUND_NONE);
    EXPECT_INT(hy_find_number(fixture.records, 2), HY_FOUND_RIGHT);
    EXPECT_INT(hy_find_number(fixture.records, 3), HY_FOUND_RIGHT);
    EXPECT_INT(hy_store_number(fixture.records, 2), HY_OK); /* takes its own place: nothing goes */
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT count(*) FROM digests"), count);
    EXPECT_INT(hy_store_number(fixture.records, 4), HY_OK);
    EXPECT_INT(hy_find_number(fixture.records, 2), HY_FOUND_RIGHT); /* it became the youngest */
    EXPECT_INT(hy_records_fixture_number(&fixture, "SELECT digests FROM owners"), count);
    hy_records_fixture_end(&fixture);
}

TEST(records, wrong_count_of_digests_is_mended)
{
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    hy_records_fixture_sql(&fixture, "UPDATE owners SET digests = 1 << 60");
    EXPECT_INT(hy_store_number(fixture.records, 2), HY_OK);
    hy_records_fixture_sql(&fixture, "UPDATE owners SET digests = -7");
    EXPECT_INT(hy_store_number(fixture.records, 3), HY_OK);
    EXPECT_INT(hy_find_number(fixture.records, 2), HY_FOUND_RIGHT);
    EXPECT_INT(hy_find_number(fixture.records, 3), HY_FOUND_RIGHT);
    hy_records_fixture_end(&fixture);
}

static unsigned mode_of(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST(records, folder_and_file_are_private)
{
    const mode_t mask = umask(0);
    hy_records_fixture_begin(&fixture);
    umask(mask);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    EXPECT_INT(mode_of(fixture.dir), 0700);
    EXPECT_INT(mode_of(fixture.file), 0600);
    chmod(fixture.file, 0666);
    hy_records_fixture_reopen(&fixture);
    EXPECT_INT(mode_of(fixture.file), 0600);
    EXPECT_INT(hy_find_number(fixture.records, 1), HY_FOUND_RIGHT);
    hy_records_fixture_end(&fixture);
}

TEST(records, nothing_but_the_file_and_its_lock_lies_in_the_folder)
{
    unsigned entries = 0;
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    DIR *dir = opendir(fixture.dir);
    REQUIRE(dir != NULL);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        entries += entry->d_name[0] != '.';
    closedir(dir);
    EXPECT_INT(entries, 2);
    hy_records_fixture_end(&fixture);
}

static void expect_refused(const char *dir, const char *expected)
{
    struct hy_records *records = NULL;
    struct hy_error err = {.text = ""};
    EXPECT_INT(hy_records_open(dir, &records, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, expected);
    hy_records_close(records);
}

TEST(records, folder_that_is_not_ours_alone_is_refused)
{
    char link[192];
    hy_records_fixture_begin(&fixture);
    snprintf(link, sizeof link, "%s/link", fixture.top);
    EXPECT_INT(symlink(fixture.dir, link), 0);
    expect_refused(link, "is not a directory");
    expect_refused(fixture.file, "not a directory");
    chmod(fixture.dir, 0770);
    expect_refused(fixture.dir, "other users may write to the directory");
    chmod(fixture.dir, 0700);
    if (geteuid() == 0) {
        EXPECT_INT(chown(fixture.dir, 1, 1), 0);
        expect_refused(fixture.dir, "belongs to user 1");
    }
    hy_records_fixture_end(&fixture);
}

TEST(records, file_that_is_something_else_is_refused_and_left_alone)
{
    char other[192];
    hy_records_fixture_begin(&fixture);
    snprintf(other, sizeof other, "%s/other", fixture.top);
    hy_records_close(fixture.records);
    fixture.records = NULL;
    EXPECT_INT(rename(fixture.file, other), 0);

    EXPECT_INT(symlink(other, fixture.file), 0);
    expect_refused(fixture.dir, "is not a regular file");
    EXPECT_INT(unlink(fixture.file), 0);
    EXPECT_INT(mkfifo(fixture.file, 0600), 0);
    expect_refused(fixture.dir, "is not a regular file");
    EXPECT_INT(unlink(fixture.file), 0);
    EXPECT_INT(mkdir(fixture.file, 0700), 0);
    expect_refused(fixture.dir, "is not a regular file");
    EXPECT_INT(rmdir(fixture.file), 0);
    EXPECT_INT(link(other, fixture.file), 0);
    expect_refused(fixture.dir, "has 2 hard links");
    EXPECT_INT(unlink(other), 0);
    if (geteuid() == 0) {
        EXPECT_INT(chown(fixture.file, 1, 1), 0);
        expect_refused(fixture.dir, "belongs to user 1");
    }
    hy_records_fixture_end(&fixture);
}

TEST(records, lock_that_is_something_else_is_refused)
{
    char lock[192], other[192];
    hy_records_fixture_make(&fixture);
    snprintf(lock, sizeof lock, "%s/records-2.lock", fixture.dir);
    snprintf(other, sizeof other, "%s/other", fixture.top);
    EXPECT_INT(mkdir(fixture.dir, 0700), 0);
    EXPECT_INT(symlink(other, lock), 0);
    expect_refused(fixture.dir, "records-2.lock");
    EXPECT_INT(unlink(lock), 0);
    EXPECT_INT(mkfifo(lock, 0600), 0);
    expect_refused(fixture.dir, "is not a regular file");
    EXPECT(!has_file(other));
    hy_records_fixture_end(&fixture);
}

TEST(records, folder_that_is_removed_is_made_again)
{
    char lock[192];
    hy_records_fixture_begin(&fixture);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    EXPECT_INT(unlink(fixture.file), 0);
    EXPECT_INT(hy_find_number(fixture.records, 1), HY_FOUND_NONE);
    EXPECT_INT(hy_store_number(fixture.records, 2), HY_OK);

    snprintf(lock, sizeof lock, "%s/records-2.lock", fixture.dir);
    EXPECT_INT(unlink(fixture.file) | unlink(lock) | rmdir(fixture.dir), 0);
    EXPECT_INT(hy_store_number(fixture.records, 3), HY_OK);
    EXPECT(has_file(fixture.file));
    hy_records_fixture_reopen(&fixture);
    EXPECT_INT(hy_find_number(fixture.records, 2), HY_FOUND_NONE);
    EXPECT_INT(hy_find_number(fixture.records, 3), HY_FOUND_RIGHT);
    hy_records_fixture_end(&fixture);
}

TEST(records, busy_file_is_a_failure_in_bounded_time)
{
    char lock[192];
    uint8_t token[HY_TOKEN_SIZE], digest[HY_DIGEST_SIZE];
    struct hy_error err = {.text = ""};
    struct timespec start, end;
    hy_records_fixture_begin(&fixture);
    snprintf(lock, sizeof lock, "%s/records-2.lock", fixture.dir);
    const int fd = open(lock, O_RDWR | O_CLOEXEC);
    EXPECT_INT(flock(fd, LOCK_EX), 0);
    hy_token_number(1, token);
    clock_gettime(CLOCK_MONOTONIC, &start);
    EXPECT_INT(hy_digest_find(fixture.records, &hy_some_owner, token, digest, &err), HY_FAILED);
    clock_gettime(CLOCK_MONOTONIC, &end);
    EXPECT_CONTAINS(err.text, "is locked by another process");
    EXPECT(end.tv_sec - start.tv_sec <= 60); /* one second, on a machine that is not busy too */
    close(fd);
    EXPECT_INT(hy_store_number(fixture.records, 1), HY_OK);
    hy_records_fixture_end(&fixture);
}
