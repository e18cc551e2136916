#ifndef HY_LIBHALYARD_GRAPH_PROPAGATE_H
#define HY_LIBHALYARD_GRAPH_PROPAGATE_H

#include "libhalyard/graph/graph.h"

/* Infers all shapes from the shapes of the inputs, and folds nodes with constant results: folded
 * nodes are removed, and their outputs are constants. An IF with a constant condition becomes the
 * nodes of one branch. Bodies of IF and WHILE are processed in the same way. Errors: the errors of
 * hy_graph_fold; HY_BAD_DATA: iterations of a WHILE change an inferred shape. */
HY_MUST_CHECK enum hy_code hy_graph_propagate(struct hy_graph *graph, struct hy_error *err);

#endif
