/* Children of processes that are busy with the API, with a driver beside the CPU. */
#include "halyard/halyard.h"
#include "tests/kit/small_model.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 120 /* s */ };

/* Sanitizers look at what the threads of the parent have left, and find it leaked or locked. */
static _Noreturn void leave(bool good)
{
    if (HY_SLOWNESS > 1)
        _exit(good ? 0 : 2);
    exit(good ? 0 : 2);
}

/* The status of a child that does one thing. A sanitizer's allocator would stay locked in it if
 * another thread was inside of that: with one, threads come to rest before. */
static int in_child(bool (*act)(void))
{
    int status = -1;

    if (HY_SLOWNESS > 1)
        hy_threads_wait_for_rest();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(TIMEOUT_S); /* a child that hangs is a failure, too */
        leave(act());
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return status;
}

static ANeuralNetworksModel *model;
static ANeuralNetworksCompilation *compilation; /* of the parent's */

/* ---- Under load ------------------------------------------------------------------------------ */

/* Where there is no rest, there is no sanitizer. */
#if HY_SLOWNESS == 1

enum { LOADERS = 4, FORKERS = 2, FORKS = 100 };

static atomic_bool has_begun;

static void *begin_and_go_on(void *argument)
{
    has_begun = true;
    return small_life(1) ? argument : NULL;
}

static bool live(void)
{
    return small_life(2);
}

/* The look for devices may be under way in the other thread. */
static bool fork_while_another_begins(void)
{
    pthread_t thread;
    void *thread_result = NULL;

    if (pthread_create(&thread, NULL, begin_and_go_on, &has_begun) != 0)
        return false;
    while (!has_begun)
        ;
    const bool good = in_child(live) == 0;
    pthread_join(thread, &thread_result);
    return good && thread_result;
}

/* The tests that follow use the API in this process: these children have to be the first. */
TEST(fork, during_the_first_call_of_another_thread_leaves_the_child_able_to_begin)
{
    for (unsigned i = 0; i < FORKS; i++)
        EXPECT_INT(in_child(fork_while_another_begins), 0);
}

static atomic_uint forking; /* forkers that are not done */

static bool use_parents_compilation(unsigned seed)
{
    struct small_run run;
    bool good = small_run_init(&run, compilation, true);

    small_run_fill(&run, seed);
    good = good && small_run_compute(&run);
    small_run_fill(&run, seed + 1);
    good = good && small_run_start(&run);
    small_run_finish(&run);
    return good;
}

static bool live_in_grandchild(void)
{
    return small_life(5) && use_parents_compilation(6);
}

static bool live_and_have_a_child(void)
{
    return small_life(1) && small_life(2) && use_parents_compilation(3) &&
           in_child(live_in_grandchild) == 0 && small_life(4);
}

struct part {
    unsigned number;
    unsigned wrong;
};

static void load(struct part *part)
{
    for (unsigned i = 0; forking > 0; i++) {
        part->wrong += !use_parents_compilation(i);
        part->wrong += i % 4 == 0 && !small_life(i);
    }
}

static void fork_many(struct part *part)
{
    for (unsigned i = 0; i < FORKS; i++)
        part->wrong += in_child(live_and_have_a_child) != 0;
    forking--;
}

static void play_part(void *argument)
{
    struct part *part = argument;

    if (part->number < FORKERS)
        fork_many(part);
    else
        load(part);
}

