#ifndef HY_LIBHALYARD_GRAPH_FOLD_FOLD_H
#define HY_LIBHALYARD_GRAPH_FOLD_FOLD_H

#include "libhalyard/graph/graph.h"

/*
 * Computes what follows from constants alone, and from shapes that are known. Folded are changes of
 * type and shape, and arithmetic on integers, which compute shapes and indices: results that no
 * device computes otherwise. If a node is folded, its output is a constant in the graph's arena.
 * Errors name the operator: HY_OUT_OF_MEMORY, HY_BAD_DATA where a sparse constant is all but empty.
 */
HY_MUST_CHECK enum hy_code hy_graph_fold(struct hy_graph *graph, const struct hy_graph_node *node,
                                         bool *ret_folded, struct hy_error *err);

#endif
