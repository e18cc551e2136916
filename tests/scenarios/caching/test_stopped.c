/* A process that stands still and holds the locks of records and of cache files: others go without
 * the cache, in bounded time, and remove nothing. */
#include "tests/kit/test.h"

#include "tests/scenarios/caching/cache_case.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Each lock is given up after some seconds; a hang is a hang. */
enum { BOUND_SECONDS = 60 };

/* A part and what its processes tell each other. */
struct stopped {
    struct cache_case cache_case;
    uint8_t *token; /* shared */
};

/* ---- Who holds the locks --------------------------------------------------------------------- */

static void lock_or_die(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX) != 0)
        _exit(1);
}

static void hold(const struct stopped *stopped)
{
    const struct fs_path entry = path_of_entry(stopped->cache_case.fs_path.path, stopped->token);
    const struct fs_path records = path_in(&stopped->cache_case.state, "records-2.lock");

    lock_or_die(records.path);
    for (int i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "model-%d", i);
        const struct fs_path file = path_in(&entry, name);
        if (access(file.path, F_OK) == 0)
            lock_or_die(file.path);
    }
    raise(SIGSTOP);
    _exit(0);
}

/* 0: it does not stand still. */
static pid_t start_holder(const struct stopped *stopped)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0)
        hold(stopped);
    if (child < 0 || waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status))
        return 0;
    return child;
}

static void end_holder(pid_t holder)
{
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
}

/* ---- Who meets them -------------------------------------------------------------------------- */

static bool store(void *context)
{
    struct stopped *stopped = context;

    FORKED_CHECK(cache_case_begin(&stopped->cache_case) &&
                 cache_case_is_usable(&stopped->cache_case));
    const struct app_result result = cache_case_compile(&stopped->cache_case);
    memcpy(stopped->token, result.token, HALYARD_TOKEN_SIZE);
    return true;
}

static bool go_without(void *context)
{
    struct stopped *stopped = context;
    const time_t start = time(NULL);

    alarm(BOUND_SECONDS); /* which ends the part */
    FORKED_CHECK(cache_case_begin(&stopped->cache_case) &&
                 cache_case_is_correct(&stopped->cache_case));
    FORKED_CHECK(time(NULL) - start < BOUND_SECONDS);
    return true;
}

static bool find(void *context)
{
    struct stopped *stopped = context;

    FORKED_CHECK(cache_case_begin(&stopped->cache_case));
    const struct app_result result = cache_case_compile(&stopped->cache_case);
    if (result.cache != HALYARD_CACHE_HIT)
        fprintf(stderr, "  %s\n", app_describe(&stopped->cache_case.app, &result));
    FORKED_CHECK(app_is_good(&result) && result.cache == HALYARD_CACHE_HIT);
    return true;
}

static void check_device(const char *device)
{
    struct stopped stopped = {.cache_case = cache_case_make(device),
                              .token = forked_shared(HALYARD_TOKEN_SIZE)};

    REQUIRE(stopped.token);
    const int stored = forked_run(store, &stopped);
    const pid_t holder = stored == 0 ? start_holder(&stopped) : 0;
    if (stored != 0 || holder == 0) {
        hy_test_fail(__FILE__, __LINE__, "%s: nothing to lock: status %d", device, stored);
    } else {
        const int without = forked_run(go_without, &stopped);
        end_holder(holder);
        const int found = forked_run(find, &stopped);
        if (without != 0 || found != 0)
            hy_test_fail(__FILE__, __LINE__, "%s: status %d with the locks held, %d afterwards",
                         device, without, found);
    }
    cache_case_remove(&stopped.cache_case);
}

TEST(caching_stopped, locks_that_a_stopped_process_holds_are_a_miss_and_remove_nothing)
{
    for (int i = 0; i < CACHE_CASE_DEVICE_COUNT; i++)
        check_device(cache_case_devices[i]);
}
