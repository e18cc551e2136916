#ifndef HY_LIBHALYARD_GRAPH_PROPAGATE_H
#define HY_LIBHALYARD_GRAPH_PROPAGATE_H

#include "libhalyard/graph/graph.h"

/* Tells all shapes from those of the inputs, and computes what follows from constants and shapes
 * alone: such nodes go away, and their outputs are constants. An IF whose condition is a constant
 * becomes the nodes of one branch. The same happens in the bodies of IF and WHILE. Errors: those of
 * hy_graph_fold, and HY_BAD_DATA where iterations of a WHILE change a shape that was told. */
HY_MUST_CHECK enum hy_code hy_graph_propagate(struct hy_graph *graph, struct hy_error *err);

#endif
