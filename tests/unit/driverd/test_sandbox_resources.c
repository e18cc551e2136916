/* What a driver cannot use up. */
#include "confined.h"
#include "driverd/sandbox.h"
#include "tests/kit/test.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_THREADS = 80, LEFT = 10, NOBODY_S = 61234 /* a user without processes */ };

TEST(sandbox_resources, file_grows_to_a_bound_and_the_driver_lives)
{
    const struct confined_dirs *dirs = confined_own_dirs();

    REQUIRE(dirs != NULL);
    confined_expect(LOADING, LACKS_NOTHING, "grow_without_end", dirs->state, EFBIG, NULL);
    confined_expect(LOADING, LACKS_LANDLOCK, "grow_without_end", dirs->state, EFBIG, NULL);
}

TEST(sandbox_resources, threads_are_no_faster_than_those_of_others)
{
    confined_expect_anyway("become_real_time", NULL, EPERM, NULL);
    confined_expect_anyway("raise_priority", NULL, EACCES, NULL);
}

TEST(sandbox_resources, limits_of_the_user_leave_something_to_others)
{
    struct rlimit threads;
    char others[32] = "0";

    REQUIRE(getrlimit(RLIMIT_NPROC, &threads) == 0);
    if (threads.rlim_cur != RLIM_INFINITY)
        snprintf(others, sizeof others, "%llu", (unsigned long long)threads.rlim_cur);
    confined_expect_anyway("leave_something", others, 0, NULL);
}

/* ---- The threads of a user ------------------------------------------------------------------- */

static void ignore_line(int32_t level, const char *text)
{
    (void)level;
    (void)text;
}

static void *wait_for_the_end(void *argument)
{
    pause();
    return argument;
}

/* Exits with the number of threads that there could be, of 80 that the user may have. */
static _Noreturn void make_threads(void)
{
    const struct hy_file_rules rules = {0};
    const struct rlimit limit = {.rlim_cur = MOST_THREADS, .rlim_max = MOST_THREADS};
    pthread_attr_t attributes;
    pthread_t thread;
    int count = 1;

    if (setrlimit(RLIMIT_NPROC, &limit) != 0 || setresgid(NOBODY_S, NOBODY_S, NOBODY_S) != 0 ||
        setresuid(NOBODY_S, NOBODY_S, NOBODY_S) != 0)
        _exit(255);
    hy_sandbox_enter(&rules, 0, ignore_line);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 16);
    while (count < 2 * MOST_THREADS &&
           pthread_create(&thread, &attributes, wait_for_the_end, NULL) == 0)
        count++;
    _exit(count);
}

/* The kernel stops nobody of root's, so it takes another user; only root can become one. */
TEST(sandbox_resources, driver_leaves_an_eighth_of_the_user_s_threads)
{
    int status = -1;

    if (geteuid() != 0)
        return;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        make_threads();
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) != 255);
    EXPECT(WEXITSTATUS(status) <= MOST_THREADS - LEFT);
    EXPECT(WEXITSTATUS(status) >= MOST_THREADS - 2 * LEFT);
}
