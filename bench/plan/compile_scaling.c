/*
 * compile_scaling: the growth of the cost of planning and preparing with the size of the graph.
 * Builds random graphs of 200 and of 2,000 operations with the public API and compiles each several
 * times; linear work gives a ratio of 10. In the first kind of graph operations read recent
 * results, as in networks; in the second kind they read any older result, and very many tensors are
 * live at the same time.
 *
 *     compile_scaling [COMPILATIONS]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <android/NeuralNetworks.h>

#include "bench/plan/random_graph.h"
#include "common/clock.h"
#include "tools/api_result.h"
#include "tools/stats.h"

#define SIZE_COUNT 2

static const uint32_t sizes[SIZE_COUNT] = {200, 2000};

/* How far back an operation may read. */
static const struct {
    const char *name;
    uint32_t reach;
} kinds[] = {{"near", 16}, {"any", UINT32_MAX}};

#define KIND_COUNT (sizeof kinds / sizeof *kinds)

enum { COMPILATIONS = 15, COMPILATIONS_MAX = 1000 };

static enum hy_code compile_once(ANeuralNetworksModel *model, uint64_t *ns, struct hy_error *err)
{
    ANeuralNetworksCompilation *compilation = NULL;
    const uint64_t start = hy_clock_now();
    enum hy_code code = hy_api_result(ANeuralNetworksCompilation_create(model, &compilation),
                                      "Compilation_create", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksCompilation_finish(compilation), "Compilation_finish",
                             err);
    *ns = hy_clock_now() - start;
    ANeuralNetworksCompilation_free(compilation);
    return code;
}

static enum hy_code measure(uint32_t operations, uint32_t reach, uint32_t times,
                            struct hy_stats *stats, struct hy_error *err)
{
    uint64_t samples[COMPILATIONS_MAX];
    ANeuralNetworksModel *model = NULL;
    enum hy_code code = hy_random_graph_make(operations, reach, &model, err);
    for (uint32_t i = 0; code == HY_OK && i < times; i++)
        code = compile_once(model, &samples[i], err);
    ANeuralNetworksModel_free(model);
    if (code == HY_OK)
        *stats = hy_stats_make(samples, times);
    return code;
}

static enum hy_code show_kind(size_t kind, uint32_t times, struct hy_error *err)
{
    struct hy_stats stats[SIZE_COUNT];
    enum hy_code code = HY_OK;
    for (int i = 0; code == HY_OK && i < SIZE_COUNT; i++) {
        code = measure(sizes[i], kinds[kind].reach, times, &stats[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "%u operations", sizes[i]);
    }
    printf("| %s | %.3f | %.3f | %.1f |\n", kinds[kind].name, (double)stats[0].p50 / 1e6,
           (double)stats[1].p50 / 1e6, (double)stats[1].p50 / (double)stats[0].p50);
    return HY_OK;
}

int main(int argc, char **argv)
{
    const long times = argc > 1 ? strtol(argv[1], NULL, 10) : COMPILATIONS;
    if (argc > 2 || times < 1 || times > COMPILATIONS_MAX) {
        fprintf(stderr, "usage: compile_scaling [COMPILATIONS, 1 to %d]\n", COMPILATIONS_MAX);
        return 2;
    }
    printf("| reads | %u operations, median ms | %u operations, median ms | ratio |\n"
           "|---|--:|--:|--:|\n",
           sizes[0], sizes[1]);
    for (size_t kind = 0; kind < KIND_COUNT; kind++) {
        struct hy_error err;
        if (show_kind(kind, (uint32_t)times, &err) != HY_OK) {
            fprintf(stderr, "compile_scaling: %s\n", err.text);
            return 1;
        }
    }
    return 0;
}
