/* Publishing, finding, replacing and removing entries. */
#include "cache_fixture.h"

#include "tests/kit/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static enum hy_code open_entry(const struct cache_fixture *cache, unsigned number,
                               struct hy_entry **ret)
{
    uint8_t token[HY_TOKEN_SIZE];
    cache_token(number, token);
    return hy_entry_open(cache->store, token, cache_counts, &cache_access, ret, NULL);
}

static enum hy_code create_writer(struct hy_store *store, unsigned number,
                                  struct hy_entry_writer **ret, struct hy_error *err)
{
    uint8_t token[HY_TOKEN_SIZE];
    cache_token(number, token);
    return hy_entry_writer_create(store, token, cache_counts, ret, err);
}

/* ---- Opening a store ------------------------------------------------------------------------- */

TEST(cache_store, missing_folder_is_told_or_made)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_store *store = NULL;
    struct hy_error err = {0};
    char path[128];
    struct stat info;

    snprintf(path, sizeof path, "%s/a/b", cache.dir);
    EXPECT_INT(hy_store_open(path, false, 1, &store, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, path);
    EXPECT_CONTAINS(err.text, "No such file");
    EXPECT_INT(hy_store_open(path, true, 1, &store, &err), HY_OK);
    EXPECT(stat(path, &info) == 0 && (info.st_mode & 0777) == 0700);
    hy_store_close(store);

    snprintf(path, sizeof path, "%s/file", cache.dir);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    EXPECT_INT(hy_store_open(path, true, 1, &store, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "Not a directory");
    hy_store_close(NULL);
    cache_fixture_remove(&cache);
}

TEST(cache_store, relative_folder_stays_where_it_was)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_store *store = NULL;
    char *before = getcwd(NULL, 0), path[128];

    REQUIRE(chdir(cache.dir) == 0);
    EXPECT_INT(hy_store_open("here/inner", true, CACHE_NO_LIMIT, &store, NULL), HY_OK);
    REQUIRE(chdir(before) == 0);
    EXPECT_INT(cache_publish(store, 1, 10, 10, NULL), HY_OK);
    snprintf(path, sizeof path, "%s/here/inner/halyard-cache", cache.dir);
    EXPECT_INT(access(path, F_OK), 0);
    EXPECT_INT(cache_check(store, 1, NULL), HY_OK);
    hy_store_close(store);
    free(before);
    cache_fixture_remove(&cache);
}

TEST(cache_store, stores_of_one_path_are_the_same_and_live_until_the_last_close)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_store *same = NULL, *other = NULL;
    char path[128];

    snprintf(path, sizeof path, "%s/other", cache.dir);
    REQUIRE(hy_store_open(cache.dir, false, 1, &same, NULL) == HY_OK);
    REQUIRE(hy_store_open(path, true, 1, &other, NULL) == HY_OK);
    EXPECT(hy_store_is_same(cache.store, same));
    EXPECT(!hy_store_is_same(cache.store, other));
    EXPECT(hy_store_retain(cache.store) == cache.store);
    hy_store_close(cache.store);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    hy_store_close(other);
    hy_store_close(same);
    cache_fixture_remove(&cache);
}

TEST(cache_store, folder_of_others_is_refused_and_stays)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const struct cache_path root = cache_root_path(&cache, "");
    struct hy_error err = {0};

    REQUIRE(mkdir(root.text, 0700) == 0 && chmod(root.text, 0755) == 0);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "halyard-cache: the mode is 755, not 700");
    EXPECT_INT(cache_check(cache.store, 1, &err), HY_FAILED);
    EXPECT(rmdir(root.text) == 0);

    REQUIRE(symlink("/", root.text) == 0);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "not a directory");
    EXPECT(unlink(root.text) == 0);

    if (geteuid() == 0) {
        REQUIRE(mkdir(root.text, 0700) == 0 && chown(root.text, 1, 1) == 0);
        EXPECT_INT(cache_publish(cache.store, 1, 10, 10, &err), HY_FAILED);
        EXPECT_CONTAINS(err.text, "the owner is user 1, not this user");
    }
    cache_fixture_remove(&cache);
}

/* ---- Entries --------------------------------------------------------------------------------- */

TEST(cache_store, what_was_published_is_found)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const int descriptors = cache_descriptor_count();
    struct hy_error err = {0};

    REQUIRE(cache.store != NULL);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_BAD_STATE);
    EXPECT_INT(cache_publish(cache.store, 1, 100, 70000, &err), HY_OK);
    EXPECT_STR(err.text, "");
    EXPECT_INT(cache_check(cache.store, 1, &err), HY_OK);
    EXPECT_STR(err.text, "");
    EXPECT_INT(cache_check(cache.store, 2, &err), HY_BAD_STATE);
    EXPECT_CONTAINS(err.text, "no entry for this token");
    EXPECT_INT(cache_descriptor_count(), descriptors);
    cache_fixture_remove(&cache);
}

