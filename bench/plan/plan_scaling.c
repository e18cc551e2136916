/*
 * plan_scaling: the growth of the planning cost over many devices with the size of the graph.
 * Compiles random graphs of 10,000 and of 100,000 operations for the eight devices of a driver
 * without any work in prepare, and prints the median processor time of a compilation; linear work
 * gives a ratio of 10. Both sizes run in turns of similar length, under the same load of the
 * machine.
 *
 *     plan_scaling [ROUNDS]
 */
#include <halyard/halyard.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/plan_probe.h"
#include "bench/plan/random_graph.h"
#include "common/clock.h"
#include "tools/api_result.h"
#include "tools/stats.h"

#define SIZE_COUNT 2

static const uint32_t sizes[SIZE_COUNT] = {10000, 100000};

/* How far back an operation may read. */
static const struct {
    const char *name;
    uint32_t reach;
} kinds[] = {{"near", 16}, {"any", UINT32_MAX}};

#define KIND_COUNT (sizeof kinds / sizeof *kinds)

enum { ROUNDS = 7, ROUNDS_MAX = 100 };

/* A graph of one size, and the times of its compilations. */
struct measured_graph {
    ANeuralNetworksModel *model;
    uint32_t steps;
    uint64_t ns[ROUNDS_MAX]; /* the mean of each round */
};

static enum hy_code find_devices(const ANeuralNetworksDevice **devices, uint32_t *count,
                                 struct hy_error *err)
{
    uint32_t all = 0;
    enum hy_code code = hy_api_result(ANeuralNetworks_getDeviceCount(&all), "getDeviceCount", err);
    *count = 0;
    for (uint32_t i = 0; code == HY_OK && i < all && *count < PLAN_PROBE_DEVICES; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = "";
        code = hy_api_result(ANeuralNetworks_getDevice(i, &device), "getDevice", err);
        if (code == HY_OK)
            code = hy_api_result(ANeuralNetworksDevice_getName(device, &name), "getName", err);
        if (code == HY_OK && strncmp(name, PLAN_PROBE_NAME, strlen(PLAN_PROBE_NAME)) == 0)
            devices[(*count)++] = device;
    }
    if (code == HY_OK && *count < PLAN_PROBE_DEVICES)
        return hy_fail(err, HY_FAILED, "the probe has %u devices, needs %u", *count,
                       PLAN_PROBE_DEVICES);
    return code;
}

static enum hy_code finish(ANeuralNetworksCompilation *compilation, uint64_t *ns, uint32_t *steps,
                           struct hy_error *err)
{
    struct halyard_plan plan = {.struct_size = sizeof plan};
    /* Processor time of this process, which has one working thread. */
    const uint64_t start = (uint64_t)hy_clock_read(CLOCK_PROCESS_CPUTIME_ID);
    enum hy_code code =
        hy_api_result(ANeuralNetworksCompilation_finish(compilation), "Compilation_finish", err);
    *ns = (uint64_t)hy_clock_read(CLOCK_PROCESS_CPUTIME_ID) - start;
    if (code == HY_OK)
        code = hy_api_result(halyard_compilation_get_plan(compilation, &plan),
                             "compilation_get_plan", err);
    *steps = plan.step_count;
    return code;
}

static enum hy_code plan_once(ANeuralNetworksModel *model, uint64_t *ns, uint32_t *steps,
                              struct hy_error *err)
{
    const ANeuralNetworksDevice *devices[PLAN_PROBE_DEVICES];
    ANeuralNetworksCompilation *compilation = NULL;
    uint32_t count = 0;

    enum hy_code code = find_devices(devices, &count, err);
    if (code == HY_OK)
        code = hy_api_result(
            ANeuralNetworksCompilation_createForDevices(model, devices, count, &compilation),
            "Compilation_createForDevices", err);
    if (code == HY_OK)
        code = finish(compilation, ns, steps, err);
    ANeuralNetworksCompilation_free(compilation);
    return code;
}

static enum hy_code run_round(struct measured_graph *measured_graph, uint32_t round, uint32_t times,
                              struct hy_error *err)
{
    enum hy_code code = HY_OK;
    uint64_t sum = 0;

    for (uint32_t i = 0; code == HY_OK && i < times; i++) {
        uint64_t ns = 0;
        code = plan_once(measured_graph->model, &ns, &measured_graph->steps, err);
        sum += ns;
    }
    measured_graph->ns[round] = sum / times;
    return code;
}

static enum hy_code compete(struct measured_graph *measured_graphs, uint32_t reach, uint32_t rounds,
                            struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (int i = 0; code == HY_OK && i < SIZE_COUNT; i++)
        code = hy_random_graph_make(sizes[i], reach, &measured_graphs[i].model, err);
    for (uint32_t round = 0; round < rounds; round++) {
        for (int i = 0; code == HY_OK && i < SIZE_COUNT; i++)
            code = run_round(&measured_graphs[i], round, sizes[SIZE_COUNT - 1] / sizes[i], err);
    }
    for (int i = 0; i < SIZE_COUNT; i++)
        ANeuralNetworksModel_free(measured_graphs[i].model);
    return code;
}

static enum hy_code show_kind(size_t kind, uint32_t rounds, struct hy_error *err)
{
    struct measured_graph measured_graphs[SIZE_COUNT] = {0};
    const enum hy_code code = compete(measured_graphs, kinds[kind].reach, rounds, err);
    if (code != HY_OK)
        return code;

    const double few = (double)hy_stats_make(measured_graphs[0].ns, rounds).p50;
    const double many = (double)hy_stats_make(measured_graphs[1].ns, rounds).p50;
    printf("| %s | %.1f | %u | %.1f | %u | %.1f |\n", kinds[kind].name, few / 1e6,
           measured_graphs[0].steps, many / 1e6, measured_graphs[1].steps, many / few);
    return HY_OK;
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : ROUNDS;
    if (argc > 2 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: plan_scaling [ROUNDS, 1 to %d]\n", ROUNDS_MAX);
        return 2;
    }
    setenv("HALYARD_DRIVER_FILES", PLAN_PROBE_MANIFEST, 1);
    printf("| reads | %u operations, median ms | steps | %u operations, median ms | steps | ratio |"
           "\n|---|--:|--:|--:|--:|--:|\n",
           sizes[0], sizes[1]);
    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        struct hy_error err;
        if (show_kind(kind, (uint32_t)rounds, &err) != HY_OK) {
            fprintf(stderr, "plan_scaling: %s\n", err.text);
            return 1;
        }
    }
    return 0;
}
