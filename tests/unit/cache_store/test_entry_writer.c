/* Entries in the making: one per token, and what dead processes leave. */
#include "cache_fixture.h"

#include "tests/kit/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static enum hy_code create_writer(struct hy_store *store, unsigned number,
                                  struct hy_entry_writer **ret, struct hy_error *err)
{
    uint8_t token[HY_TOKEN_SIZE];
    cache_token(number, token);
    return hy_entry_writer_create(store, token, cache_counts, ret, err);
}

TEST(cache_entry_writer, one_writer_per_token)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const int descriptors = cache_descriptor_count();
    struct hy_entry_writer *first = NULL, *second = NULL, *other = NULL;
    struct hy_error err = {0};

    REQUIRE(create_writer(cache.store, 1, &first, NULL) == HY_OK);
    EXPECT_INT(create_writer(cache.store, 1, &second, &err), HY_BAD_STATE);
    EXPECT_CONTAINS(err.text, "another process or thread is writing the entry");
    EXPECT_INT(create_writer(cache.store, 2, &other, NULL), HY_OK);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_BAD_STATE);
    hy_entry_writer_discard(other);
    EXPECT(cache_write(first, 1, 10, 10));
    EXPECT_INT(hy_entry_writer_publish(first, &cache_test_info, false, NULL), HY_OK);
    EXPECT_INT(create_writer(cache.store, 1, &second, NULL), HY_OK);
    hy_entry_writer_discard(second);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    EXPECT_INT(cache_descriptor_count(), descriptors);
    cache_fixture_remove(&cache);
}

/* Leaves files of a writer of the number with a byte in it, as a process does that is killed. */
static bool leave_writer(const struct cache_fixture *cache, unsigned number)
{
    const pid_t child = fork();
    int status = -1;
    if (child == 0) {
        struct hy_entry_writer *writer = NULL;
        if (create_writer(cache->store, number, &writer, NULL) != HY_OK)
            _exit(1);
        _exit(write(writer->model[0], "x", 1) != 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(cache_entry_writer, files_of_a_dead_process_are_taken_over)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry_writer *writer = NULL;
    struct stat info;

    REQUIRE(leave_writer(&cache, 1));
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 1);
    REQUIRE(create_writer(cache.store, 1, &writer, NULL) == HY_OK);
    EXPECT(fstat(writer->model[0], &info) == 0 && info.st_size == 0);
    EXPECT(cache_write(writer, 1, 10, 10));
    EXPECT_INT(hy_entry_writer_publish(writer, &cache_test_info, false, NULL), HY_OK);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(cache_entry_writer, leftovers_are_cleared_by_the_next_writer)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry_writer *held = NULL;

    REQUIRE(create_writer(cache.store, 1, &held, NULL) == HY_OK);
    REQUIRE(leave_writer(&cache, 2));
    REQUIRE(mkdir(cache_root_path(&cache, "old").text, 0700) == 0);
    REQUIRE(mkdir(cache_root_path(&cache, "old/abc").text, 0700) == 0);
    sleep(3); /* a young one may be about to be locked */
    EXPECT_INT(cache_publish(cache.store, 3, 10, 10, NULL), HY_OK);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 1);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "old")), 0);
    EXPECT(cache_write(held, 1, 10, 10));
    EXPECT_INT(hy_entry_writer_publish(held, &cache_test_info, false, NULL), HY_OK);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(cache_entry_writer, forked_child_does_not_keep_a_lock)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry_writer *writer = NULL;
    int end[2];
    char byte;

    REQUIRE(pipe(end) == 0);
    REQUIRE(create_writer(cache.store, 1, &writer, NULL) == HY_OK);
    const pid_t child = fork();
    if (child == 0) {
        close(end[1]);
        _exit(read(end[0], &byte, 1) != 0);
    }
    hy_entry_writer_discard(writer);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 20, NULL), HY_OK);
    close(end[0]);
    close(end[1]);
    waitpid(child, NULL, 0);
    cache_fixture_remove(&cache);
}

TEST(cache_entry_writer, what_was_removed_by_hand_is_not_published)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry_writer *writer = NULL;
    struct hy_error err = {0};
    char command[128];

    REQUIRE(create_writer(cache.store, 1, &writer, NULL) == HY_OK);
    EXPECT(cache_write(writer, 1, 10, 10));
    snprintf(command, sizeof command, "rm -rf %s/halyard-cache/new/*", cache.dir);
    REQUIRE(system(command) == 0);
    EXPECT_INT(hy_entry_writer_publish(writer, &cache_test_info, false, &err), HY_FAILED);
    EXPECT(err.text[0] != '\0');
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_BAD_STATE);
    cache_fixture_remove(&cache);
}
