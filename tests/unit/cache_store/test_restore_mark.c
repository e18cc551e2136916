/* Entries that are marked while a driver restores from them: a process that dies meanwhile costs
 * the entry, and nothing else does. */
#include "cache_fixture.h"

#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct hy_entry *open_entry(const struct cache_fixture *cache, struct hy_error *err)
{
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_entry *entry = NULL;

    cache_token(1, token);
    return hy_entry_open(cache->store, token, cache_counts, &cache_access, &entry, err) == HY_OK
               ? entry
               : NULL;
}

static struct cache_fixture make_cache(void)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    EXPECT_INT(cache_publish(cache.store, 1, 100, 1000, NULL), HY_OK);
    return cache;
}

/* ---- Processes that restore ------------------------------------------------------------------ */

/* A process that opens the entry, says so, and goes on when it is told to. */
struct restorer {
    pid_t pid;
    int is_open_fd; /* a byte: 1 it is open, 0 it is not */
    int go;
};

static _Noreturn void restore(const struct cache_fixture *cache, int is_open_fd, int go)
{
    struct hy_entry *entry = open_entry(cache, NULL);
    const char is_open = entry != NULL;
    char order = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (write(is_open_fd, &is_open, 1) != 1 || read(go, &order, 1) != 1)
        _exit(2);
    hy_entry_close(entry);
    _exit(0);
}

static struct restorer start_restorer(const struct cache_fixture *cache)
{
    int is_open_fd[2] = {-1, -1}, go[2] = {-1, -1};
    char is_open = 0;

    EXPECT(pipe(is_open_fd) == 0 && pipe(go) == 0);
    const pid_t pid = fork();
    if (pid == 0)
        restore(cache, is_open_fd[1], go[0]);
    EXPECT_INT(read(is_open_fd[0], &is_open, 1), 1);
    EXPECT_INT(is_open, 1);
    close(is_open_fd[1]);
    close(go[0]);
    return (struct restorer){pid, is_open_fd[0], go[1]};
}

static void end_restorer(const struct restorer *restorer, bool is_killed)
{
    int status = 0;

    if (is_killed)
        kill(restorer->pid, SIGKILL);
    else
        EXPECT_INT(write(restorer->go, "", 1), 1);
    EXPECT_INT(waitpid(restorer->pid, &status, 0), restorer->pid);
    EXPECT(is_killed ? WIFSIGNALED(status) : status == 0);
    close(restorer->is_open_fd);
    close(restorer->go);
}

