/*
 * thread_scaling: the time of an inference with more threads than processors, relative to the time
 * with two threads.
 *
 *     thread_scaling MODEL.tflite...
 *
 * Each number of threads is the value of HALYARD_CPU_THREADS of a separate process; the processes
 * run in turns, so that other work on the machine affects all of them alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/inference.h"
#include "bench/measure.h"
#include "bench/service/remote_subject.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const struct hy_bench_rules rules = {.rounds = 31, .round_time = 0.02, .pause = 0.002};

static const char *const thread_counts[] = {"1", "2", "4", "8", "16", "64"};

enum { TWO = 1 /* what the others are compared with */ };

static enum hy_code run(void *self, struct hy_error *err)
{
    return hy_inference_run(self, HY_INFERENCE_REUSED, err);
}

static enum hy_code serve(const char *path, struct hy_error *err)
{
    const struct hy_inference_options options = {.device = "halyard-cpu"};
    struct hy_inference *inference = NULL;

    enum hy_code code = hy_inference_open(path, &options, &inference, err);
    if (code == HY_OK)
        hy_inference_fill_inputs(inference);
    const struct hy_bench_subject subject = {.name = path, .run = run, .self = inference};
    if (code == HY_OK)
        code = hy_remote_subject_serve(&subject, NULL, err);
    hy_inference_destroy(inference);
    return code;
}

static void print_row(const char *path, const struct hy_bench_subject *subjects)
{
    const char *slash = strrchr(path, '/');
    printf("| %s | %.0f |", slash ? slash + 1 : path, subjects[TWO].median_us);
    for (size_t i = 0; i < COUNT_OF(thread_counts); i++)
        if (i != TWO)
            printf(" %.2f |", subjects[i].median_us / subjects[TWO].median_us);
    printf("\n");
    fflush(stdout);
}

static enum hy_code measure(const char *path, struct hy_error *err)
{
    const char *const arguments[] = {"thread_scaling", "--serve", path, NULL};
    struct hy_remote_subject *remotes[COUNT_OF(thread_counts)] = {NULL};
    struct hy_bench_subject subjects[COUNT_OF(thread_counts)] = {0};
    enum hy_code code = HY_OK;

    for (size_t i = 0; code == HY_OK && i < COUNT_OF(thread_counts); i++) {
        const struct hy_remote_variable threads = {"HALYARD_CPU_THREADS", thread_counts[i]};
        code = hy_remote_subject_start(arguments, &threads, 1, &remotes[i], err);
        subjects[i] = (struct hy_bench_subject){
            .name = thread_counts[i], .time_runs = hy_remote_subject_time_runs, .self = remotes[i]};
    }
    if (code == HY_OK)
        code = hy_bench_measure(subjects, COUNT_OF(subjects), &rules, err);
    if (code == HY_OK)
        print_row(path, subjects);
    for (size_t i = 0; i < COUNT_OF(remotes); i++)
        hy_remote_subject_stop(remotes[i]);
    return code;
}

static void print_heads(void)
{
    printf("| network | %s threads, us |", thread_counts[TWO]);
    for (size_t i = 0; i < COUNT_OF(thread_counts); i++)
        if (i != TWO)
            printf(" %s |", thread_counts[i]);
    printf("\n|---|--:|");
    for (size_t i = 1; i < COUNT_OF(thread_counts); i++)
        printf("--:|");
    printf("\n");
}

int main(int argc, char **argv)
{
    const bool is_server = argc == 3 && strcmp(argv[1], "--serve") == 0;
    struct hy_error err;
    int status = EXIT_SUCCESS;

    if (argc < 2) {
        fprintf(stderr, "Usage: thread_scaling MODEL.tflite...\n");
        return 2;
    }
    if (!is_server)
        print_heads();
    for (int i = is_server ? 2 : 1; i < argc; i++) {
        if ((is_server ? serve(argv[i], &err) : measure(argv[i], &err)) == HY_OK)
            continue;
        fprintf(stderr, "thread_scaling: %s: %s\n", argv[i], err.text);
        status = EXIT_FAILURE;
    }
    return status;
}