TEST(cache_store, files_are_private_and_nothing_else_is_left)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const char *const files[] = {"metadata", "model-0", "data-0", "restoring"};
    struct stat info;

    const mode_t mask = umask(0777);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 20, NULL), HY_OK);
    umask(0);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 20, NULL), HY_OK);
    umask(mask);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        REQUIRE(stat(cache_entry_path(&cache, 1, files[i]).text, &info) == 0);
        EXPECT_INT(info.st_mode & 0777, 0600);
    }
    REQUIRE(stat(cache_entry_path(&cache, 1, "").text, &info) == 0);
    EXPECT_INT(info.st_mode & 0777, 0700);
    EXPECT_INT(cache_name_count(cache_entry_path(&cache, 1, "")), 4);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 0);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "")), 4); /* new, old, used and a shard */
    cache_fixture_remove(&cache);
}

TEST(cache_store, empty_files_of_an_entry_are_kept)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry *entry = NULL;
    struct hy_error err = {0};

    EXPECT_INT(cache_publish(cache.store, 1, 10, 0, NULL), HY_OK);
    REQUIRE(open_entry(&cache, 1, &entry) == HY_OK);
    EXPECT_INT(entry->data[0].length, 0);
    EXPECT(entry->data[0].address == NULL);
    EXPECT(entry->data[0].fd >= 0);
    hy_entry_close(entry);
    EXPECT_INT(cache_publish(cache.store, 2, 0, 10, NULL), HY_OK);
    EXPECT_INT(cache_check(cache.store, 2, NULL), HY_OK);
    EXPECT_INT(cache_publish(cache.store, 3, 0, 0, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "the driver wrote nothing");
    EXPECT_INT(cache_check(cache.store, 3, NULL), HY_BAD_STATE);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 0);
    cache_fixture_remove(&cache);
}

TEST(cache_store, as_many_files_as_a_device_may_have)
{
    const struct hy_file_counts counts = {HY_MAX_CACHE_FILES, HY_MAX_CACHE_FILES};
    const struct hy_file_counts too_many = {HY_MAX_CACHE_FILES + 1, 0};
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const int descriptors = cache_descriptor_count();
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_entry_writer *writer = NULL;
    struct hy_entry *entry = NULL;

    cache_token(1, token);
    EXPECT_INT(hy_entry_writer_create(cache.store, token, too_many, &writer, NULL), HY_FAILED);
    REQUIRE(hy_entry_writer_create(cache.store, token, counts, &writer, NULL) == HY_OK);
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++) {
        EXPECT(write(writer->model[i], &i, sizeof i) == sizeof i);
        EXPECT(write(writer->data[i], &i, sizeof i) == sizeof i);
    }
    EXPECT_INT(hy_entry_writer_publish(writer, &cache_test_info, false, NULL), HY_OK);
    REQUIRE(hy_entry_open(cache.store, token, counts, &cache_access, &entry, NULL) == HY_OK);
    for (uint32_t i = 0; i < HY_MAX_CACHE_FILES; i++)
        EXPECT(memcmp(entry->data[i].address, &i, sizeof i) == 0);
    hy_entry_close(entry);
    hy_entry_close(NULL);
    EXPECT_INT(cache_descriptor_count(), descriptors);
    cache_fixture_remove(&cache);
}

TEST(cache_store, other_counts_are_a_miss_and_the_entry_goes)
{
    const struct hy_file_counts counts = {2, 1};
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry *entry = NULL;
    struct hy_error err = {0};
    uint8_t token[HY_TOKEN_SIZE];

    cache_token(1, token);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    EXPECT_INT(hy_entry_open(cache.store, token, counts, &cache_access, &entry, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "1 model and 1 data files, the device needs 2 and 1");
    EXPECT(!cache_exists(cache_entry_path(&cache, 1, "")));
    cache_fixture_remove(&cache);
}

TEST(cache_store, reader_keeps_what_it_opened_when_the_entry_is_replaced_or_removed)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry *old = NULL, *new = NULL;
    struct hy_entry_writer *writer = NULL;
    uint8_t token[HY_TOKEN_SIZE];

    cache_token(1, token);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 5000, NULL), HY_OK);
    REQUIRE(open_entry(&cache, 1, &old) == HY_OK);
    REQUIRE(create_writer(cache.store, 1, &writer, NULL) == HY_OK);
    EXPECT(cache_write(writer, 2, 20, 6000)); /* other bytes */
    EXPECT_INT(hy_entry_writer_publish(writer, &cache_test_info, false, NULL), HY_OK);
    REQUIRE(open_entry(&cache, 1, &new) == HY_OK);
    hy_entry_remove(cache.store, token);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_BAD_STATE);

    EXPECT_INT(old->data[0].length, 5000);
    EXPECT_INT(new->data[0].length, 6000);
    for (size_t i = 0; i < 5000; i++) {
        if (((const uint8_t *)old->data[0].address)[i] != cache_byte(1, true, i) ||
            ((const uint8_t *)new->data[0].address)[i] != cache_byte(2, true, i))
            hy_test_fail(__FILE__, __LINE__, "byte %zu", i);
    }
    hy_entry_close(old);
    hy_entry_close(new);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 0);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "old")), 0);
    cache_fixture_remove(&cache);
}

