/* Helpers that woke up on the core of who shares, on a machine of four cores that is made up. */
#include "runtime/threads/core_affinity.h"
#include "runtime/threads/parallel_for.h"
#include "tests/kit/test.h"

#include <errno.h>
#include <pthread.h>

enum { CORES = 4 };

/* The scheduler, for each thread. */
static _Thread_local struct {
    int core;
    cpu_set_t allowed;
    unsigned moves;
    bool refuses;
} here;

int __wrap_sched_getcpu(void);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);

int __wrap_sched_getcpu(void)
{
    return here.core;
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    (void)pid;
    (void)size;
    *set = here.allowed;
    return 0;
}

int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    (void)pid;
    (void)size;
    if (here.refuses || CPU_COUNT(set) == 0) {
        errno = here.refuses ? EPERM : EINVAL;
        return -1;
    }
    here.allowed = *set;
    if (CPU_ISSET((size_t)here.core, set))
        return 0;
    here.moves++;
    for (here.core = 0; !CPU_ISSET((size_t)here.core, set); here.core++)
        continue;
    return 0;
}

/* A thread on this core that may use the first `count`. */
static void be_on(int core, int count)
{
    here.core = core;
    here.moves = 0;
    here.refuses = false;
    CPU_ZERO(&here.allowed);
    for (int i = 0; i < count; i++)
        CPU_SET((size_t)i, &here.allowed);
}

static cpu_set_t set_of(int first, int second)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)first, &set);
    CPU_SET((size_t)second, &set);
    return set;
}

TEST(other_core, is_allowed_and_not_busy)
{
    const cpu_set_t busy = set_of(0, 2);

    be_on(0, CORES);
    EXPECT(hy_core_affinity_avoid(&busy));
    EXPECT_INT(here.core, 1);
    be_on(2, CORES);
    CPU_CLR(1, &here.allowed);
    EXPECT(hy_core_affinity_avoid(&busy));
    EXPECT_INT(here.core, 3);
}

TEST(other_core, leaves_what_the_thread_may_use_as_it_was)
{
    const cpu_set_t busy = set_of(0, 2);

    be_on(0, CORES);
    const cpu_set_t before = here.allowed;
    EXPECT(hy_core_affinity_avoid(&busy));
    EXPECT(CPU_EQUAL(&here.allowed, &before));
}

TEST(other_core, is_none_where_all_are_busy_or_the_thread_may_not_move)
{
    const cpu_set_t busy = set_of(0, 1);

    be_on(1, 2);
    EXPECT(!hy_core_affinity_avoid(&busy));
    EXPECT_INT(here.core, 1);
    be_on(1, CORES);
    here.refuses = true;
    EXPECT(!hy_core_affinity_avoid(&busy));
    EXPECT_INT(here.core, 1);
}

/* ---- Shares ---------------------------------------------------------------------------------- */

struct helper {
    int core;       /* where it is to begin */
    unsigned times; /* that it is put there, and helps */
    int at[2];      /* where it was in its task, each time */
    unsigned moves;
};

static _Thread_local struct helper *helping;
static _Thread_local unsigned round_now;

static void note_core(void *argument, uint32_t index)
{
    (void)argument;
    (void)index;
    if (helping)
        helping->at[round_now] = here.core;
}

static void *help(void *argument)
{
    const atomic_uint urgent = 0;

    helping = argument;
    be_on(helping->core, CORES);
    for (round_now = 0; round_now < helping->times; round_now++) {
        here.core = helping->core;
        (void)hy_parallel_job_help(&urgent);
    }
    helping->moves = here.moves;
    return NULL;
}

/* Whether a share of a thread on core 1 was helped with; where it helps twice, there is a second
 * one of a thread on core 0. */
static bool is_helped(struct helper *helper)
{
    pthread_t thread;

    be_on(1, CORES);
    struct hy_parallel_job *first = hy_parallel_job_open(2, 1, note_core, NULL);
    be_on(0, CORES);
    struct hy_parallel_job *second =
        helper->times > 1 ? hy_parallel_job_open(2, 1, note_core, NULL) : NULL;
    if (!first || pthread_create(&thread, NULL, help, helper) != 0)
        return false;
    const bool is_over = pthread_join(thread, NULL) == 0;
    hy_parallel_job_run(first);
    hy_parallel_job_close(first);
    if (second) {
        hy_parallel_job_run(second);
        hy_parallel_job_close(second);
    }
    return is_over;
}

TEST(other_core, helper_on_the_core_of_who_shares_goes_to_another)
{
    struct helper helper = {.core = 1, .times = 1, .at = {-1, -1}};

    REQUIRE(is_helped(&helper));
    EXPECT_INT(helper.at[0], 0);
    EXPECT_INT(helper.moves, 1);
}

TEST(other_core, helper_on_another_core_stays)
{
    struct helper helper = {.core = 3, .times = 1, .at = {-1, -1}};

    REQUIRE(is_helped(&helper));
    EXPECT_INT(helper.at[0], 3);
    EXPECT_INT(helper.moves, 0);
}

/* Of both who share, and not again at once if it is put back. */
TEST(other_core, helper_keeps_off_all_who_share_and_moves_once_in_a_while)
{
    struct helper helper = {.core = 1, .times = 2, .at = {-1, -1}};

    REQUIRE(is_helped(&helper));
    EXPECT_INT(helper.at[0], 2);
    EXPECT_INT(helper.at[1], 1);
    EXPECT_INT(helper.moves, 1);
}
