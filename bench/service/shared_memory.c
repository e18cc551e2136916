/*
 * shared_memory: the total memory of several processes with the same network, with weights that
 * each process packs separately, with weights from a cache, and with weights in one shared service.
 *
 *     shared_memory --driverd PROGRAM [--processes N] MODEL.tflite...
 *
 * Figures are sums of proportional set sizes (Pss of /proc/PID/smaps_rollup) after two inferences,
 * the service included: a page shared by N processes counts 1/N in each of them. "Each more" is the
 * memory added by every process after the first.
 */
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/inference.h"
#include "tools/temporary_dir.h"

#define MOST_PROCESSES 32u

/* How the processes come by their weights. */
enum way { COPIED, FROM_CACHE, BY_SERVICE, WAY_COUNT };

static const char *const way_names[] = {"packed by each", "from a cache", "by one service"};

struct request {
    const char *driverd;
    const char *dir; /* for the cache and the socket */
    uint32_t processes;
};

struct process {
    pid_t pid;
    int orders; /* the process ends when this is closed */
};

/* ---- An app ---------------------------------------------------------------------------------- */

static int be_app(const char *path)
{
    const struct hy_inference_options options = {.device = "halyard-cpu"};
    struct hy_inference *inference = NULL;
    struct hy_error err = {0};
    char order;

    enum hy_code code = hy_inference_open(path, &options, &inference, &err);
    for (int i = 0; code == HY_OK && i < 2; i++)
        code = hy_inference_run(inference, HY_INFERENCE_REUSED, &err);
    if (code != HY_OK)
        fprintf(stderr, "shared_memory: %s: %s\n", path, err.text);
    else if (write(STDOUT_FILENO, "r", 1) == 1)
        (void)!read(STDIN_FILENO, &order, 1);
    hy_inference_destroy(inference);
    return code != HY_OK;
}

/* ---- Processes ------------------------------------------------------------------------------- */

/* What a way adds to the environment of a process. */
static void choose_way(const struct request *request, enum way way)
{
    char sockets[256];

    unsetenv("HALYARD_CACHE_DIR");
    if (way == FROM_CACHE)
        setenv("HALYARD_CACHE_DIR", request->dir, 1);
    snprintf(sockets, sizeof sockets, "halyard-cpu=%s/cpu", request->dir);
    if (way == BY_SERVICE)
        setenv("HALYARD_SERVICE_SOCKETS", sockets, 1);
}

/* Returns when the app has run its network. */
static bool start_app(const struct request *request, enum way way, const char *path,
                      struct process *process)
{
    int there[2], back[2];
    char ready = 0;

    *process = (struct process){.pid = -1, .orders = -1};
    if (pipe2(there, O_CLOEXEC) != 0)
        return false;
    if (pipe2(back, O_CLOEXEC) != 0) {
        close(there[0]);
        close(there[1]);
        return false;
    }
    fflush(stdout);
    process->pid = fork();
    if (process->pid == 0) {
        choose_way(request, way);
        if (dup2(there[0], STDIN_FILENO) >= 0 && dup2(back[1], STDOUT_FILENO) >= 0)
            execl("/proc/self/exe", "shared_memory", "--app", path, (char *)NULL);
        _exit(127);
    }
    close(there[0]);
    close(back[1]);
    process->orders = there[1];
    const bool is_ready = process->pid > 0 && read(back[0], &ready, 1) == 1;
    close(back[0]);
    return is_ready;
}

static void end_app(const struct process *process)
{
    close(process->orders);
    if (process->pid > 0)
        waitpid(process->pid, NULL, 0);
}

/* The pid, or -1. */
static pid_t start_service(const struct request *request)
{
    char socket[256];
    const struct timespec moment = {.tv_nsec = 10000000};

    snprintf(socket, sizeof socket, "%s/cpu", request->dir);
    const pid_t service = fork();
    if (service == 0) {
        execl(request->driverd, request->driverd, "--shared", "--cpu", "--socket", socket,
              (char *)NULL);
        _exit(127);
    }
    for (int i = 0; service > 0 && i < 500 && access(socket, F_OK) != 0; i++)
        nanosleep(&moment, NULL);
    return service;
}

