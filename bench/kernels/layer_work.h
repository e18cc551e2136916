#ifndef HY_BENCH_KERNELS_LAYER_WORK_H
#define HY_BENCH_KERNELS_LAYER_WORK_H

#include "libhalyard/graph/graph.h"

/* The minimum work of a node, independent of the implementation. */
struct hy_layer_work {
    /* multiply-adds of matrices and filters by the definition of the operation; 0 for other
     * operations */
    double products;
    double constant_bytes; /* weights, as stored in the file */
    double value_bytes;    /* computed inputs and outputs */
    bool is_float;         /* the first output is of floats */
};

struct hy_layer_work hy_layer_work_of(const struct hy_graph *graph,
                                      const struct hy_graph_node *node);

#endif
