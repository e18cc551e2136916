/* Work that nobody waits for. */
#include "runtime/drivers/background.h"

#include "tests/kit/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Several threads' worth, whatever the machine has: with one there would be no later. */
TEST_SETUP(have_threads)
{
    setenv("HALYARD_CPU_THREADS", getenv("HALYARD_TEST_WIDTH") ?: "2", 1);
}

/* Tasks have the lowest priority, beside whatever else the machine does. */
enum { TIMEOUT_MS = 60000 };

static atomic_uint ran, order;
static int priority;

static void wait_for(unsigned count)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (unsigned i = 0; i < TIMEOUT_MS && ran < count; i++)
        nanosleep(&pause, NULL);
    EXPECT_INT(ran, count);
}

static void note(void *argument)
{
    priority = getpriority(PRIO_PROCESS, 0);
    if (order == *(unsigned *)argument)
        order++;
    ran++;
}

TEST(later, tasks_run_in_their_order_at_the_lowest_priority)
{
    unsigned numbers[50];

    ran = order = 0;
    for (unsigned i = 0; i < 50; i++) {
        numbers[i] = i;
        EXPECT(hy_background_add(NULL, note, &numbers[i]));
    }
    wait_for(50);
    EXPECT_INT(order, 50);
    EXPECT_INT(priority, 19);
    EXPECT(getpriority(PRIO_PROCESS, 0) < 19);
}

static void add_another(void *argument)
{
    EXPECT(hy_background_add(NULL, note, argument));
}

TEST(later, a_task_may_bring_another)
{
    unsigned number = 0;

    ran = order = 0;
    EXPECT(hy_background_add(NULL, add_another, &number));
    wait_for(1);
}

static void sleep_then_count(void *argument)
{
    const struct timespec pause = {.tv_nsec = 30000000};
    nanosleep(&pause, NULL);
    ran++;
    *(atomic_bool *)argument = true; /* who waits for it looks at the count then */
}

TEST(later, a_child_finds_its_tasks_ended_or_still_to_come)
{
    atomic_bool done[3] = {false};
    int status = 0;

    ran = 0;
    for (int i = 0; i < 3; i++)
        EXPECT(hy_background_add(NULL, sleep_then_count, &done[i]));
    const struct timespec pause = {.tv_nsec = 10000000};
    nanosleep(&pause, NULL);
    const pid_t child = fork();
    if (child == 0) {
        for (unsigned i = 0; i < TIMEOUT_MS && !(done[0] && done[1] && done[2]); i++)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        _exit(done[0] && done[1] && done[2] && ran == 3 ? 0 : 1);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
    wait_for(3);
}

static atomic_bool may_end;

static void run_until_released(void *argument)
{
    (void)argument;
    ran++;
    while (!may_end)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void *end_there(void *argument)
{
    hy_background_end(argument);
    ran++;
    return NULL;
}

TEST(later, the_end_of_an_owner_waits_for_its_task_and_runs_what_waits)
{
    struct hy_background_owner mine = {0}, other = {0};
    unsigned number = 0;
    pthread_t thread;

    ran = order = 0;
    may_end = false;
    EXPECT(hy_background_add(&mine, run_until_released, NULL));
    wait_for(1);
    EXPECT(hy_background_add(&other, note, &number)); /* behind one that does not end */
    EXPECT(hy_background_add(&mine, note, &number));
    hy_background_end(&other);
    EXPECT_INT(ran, 2);
    REQUIRE(pthread_create(&thread, NULL, end_there, &mine) == 0);
    wait_for(3); /* the waiting one has run there */
    may_end = true;
    pthread_join(thread, NULL);
    EXPECT_INT(ran, 4);
    EXPECT(!hy_background_add(&mine, note, &number));
    EXPECT(hy_background_add(NULL, note, &number));
    wait_for(5);
}

TEST(later, nothing_runs_where_all_is_to_run_on_the_caller)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        setenv("HALYARD_TEST_WIDTH", "1", 1);
        execl("/proc/self/exe", "test_later", "later.is_refused", NULL);
        _exit(9);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
}

TEST(later, is_refused_at_width_1)
{
    if (getenv("HALYARD_TEST_WIDTH"))
        EXPECT(!hy_background_add(NULL, note, NULL));
}
