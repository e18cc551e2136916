#ifndef HY_TESTS_SCENARIOS_GRAPHS_GRAPH_RUN_H
#define HY_TESTS_SCENARIOS_GRAPHS_GRAPH_RUN_H

#include "tests/scenarios/graphs/graph.h"
#include "tools/run_mode.h"

/* A compilation of a graph's model, with its outputs. */
struct graph_run {
    const struct graph *graph;
    ANeuralNetworksCompilation *compilation;
    void *outputs[GRAPH_OPERANDS_MAX]; /* indexed by operand; outputs only, memory of the arena */
};

struct graph_course {
    enum hy_run_mode mode;
    bool is_reused; /* run twice with a reusable execution and check the second run */
};

/* Compiles for devices given by name. Call graph_run_finish in any case. */
HY_MUST_CHECK enum hy_code graph_run_start(struct graph_run *run, const struct graph *graph,
                                           ANeuralNetworksModel *model, const char *const *devices,
                                           uint32_t device_count, struct hy_error *err);

/* Executes. Returns HY_FAILED if an output has a different shape than in the graph. */
HY_MUST_CHECK enum hy_code
graph_run_execute(struct graph_run *run, const struct graph_course *course, struct hy_error *err);

/* Compares all outputs with `want`. Returns HY_FAILED with the position of the first difference. */
HY_MUST_CHECK enum hy_code graph_run_compare(const struct graph_run *run,
                                             const struct graph_run *want, struct hy_error *err);

void graph_run_finish(struct graph_run *run);

#endif