TEST(fork, children_of_a_busy_process_use_the_api_afresh_and_it_goes_on)
{
    struct part parts[FORKERS + LOADERS] = {0};

    model = small_model();
    compilation = model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    REQUIRE(compilation);
    for (unsigned i = 0; i < FORKERS + LOADERS; i++)
        parts[i].number = i;
    forking = FORKERS;
    REQUIRE(hy_threads_run(FORKERS + LOADERS, play_part, parts, sizeof *parts));
    for (unsigned i = 0; i < FORKERS + LOADERS; i++)
        EXPECT_INT(parts[i].wrong, 0);
    EXPECT(small_life(7));
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

#endif

/* ---- What the parent has under way ----------------------------------------------------------- */

/* An execution that waits for a fence. */
static struct {
    struct small_run run;
    int gate; /* an eventfd */
    ANeuralNetworksEvent *fence;
    ANeuralNetworksEvent *event;
} waiting;

static bool start_waiting(void)
{
    model = small_model();
    compilation = model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    waiting.gate = eventfd(0, EFD_CLOEXEC);
    if (!compilation || !small_run_init(&waiting.run, compilation, false))
        return false;
    small_run_fill(&waiting.run, 600);
    return ANeuralNetworksEvent_createFromSyncFenceFd(waiting.gate, &waiting.fence) ==
               ANEURALNETWORKS_NO_ERROR &&
           ANeuralNetworksExecution_startComputeWithDependencies(
               waiting.run.execution, (const ANeuralNetworksEvent *const *)&waiting.fence, 1, 0,
               &waiting.event) == ANEURALNETWORKS_NO_ERROR;
}

static void stop_waiting(void)
{
    ANeuralNetworksEvent_free(waiting.event);
    ANeuralNetworksEvent_free(waiting.fence);
    small_run_finish(&waiting.run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    close(waiting.gate);
}

/* OP_FAILED, in words, for whatever depends on one of the parent's events. */
static bool cannot_depend_on(ANeuralNetworksEvent *event)
{
    ANeuralNetworksEvent *own = NULL;
    struct small_run run;
    bool good = small_run_init(&run, compilation, false);

    good = good &&
           ANeuralNetworksExecution_startComputeWithDependencies(
               run.execution, (const ANeuralNetworksEvent *const *)&event, 1, 0, &own) ==
               ANEURALNETWORKS_OP_FAILED &&
           strstr(halyard_last_error(), "before fork()");
    small_run_finish(&run);
    return good;
}

static bool find_it_failed(void)
{
    int fd = 0;
    bool good =
        ANeuralNetworksEvent_wait(waiting.event) == ANEURALNETWORKS_OP_FAILED &&
        strstr(halyard_last_error(), "before fork()") &&
        ANeuralNetworksEvent_getSyncFenceFd(waiting.event, &fd) == ANEURALNETWORKS_BAD_DATA &&
        fd == -1 && cannot_depend_on(waiting.event) && cannot_depend_on(waiting.fence);

    ANeuralNetworksEvent_free(waiting.event);
    ANeuralNetworksEvent_free(waiting.fence);
    return good && small_life(9);
}

TEST(fork, execution_that_the_parent_has_under_way_is_a_failed_one_in_the_child)
{
    REQUIRE(start_waiting());
    EXPECT_INT(in_child(find_it_failed), 0);
    EXPECT_INT(eventfd_write(waiting.gate, 1), 0);
    EXPECT_INT(ANeuralNetworksEvent_wait(waiting.event), ANEURALNETWORKS_NO_ERROR);
    EXPECT(small_run_is_right(&waiting.run));
    stop_waiting();
}

static bool find_it_over(void)
{
    const bool good = ANeuralNetworksEvent_wait(waiting.event) == ANEURALNETWORKS_NO_ERROR &&
                      small_run_is_right(&waiting.run) &&
                      ANeuralNetworksEvent_wait(waiting.fence) == ANEURALNETWORKS_NO_ERROR;

    stop_waiting();
    return good;
}

TEST(fork, execution_that_is_over_is_so_in_the_child)
{
    REQUIRE(start_waiting());
    EXPECT_INT(eventfd_write(waiting.gate, 1), 0);
    EXPECT_INT(ANeuralNetworksEvent_wait(waiting.event), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(in_child(find_it_over), 0);
    stop_waiting();
}

/* The child has a copy of both ends of the fence, which must not keep it from failing. */
TEST(fork, fence_that_fails_is_in_error_though_a_child_lives)
{
    int ends[2], stop[2], fence = -1, status = 1;
    ANeuralNetworksEvent *before = NULL, *event = NULL;
    struct small_run run;

    model = small_model();
    compilation = model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    REQUIRE(compilation && small_run_init(&run, compilation, false));
    REQUIRE(pipe(ends) == 0 && pipe(stop) == 0);
    REQUIRE(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &before) ==
            ANEURALNETWORKS_NO_ERROR);
    REQUIRE(ANeuralNetworksExecution_startComputeWithDependencies(
                run.execution, (const ANeuralNetworksEvent *const *)&before, 1, 0, &event) ==
            ANEURALNETWORKS_NO_ERROR);
    REQUIRE(ANeuralNetworksEvent_getSyncFenceFd(event, &fence) == ANEURALNETWORKS_NO_ERROR);

    pid_t child = fork();
    if (child == 0) {
        char byte;
        alarm(TIMEOUT_S);
        close(ends[1]);
        close(stop[1]);
        _exit(read(stop[0], &byte, 1) == 0 ? 0 : 2); /* until the parent is done */
    }
    close(ends[1]);
    EXPECT_INT(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_OP_FAILED);
    struct pollfd look = {.fd = fence, .events = POLLIN};
    EXPECT_INT(poll(&look, 1, 60000), 1);
    EXPECT(look.revents & POLLERR);
    close(stop[1]);
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);

    close(fence);
    close(ends[0]);
    close(stop[0]);
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksEvent_free(before);
    small_run_finish(&run);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}
