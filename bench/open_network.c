/*
 * open_network: the cost of opening a `.tflite` file, from the mapped bytes to a finished NNAPI
 * model, without a compilation. Prints the median of each step in milliseconds of one processor:
 *
 *     open_network [--times N] MODEL...
 *
 *     read    the file is checked and becomes plain structs
 *     graph   operators are converted to nodes
 *     passes  shapes and constants are propagated; nodes are cancelled, merged and fused
 *     lower   operations of NNAPI are added and the model is finished
 *     close   all memory is freed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "libhalyard/graph/passes/passes.h"
#include "libhalyard/lower/lower.h"
#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/tflite/tflite_graph.h"
#include "tools/stats.h"

#define MAX_FILE_BYTES (UINT64_C(1) << 31)

enum step { READ, GRAPH, PASSES, LOWER, CLOSE, ALL, STEP_COUNT };

enum { TIMES = 51, TIMES_MAX = 1000 };

struct samples {
    uint64_t ns[STEP_COUNT][TIMES_MAX];
    uint32_t operators, operations;
};

/* Processor time of this thread, which does all of the work: other work on the machine does not
 * count. */
static uint64_t cpu_ns(void)
{
    return (uint64_t)hy_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t lap(uint64_t *since)
{
    const uint64_t now = cpu_ns(), passed = now - *since;
    *since = now;
    return passed;
}

static enum hy_code open_once(const struct hy_file *file, uint32_t index, struct samples *samples,
                              struct hy_error *err)
{
    struct hy_tflite_model *source = NULL;
    struct hy_graph graph;
    struct hy_lowered_model *model = NULL;
    const uint64_t start = cpu_ns();
    uint64_t since = start;

    hy_graph_init(&graph);
    enum hy_code code = hy_tflite_open(file->bytes, file->length, NULL, &source, err);
    samples->ns[READ][index] = lap(&since);
    if (code == HY_OK) {
        samples->operators = source->subgraphs[0].operator_count;
        code = hy_tflite_graph(source, 0, &graph, err);
    }
    samples->ns[GRAPH][index] = lap(&since);
    if (code == HY_OK)
        code = hy_graph_run_passes(&graph, err);
    samples->ns[PASSES][index] = lap(&since);
    if (code == HY_OK)
        code = hy_lower(&graph, &model, err);
    samples->ns[LOWER][index] = lap(&since);
    samples->ns[ALL][index] = since - start;
    if (code == HY_OK)
        samples->operations = hy_lowered_model_operation_count(model);
    hy_lowered_model_destroy(model);
    hy_graph_finish(&graph);
    hy_tflite_close(source);
    samples->ns[CLOSE][index] = lap(&since);
    return code;
}

static enum hy_code measure(const char *path, uint32_t times, struct hy_error *err)
{
    static struct samples samples;
    struct hy_file file = {0};
    const char *name = strrchr(path, '/');

    enum hy_code code = hy_file_map(path, MAX_FILE_BYTES, &file, err);
    for (uint32_t i = 0; code == HY_OK && i < times; i++)
        code = open_once(&file, i, &samples, err);
    hy_file_unmap(&file);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s", path);
    printf("| %s | %u | %u |", name ? name + 1 : path, samples.operators, samples.operations);
    for (int step = 0; step < STEP_COUNT; step++)
        printf(" %.3f |", (double)hy_stats_make(samples.ns[step], times).p50 / 1e6);
    printf("\n");
    return HY_OK;
}

int main(int argc, char **argv)
{
    const bool has_times = argc > 2 && strcmp(argv[1], "--times") == 0;
    const long times = has_times ? strtol(argv[2], NULL, 10) : TIMES;
    const int first = has_times ? 3 : 1;

    if (argc <= first || times < 1 || times > TIMES_MAX) {
        fprintf(stderr, "usage: open_network [--times N, 1 to %d] MODEL...\n", TIMES_MAX);
        return 2;
    }
    printf("| network | operators | operations | read | graph | passes | lower | close | open |\n"
           "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    int failed = 0;
    for (int i = first; i < argc; i++) {
        struct hy_error err;
        if (measure(argv[i], (uint32_t)times, &err) != HY_OK) {
            fprintf(stderr, "open_network: %s\n", err.text);
            failed = 1;
        }
    }
    return failed;
}
