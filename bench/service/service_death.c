/*
 * service_death: the time until a call returns when the process of its driver is killed:
 * halyard-cpu in a separate process, threads that run bursts, and kills at random moments. The exit
 * status is 1 if a result is wrong, a call does not return, or a resource leaks.
 *
 *     service_death [KILLS]
 */
#include "bench/service/killed_app.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_KILLS = 100, TIMEOUT_S = 300 /* s, for one app */, BOUND_MS = 60000 };

struct figures {
    int64_t *recovery_ns;
    size_t count;
    uint64_t runs, failures;
    unsigned kills;
};

/* Its drivers end with an app. */
static bool has_ended(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int ms = 0; ms < BOUND_MS; ms++) {
        if (kill(pid, 0) != 0 && errno == ESRCH)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

static bool run_app(struct killed_app *app)
{
    int status = -1;

    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(TIMEOUT_S);
        exit(killed_app_live(app) ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    if (status != 0)
        fprintf(stderr, "service_death: %s\n", app->wrong[0] ? app->wrong : "an app hangs");
    else if (app->last_pid > 0 && !has_ended(app->last_pid))
        fprintf(stderr, "service_death: process %d outlives its app\n", (int)app->last_pid);
    else
        return true;
    return false;
}

static void add(struct figures *figures, const struct killed_app *app)
{
    const size_t most = sizeof app->recovery_ns / sizeof *app->recovery_ns;
    const size_t count = app->recovery_count < most ? app->recovery_count : most;

    memcpy(figures->recovery_ns + figures->count, app->recovery_ns,
           count * sizeof *app->recovery_ns);
    figures->count += count;
    figures->runs += app->runs;
    figures->failures += app->failures;
    figures->kills += app->kills;
}

static int compare(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void print(const char *name, struct figures *figures)
{
    const size_t count = figures->count, middle = count / 2;
    qsort(figures->recovery_ns, count, sizeof *figures->recovery_ns, compare);
    const double median = count ? (double)figures->recovery_ns[middle] / 1e6 : 0;
    const double largest = count ? (double)figures->recovery_ns[count - 1] / 1e6 : 0;

    printf("%-16s %6u %8zu %11.2f %12.2f %9llu %9llu\n", name, figures->kills, count, median,
           largest, (unsigned long long)figures->runs, (unsigned long long)figures->failures);
}

/* Runs apps one after the other, as many as the kills need. */
static bool measure(const char *name, bool is_alone, unsigned kills)
{
    const unsigned apps = (kills + KILLED_APP_KILLS - 1) / KILLED_APP_KILLS;
    struct killed_app *app =
        mmap(NULL, sizeof *app, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct figures figures = {.recovery_ns = calloc(apps, sizeof app->recovery_ns)};
    bool good = app != MAP_FAILED && figures.recovery_ns;

    for (unsigned i = 0; i < apps && good; i++) {
        memset(app, 0, sizeof *app);
        app->is_alone = is_alone;
        app->seed = i + 1;
        good = run_app(app);
        add(&figures, app);
    }
    if (good)
        print(name, &figures);
    free(figures.recovery_ns);
    return good;
}

int main(int argc, char **argv)
{
    const int kills = argc > 1 ? atoi(argv[1]) : DEFAULT_KILLS;
    if (kills <= 0) {
        fputs("usage: service_death [KILLS]\n", stderr);
        return 2;
    }
    setenv("HALYARD_DRIVERD", BENCH_DRIVERD, 0);
    setenv("HALYARD_ISOLATE", "halyard-cpu", 1);
    setenv("HALYARD_STATE_DIR", "/dev/null/none", 0);
    setenv("HALYARD_LOG", "error", 0);
    printf("%-16s %6s %8s %11s %12s %9s %9s\n", "compiled for", "kills", "calls", "median ms",
           "largest ms", "right", "failed");
    const bool good = measure("the device", true, (unsigned)kills) &&
                      measure("all devices", false, (unsigned)kills);
    return good ? 0 : 1;
}
