#ifndef HY_LIBHALYARD_GRAPH_PASSES_DEAD_NODES_H
#define HY_LIBHALYARD_GRAPH_PASSES_DEAD_NODES_H

#include "libhalyard/graph/passes/uses.h"

/* Removes nodes whose outputs nothing reads, and then the nodes that only those have read. FOREIGN
 * nodes stay: lowering refuses a file with an operator that nobody knows. Inputs of the graph stay
 * inputs. */
void hy_remove_dead_nodes(struct hy_uses *uses);

#endif
