#ifndef HY_TESTS_LIBHALYARD_KIT_GRAPH_RUN_H
#define HY_TESTS_LIBHALYARD_KIT_GRAPH_RUN_H

#include "libhalyard/graph/graph.h"

enum { HY_RUN_MAX_OUTPUTS = 4 };

/* What a graph computes from inputs that `seed` decides. */
struct hy_graph_result {
    uint32_t operations; /* of the NNAPI model */
    uint32_t count;
    struct {
        enum hy_element element;
        void *bytes;
        uint64_t length;
    } outputs[HY_RUN_MAX_OUTPUTS];
};

/* Lowers a graph and runs it once on halyard-cpu. Inputs are of float32, from -2 to 2, or of 8
 * bits. Failures are failures of the test, and the result is then empty. */
void hy_graph_run(const struct hy_graph *graph, uint64_t seed, struct hy_graph_result *ret);
void hy_graph_result_finish(struct hy_graph_result *result);

#endif
