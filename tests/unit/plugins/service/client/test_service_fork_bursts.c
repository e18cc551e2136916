/* fork() while other threads are in the middle of bursts to a process of a driver. */
#include "isolated.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPU "halyard-cpu"

enum { RUNNERS = 4, FORKS = 30, TIMEOUT_S = 240 /* s */, BOUND_MS = 60000 };

static const char *const cpu_alone[] = {CPU};

/* Of the parent. */
static ANeuralNetworksModel *model;
static ANeuralNetworksCompilation *compilation;
static pid_t parents_host;
static atomic_bool is_over, is_held;

/* A thread with a burst of its own; the last one is the main thread's, which forks. */
struct runner {
    ANeuralNetworksBurst *burst;
    struct small_run run;
    pthread_t thread;
    atomic_uint runs;
    unsigned wrong;
};
static struct runner runners[RUNNERS + 1];
static struct runner *const own = &runners[RUNNERS];

static bool run_once(struct runner *runner, unsigned seed)
{
    small_run_fill(&runner->run, seed);
    return small_run_burst(&runner->run, runner->burst);
}

static void *run_on_and_on(void *context)
{
    struct runner *runner = context;

    for (unsigned seed = 0; !atomic_load(&is_over); seed++) {
        runner->wrong += !run_once(runner, seed);
        atomic_fetch_add(&runner->runs, 1);
        while (atomic_load(&is_held) && !atomic_load(&is_over))
            poll(NULL, 0, 1);
    }
    return NULL;
}

/* ---- Children -------------------------------------------------------------------------------- */

/* The process that a child has had for itself, in memory that it shares with its parent. Numbers of
 * processes are used again: with its start it is told from others. */
struct host {
    pid_t pid;
    unsigned long long start;
};
static struct host *childs_host;

/* 0: there is no such process, or it has ended and is not taken note of yet. */
static unsigned long long start_of(pid_t pid)
{
    char path[64], text[512] = "", state = 'Z';
    unsigned long long start = 0;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
    const char *rest = strrchr(text, ')'); /* of the name; the 22nd is the start */
    if (!rest || sscanf(rest,
                        ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                        "%*s %llu",
                        &state, &start) != 2)
        return 0;
    return state == 'Z' || state == 'X' ? 0 : start;
}

static bool has_own_host(void)
{
    const pid_t pid = isolated_pid(CPU);

    *childs_host = (struct host){pid, pid > 0 ? start_of(pid) : 0};
    return pid > 0 && pid != parents_host;
}

/* It uses nothing of the parent's. */
static bool live_alone(void)
{
    return small_life(3) && has_own_host();
}

static bool use_parents_compilation(void)
{
    struct runner child = {0};
    bool good =
        ANeuralNetworksBurst_create(compilation, &child.burst) == ANEURALNETWORKS_NO_ERROR &&
        small_run_init(&child.run, compilation, true);

    for (unsigned seed = 0; good && seed < 20; seed++)
        good = run_once(&child, seed);
    good = has_own_host() && good;
    ANeuralNetworksBurst_free(child.burst);
    small_run_finish(&child.run);
    return good;
}

/* Nobody was in the middle of this one. */
static bool go_on_with_a_burst(void)
{
    bool good = true;

    for (unsigned seed = 0; good && seed < 20; seed++)
        good = run_once(own, seed);
    good = has_own_host() && good;
    return good;
}

/* Of use in the parent alone, unless it was between two executions; the child is told so. */
static bool try_anothers_burst(void)
{
    struct small_run run;
    bool good = small_run_init(&run, compilation, false);

    small_run_fill(&run, 5);
    const int code = ANeuralNetworksExecution_burstCompute(run.execution, runners[0].burst);
    good = good && ((code == ANEURALNETWORKS_NO_ERROR && small_run_is_right(&run)) ||
                    code == ANEURALNETWORKS_BAD_STATE);
    small_run_finish(&run);
    return good && live_alone();
}

static bool free_a_burst(void)
{
    ANeuralNetworksBurst_free(own->burst);
    return true;
}

static bool do_nothing(void)
{
    return true;
}

/* ---- Forking --------------------------------------------------------------------------------- */

/* A sanitizer's allocator would stay locked in the child if a thread was inside of that: with one,
 * threads come to rest before, with their bursts open. */
static pid_t fork_here(void)
{
    fflush(stdout);
    if (HY_SLOWNESS > 1) {
        atomic_store(&is_held, true);
        hy_threads_wait_for_rest();
    }
    const pid_t child = fork();
    if (child != 0)
        atomic_store(&is_held, false);
    return child;
}

/* Sanitizers look at what the threads of the parent have left, and find it leaked or locked. */
static _Noreturn void leave(bool good)
{
    if (HY_SLOWNESS > 1)
        _exit(good ? 0 : 2);
    exit(good ? 0 : 2);
}

