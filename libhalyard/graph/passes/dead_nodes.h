#ifndef HY_LIBHALYARD_GRAPH_PASSES_DEAD_NODES_H
#define HY_LIBHALYARD_GRAPH_PASSES_DEAD_NODES_H

#include "libhalyard/graph/passes/uses.h"

/* Removes nodes without readers of their outputs. If a removal leaves another node without readers,
 * the other node is also removed. FOREIGN nodes stay: lowering refuses a file with an unknown
 * operator. Inputs of the graph remain inputs of the graph. */
void hy_remove_dead_nodes(struct hy_uses *uses);

/* As hy_remove_dead_nodes, for a graph; bodies stay unchanged. Error: HY_OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_graph_remove_dead_nodes(struct hy_graph *graph, struct hy_error *err);

#endif
