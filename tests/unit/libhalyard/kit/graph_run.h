#ifndef HY_TESTS_UNIT_LIBHALYARD_KIT_GRAPH_RUN_H
#define HY_TESTS_UNIT_LIBHALYARD_KIT_GRAPH_RUN_H

#include "libhalyard/graph/graph.h"

enum { HY_RUN_MAX_OUTPUTS = 4 };

/* The results of a graph for random inputs determined by `seed`. */
struct hy_graph_result {
    uint32_t operations; /* of the NNAPI model */
    uint32_t count;
    struct {
        enum hy_element element;
        void *bytes;
        uint64_t length;
    } outputs[HY_RUN_MAX_OUTPUTS];
};

/* Lowers a graph and runs the model once on halyard-cpu. Inputs are float32 in [-2, 2], or 8-bit.
 * On failure records a test failure and returns an empty result. */
void hy_graph_run(const struct hy_graph *graph, uint64_t seed, struct hy_graph_result *ret);
void hy_graph_result_finish(struct hy_graph_result *result);

#endif
