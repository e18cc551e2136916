/* Where the cache cannot be used as it should: codes and words, and nothing is lost or left. */
#include "cache_fixture.h"

#include "cache_store/inventory.h"

#include "tests/kit/allocation_count.h"
#include "tests/kit/test.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_HERE 77 /* exit status: this machine does not let us try */

/* Leaves the child with the line at which something is not as it should be. */
#define CHECK(condition) \
    do { \
        if (!(condition)) \
            _exit(__LINE__ % 199 + 1); \
    } while (0)

/* Runs the part in a process of its own; 0 if it is content, or could not be tried. */
static int run_apart(void (*part)(struct cache_fixture *cache), struct cache_fixture *cache)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        part(cache);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return status;
    return WEXITSTATUS(status) == NOT_HERE ? 0 : WEXITSTATUS(status);
}

/* Not even root may write there. */
static void make_read_only(const char *dir)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(dir, dir, NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, dir, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0)
        _exit(NOT_HERE);
}

static void use_read_only(struct cache_fixture *cache)
{
    struct hy_error err = {0};
    make_read_only(cache->dir);
    CHECK(cache_check(cache->store, 1, &err) == HY_OK);
    CHECK(cache_check(cache->store, 2, &err) == HY_BAD_STATE);
    CHECK(cache_check(cache->store, 3, &err) == HY_BAD_DATA);
    CHECK(cache_publish(cache->store, 2, 10, 10, &err) == HY_FAILED);
    CHECK(strstr(err.text, "Read-only file system"));
}

TEST(cache_trouble, read_only_file_system_is_read_and_nothing_more)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);

    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    EXPECT_INT(cache_publish(cache.store, 3, 10, 10, NULL), HY_OK);
    EXPECT(truncate(cache_entry_path(&cache, 3, "data-0").text, 0) == 0);
    EXPECT_INT(run_apart(use_read_only, &cache), 0);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

static void use_as_somebody_else(struct cache_fixture *cache)
{
    struct hy_error err = {0};
    if (setuid(65534) != 0)
        _exit(NOT_HERE);
    CHECK(cache_check(cache->store, 1, &err) == HY_FAILED);
    CHECK(strstr(err.text, "Permission denied"));
    CHECK(cache_publish(cache->store, 1, 10, 10, &err) == HY_FAILED);
    CHECK(strstr(err.text, "Permission denied"));
}

TEST(cache_trouble, folder_without_permission_is_told)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);

    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    EXPECT_INT(run_apart(use_as_somebody_else, &cache), 0);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

/* ---- Full disks ------------------------------------------------------------------------------ */

static bool fill(const char *path, size_t bytes)
{
    static const char block[4096];
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    size_t done = 0;
    while (done < bytes && write(fd, block, sizeof block) == (ssize_t)sizeof block)
        done += sizeof block;
    close(fd);
    return done == bytes;
}

static void use_full_disk(struct cache_fixture *cache)
{
    struct hy_error err = {0};
    const struct cache_path filler = {"/tmp/halyard-filler"};
    bool failed = false, done = false;

    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/tmp", "tmpfs", 0, "size=128k,nr_inodes=40") != 0)
        _exit(NOT_HERE);
    CHECK(mkdir(cache->dir, 0700) == 0);
    CHECK(cache_publish(cache->store, 1, 10, 10, NULL) == HY_OK);
    for (size_t pages = 32; pages-- > 0;) {
        fill(filler.text, pages * 4096);
        const enum hy_code code = cache_publish(cache->store, 2, 5000, 9000, &err);
        CHECK(code == HY_OK || code == HY_EXHAUSTED || code == HY_FAILED);
        CHECK(cache_check(cache->store, 1, NULL) == HY_OK);
        CHECK(cache_check(cache->store, 2, NULL) == (code == HY_OK ? HY_OK : HY_BAD_STATE) || done);
        CHECK(cache_name_count(cache_root_path(cache, "new")) == 0);
        failed |= code == HY_EXHAUSTED;
        done |= code == HY_OK;
    }
    CHECK(failed && done);
    unlink(filler.text);
    for (int i = 0; i < 40; i++) { /* no more names */
        struct cache_path name;
        snprintf(name.text, sizeof name.text, "/tmp/name-%d", i);
        fill(name.text, 0);
    }
    CHECK(cache_publish(cache->store, 3, 10, 10, &err) == HY_EXHAUSTED);
    CHECK(strstr(err.text, "No space left"));
    CHECK(cache_check(cache->store, 1, NULL) == HY_OK);
    CHECK(cache_name_count(cache_root_path(cache, "new")) <= 0);
}

TEST(cache_trouble, full_disk_is_told_and_nothing_is_lost_or_left)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    EXPECT_INT(run_apart(use_full_disk, &cache), 0);
    cache_fixture_remove(&cache);
}

static void use_small_files(struct cache_fixture *cache)
{
    const struct rlimit limit = {100, RLIM_INFINITY};
    struct hy_error err = {0};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(cache_publish(cache->store, 2, 50, 50, &err) == HY_EXHAUSTED);
    CHECK(strstr(err.text, "metadata: File too large"));
    CHECK(cache_check(cache->store, 1, &err) == HY_OK);
}