/* Its host ends with it, and takes no other one along. */
static bool is_gone_in_time(const struct host *host)
{
    bool is_there = host->start != 0;

    for (int ms = 0; ms < BOUND_MS && is_there; ms++) {
        is_there = start_of(host->pid) == host->start;
        poll(NULL, 0, is_there ? 1 : 0);
    }
    return !is_there;
}

/* Everybody has run in the meantime: whatever the child has left behind is met. */
static void wait_for_runs(void)
{
    for (int i = 0; i < RUNNERS; i++) {
        const unsigned before = atomic_load(&runners[i].runs);
        for (int ms = 0; ms < BOUND_MS && atomic_load(&runners[i].runs) < before + 2; ms++)
            poll(NULL, 0, 1);
        EXPECT(atomic_load(&runners[i].runs) >= before + 2);
    }
}

static void expect_child_to(bool (*act)(void), const char *name, unsigned seed)
{
    int status = -1;

    *childs_host = (struct host){0};
    const pid_t child = fork_here();
    if (child == 0) {
        alarm(TIMEOUT_S); /* a child that hangs is a failure, too */
        leave(act());
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    if (status != 0)
        hy_test_fail(__FILE__, __LINE__, "%s: status %#x", name, (unsigned)status);
    EXPECT(is_gone_in_time(childs_host));
    EXPECT(run_once(own, seed));
    wait_for_runs();
    EXPECT_INT(isolated_pid(CPU), parents_host);
}

static bool start_runners(void)
{
    bool good = true;

    model = small_model();
    compilation = isolated_compile(model, cpu_alone, 1);
    for (int i = 0; i <= RUNNERS && compilation && good; i++)
        good = ANeuralNetworksBurst_create(compilation, &runners[i].burst) ==
                   ANEURALNETWORKS_NO_ERROR &&
               small_run_init(&runners[i].run, compilation, true);
    good = good && compilation && run_once(own, 1);
    parents_host = isolated_pid(CPU);
    for (int i = 0; i < RUNNERS && good; i++)
        good = pthread_create(&runners[i].thread, NULL, run_on_and_on, &runners[i]) == 0;
    return good;
}

static void stop_runners(void)
{
    atomic_store(&is_over, true);
    for (int i = 0; i < RUNNERS; i++) {
        pthread_join(runners[i].thread, NULL);
        EXPECT_INT(runners[i].wrong, 0);
    }
    for (int i = 0; i <= RUNNERS; i++) {
        ANeuralNetworksBurst_free(runners[i].burst);
        small_run_finish(&runners[i].run);
    }
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* ---- What is logged -------------------------------------------------------------------------- */

/* The log tells of each burst at its end how many executions have not gone through its queues. */
static FILE *redirect_log(int *before)
{
    FILE *log = tmpfile();

    *before = dup(STDERR_FILENO);
    return log && dup2(fileno(log), STDERR_FILENO) >= 0 ? log : NULL;
}

/* A child's end of a burst is the child's alone: the parent's queues have stayed open. */
static void expect_open_queues(FILE *log, int before)
{
    char line[1024];
    unsigned bursts = 0;

    dup2(before, STDERR_FILENO);
    close(before);
    rewind(log);
    while (fgets(line, sizeof line, log)) {
        if (!strstr(line, "executions of a burst used the queues"))
            continue;
        bursts++;
        if (!strstr(line, ", 0 with closed queues"))
            hy_test_fail(__FILE__, __LINE__, "%s", line);
    }
    EXPECT(bursts > RUNNERS);
    fclose(log);
}

TEST(service_fork_bursts, child_lives_by_itself_and_the_parent_notices_nothing)
{
    static const struct {
        const char *name;
        bool (*act)(void);
    } children[] = {
        {"do nothing", do_nothing},
        {"live alone", live_alone},
        {"use the parent's compilation", use_parents_compilation},
        {"go on with a burst", go_on_with_a_burst},
        {"try another's burst", try_anothers_burst},
        {"free a burst", free_a_burst},
    };
    enum { CHILDREN = sizeof children / sizeof *children };

    childs_host =
        mmap(NULL, sizeof *childs_host, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(childs_host != MAP_FAILED);
    int before = -1;
    FILE *log = redirect_log(&before);
    REQUIRE(log && start_runners());
    const uint32_t restarts = isolated_info(CPU).restart_count;
    for (unsigned i = 0; i < FORKS / HY_SLOWNESS + CHILDREN; i++)
        expect_child_to(children[i % CHILDREN].act, children[i % CHILDREN].name, i);
    EXPECT_INT(isolated_info(CPU).restart_count, restarts);
    stop_runners();
    expect_open_queues(log, before);
    munmap(childs_host, sizeof *childs_host);
}
