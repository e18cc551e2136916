#include "driverd/all_threads.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif

/* Flag since Landlock version 8: the kernel confines all threads by itself. */
#define ALL_THREADS (1u << 3)

enum { MOST_THREADS = 4096, PAUSE_NS = 200000, PAUSES = 5000 /* a second of them */ };

/* Only the requesting thread adds entries. */
static struct {
    bool have_handler;
    atomic_int ruleset; /* valid during hy_all_threads_restrict; otherwise -1 */
    pid_t asked[MOST_THREADS];
    atomic_bool is_confined[MOST_THREADS];
    atomic_uint count;
} threads = {.ruleset = -1};

void hy_all_threads_enable_handler(void)
{
    threads.have_handler = true;
}

static bool confine_this_one(int ruleset)
{
    return syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}

static unsigned find(pid_t thread)
{
    const unsigned count = atomic_load(&threads.count);
    unsigned i = 0;
    while (i < count && threads.asked[i] != thread)
        i++;
    return i;
}

void hy_all_threads_handle_request(void)
{
    const int ruleset = atomic_load(&threads.ruleset);
    const unsigned i = find((pid_t)syscall(SYS_gettid));

    if (ruleset >= 0 && i < atomic_load(&threads.count) && !atomic_load(&threads.is_confined[i]) &&
        confine_this_one(ruleset))
        atomic_store(&threads.is_confined[i], true);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

/* ThreadSanitizer has a background thread that must not run our code, handlers included. The
 * background thread is the only thread with blocked fault signals. */
#ifdef __SANITIZE_THREAD__
static bool is_the_sanitizer_s(pid_t thread)
{
    char path[64], line[128];
    unsigned long long blocked = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)thread);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status) &&
           sscanf(line, "SigBlk: %llx", &blocked) != 1)
        ;
    if (status)
        fclose(status);
    return (blocked >> (SIGSEGV - 1) & 1) != 0;
}
#else
static bool is_the_sanitizer_s(pid_t thread)
{
    (void)thread;
    return false;
}
#endif

/* True: the thread was not in the list. */
static bool ask(pid_t thread)
{
    const unsigned i = atomic_load(&threads.count);
    if (find(thread) < i || i == MOST_THREADS)
        return false;

    threads.asked[i] = thread;
    atomic_store(&threads.is_confined[i], false);
    atomic_store(&threads.count, i + 1);
    if (threads.have_handler && syscall(SYS_tgkill, getpid(), thread, SIGSYS) != 0)
        atomic_store(&threads.is_confined[i], true); /* the thread has ended */
    return true;
}

/* Sends SIGSYS to all threads not yet asked. Returns the number of new threads; below 0: the
 * threads of the process cannot be listed. */
static int ask_all(void)
{
    const pid_t self = (pid_t)syscall(SYS_gettid);
    int asked = 0;
    DIR *dir = opendir("/proc/self/task");
    if (!dir)
        return -1;

    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread > 0 && thread != self && !is_the_sanitizer_s(thread) && ask(thread))
            asked++;
    }
    closedir(dir);
    return asked;
}

static unsigned count_unconfined(void)
{
    unsigned left = 0;

    for (unsigned i = 0; i < atomic_load(&threads.count); i++) {
        if (!atomic_load(&threads.is_confined[i]) &&
            syscall(SYS_tgkill, getpid(), threads.asked[i], 0) == 0)
            left++;
    }
    return left;
}

/* A thread may have started further threads before it is confined, so the list of threads is read
 * again until no new thread appears. */
enum hy_code hy_all_threads_restrict(int ruleset, struct hy_error *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    unsigned left = 1;
    int asked = 1;

    if (syscall(SYS_landlock_restrict_self, ruleset, ALL_THREADS) == 0)
        return HY_OK;
    if (!confine_this_one(ruleset))
        return hy_fail(err, HY_FAILED, "Landlock: %s", strerror(errno));
    atomic_store(&threads.count, 0);
    atomic_store(&threads.ruleset, ruleset);
    for (int i = 0; i < PAUSES && (left > 0 || asked > 0); i++) {
        left = count_unconfined();
        if (left > 0)
            nanosleep(&pause, NULL);
        else
            asked = ask_all();
    }
    atomic_store(&threads.ruleset, -1);
    if (left == 0 && asked == 0)
        return HY_OK;
    if (asked < 0)
        return hy_fail(err, HY_FAILED, "Landlock: the threads of the process cannot be listed");
    return hy_fail(err, HY_FAILED, "Landlock: %u threads of the driver can still open every file",
                   left);
}
