/*
 * concurrency: the gain of several threads that run one compilation at the same time, each with a
 * separate execution and separate buffers. The largest possible gain is the number of processors; a
 * smaller gain means that threads wait for each other or disturb each other.
 *
 *     concurrency [--threads N] DEVICE MODEL.tflite...
 *
 * "gain" is by elapsed time, which other work on the machine increases. "work" is independent of
 * other work: the processor time of an inference of one thread divided by the processor time of an
 * inference among several threads, helpers included. The number of voluntary context switches per
 * thousand inferences shows whether the threads slept. "KiB" is the memory added by each execution
 * after the first.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench/inference.h"

#include "common/clock.h"
#include "tools/stats.h"

#define MOST_THREADS 64u
#define ROUNDS       9u
#define ROUND_NS     UINT64_C(100000000)

struct runner {
    const struct hy_inference *inference;
    ANeuralNetworksExecution *execution;
    void *buffers[32];
    uint32_t buffer_count;
    atomic_bool *stop;
    uint64_t runs, waits; /* of the last round */
    int result;
};

/* Of a round: picoseconds for each inference of all threads together by the clock, and of processor
 * time; waits of a thousand. */
struct figures {
    uint64_t time, work, waits;
};

static int set_tensor(struct runner *runner, uint32_t index, bool is_input)
{
    const struct hy_inference *inference = runner->inference;
    const uint64_t bytes = (is_input ? hy_inference_input_tensor(inference, index)
                                     : hy_inference_output_tensor(inference, index))
                               ->bytes;
    void *buffer = runner->buffer_count < 32 ? calloc(1, bytes) : NULL;
    if (!buffer)
        return ANEURALNETWORKS_OUT_OF_MEMORY;
    runner->buffers[runner->buffer_count++] = buffer;
    /* close_runner() frees the buffers. NOLINTBEGIN(clang-analyzer-unix.Malloc) */
    return is_input ? ANeuralNetworksExecution_setInput(runner->execution, (int32_t)index, NULL,
                                                        buffer, bytes)
                    : ANeuralNetworksExecution_setOutput(runner->execution, (int32_t)index, NULL,
                                                         buffer, bytes);
    /* NOLINTEND(clang-analyzer-unix.Malloc) */
}

static int open_runner(struct runner *runner)
{
    int result = ANeuralNetworksExecution_create(hy_inference_compilation(runner->inference),
                                                 &runner->execution);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksExecution_setReusable(runner->execution, true);
    for (uint32_t i = 0; result == 0 && i < hy_inference_input_count(runner->inference); i++)
        result = set_tensor(runner, i, true);
    for (uint32_t i = 0; result == 0 && i < hy_inference_output_count(runner->inference); i++)
        result = set_tensor(runner, i, false);
    return result;
}

static void close_runner(struct runner *runner)
{
    ANeuralNetworksExecution_free(runner->execution);
    for (uint32_t i = 0; i < runner->buffer_count; i++)
        free(runner->buffers[i]);
}

static uint64_t resident_kib(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*u %llu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static uint64_t thread_waits(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_nvcsw;
}

static void *run(void *argument)
{
    struct runner *runner = argument;
    const uint64_t waits = thread_waits();
    runner->runs = 0;
    do { /* once at least: the round may be over before this thread has begun */
        runner->result = ANeuralNetworksExecution_compute(runner->execution);
        runner->runs++;
    } while (runner->result == ANEURALNETWORKS_NO_ERROR && !atomic_load(runner->stop));
    runner->waits = thread_waits() - waits;
    return NULL;
}

static int sum_up(const struct runner *runners, uint32_t count, uint64_t time, uint64_t work,
                  struct figures *ret)
{
    uint64_t runs = 0, waits = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (runners[i].result != 0)
            return 1;
        runs += runners[i].runs;
        waits += runners[i].waits;
    }
    *ret = (struct figures){1000 * time / runs, 1000 * work / runs, 1000 * waits / runs};
    return 0;
}

