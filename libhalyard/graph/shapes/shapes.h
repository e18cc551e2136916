#ifndef HY_LIBHALYARD_GRAPH_SHAPES_SHAPES_H
#define HY_LIBHALYARD_GRAPH_SHAPES_SHAPES_H

#include "libhalyard/graph/graph.h"

/*
 * Gives the outputs of a node the shapes that follow from the node's inputs, whatever the file
 * says: converters leave shapes behind that no longer hold. Where a shape follows from contents
 * that only a run can tell, and where the inputs do not fit each other, the shape in the file
 * stays; but extents that do not follow from inputs of unknown extents are unknown. IF and WHILE
 * tell the shapes of their bodies.
 */
void hy_graph_infer_shapes(struct hy_graph *graph, const struct hy_graph_node *node);

#endif
