/*
 * isolation_cost: the cost of a driver in a separate process: networks with an input of 602,112
 * bytes, on halyard-cpu inside the app and isolated, with ordinary executions and in bursts. All
 * cases run in turns, each in a separate app, with tensors in memory given as a descriptor.
 *
 *     isolation_cost [ROUNDS]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/image_network.h"
#include "bench/service/remote_subject.h"

enum { DEFAULT_ROUNDS = 41, SUBJECTS = 4 };
#define ROUND_TIME 0.05 /* seconds */

static const struct {
    const char *name;
    const char *isolate; /* HALYARD_ISOLATE */
    const char *mode;
} ways[SUBJECTS] = {
    {"in the app", "", "ordinary"},
    {"isolated", "all", "ordinary"},
    {"in the app, burst", "", "burst"},
    {"isolated, burst", "all", "burst"},
};

static const struct {
    const char *name;
    const char *blocks;
} networks[] = {
    {"two layers and a classifier", "1"},
    {"six layers and a classifier", "3"},
    {"MobileNet v1, a quarter as wide", "13"},
};

/* ---- An app ---------------------------------------------------------------------------------- */

static enum hy_code serve(const char *blocks, const char *mode, struct hy_error *err)
{
    const char *isolated = getenv("HALYARD_ISOLATE");
    const bool isolates = isolated && strcmp(isolated, "all") == 0;
    struct image_network *network = NULL;
    uint64_t bytes = 0, runs = 0;

    enum hy_code code =
        image_network_create((uint32_t)atoi(blocks), strcmp(mode, "burst") == 0, &network, err);
    const struct hy_bench_subject subject = {
        .name = mode, .run = image_network_run, .self = network};
    if (code == HY_OK && isolates && image_network_process(network) == 0)
        code = hy_fail(err, HY_FAILED, "halyard-cpu has no process of its own");
    if (code == HY_OK)
        code = hy_remote_subject_serve(&subject, NULL, err);
    if (code == HY_OK)
        code = image_network_copied(network, &bytes, &runs, err);
    if (code == HY_OK && bytes > 0)
        code = hy_fail(err, HY_FAILED, "%llu bytes were copied in %llu runs",
                       (unsigned long long)bytes, (unsigned long long)runs);
    image_network_destroy(network);
    return code;
}

/* ---- The race -------------------------------------------------------------------------------- */

static void print_row(const char *network, const struct hy_bench_subject *subjects)
{
    printf("| %s |", network);
    for (int i = 0; i < SUBJECTS; i++)
        printf(" %.1f |", subjects[i].median_us);
    printf(" %+.1f %% | %+.1f %% |\n", 100 * (subjects[1].median_us / subjects[0].median_us - 1),
           100 * (subjects[3].median_us / subjects[2].median_us - 1));
    fflush(stdout);
}

static enum hy_code start(const char *blocks, struct hy_remote_subject **remotes,
                          struct hy_bench_subject *subjects, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (int i = 0; i < SUBJECTS && code == HY_OK; i++) {
        const char *const arguments[] = {"isolation_cost", "--serve", blocks, ways[i].mode, NULL};
        const struct hy_remote_variable isolate = {"HALYARD_ISOLATE", ways[i].isolate};
        code = hy_remote_subject_start(arguments, &isolate, 1, &remotes[i], err);
        subjects[i] = (struct hy_bench_subject){
            .name = ways[i].name, .time_runs = hy_remote_subject_time_runs, .self = remotes[i]};
    }
    return code;
}

static enum hy_code race(const char *name, const char *blocks, const struct hy_bench_rules *rules,
                         struct hy_error *err)
{
    struct hy_remote_subject *remotes[SUBJECTS] = {NULL};
    struct hy_bench_subject subjects[SUBJECTS];

    enum hy_code code = start(blocks, remotes, subjects, err);
    if (code == HY_OK)
        code = hy_bench_measure(subjects, SUBJECTS, rules, err);
    if (code == HY_OK)
        print_row(name, subjects);
    for (int i = 0; i < SUBJECTS; i++)
        hy_remote_subject_stop(remotes[i]); /* which looks whether bytes were copied */
    return code;
}

static void print_head(void)
{
    printf("| us |");
    for (int i = 0; i < SUBJECTS; i++)
        printf(" %s |", ways[i].name);
    printf(" ordinary | burst |\n|---|--:|--:|--:|--:|--:|--:|\n");
}

int main(int argc, char **argv)
{
    struct hy_error err = {0};
    enum hy_code code = HY_OK;

    if (argc == 4 && strcmp(argv[1], "--serve") == 0) {
        code = serve(argv[2], argv[3], &err);
    } else {
        const int rounds = argc > 1 ? atoi(argv[1]) : DEFAULT_ROUNDS;
        const struct hy_bench_rules rules = {.rounds = (uint32_t)(rounds > 0 ? rounds : 0),
                                             .round_time = ROUND_TIME};
        setenv("HALYARD_DRIVERD", BENCH_DRIVERD, 0);
        print_head();
        for (size_t i = 0; i < sizeof networks / sizeof *networks && code == HY_OK; i++)
            code = race(networks[i].name, networks[i].blocks, &rules, &err);
    }
    if (code != HY_OK)
        fprintf(stderr, "isolation_cost: %s\n", err.text);
    return code == HY_OK ? 0 : 1;
}