TEST(cache_store, entry_stays_open_until_its_last_holder_closes_it)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry *entry = NULL;

    EXPECT_INT(cache_publish(cache.store, 1, 10, 5000, NULL), HY_OK);
    const int descriptors = cache_descriptor_count();
    REQUIRE(open_entry(&cache, 1, &entry) == HY_OK);
    EXPECT(hy_entry_retain(entry) == entry);
    const int opened = cache_descriptor_count();
    EXPECT(opened > descriptors);
    hy_entry_close(entry);
    EXPECT_INT(cache_descriptor_count(), opened);
    EXPECT_INT(((const uint8_t *)entry->data[0].address)[4999], cache_byte(1, true, 4999));
    hy_entry_close(entry);
    EXPECT_INT(cache_descriptor_count(), descriptors);
    cache_fixture_remove(&cache);
}

TEST(cache_store, failed_publication_leaves_the_older_entry)
{
    struct cache_fixture cache = cache_fixture_make(4000);
    struct hy_entry_writer *writer = NULL;

    EXPECT_INT(cache_publish(cache.store, 1, 10, 20, NULL), HY_OK);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 5000, NULL), HY_EXHAUSTED);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    REQUIRE(create_writer(cache.store, 1, &writer, NULL) == HY_OK);
    hy_entry_writer_discard(writer);
    hy_entry_writer_discard(NULL);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 0);
    cache_fixture_remove(&cache);
}

TEST(cache_store, entry_that_is_kept_open_is_neither_checked_nor_mapped)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const uint8_t zero[16] = {0};
    struct hy_entry_writer *writer = NULL;
    struct hy_entry *entry = NULL;

    REQUIRE(create_writer(cache.store, 1, &writer, NULL) == HY_OK);
    const int duplicate = dup(writer->data[0]);
    EXPECT_INT(hy_entry_writer_publish(writer, &cache_test_info, true, NULL), HY_OK);
    EXPECT(write(duplicate, "late", 4) == 4);
    close(duplicate);
    REQUIRE(open_entry(&cache, 1, &entry) == HY_OK);
    EXPECT(entry->is_kept_open);
    EXPECT_INT(entry->data[0].length, 4);
    EXPECT(entry->data[0].address == NULL);
    EXPECT(memcmp(entry->data[0].digest, zero, sizeof zero) == 0);
    hy_entry_close(entry);
    cache_fixture_remove(&cache);
}

TEST(cache_store, writing_after_publication_without_saying_so_is_a_miss)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry_writer *writer = NULL;
    struct hy_error err = {0};

    REQUIRE(create_writer(cache.store, 1, &writer, NULL) == HY_OK);
    const int duplicate = dup(writer->data[0]);
    EXPECT(cache_write(writer, 1, 10, 10));
    EXPECT_INT(hy_entry_writer_publish(writer, &cache_test_info, false, NULL), HY_OK);
    EXPECT(pwrite(duplicate, "X", 1, 0) == 1);
    close(duplicate);
    EXPECT_INT(cache_check(cache.store, 1, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text,
                    "data-0, 10 bytes: the digest differs from the digest in the metadata");
    EXPECT_INT(cache_check(cache.store, 1, &err), HY_BAD_STATE);
    cache_fixture_remove(&cache);
}

TEST(cache_store, limit_of_zero_keeps_and_finds_nothing)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_store *none = cache_fixture_reopen(&cache, 0);
    struct hy_error err = {0};

    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    EXPECT_INT(cache_check(none, 1, &err), HY_BAD_STATE);
    EXPECT_CONTAINS(err.text, "limit of the cache is 0");
    EXPECT_INT(cache_publish(none, 1, 10, 10, &err), HY_EXHAUSTED);
    EXPECT_CONTAINS(err.text, "limit of the cache is 0");
    hy_store_close(none);
    cache_fixture_remove(&cache);
}

TEST(cache_store, folder_may_be_removed_under_an_open_store)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    char command[128];

    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    snprintf(command, sizeof command, "rm -rf %s/halyard-cache", cache.dir);
    REQUIRE(system(command) == 0);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_BAD_STATE);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    snprintf(command, sizeof command, "rm -rf %s", cache.dir);
    REQUIRE(system(command) == 0);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_FAILED);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_FAILED);
    REQUIRE(mkdir(cache.dir, 0700) == 0);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(cache_store, use_is_noted)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    const struct cache_path metadata = cache_entry_path(&cache, 1, "metadata");
    struct stat info;

    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    REQUIRE(utimensat(AT_FDCWD, metadata.text, long_ago, 0) == 0);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    REQUIRE(stat(metadata.text, &info) == 0);
    EXPECT(info.st_mtime > 1000);
    cache_fixture_remove(&cache);
}
