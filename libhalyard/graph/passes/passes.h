#ifndef HY_LIBHALYARD_GRAPH_PASSES_PASSES_H
#define HY_LIBHALYARD_GRAPH_PASSES_PASSES_H

#include "libhalyard/graph/graph.h"

/*
 * What is done with a graph before it is lowered: shapes and constants are propagated
 * (propagate.h), then nodes are cancelled, shared and fused, and dead nodes removed. Integer and
 * quantised results stay the same to the byte. Float results do as well, except behind a fused
 * batch normalisation, whose factors are rounded with the weights.
 *
 * Inputs and outputs of the graph stay the same tensors, in number, order, type and shape. A node
 * that was fused with another keeps the origin and title of the node before it. Bodies
 * are treated alike. Takes time in proportion to the graph.
 *
 * Errors: those of hy_graph_propagate, HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_graph_run_passes(struct hy_graph *graph, struct hy_error *err);

#endif
