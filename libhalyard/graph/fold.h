#ifndef HY_LIBHALYARD_GRAPH_FOLD_H
#define HY_LIBHALYARD_GRAPH_FOLD_H

#include "libhalyard/graph/graph.h"

/*
 * Computes what follows from constants alone: such nodes go away, and their outputs are constants
 * in the graph's arena. Only operators whose results no device computes otherwise are folded:
 * changes of type and of shape. Errors: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_graph_fold(struct hy_graph *graph, struct hy_error *err);

#endif
