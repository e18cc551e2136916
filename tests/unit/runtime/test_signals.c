/* Signals of the process are the app's: threads of ours never take one. */
#include "tests/kit/small_model.h"
#include "tests/kit/test.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { TIMEOUT_MS = 10000 }; /* only a failing test waits so long */

static atomic_uint handled;          /* signals, by any thread */
static atomic_uint handled_by_other; /* than the first */

static void handle(int signal)
{
    (void)signal;
    handled++;
    handled_by_other += gettid() != getpid();
}

/* Kept by the system or by the C library, or deadly. */
static bool can_be_handled(int signal)
{
    return signal != SIGKILL && signal != SIGSTOP && (signal < 32 || signal >= SIGRTMIN);
}

static bool wakes_the_debugger(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
           signal == SIGTRAP || signal == SIGABRT || signal == SIGSYS;
}

/* Workers and the thread that watches fences, at work. */
static bool use_all_threads(ANeuralNetworksCompilation *compilation)
{
    ANeuralNetworksEvent *fence = NULL, *event = NULL;
    struct small_run run;
    const int gate = eventfd(0, EFD_CLOEXEC);
    bool good =
        small_run_init(&run, compilation, true) &&
        ANeuralNetworksEvent_createFromSyncFenceFd(gate, &fence) == ANEURALNETWORKS_NO_ERROR;

    small_run_fill(&run, 1);
    good = good && small_run_start(&run) &&
           ANeuralNetworksExecution_startComputeWithDependencies(
               run.execution, (const ANeuralNetworksEvent *const *)&fence, 1, 0, &event) ==
               ANEURALNETWORKS_NO_ERROR;
    good = eventfd_write(gate, 1) == 0 && good &&
           ANeuralNetworksEvent_wait(event) == ANEURALNETWORKS_NO_ERROR && small_run_is_right(&run);
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksEvent_free(fence);
    small_run_finish(&run);
    close(gate);
    return good;
}

/* A line of /proc/self/task/TID/FILE that begins with `key`, without it. */
static bool read_line(const char *tid, const char *file, const char *key, char *line, size_t size)
{
    char path[300];
    bool found = false;

    snprintf(path, sizeof path, "/proc/self/task/%s/%s", tid, file);
    FILE *stream = fopen(path, "re");
    while (stream && !found && fgets(line, (int)size, stream))
        found = strncmp(line, key, strlen(key)) == 0;
    if (stream)
        fclose(stream);
    if (found)
        memmove(line, line + strlen(key), strlen(line + strlen(key)) + 1);
    return found;
}

static unsigned long long read_blocked(const char *tid)
{
    char line[256];
    const bool is_read = read_line(tid, "status", "SigBlk:", line, sizeof line);
    EXPECT(is_read);
    return is_read ? strtoull(line, NULL, 16) : 0;
}

/* All but the one by which a thread notices that a file was cut short under it. Until it first runs
 * the C library blocks that one, too. */
static void expect_blocked(const char *tid)
{
    unsigned long long blocked = read_blocked(tid);
    for (unsigned ms = 0; ms < TIMEOUT_MS && (blocked >> (SIGBUS - 1) & 1); ms++) {
        usleep(1000);
        blocked = read_blocked(tid);
    }
    for (int signal = 1; signal <= SIGRTMAX; signal++)
        EXPECT(!can_be_handled(signal) || (blocked >> (signal - 1) & 1) == (signal != SIGBUS));
}

/* Threads of ours, by what they call themselves. */
struct census {
    unsigned workers, watchers;
};

static struct census count_threads(void)
{
    struct census census = {0};
    DIR *tasks = opendir("/proc/self/task");

    for (const struct dirent *entry = tasks ? readdir(tasks) : NULL; entry;
         entry = readdir(tasks)) {
        char name[64];
        if (!read_line(entry->d_name, "comm", "halyard-", name, sizeof name))
            continue;
        census.workers += strcmp(name, "worker\n") == 0;
        census.watchers += strcmp(name, "fences\n") == 0;
        expect_blocked(entry->d_name);
    }
    if (tasks)
        closedir(tasks);
    return census;
}

/* A worker that the watcher of fences has made goes by the watcher's name until it first runs,
 * which it need not have done when its work is over: another worker may have taken that. */
static struct census count_threads_that_have_run(void)
{
    struct census census = count_threads();

    for (unsigned ms = 0; ms < TIMEOUT_MS && census.watchers > 1; ms++) {
        usleep(1000);
        census = count_threads();
    }
    return census;
}

TEST(signals, all_but_sigbus_are_blocked_in_every_thread_of_ours)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    REQUIRE(compilation && use_all_threads(compilation));

    const struct census census = count_threads_that_have_run();
    EXPECT(census.workers >= 1);
    EXPECT_INT(census.watchers, 1);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

static void expect_waits_for_the_first_thread(int signal, ANeuralNetworksCompilation *compilation)
{
    const unsigned before = handled;
    sigset_t all, old;

    sigfillset(&all);
    REQUIRE(sigprocmask(SIG_SETMASK, &all, &old) == 0);
    EXPECT_INT(kill(getpid(), signal), 0);
    EXPECT(use_all_threads(compilation));
    EXPECT_INT(handled, before);
    REQUIRE(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
    for (int ms = 0; ms < TIMEOUT_MS && handled == before; ms++)
        usleep(1000); /* a sanitizer may hand it over later */
    EXPECT_INT(handled, before + 1);
    EXPECT_INT(handled_by_other, 0);
}

TEST(signals, handler_for_the_process_never_runs_on_a_thread_of_ours)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    REQUIRE(compilation && use_all_threads(compilation));

    for (int signal = 1; signal <= SIGRTMAX; signal++) {
        struct sigaction old;
        if (!can_be_handled(signal) || wakes_the_debugger(signal))
            continue;
        REQUIRE(sigaction(signal, &action, &old) == 0);
        expect_waits_for_the_first_thread(signal, compilation);
        sigaction(signal, &old, NULL);
    }
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}
