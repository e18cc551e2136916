#ifndef HY_TESTS_GRAPHS_GRAPH_RUN_H
#define HY_TESTS_GRAPHS_GRAPH_RUN_H

#include "tests/graphs/graph.h"
#include "tools/run_mode.h"

/* One compilation of a graph's model, and what comes out of it. */
struct graph_run {
    const struct graph *graph;
    ANeuralNetworksCompilation *compilation;
    void *outputs[GRAPH_OPERANDS_MAX]; /* [operand], where it is an output; memory of the arena */
};

struct graph_course {
    enum hy_run_mode mode;
    bool is_reused; /* twice by one reusable execution: the second time counts */
};

/* Compiles for devices by their names. Finish it in any case. */
HY_MUST_CHECK enum hy_code graph_run_start(struct graph_run *run, const struct graph *graph,
                                           ANeuralNetworksModel *model, const char *const *devices,
                                           uint32_t device_count, struct hy_error *err);

/* Executes. HY_FAILED for an output of another shape than the graph says. */
HY_MUST_CHECK enum hy_code
graph_run_execute(struct graph_run *run, const struct graph_course *course, struct hy_error *err);

/* HY_FAILED where an output has other bytes than it has in `want`, in words that say where. */
HY_MUST_CHECK enum hy_code graph_run_compare(const struct graph_run *run,
                                             const struct graph_run *want, struct hy_error *err);

void graph_run_finish(struct graph_run *run);

#endif