static int run_round(struct runner *runners, uint32_t count, struct figures *ret)
{
    pthread_t threads[MOST_THREADS];
    atomic_bool stop = false;
    uint32_t made = 0;
    const uint64_t time = (uint64_t)hy_clock_read(CLOCK_MONOTONIC),
                   work = (uint64_t)hy_clock_read(CLOCK_PROCESS_CPUTIME_ID);
    for (; made < count; made++) {
        runners[made].stop = &stop;
        if (pthread_create(&threads[made], NULL, run, &runners[made]) != 0)
            break;
    }
    nanosleep(&(struct timespec){.tv_nsec = ROUND_NS}, NULL);
    atomic_store(&stop, true);
    for (uint32_t i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    return made == count ? sum_up(runners, count, (uint64_t)hy_clock_read(CLOCK_MONOTONIC) - time,
                                  (uint64_t)hy_clock_read(CLOCK_PROCESS_CPUTIME_ID) - work, ret)
                         : 1;
}

/* The rounds of one thread and of all threads alternate. */
struct samples {
    uint64_t time[2][ROUNDS], work[2][ROUNDS], waits;
};

static int run_rounds(struct runner *runners, uint32_t count, struct samples *samples)
{
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < ROUNDS; i++) {
        for (int all = 0; result == 0 && all < 2; all++) {
            struct figures figures = {0};
            result = run_round(runners, all ? count : 1, &figures);
            samples->time[all][i] = figures.time;
            samples->work[all][i] = figures.work;
            samples->waits += all ? figures.waits : 0;
        }
    }
    return result;
}

static void print_row(const char *name, struct samples *samples, uint64_t kib)
{
    double us[2], work[2];
    for (int all = 0; all < 2; all++) {
        us[all] = (double)hy_stats_make(samples->time[all], ROUNDS).p50 / 1e6;
        work[all] = (double)hy_stats_make(samples->work[all], ROUNDS).p50 / 1e6;
    }
    printf("%-32s %10.2f %10.2f %8.2f %8.2f %8llu %8llu\n", name, us[0], us[1], us[0] / us[1],
           work[0] / work[1], (unsigned long long)(samples->waits / ROUNDS),
           (unsigned long long)kib);
}

static int measure(const struct hy_inference *inference, const char *name, uint32_t threads)
{
    struct runner runners[MOST_THREADS] = {0};
    struct samples samples = {0};
    struct figures figures;
    int result = 0;
    for (uint32_t i = 0; i < threads; i++) {
        runners[i].inference = inference;
        result |= open_runner(&runners[i]);
    }
    if (result == 0) /* makes what is made on demand */
        result = run_round(runners, 1, &figures);
    const uint64_t before = resident_kib();
    if (result == 0)
        result = run_round(runners, threads, &figures);
    const uint64_t after = resident_kib();
    if (result == 0)
        result = run_rounds(runners, threads, &samples);
    if (result == 0)
        print_row(name, &samples,
                  after > before && threads > 1 ? (after - before) / (threads - 1) : 0);
    for (uint32_t i = 0; i < threads; i++)
        close_runner(&runners[i]);
    return result;
}

static int measure_file(const char *path, const char *device, uint32_t threads)
{
    const struct hy_inference_options options = {.device = device};
    struct hy_inference *inference = NULL;
    struct hy_error err = {0};
    if (hy_inference_open(path, &options, &inference, &err) != HY_OK) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        return 1;
    }
    const char *slash = strrchr(path, '/');
    const int result = measure(inference, slash ? slash + 1 : path, threads);
    if (result != 0)
        fprintf(stderr, "%s: an inference failed (%d)\n", path, result);
    hy_inference_destroy(inference);
    return result;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"threads", required_argument, NULL, 'p'}, {0}};
    unsigned long threads = 2;
    int failed = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        threads = option == 'p' ? strtoul(optarg, NULL, 10) : 0;
    if (argc - optind < 2 || threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "Usage: concurrency [--threads N] DEVICE MODEL.tflite...\n");
        return 2;
    }
    printf("%-32s %10s %7lu of %8s %8s %8s %8s\n", "us for each inference", "1 thread", threads,
           "gain", "work", "waits", "KiB");
    for (int i = optind + 1; i < argc; i++)
        failed |= measure_file(argv[i], argv[optind], (uint32_t)threads) != 0;
    return failed;
}
