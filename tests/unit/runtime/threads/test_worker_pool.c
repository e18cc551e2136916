/* Work that a thread shares with the workers of the pool, three threads together. */
#include "common/clock.h"
#include "runtime/threads/worker_pool.h"
#include "tests/kit/held.h"
#include "tests/kit/played_processors.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 3, MOST = 1000 };

TEST_SETUP(set_width)
{
    setenv("HALYARD_CPU_THREADS", "3", 1);
    hy_played_processors = WIDTH;
    alarm(280); /* what waits for a helper in vain is a failure, too */
}

struct callers {
    pthread_t own;
    atomic_uint own_count; /* tasks done by that thread */
    atomic_uint others;    /* and by all others */
};

static void note_caller(void *argument, uint32_t index)
{
    struct callers *callers = argument;

    (void)index;
    if (pthread_equal(pthread_self(), callers->own))
        callers->own_count++;
    else
        callers->others++;
}

/* ---- Size ------------------------------------------------------------------------------------ */

/* What the pool says in a process of its own, since the environment is read once. 0: no answer. */
static uint32_t asked_under(const char *setting, unsigned processors, uint32_t (*ask)(void))
{
    int status = 0;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (setting)
            setenv("HALYARD_CPU_THREADS", setting, 1);
        else
            unsetenv("HALYARD_CPU_THREADS");
        setenv("HALYARD_LOG", "none", 1);
        hy_played_processors = processors;
        _exit((int)ask());
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 0;
    return (uint32_t)WEXITSTATUS(status);
}

/* These three before all others, which read the environment in this process. */
TEST(worker_pool, has_the_threads_that_the_environment_says)
{
    EXPECT_INT(asked_under("1", 2, hy_worker_pool_threads), 1);
    EXPECT_INT(asked_under("2", 2, hy_worker_pool_threads), 2);
    EXPECT_INT(asked_under("64", 2, hy_worker_pool_threads), 64);
}

TEST(worker_pool, has_one_thread_for_each_processor_without_a_number)
{
    static const char *const wrong[] = {
        "", "0", "-1", "+2", " 2", "2x", "many", "257", "9999999999999999999999"};

    EXPECT_INT(asked_under(NULL, 1, hy_worker_pool_threads), 1);
    EXPECT_INT(asked_under(NULL, 5, hy_worker_pool_threads), 5);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT_INT(asked_under(wrong[i], 5, hy_worker_pool_threads), 5);
}

TEST(worker_pool, shares_with_no_more_threads_than_there_are_processors)
{
    EXPECT_INT(asked_under("1", 2, hy_worker_pool_width), 1);
    EXPECT_INT(asked_under("2", 2, hy_worker_pool_width), 2);
    EXPECT_INT(asked_under("3", 2, hy_worker_pool_width), 2);
    EXPECT_INT(asked_under("64", 2, hy_worker_pool_width), 2);
    EXPECT_INT(asked_under("64", 1, hy_worker_pool_width), 1);
    EXPECT_INT(asked_under(NULL, 2, hy_worker_pool_width), 2);
}

static unsigned count_threads(void)
{
    struct hy_held held;
    return hy_held_look(&held) ? (unsigned)held.threads : 0;
}

/* One thread is all there is, and no worker is made. */
TEST(worker_pool, of_width_1_leaves_everything_to_the_thread)
{
    int status = 0;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct callers callers = {.own = pthread_self()};
        setenv("HALYARD_CPU_THREADS", "1", 1);
        const unsigned before = count_threads();
        hy_worker_pool_parallel_for(MOST, note_caller, &callers);
        _exit(callers.others == 0 && callers.own_count == MOST && count_threads() == before ? 0
                                                                                            : 2);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
}

/* ---- How long workers stay awake --------------------------------------------------------------
 */