static void end_service(pid_t service)
{
    if (service <= 0)
        return;
    kill(service, SIGTERM);
    waitpid(service, NULL, 0);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static long long pss_kib(pid_t pid)
{
    char path[64], line[256];
    long long kib = 0;

    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Pss: %lld", &kib) != 1)
        continue;
    if (file)
        fclose(file);
    return kib;
}

/* With its children. */
static long long pss_of_tree_kib(pid_t pid)
{
    char path[64];
    long long kib = pss_kib(pid);
    int child;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &child) == 1)
        kib += pss_of_tree_kib(child);
    if (file)
        fclose(file);
    return kib;
}

/* Starts the apps one after the other, to measure each number of processes: sums[i] is the sum of i
 * + 1 processes. False: an app did not run. */
static bool measure_apps(const struct request *request, enum way way, const char *path,
                         pid_t service, long long *sums)
{
    struct process apps[MOST_PROCESSES];
    uint32_t started = 0;
    bool is_good = true;

    for (; is_good && started < request->processes; started++) {
        is_good = start_app(request, way, path, &apps[started]);
        sums[started] = service > 0 ? pss_of_tree_kib(service) : 0;
        for (uint32_t i = 0; i <= started; i++)
            sums[started] += pss_kib(apps[i].pid);
    }
    for (uint32_t i = 0; i < started; i++)
        end_app(&apps[i]);
    return is_good;
}

static bool fill_cache(const struct request *request, const char *path)
{
    struct process app;
    const bool is_good = start_app(request, FROM_CACHE, path, &app);

    end_app(&app);
    return is_good;
}

static bool measure(const struct request *request, const char *path, enum way way)
{
    long long sums[MOST_PROCESSES];
    const uint32_t last = request->processes - 1;
    const char *slash = strrchr(path, '/');

    if (way == FROM_CACHE && !fill_cache(request, path))
        return false;
    const pid_t service = way == BY_SERVICE ? start_service(request) : 0;
    const bool is_good = service >= 0 && measure_apps(request, way, path, service, sums);
    end_service(service);
    if (is_good)
        printf("| %s | %s | %.1f | %.1f | %.1f |\n", slash ? slash + 1 : path, way_names[way],
               (double)sums[0] / 1024, (double)sums[last] / 1024,
               last ? (double)(sums[last] - sums[0]) / 1024 / last : 0);
    return is_good;
}

static bool measure_all(const struct request *request, int count, char *const *paths)
{
    bool is_good = true;

    printf("| network | weights | 1 process, MiB | %u processes, MiB | each more, MiB |\n"
           "|---|---|--:|--:|--:|\n",
           request->processes);
    for (int i = 0; i < count; i++)
        for (enum way way = COPIED; way < WAY_COUNT; way++)
            is_good &= measure(request, paths[i], way);
    return is_good;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"driverd", required_argument, NULL, 'd'},
                                            {"processes", required_argument, NULL, 'p'},
                                            {"app", required_argument, NULL, 'a'},
                                            {0}};
    struct request request = {.processes = 8};
    struct hy_error err;
    char *dir = NULL;

    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'a')
            return be_app(optarg);
        if (option == 'd')
            request.driverd = optarg;
        if (option == 'p')
            request.processes = (uint32_t)strtoul(optarg, NULL, 10);
    }
    if (!request.driverd || optind == argc || request.processes < 1 ||
        request.processes > MOST_PROCESSES) {
        fprintf(stderr, "Usage: shared_memory --driverd PROGRAM [--processes N] MODEL.tflite...\n");
        return 2;
    }
    if (hy_temporary_dir_make(NULL, &dir, &err) != HY_OK) {
        fprintf(stderr, "shared_memory: %s\n", err.text);
        return EXIT_FAILURE;
    }
    request.dir = dir;
    const bool is_good = measure_all(&request, argc - optind, argv + optind);
    hy_temporary_dir_remove(dir);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
