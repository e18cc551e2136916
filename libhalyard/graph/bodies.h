#ifndef HY_LIBHALYARD_GRAPH_BODIES_H
#define HY_LIBHALYARD_GRAPH_BODIES_H

#include "libhalyard/graph/graph.h"

/*
 * Replaces an input of a node's bodies by a constant in each body, if the input is a constant
 * outside and no iteration changes it: most devices need constant weights. The replaced inputs are
 * removed from the node and from the bodies. Error: HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code
hy_graph_sink_constants(struct hy_graph *graph, struct hy_graph_node *node, struct hy_error *err);

/* hy_graph_propagate for the bodies of a node. Errors: the errors of hy_graph_propagate;
 * HY_BAD_DATA: an iteration changes the shape of a tensor with an inferred shape. */
HY_MUST_CHECK enum hy_code hy_graph_propagate_bodies(struct hy_graph *graph,
                                                     const struct hy_graph_node *node,
                                                     struct hy_error *err);

#endif
