/*
 * concurrency: what two threads gain that run one compilation at the same time, each with an
 * execution and buffers of its own. 2 is the most there is to gain; 1 means that they wait for each
 * other, or get in each other's way.
 *
 *     concurrency DEVICE MODEL.tflite...
 *
 * Times are of the threads' own processor time, so a busy machine does not count against them; that
 * they did not sleep in between is told by how often they gave their processor up.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench/inference.h"
#include "tools/stats.h"

#define THREADS  2u
#define ROUNDS   9u
#define ROUND_NS UINT64_C(100000000)

struct runner {
    const struct hy_inference *inference;
    ANeuralNetworksExecution *execution;
    void *buffers[32];
    uint32_t buffer_count;
    atomic_bool *stop;
    uint64_t runs, time, waits; /* of the last round */
    int result;
};

/* Of a round: picoseconds for each inference of all threads together, and waits of a thousand. */
struct figures {
    uint64_t time, waits;
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
    return is_input ? ANeuralNetworksExecution_setInput(runner->execution, (int32_t)index, NULL,
                                                        buffer, bytes)
                    : ANeuralNetworksExecution_setOutput(runner->execution, (int32_t)index, NULL,
                                                         buffer, bytes);
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

static uint64_t thread_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
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
    const uint64_t waits = thread_waits(), time = thread_time();
    runner->runs = 0;
    do { /* once at least: the round may be over before this thread has begun */
        runner->result = ANeuralNetworksExecution_compute(runner->execution);
        runner->runs++;
    } while (runner->result == ANEURALNETWORKS_NO_ERROR && !atomic_load(runner->stop));
    runner->time = thread_time() - time;
    runner->waits = thread_waits() - waits;
    return NULL;
}

/* Each thread counts for what it does in its own time. */
static int sum_up(const struct runner *runners, uint32_t count, struct figures *ret)
{
    double rate = 0;
    uint64_t runs = 0, waits = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (runners[i].result != 0 || runners[i].runs == 0 || runners[i].time == 0)
            return 1;
        rate += (double)runners[i].runs / (double)runners[i].time;
        runs += runners[i].runs;
        waits += runners[i].waits;
    }
    *ret = (struct figures){.time = (uint64_t)(1000 / rate), .waits = 1000 * waits / runs};
    return 0;
}

static int run_round(struct runner *runners, uint32_t count, struct figures *ret)
{
    pthread_t threads[THREADS];
    atomic_bool stop = false;
    uint32_t made = 0;
    for (; made < count; made++) {
        runners[made].stop = &stop;
        if (pthread_create(&threads[made], NULL, run, &runners[made]) != 0)
            break;
    }
    nanosleep(&(struct timespec){.tv_nsec = ROUND_NS}, NULL);
    atomic_store(&stop, true);
    for (uint32_t i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    return made == count ? sum_up(runners, count, ret) : 1;
}

static int measure(const struct hy_inference *inference, const char *name)
{
    struct runner runners[THREADS] = {0};
    struct figures figures = {0};
    uint64_t alone[ROUNDS], together[ROUNDS], waits = 0;
    int result = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        runners[i].inference = inference;
        result |= open_runner(&runners[i]);
    }
    if (result == 0) /* makes what is made on demand */
        result = run_round(runners, THREADS, &figures);
    for (uint32_t i = 0; result == 0 && i < ROUNDS; i++) {
        result = run_round(runners, 1, &figures);
        alone[i] = figures.time;
        if (result == 0)
            result = run_round(runners, THREADS, &figures);
        together[i] = figures.time;
        waits += figures.waits;
    }
    if (result == 0) {
        const double one = (double)hy_stats_make(alone, ROUNDS).p50 / 1e6;
        const double two = (double)hy_stats_make(together, ROUNDS).p50 / 1e6;
        printf("%-32s %10.2f %10.2f %8.2f %8llu\n", name, one, two, one / two,
               (unsigned long long)(waits / ROUNDS));
    }
    for (uint32_t i = 0; i < THREADS; i++)
        close_runner(&runners[i]);
    return result;
}

static int measure_file(const char *path, const char *device)
{
    const struct hy_inference_options options = {.device = device};
    struct hy_inference *inference = NULL;
    struct hy_error err = {0};
    if (hy_inference_open(path, &options, &inference, &err) != HY_OK) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        return 1;
    }
    const char *slash = strrchr(path, '/');
    const int result = measure(inference, slash ? slash + 1 : path);
    if (result != 0)
        fprintf(stderr, "%s: an inference failed (%d)\n", path, result);
    hy_inference_destroy(inference);
    return result;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc < 3) {
        fprintf(stderr, "Usage: concurrency DEVICE MODEL.tflite...\n");
        return 2;
    }
    printf("%-32s %10s %10s %8s %8s\n", "us for each inference", "1 thread", "2 threads", "gain",
           "waits");
    for (int i = 2; i < argc; i++)
        failed |= measure_file(argv[i], argv[1]) != 0;
    return failed;
}
