#ifndef HY_BENCH_KERNELS_LAYER_WORK_H
#define HY_BENCH_KERNELS_LAYER_WORK_H

#include "libhalyard/graph/graph.h"

/* What a node of a graph has to do at least, whoever computes it. */
struct hy_layer_work {
    double products;       /* each with its sum, as the operation is defined; 0 for all but those of
                              matrices and filters */
    double constant_bytes; /* of weights, as the file has them */
    double value_bytes;    /* of what is computed: inputs and outputs */
    bool is_float;         /* the first output */
};

struct hy_layer_work hy_layer_work_of(const struct hy_graph *graph,
                                      const struct hy_graph_node *node);

#endif
