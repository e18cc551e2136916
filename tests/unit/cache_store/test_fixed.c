/* Entries that this user cannot change: of root, or on a read-only file system. */
#include "cache_fixture.h"

#include "tests/kit/test.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, NOT_HERE = 77 };

static enum hy_code open_entry(const struct cache_fixture *cache, struct hy_entry **ret)
{
    uint8_t token[HY_TOKEN_SIZE];
    cache_token(1, token);
    return hy_entry_open(cache->store, token, cache_counts, &cache_access, ret, NULL);
}

static void change_modes(const struct cache_fixture *cache, const char *modes)
{
    char command[128];
    snprintf(command, sizeof command, "chmod -R %s %s", modes, cache->dir);
    EXPECT_INT(system(command), 0);
}

/* What a process of its own finds: a code that it may exit with. */
static int look(const struct cache_fixture *cache, bool is_fixed)
{
    struct hy_entry *entry = NULL;

    if (open_entry(cache, &entry) != HY_OK)
        return 1;
    const bool is_right = entry->is_fixed == is_fixed;
    hy_entry_close(entry);
    return is_right && cache_check(cache->store, 1, NULL) == HY_OK ? 0 : 2;
}

static int look_as_nobody(const struct cache_fixture *cache)
{
    if (geteuid() != 0 || setuid(NOBODY) != 0)
        return NOT_HERE;
    return look(cache, true);
}

static int look_read_only(const struct cache_fixture *cache)
{
    const char *path = cache->dir;
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(path, path, NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0)
        return NOT_HERE;
    return look(cache, true);
}

static int run(int (*part)(const struct cache_fixture *cache), const struct cache_fixture *cache)
{
    int status = -1;

    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(part(cache));
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    if (WEXITSTATUS(status) == NOT_HERE)
        printf("(skipped: this takes root) ");
    return WEXITSTATUS(status) == NOT_HERE ? 0 : WEXITSTATUS(status);
}

static struct cache_fixture make_entry(void)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    EXPECT_INT(cache_publish(cache.store, 1, 100, 5000, NULL), HY_OK);
    return cache;
}

TEST(cache_fixed, entry_of_root_that_others_may_read_is_found_by_them)
{
    struct cache_fixture cache = make_entry();

    change_modes(&cache, "go=rX");
    EXPECT_INT(run(look_as_nobody, &cache), 0);
    change_modes(&cache, "go=");
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(cache_fixed, entry_of_root_that_others_may_write_to_is_a_miss)
{
    struct cache_fixture cache = make_entry();

    change_modes(&cache, "go=rX");
    EXPECT(chmod(cache_entry_path(&cache, 1, "data-0").text, 0646) == 0);
    if (geteuid() == 0)
        EXPECT_INT(run(look_as_nobody, &cache), 1);
    cache_fixture_remove(&cache);
}

TEST(cache_fixed, entry_on_a_read_only_file_system_may_be_readable_for_others)
{
    struct cache_fixture cache = make_entry();

    EXPECT_INT(run(look_read_only, &cache), 0);
    change_modes(&cache, "go=rX");
    EXPECT_INT(run(look_read_only, &cache), 0);
    cache_fixture_remove(&cache);
}

TEST(cache_fixed, entry_of_ones_own_may_be_without_the_right_to_write)
{
    struct cache_fixture cache = make_entry();
    struct hy_entry *entry = NULL;

    change_modes(&cache, "a-w");
    REQUIRE(open_entry(&cache, &entry) == HY_OK);
    EXPECT(!entry->is_fixed); /* who has given it up can take it again */
    hy_entry_close(entry);
    change_modes(&cache, "u+w");
    cache_fixture_remove(&cache);
}
