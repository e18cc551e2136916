#ifndef HY_LIBHALYARD_GRAPH_BODIES_H
#define HY_LIBHALYARD_GRAPH_BODIES_H

#include "libhalyard/graph/graph.h"

/*
 * Makes constants in the bodies of a node of what is a constant outside, where no iteration changes
 * it: weights have to be constants for most devices. Such inputs leave the node and the bodies.
 * Error: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code
hy_graph_sink_constants(struct hy_graph *graph, struct hy_graph_node *node, struct hy_error *err);

/* hy_graph_propagate for the bodies of a node. Errors: those of hy_graph_propagate, and HY_BAD_DATA
 * where an iteration gives a tensor another shape than the shape that the body was told for. */
HY_MUST_CHECK enum hy_code hy_graph_propagate_bodies(struct hy_graph *graph,
                                                     const struct hy_graph_node *node,
                                                     struct hy_error *err);

#endif
