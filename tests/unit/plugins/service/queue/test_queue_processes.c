#include "tests/kit/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plugins/service/queue/rings.h"
#include "queue_fixture.h"

static const struct hy_queue_burst_rules usual = {
    .spin_ns = HY_QUEUE_USUAL_SPIN_NS, .hang_timeout_ns = QUEUE_FIXTURE_TIMEOUT_NS, .depth = 1};

/* What stands for the life watch: ends the burst as soon as the service's process is gone. */
static void *watch_life(void *argument)
{
    struct queue_fixture *fixture = argument;
    siginfo_t info;

    (void)waitid(P_PID, (id_t)fixture->child, &info, WEXITED | WNOWAIT);
    hy_queue_burst_set_dead(fixture->burst);
    return NULL;
}

static int32_t never_end(void *context, const struct hy_request *request,
                         const struct hy_run_options *options, struct hy_result *result)
{
    (void)request, (void)options, (void)result;
    atomic_store((atomic_bool *)context, true); /* shared with the parent */
    for (;;)
        pause();
    return HY_STATUS_OK;
}

static void *shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

TEST(queue_processes, a_request_runs_in_another_process)
{
    struct queue_fixture fixture;
    struct queue_request request;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_fork(&fixture, queue_execute_idle, NULL));
    for (int i = 0; i < 2000; i++)
        EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    EXPECT_INT(request.shapes[0].dims[1], 3);
    queue_fixture_close(&fixture);
}

/* Kills the service when it is at work. */
struct killer {
    struct queue_fixture *fixture;
    atomic_bool *is_running;
};

static void *kill_when_running(void *argument)
{
    const struct killer *killer = argument;

    while (!atomic_load(killer->is_running))
        usleep(100);
    (void)kill(killer->fixture->child, SIGKILL);
    return NULL;
}

TEST(queue_processes, a_service_that_is_killed_at_work_is_dead_at_once)
{
    struct queue_fixture fixture;
    struct queue_request request;
    pthread_t killing, watching;
    struct killer killer = {&fixture, shared(sizeof *killer.is_running)};
    REQUIRE(killer.is_running != NULL);

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_fork(&fixture, never_end, killer.is_running));
    REQUIRE(pthread_create(&watching, NULL, watch_life, &fixture) == 0);
    REQUIRE(pthread_create(&killing, NULL, kill_when_running, &killer) == 0);
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_DEAD_OBJECT);
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_DEAD_OBJECT);
    pthread_join(killing, NULL);
    pthread_join(watching, NULL);
    queue_fixture_close(&fixture);
    munmap(killer.is_running, sizeof *killer.is_running);
}

/* Kills a process after some time of less than a millisecond. */
struct shot {
    pid_t target;
    unsigned number;
    pthread_t thread;
};

static void *kill_soon(void *argument)
{
    const struct shot *shot = argument;
    const struct timespec rest = {.tv_nsec = (long)(shot->number * 7919000u % 1000000)};

    nanosleep(&rest, NULL);
    (void)kill(shot->target, SIGKILL);
    return NULL;
}

static bool start_shot(struct shot *shot, pid_t target, unsigned number)
{
    *shot = (struct shot){.target = target, .number = number};
    return pthread_create(&shot->thread, NULL, kill_soon, shot) == 0;
}

/* Whatever it was doing: executions are right until then, and dead from then on. */
TEST(queue_processes, a_service_may_be_killed_at_any_moment)
{
    for (unsigned round = 0; round < 100; round++) {
        const struct hy_queue_burst_rules rules = {.spin_ns =
                                                       round % 2 ? 0 : HY_QUEUE_USUAL_SPIN_NS,
                                                   .hang_timeout_ns = QUEUE_FIXTURE_TIMEOUT_NS,
                                                   .depth = 1};
        struct queue_fixture fixture;
        struct queue_request request;
        struct shot shot;
        pthread_t watching;
        int32_t status;
        queue_request_init(&request);
        REQUIRE(queue_fixture_open(&fixture, &rules));
        REQUIRE(queue_fixture_fork(&fixture, queue_execute_idle, NULL));
        REQUIRE(pthread_create(&watching, NULL, watch_life, &fixture) == 0);
        REQUIRE(start_shot(&shot, fixture.child, round));
        while ((status = queue_request_execute(&fixture, &request)) == HY_STATUS_OK)
            EXPECT_INT(request.shapes[0].dims[1], 3);
        EXPECT_INT(status, HY_STATUS_DEAD_OBJECT);
        pthread_join(shot.thread, NULL);
        pthread_join(watching, NULL);
        queue_fixture_close(&fixture);
    }
}

/* A client in a child process, which the parent serves. */
static pid_t fork_client(struct queue_fixture *fixture)
{
    const pid_t child = fork();
    struct queue_request request;

    if (child != 0)
        return child;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    queue_request_init(&request);
    for (;;)
        (void)queue_request_execute(fixture, &request);
}

TEST(queue_processes, a_client_may_be_killed_at_any_moment)
{
    for (unsigned round = 0; round < 100; round++) {
        struct queue_fixture fixture;
        struct shot shot;
        REQUIRE(queue_fixture_open(&fixture, &usual));
        const pid_t client = fork_client(&fixture);
        REQUIRE(client > 0);
        REQUIRE(queue_fixture_listen(&fixture, queue_execute_idle, NULL));
        REQUIRE(start_shot(&shot, client, round));
        pthread_join(shot.thread, NULL);
        (void)waitpid(client, NULL, 0);
        queue_fixture_close(&fixture); /* comes back */
    }
}

/* Its copies of the rings are the same memory. */
TEST(queue_processes, a_child_that_frees_the_burst_of_its_parent_ends_nothing)
{
    enum { CHILDREN = 20 };
    struct hy_queue_burst_counts counts;
    struct queue_fixture fixture;
    struct queue_request request;
    int status = -1;

    queue_request_init(&request);
    REQUIRE(queue_fixture_open(&fixture, &usual));
    REQUIRE(queue_fixture_fork(&fixture, queue_execute_idle, NULL));
    for (int i = 0; i < CHILDREN; i++) {
        EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
        const pid_t child = fork();
        if (child == 0) {
            hy_queue_burst_disown(fixture.burst);
            const bool is_dead = queue_request_execute(&fixture, &request) == HY_STATUS_DEAD_OBJECT;
            hy_queue_burst_set_dead(fixture.burst);
            hy_queue_burst_destroy(fixture.burst);
            _exit(is_dead ? 0 : 1);
        }
        REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
        EXPECT_INT(status, 0);
    }
    EXPECT_INT(queue_request_execute(&fixture, &request), HY_STATUS_OK);
    hy_queue_burst_get_counts(fixture.burst, &counts);
    EXPECT_INT(counts.fast, CHILDREN + 1);
    EXPECT_INT(counts.closed, 0);
    queue_fixture_close(&fixture);
}
