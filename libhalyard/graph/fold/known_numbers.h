#ifndef HY_LIBHALYARD_GRAPH_FOLD_KNOWN_NUMBERS_H
#define HY_LIBHALYARD_GRAPH_FOLD_KNOWN_NUMBERS_H

#include "libhalyard/graph/graph.h"

/* Sets `numbers` of the output, where the node makes a vector of constants and of what a run
 * computes: a shape with an extent that only a run can tell. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_know_numbers(struct hy_graph *graph,
                                                 const struct hy_graph_node *node,
                                                 struct hy_error *err);

#endif
