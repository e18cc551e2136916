#ifndef HY_LIBHALYARD_GRAPH_PASSES_PASSES_H
#define HY_LIBHALYARD_GRAPH_PASSES_PASSES_H

#include "libhalyard/graph/graph.h"

/*
 * The passes between reading and lowering a graph: shapes and constants are propagated
 * (propagate.h), nodes are cancelled, merged and fused, and dead nodes are removed. Integer and
 * quantised results stay the same to the byte. Float results also stay the same, except after a
 * fused batch normalisation, because its factors are rounded with the weights.
 *
 * Inputs and outputs of the graph stay the same tensors, in number, order, type and shape. A fused
 * node has the origin and title of the earlier node. Bodies are processed in the same way. The time
 * is proportional to the size of the graph.
 *
 * Errors: the errors of hy_graph_propagate, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_graph_run_passes(struct hy_graph *graph, struct hy_error *err);

#endif
