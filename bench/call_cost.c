/*
 * call_cost: the cost of a small model without a service between the app and the library, for each
 * way to run it, compared with TensorFlow Lite's own Invoke. Prints a Markdown table.
 * docs/performance.md explains the table.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/inference.h"
#include "bench/measure.h"
#include "bench/peers/tflite_peer.h"

enum subject { XNNPACK, BUILT_IN, BURST, REUSED, NEW, ASYNC, SUBJECTS };

static const char *const names[SUBJECTS] = {
    [XNNPACK] = "TensorFlow Lite, XNNPACK: Invoke",
    [BUILT_IN] = "TensorFlow Lite, built-in kernels: Invoke",
    [BURST] = "reused execution, burstCompute",
    [REUSED] = "reused execution, compute",
    [NEW] = "new execution, compute",
    [ASYNC] = "new execution, startCompute, wait",
};

struct arguments {
    struct hy_bench_rules rules;
    const char *library;
    const char *model;
};

static enum hy_code run_peer(void *self, struct hy_error *err)
{
    return hy_tflite_peer_run(self, err);
}

static enum hy_code run_burst(void *self, struct hy_error *err)
{
    return hy_inference_run(self, HY_INFERENCE_BURST, err);
}

static enum hy_code run_reused(void *self, struct hy_error *err)
{
    return hy_inference_run(self, HY_INFERENCE_REUSED, err);
}

static enum hy_code run_new(void *self, struct hy_error *err)
{
    return hy_inference_run(self, HY_INFERENCE_SYNC, err);
}

static enum hy_code run_async(void *self, struct hy_error *err)
{
    return hy_inference_run(self, HY_INFERENCE_ASYNC, err);
}

static void print_table(const struct hy_bench_subject *subjects)
{
    printf("| | us | / XNNPACK |\n|---|--:|--:|\n");
    for (int i = 0; i < SUBJECTS; i++)
        printf("| %s | %.3f | %.2f |\n", names[i], subjects[i].median_us,
               subjects[i].median_us / subjects[XNNPACK].median_us);
}

static enum hy_code race(const struct arguments *arguments, struct hy_error *err)
{
    const struct hy_inference_options options = {.device = "halyard-cpu"};
    struct hy_tflite_peer *xnnpack = NULL, *built_in = NULL;
    struct hy_inference *halyard = NULL;
    enum hy_code code = hy_tflite_peer_open(arguments->library, arguments->model, HY_TFLITE_XNNPACK,
                                            1, &xnnpack, err);
    if (code == HY_OK)
        code = hy_tflite_peer_open(arguments->library, arguments->model, HY_TFLITE_BUILT_IN, 1,
                                   &built_in, err);
    if (code == HY_OK)
        code = hy_inference_open(arguments->model, &options, &halyard, err);

    struct hy_bench_subject subjects[SUBJECTS] = {
        [XNNPACK] = {.run = run_peer, .self = xnnpack},
        [BUILT_IN] = {.run = run_peer, .self = built_in},
        [BURST] = {.run = run_burst, .self = halyard},
        [REUSED] = {.run = run_reused, .self = halyard},
        [NEW] = {.run = run_new, .self = halyard},
        [ASYNC] = {.run = run_async, .self = halyard},
    };
    if (code == HY_OK)
        code = hy_bench_measure(subjects, SUBJECTS, &arguments->rules, err);
    if (code == HY_OK)
        print_table(subjects);
    hy_inference_destroy(halyard);
    hy_tflite_peer_close(built_in);
    hy_tflite_peer_close(xnnpack);
    return code;
}

static bool parse(int argc, char **argv, struct arguments *arguments)
{
    static const struct option options[] = {
        {"rounds", required_argument, NULL, 'n'},
        {"round-ms", required_argument, NULL, 't'},
        {0},
    };
    /* short rounds: even on a busy machine most rounds are not interrupted */
    *arguments = (struct arguments){.rules = {.rounds = 401, .round_time = 0.0005}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'n')
            arguments->rules.rounds = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 't')
            arguments->rules.round_time = strtod(optarg, NULL) * 1e-3;
        else
            return false;
    }
    if (argc - optind != 2)
        return false;
    arguments->library = argv[optind];
    arguments->model = argv[optind + 1];
    return true;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    struct hy_error err = {0};
    if (!parse(argc, argv, &arguments)) {
        fprintf(stderr,
                "usage: call_cost [--rounds N] [--round-ms N] LIBTENSORFLOWLITE_C.SO MODEL\n");
        return 2;
    }
    setenv("HALYARD_CPU_THREADS", "1", 1); /* as many as the peer has */
    printf("Times of one inference in microseconds, medians of %u rounds of at least %g ms.\n\n",
           arguments.rules.rounds, arguments.rules.round_time * 1e3);
    if (race(&arguments, &err) != HY_OK) {
        fprintf(stderr, "call_cost: %s\n", err.text);
        return 1;
    }
    return 0;
}
