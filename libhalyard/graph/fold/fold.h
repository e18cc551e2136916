#ifndef HY_LIBHALYARD_GRAPH_FOLD_FOLD_H
#define HY_LIBHALYARD_GRAPH_FOLD_FOLD_H

#include "libhalyard/graph/graph.h"

/*
 * Computes results of constants and of known shapes at compile time. Folded operators are changes
 * of type and shape, and arithmetic on integers for shapes and indices: every device computes the
 * same result. The output of a folded node is a constant in the graph's arena. Errors name the
 * operator: HY_OUT_OF_MEMORY, HY_BAD_DATA for a sparse constant with almost no elements.
 */
HY_MUST_CHECK enum hy_code hy_graph_fold(struct hy_graph *graph, const struct hy_graph_node *node,
                                         bool *ret_folded, struct hy_error *err);

#endif