/* How often threads of this process have gone to sleep by themselves, all but this one. */
static unsigned long count_sleeps(void)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned long sum = 0;

    for (const struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[300], line[256];
        unsigned long count;
        if (task->d_name[0] == '.' || atoi(task->d_name) == (int)gettid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = fopen(path, "r");
        while (status && fgets(line, sizeof line, status)) {
            if (sscanf(line, "voluntary_ctxt_switches: %lu", &count) == 1)
                sum += count;
        }
        if (status)
            fclose(status);
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

/* How long it takes from being kept awake until a worker sleeps. 0: none does any more, as all had
 * gone to sleep before they were asked. */
static uint64_t time_to_sleep(void)
{
    struct callers callers = {.own = pthread_self()};

    hy_worker_pool_parallel_for(64, note_caller, &callers);
    const uint64_t start = hy_clock_now();
    hy_worker_pool_keep_awake(HY_MAX_AWAKE_NS);
    for (const unsigned long before = count_sleeps(); count_sleeps() == before;) {
        if (hy_clock_now() - start > 100 * HY_MAX_AWAKE_NS)
            return 0;
    }
    return hy_clock_now() - start;
}

/* By themselves they do so for a fifth of that. A worker may have been about to sleep when it was
 * asked, and lose its processor there, where the machine has other work: then another round. */
TEST(worker_pool, workers_stay_awake_for_as_long_as_they_are_asked_to)
{
    enum { ROUNDS = 400, ENOUGH = 20 };
    unsigned long_enough = 0;

    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return;
    for (unsigned i = 0; i < ROUNDS && long_enough < ENOUGH; i++)
        long_enough += time_to_sleep() >= HY_MAX_AWAKE_NS;
    EXPECT_INT(long_enough, ENOUGH);
}

/* Processor time of the workers so far, ns; 0 where the kernel does not count it. */
static unsigned long long worker_ns(void)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned long long sum = 0;

    for (const struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[300];
        unsigned long long ns;
        if (task->d_name[0] == '.' || atoi(task->d_name) == (int)gettid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%llu", &ns) == 1)
            sum += ns;
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

/* A worker that looks for work now and then would always have used some. */
TEST(worker_pool, workers_that_sleep_use_no_processor_time)
{
    const struct timespec rest = {.tv_nsec = 20000000};
    struct callers callers = {.own = pthread_self()};
    unsigned long long before, after = 0;

    hy_worker_pool_parallel_for(64, note_caller, &callers);
    for (unsigned i = 0; i < 50; i++) {
        before = worker_ns();
        nanosleep(&rest, NULL);
        after = worker_ns();
        if (before == after)
            break;
    }
    EXPECT_INT(before, after);
}

static uint64_t processor_ns(void)
{
    return (uint64_t)hy_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* Two workers for 1 ms, and not for 200. */
TEST(worker_pool, workers_are_kept_awake_for_a_bounded_time)
{
    const struct timespec rest = {.tv_nsec = 200000000};
    struct callers callers = {.own = pthread_self()};

    hy_worker_pool_parallel_for(64, note_caller, &callers);
    hy_worker_pool_keep_awake(UINT64_MAX);
    const uint64_t before = processor_ns();
    nanosleep(&rest, NULL);
    EXPECT(processor_ns() - before < 50000000);
}

/* ---- Once each ------------------------------------------------------------------------------- */

struct tally {
    atomic_uint count[MOST];
};

static void count_task(void *argument, uint32_t index)
{
    struct tally *tally = argument;
    tally->count[index]++;
}

static bool is_done_once(uint32_t count)
{
    static _Thread_local struct tally tally;
    bool once = true;

    memset(&tally, 0, sizeof tally);
    hy_worker_pool_parallel_for(count, count_task, &tally);
    for (uint32_t i = 0; i < MOST; i++)
        once &= tally.count[i] == (i < count);
    return once;
}

TEST(worker_pool, every_task_is_done_once)
{
    for (uint32_t count = 0; count <= MOST; count += count < 20 ? 1 : 49)
        EXPECT(is_done_once(count));
}

static void run_many_loops(void *argument)
{
    for (uint32_t i = 0; i < 2000 / HY_SLOWNESS; i++)
        *(bool *)argument &= is_done_once(i % 40);
}

TEST(worker_pool, eight_threads_may_share_at_once)
{
    bool good[8];
    memset(good, 1, sizeof good);
    REQUIRE(hy_threads_run(8, run_many_loops, good, sizeof *good));
    for (unsigned i = 0; i < 8; i++)
        EXPECT(good[i]);
}

/* ---- Who does it ----------------------------------------------------------------------------- */

/*
 * As many tasks as threads, each of which ends when all have begun: no thread can do two. A worker
 * that has just left another share does not count as idle yet, and where none does, the thread does
 * it all alone: then it is called off, and tried again.
 */
struct meeting {
    pthread_t own;
    atomic_uint arrived;
    atomic_bool is_off;
    atomic_bool is_own[WIDTH]; /* the task was done by that thread */
};

static void meet(void *argument, uint32_t index)
{
    enum { TIMEOUT_US = 100000, PAUSE_US = 20 };
    struct meeting *meeting = argument;

    meeting->is_own[index] = pthread_equal(pthread_self(), meeting->own) != 0;
    meeting->arrived++;
    for (unsigned us = 0; meeting->arrived < WIDTH && !meeting->is_off; us += PAUSE_US) {
        meeting->is_off = us >= TIMEOUT_US;
        usleep(PAUSE_US);
    }
}

/* Returns when all have met once. */
static void have_met(struct meeting *meeting)
{
    do {
        memset(meeting, 0, sizeof *meeting);
        meeting->own = pthread_self();
        hy_worker_pool_parallel_for(WIDTH, meet, meeting);
    } while (meeting->is_off);
}

TEST(worker_pool, idle_workers_take_part)
{
    struct meeting meeting;

    EXPECT_INT(hy_worker_pool_width(), WIDTH);
    for (unsigned i = 0; i < 200 / HY_SLOWNESS; i++) {
        have_met(&meeting);
        usleep(i % 3 * 100); /* also to workers that sleep */
    }
}

TEST(worker_pool, thread_takes_the_first_task_and_helpers_the_last)
{
    struct meeting meeting;

    have_met(&meeting);
    EXPECT(meeting.is_own[0]);
    for (unsigned i = 1; i < WIDTH; i++)
        EXPECT(!meeting.is_own[i]);
}

static void nest(void *argument, uint32_t index)
{
    struct callers inner = {.own = pthread_self()};
    (void)index;
    hy_worker_pool_parallel_for(50, note_caller, &inner);
    *(atomic_uint *)argument += inner.others;
}

TEST(worker_pool, task_that_shares_does_it_alone)
{
    atomic_uint others = 0;
    hy_worker_pool_parallel_for(50, nest, &others);
    EXPECT_INT(others, 0);
}

/* Work that holds a worker up. */
struct holder {
    struct hy_work work;
    sem_t held, go_on, over;
};

static void hold(struct hy_work *work)
{
    struct holder *holder = (struct holder *)work;
    sem_post(&holder->held);
    sem_wait(&holder->go_on);
    sem_post(&holder->over);
}

static bool hold_worker(struct holder *holder)
{
    *holder = (struct holder){.work = {.priority = HY_PRIORITY_LOW, .run = hold}};
    sem_init(&holder->held, 0, 0);
    sem_init(&holder->go_on, 0, 0);
    sem_init(&holder->over, 0, 0);
    return hy_worker_pool_add(&holder->work);
}

static void let_go(struct holder *holder)
{
    sem_post(&holder->go_on);
    sem_wait(&holder->over);
}

TEST(worker_pool, thread_does_it_alone_where_all_workers_are_busy)
{
    struct holder holders[WIDTH];
    struct callers callers = {.own = pthread_self()};

    for (unsigned i = 0; i < WIDTH; i++)
        REQUIRE(hold_worker(&holders[i]));
    for (unsigned i = 0; i < WIDTH; i++)
        sem_wait(&holders[i].held);
    hy_worker_pool_parallel_for(MOST, note_caller, &callers);
    EXPECT_INT(callers.others, 0);
    for (unsigned i = 0; i < WIDTH; i++)
        let_go(&holders[i]);
}

/* ---- What comes first ------------------------------------------------------------------------ */

/* The caller is held up in a task until an execution has run, which the helper brings in its first:
 * if it did not leave for that, it would do all other tasks before. */
struct rival {
    struct hy_work work;
    pthread_t own;
    sem_t has_run;
    bool is_added, is_awaited;
    atomic_uint helped;         /* tasks of the helper */
    atomic_uint helped_by_then; /* when the work ran */
};

static void run_rival(struct hy_work *work)
{
    struct rival *rival = (struct rival *)work;
    rival->helped_by_then = rival->helped;
    sem_post(&rival->has_run);
}

static void await_rival(struct rival *rival)
{
    if (!rival->is_awaited)
        sem_wait(&rival->has_run);
    rival->is_awaited = true;
}

static void be_rivals(void *argument, uint32_t index)
{
    struct rival *rival = argument;

    (void)index;
    if (pthread_equal(pthread_self(), rival->own)) {
        if (rival->helped == 0)
            usleep(20); /* in which a helper may come */
        else
            await_rival(rival);
        return;
    }
    rival->helped++;
    if (!rival->is_added) {
        rival->is_added = true;
        hy_worker_pool_add(&rival->work);
    }
}

static void sleep_briefly(void *argument, uint32_t index)
{
    note_caller(argument, index);
    usleep(1000);
}

/* Until a worker has helped. */
static void wait_for_helper(void)
{
    struct callers callers = {.own = pthread_self()};
    while (callers.others == 0)
        hy_worker_pool_parallel_for(4, sleep_briefly, &callers);
}

TEST(worker_pool, helper_leaves_for_an_execution_that_waits)
{
    struct holder holders[WIDTH];
    struct rival rival = {.work = {.priority = HY_PRIORITY_HIGH, .run = run_rival},
                          .own = pthread_self()};

    sem_init(&rival.has_run, 0, 0);
    for (unsigned i = 0; i < WIDTH; i++)
        REQUIRE(hold_worker(&holders[i]));
    for (unsigned i = 0; i < WIDTH; i++)
        sem_wait(&holders[i].held);
    let_go(&holders[0]);
    while (rival.helped == 0)
        hy_worker_pool_parallel_for(MOST, be_rivals, &rival);
    await_rival(&rival); /* unless it was awaited in a task */
    EXPECT_INT(rival.helped_by_then, 1);
    for (unsigned i = 1; i < WIDTH; i++)
        let_go(&holders[i]);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

struct crowd {
    atomic_int inside, most;
};

static void be_in_crowd(void *argument, uint32_t index)
{
    struct crowd *crowd = argument;
    const int count = atomic_fetch_add(&crowd->inside, 1) + 1;
    int most = crowd->most;

    (void)index;
    while (count > most && !atomic_compare_exchange_weak(&crowd->most, &most, count))
        ;
    usleep(100);
    atomic_fetch_sub(&crowd->inside, 1);
}

static int most_together(uint32_t limit)
{
    struct crowd crowd = {0};

    EXPECT_INT(hy_worker_pool_limit(limit), 0);
    for (int i = 0; i < 20; i++)
        hy_worker_pool_parallel_for(50, be_in_crowd, &crowd);
    EXPECT_INT(hy_worker_pool_limit(0), limit);
    return crowd.most;
}

TEST(worker_pool, thread_with_a_limit_is_helped_by_no_more)
{
    wait_for_helper();
    EXPECT_INT(most_together(1), 1);
    EXPECT(most_together(2) <= 2);
    EXPECT(most_together(0) <= WIDTH);
    EXPECT(most_together(64) <= WIDTH);
}

/* ---- Fork ------------------------------------------------------------------------------------ */

TEST(worker_pool, child_of_a_process_that_has_workers_makes_its_own)
{
    struct meeting meeting;
    int status = 0;

    wait_for_helper();
    if (HY_SLOWNESS > 1) /* the allocator of a sanitizer stays locked in a child */
        hy_threads_wait_for_rest();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(240);
        have_met(&meeting);
        _exit(is_done_once(MOST) ? 0 : 2);
    }
    EXPECT(is_done_once(MOST));
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
}
