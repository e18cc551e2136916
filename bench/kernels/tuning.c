/*
 * tuning: the gain of blocking convolutions by the size of the second-level cache, and by
 * measurement. Runs models on devices that use tiles only, blocking by rule, and measured blocking,
 * on one thread and on all threads, in turns. Prints a Markdown table of microseconds: processor
 * time on one thread, else elapsed time.
 *
 *     tuning MODEL...
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/inference.h"
#include "bench/kernels/tuning_probe.h"
#include "bench/measure.h"
#include "common/clock.h"

/* More runs than tuning needs. */
#define WARM_RUNS 100
#define MOST_WAIT 1000 /* times 10 ms, for the tuning */

static const struct hy_bench_rules rules = {.rounds = 101, .round_time = 0.002};

static tuning_probe_fn *open_probe(void)
{
    void *library = dlopen(TUNING_PROBE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, TUNING_PROBE_SYMBOL) : NULL;
    tuning_probe_fn *state = NULL;
    memcpy(&state, &symbol, sizeof state); /* ISO C has no cast for this */
    return state;
}

static enum hy_code run_once(void *self, struct hy_error *err)
{
    return hy_inference_run(self, HY_INFERENCE_REUSED, err);
}

/* Processor time of this thread, which other work on the machine disturbs least. */
static enum hy_code time_alone(void *self, uint64_t repeats, double *seconds, struct hy_error *err)
{
    enum hy_code code = HY_OK;
    const int64_t start = hy_clock_read(CLOCK_THREAD_CPUTIME_ID);
    for (uint64_t i = 0; code == HY_OK && i < repeats; i++)
        code = run_once(self, err);
    *seconds = (double)(hy_clock_read(CLOCK_THREAD_CPUTIME_ID) - start) * 1e-9;
    return code;
}

static enum hy_code wait_until_tuned(struct hy_inference *inference, tuning_probe_fn *state,
                                     struct hy_error *err)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < WARM_RUNS; i++)
        code = run_once(inference, err);
    for (uint32_t i = 0; code == HY_OK && state() == TUNING_PENDING && i < MOST_WAIT; i++)
        nanosleep(&pause, NULL);
    return code;
}

static void print_row(const char *path, const struct hy_bench_subject *subjects, bool is_pending)
{
    const char *slash = strrchr(path, '/');
    printf("| %s |", slash ? slash + 1 : path);
    for (uint32_t i = 0; i < TUNING_DEVICES; i++)
        printf(" %.1f |", subjects[i].median_us);
    for (uint32_t i = 0; i < TUNING_DEVICES; i += TUNING_WAY_COUNT)
        printf(" %.3f | %.3f |", subjects[i + TUNING_RULE].median_us / subjects[i].median_us,
               subjects[i + TUNING_MEASURED].median_us / subjects[i + TUNING_RULE].median_us);
    printf("%s\n", is_pending ? " not tuned" : "");
    fflush(stdout);
}

static enum hy_code measure(const char *path, tuning_probe_fn *state, struct hy_error *err)
{
    struct hy_inference *inferences[TUNING_DEVICES] = {NULL};
    struct hy_bench_subject subjects[TUNING_DEVICES] = {0};
    enum hy_code code = HY_OK;
    bool is_pending = false;
    for (uint32_t i = 0; code == HY_OK && i < TUNING_DEVICES; i++) {
        const struct hy_inference_options options = {.device = tuning_device_names[i]};
        code = hy_inference_open(path, &options, &inferences[i], err);
        subjects[i] = (struct hy_bench_subject){.run = run_once, .self = inferences[i]};
        if (i < TUNING_WAY_COUNT)
            subjects[i].time_runs = time_alone;
        if (code == HY_OK && i % TUNING_WAY_COUNT == TUNING_MEASURED) {
            code = wait_until_tuned(inferences[i], state, err);
            is_pending |= state() == TUNING_PENDING;
        }
    }
    if (code == HY_OK)
        code = hy_bench_measure(subjects, TUNING_DEVICES, &rules, err);
    if (code == HY_OK)
        print_row(path, subjects, is_pending);
    for (uint32_t i = 0; i < TUNING_DEVICES; i++)
        hy_inference_destroy(inferences[i]);
    return code;
}

int main(int argc, char **argv)
{
    struct hy_error err;
    if (argc < 2) {
        fprintf(stderr, "usage: tuning MODEL...\n");
        return 2;
    }
    setenv("HALYARD_DRIVER_FILES", TUNING_PROBE_MANIFEST, 1);
    tuning_probe_fn *state = open_probe();
    if (!state) {
        fprintf(stderr, "tuning: %s\n", dlerror());
        return 1;
    }
    printf("| model |");
    for (uint32_t i = 0; i < TUNING_DEVICES; i++)
        printf(" %s |", tuning_device_names[i]);
    printf(" rule / tiles, 1 | measured / rule, 1 | rule / tiles, n | measured / rule, n |\n");
    for (int i = 1; i < argc; i++) {
        if (measure(argv[i], state, &err) == HY_OK)
            continue;
        fprintf(stderr, "tuning: %s: %s\n", argv[i], err.text);
        return 1;
    }
    return 0;
}
