#ifndef HY_LIBHALYARD_GRAPH_FOLD_KNOWN_NUMBERS_H
#define HY_LIBHALYARD_GRAPH_FOLD_KNOWN_NUMBERS_H

#include "libhalyard/graph/graph.h"

/* Sets `numbers` of the output of a node that combines constants and values of a run in a vector:
 * for example a shape with an unknown extent. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_know_numbers(struct hy_graph *graph,
                                                 const struct hy_graph_node *node,
                                                 struct hy_error *err);

#endif