TEST(cache_trouble, limit_of_file_sizes_is_no_signal)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    EXPECT_INT(run_apart(use_small_files, &cache), 0);
    EXPECT_INT(cache_check(cache.store, 2, NULL), HY_BAD_STATE);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 0);
    cache_fixture_remove(&cache);
}

/* ---- Descriptors and memory ------------------------------------------------------------------ */

static void use_few_descriptors(struct cache_fixture *cache)
{
    const int open_now = cache_descriptor_count() - 1;
    struct rlimit limit, few;
    struct hy_inventory_summary summary;
    struct hy_error err = {0};
    bool failed = false, done = false;

    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    for (int more = 0; more <= 14; more++) {
        few = limit;
        few.rlim_cur = (rlim_t)open_now + (rlim_t)more;
        CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
        const enum hy_code found = cache_check(cache->store, 1, &err);
        CHECK(found == HY_OK || (found == HY_FAILED && strstr(err.text, "Too many open files")));
        const enum hy_code made = cache_publish(cache->store, 2, 10, 10, &err);
        CHECK(made == HY_OK || (made == HY_EXHAUSTED && strstr(err.text, "Too many open files")));
        const enum hy_code listed =
            hy_inventory_list(cache->store, true, NULL, NULL, &summary, &err);
        CHECK(listed != HY_OK || summary.faulty == 0);
        const enum hy_code collected =
            hy_inventory_collect(cache->store, CACHE_NO_LIMIT, NULL, NULL, &summary, &err);
        CHECK(collected != HY_OK || summary.faulty == 0);
        failed |= found == HY_FAILED && made == HY_EXHAUSTED;
        done |= found == HY_OK && made == HY_OK && listed == HY_OK;
    }
    CHECK(failed && done);
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(cache_descriptor_count() - 1 == open_now);
    CHECK(cache_check(cache->store, 1, &err) == HY_OK);
    CHECK(cache_check(cache->store, 2, &err) == HY_OK);
}

TEST(cache_trouble, too_few_descriptors_are_told_and_nothing_is_lost)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    EXPECT_INT(run_apart(use_few_descriptors, &cache), 0);
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 0);
    cache_fixture_remove(&cache);
}

static enum hy_code list_all(struct cache_fixture *cache, struct hy_error *err)
{
    struct hy_inventory_summary summary = {0};
    enum hy_code code = hy_inventory_list(cache->store, true, NULL, NULL, &summary, err);
    EXPECT(code != HY_OK || (summary.entries == 2 && summary.faulty == 0));
    return code;
}

static enum hy_code collect_all(struct cache_fixture *cache, struct hy_error *err)
{
    struct hy_inventory_summary summary = {0};
    enum hy_code code =
        hy_inventory_collect(cache->store, CACHE_NO_LIMIT, NULL, NULL, &summary, err);
    EXPECT(code != HY_OK || (summary.entries == 2 && summary.removed == 0));
    return code;
}

static enum hy_code publish_one(struct cache_fixture *cache, struct hy_error *err)
{
    return cache_publish(cache->store, 1, 20, 20, err);
}

static enum hy_code open_one(struct cache_fixture *cache, struct hy_error *err)
{
    return cache_check(cache->store, 1, err);
}

static enum hy_code open_store(struct cache_fixture *cache, struct hy_error *err)
{
    struct hy_store *store = NULL;
    enum hy_code code = hy_store_open(cache->dir, true, 1, &store, err);
    if (code == HY_OK)
        hy_store_close(store);
    return code;
}

TEST(cache_trouble, every_allocation_may_fail)
{
    enum hy_code (*const calls[])(struct cache_fixture *, struct hy_error *) = {
        open_store, publish_one, open_one, list_all, collect_all};
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const int descriptors = cache_descriptor_count();

    EXPECT_INT(cache_publish(cache.store, 1, 10, 10, NULL), HY_OK);
    EXPECT_INT(cache_publish(cache.store, 2, 10, 10, NULL), HY_OK);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        unsigned long number = 0, used = 0;
        do {
            struct hy_error err = {0};
            const unsigned long before = hy_allocation_count();
            hy_allocation_fail_at(before + ++number);
            const enum hy_code code = calls[i](&cache, &err);
            hy_allocation_fail_at(0);
            used = hy_allocation_count() - before;
            if (code != HY_OK && code != HY_OUT_OF_MEMORY)
                hy_test_fail(__FILE__, __LINE__, "call %zu, allocation %lu: %s %s", i, number,
                             hy_code_name(code), err.text);
        } while (used >= number); /* it was reached */
        EXPECT(number > 1);
        EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
        EXPECT_INT(cache_check(cache.store, 2, NULL), HY_OK);
    }
    EXPECT_INT(cache_name_count(cache_root_path(&cache, "new")), 0);
    EXPECT_INT(cache_descriptor_count(), descriptors);
    cache_fixture_remove(&cache);
}