TEST(restore_mark, entry_whose_restorer_died_is_a_miss_once_and_goes)
{
    struct cache_fixture cache = make_cache();
    struct hy_error err = {0};

    const struct restorer restorer = start_restorer(&cache);
    end_restorer(&restorer, true);
    EXPECT_INT(cache_check(cache.store, 1, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "a process died while a driver restored the entry");
    EXPECT(!cache_exists(cache_entry_path(&cache, 1, "")));
    EXPECT_INT(cache_publish(cache.store, 1, 100, 1000, NULL), HY_OK);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(restore_mark, entry_whose_restorer_returned_is_found_again)
{
    struct cache_fixture cache = make_cache();

    const struct restorer restorer = start_restorer(&cache);
    end_restorer(&restorer, false);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(restore_mark, death_after_the_driver_returned_costs_nothing)
{
    struct cache_fixture cache = make_cache();

    const pid_t pid = fork();
    if (pid == 0) {
        struct hy_entry *entry = open_entry(&cache, NULL);
        if (entry)
            hy_entry_note_restored(entry);
        raise(SIGKILL);
    }
    EXPECT_INT(waitpid(pid, NULL, 0), pid);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(restore_mark, several_restore_one_entry_at_once)
{
    enum { RESTORERS = 3 };
    struct cache_fixture cache = make_cache();
    struct restorer restorers[RESTORERS];

    for (unsigned i = 0; i < RESTORERS; i++)
        restorers[i] = start_restorer(&cache);
    for (unsigned i = 0; i < RESTORERS; i++)
        end_restorer(&restorers[i], false);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

/* Who has the mark counts: the second one restores without. */
TEST(restore_mark, death_beside_a_healthy_restorer_does_not_condemn_the_entry)
{
    struct cache_fixture cache = make_cache();

    const struct restorer healthy = start_restorer(&cache);
    const struct restorer victim = start_restorer(&cache);
    end_restorer(&victim, true);
    end_restorer(&healthy, false);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(restore_mark, healthy_restorer_beside_the_dead_one_does_not_save_the_entry)
{
    struct cache_fixture cache = make_cache();

    const struct restorer victim = start_restorer(&cache);
    const struct restorer healthy = start_restorer(&cache);
    end_restorer(&victim, true);
    end_restorer(&healthy, false);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_BAD_DATA);
    cache_fixture_remove(&cache);
}

TEST(restore_mark, new_entry_in_the_place_of_a_marked_one_has_no_mark)
{
    struct cache_fixture cache = make_cache();

    const struct restorer restorer = start_restorer(&cache);
    EXPECT_INT(cache_publish(cache.store, 1, 100, 1000, NULL), HY_OK);
    end_restorer(&restorer, true);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(restore_mark, child_that_is_forked_meanwhile_keeps_no_mark)
{
    struct cache_fixture cache = make_cache();
    int go[2] = {-1, -1};
    char order;

    struct hy_entry *entry = open_entry(&cache, NULL);
    REQUIRE(entry != NULL && pipe(go) == 0);
    const pid_t child = fork();
    if (child == 0) {
        close(go[1]);
        _exit(read(go[0], &order, 1) == 0 ? 0 : 1); /* ends with the test */
    }
    hy_entry_close(entry);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    close(go[0]);
    close(go[1]);
    EXPECT_INT(waitpid(child, NULL, 0), child);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

TEST(restore_mark, entry_that_is_handed_on_is_not_marked)
{
    struct cache_fixture cache = make_cache();

    const pid_t pid = fork();
    if (pid == 0) {
        uint8_t token[HY_TOKEN_SIZE];
        struct hy_entry *entry = NULL;
        cache_token(1, token);
        static const struct hy_entry_access apart = {.passes_fds = true, .map_from = UINT64_MAX};
        if (hy_entry_open(cache.store, token, cache_counts, &apart, &entry, NULL) != HY_OK)
            _exit(1);
        raise(SIGKILL);
    }
    EXPECT_INT(waitpid(pid, NULL, 0), pid);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct finder {
    const struct cache_fixture *cache;
    unsigned misses;
};

static void find_often(void *argument)
{
    struct finder *finder = argument;
    for (int i = 0; i < 200; i++)
        finder->misses += cache_check(finder->cache->store, 1, NULL) != HY_OK;
}

TEST(restore_mark, healthy_threads_never_condemn_an_entry)
{
    enum { THREADS = 8 };
    struct cache_fixture cache = make_cache();
    struct finder finders[THREADS];

    for (unsigned i = 0; i < THREADS; i++)
        finders[i] = (struct finder){.cache = &cache};
    REQUIRE(hy_threads_run(THREADS, find_often, finders, sizeof *finders));
    for (unsigned i = 0; i < THREADS; i++)
        EXPECT_INT(finders[i].misses, 0);
    cache_fixture_remove(&cache);
}

/* ---- Where there is no room for a mark ------------------------------------------------------- */

TEST(restore_mark, limit_of_file_sizes_forbids_the_mark_and_not_the_restore)
{
    struct cache_fixture cache = make_cache();
    int status = 0;

    const pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit none = {0, 0};
        struct hy_error err = {0};
        if (setrlimit(RLIMIT_FSIZE, &none) != 0)
            _exit(2);
        _exit(cache_check(cache.store, 1, &err) == HY_OK ? 0 : 1);
    }
    EXPECT_INT(waitpid(pid, &status, 0), pid);
    EXPECT_INT(status, 0);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}
